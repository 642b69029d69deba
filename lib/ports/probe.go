package ports

import "time"

// probeTimeout bounds one connect. A listener with a full queue, or a firewall that drops
// packets, answers nothing for minutes.
const probeTimeout = 150 * time.Millisecond

// unitBusy reports whether any of the unit's ports is in use.
func (s Store) unitBusy(unit int) bool {
	busy := s.Busy
	if busy == nil {
		busy = listening
	}
	for port := unit; port < unit+UnitSize; port++ {
		if busy(port) {
			return true
		}
	}
	return false
}
