// Hello is the least that a Go tool does: the floor of every tool's start.
package main

import "fmt"

func main() { fmt.Println("hello") }
