package keep

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	abc36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	hex32 = "0123456789abcdef0123456789abcdef"
	key64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
)

// planted are texts with one secret each, in parts so that no scanner takes this file for
// a leak. The parts that are secret are what must not be left.
var planted = []struct{ before, secret, after string }{
	// What issuers made to be recognised.
	{"use ", "ghp" + "_" + abc36, " to push"},
	{"push https://github.com with ", "gho" + "_" + abc36, "."},
	{`{"text":"line\n`, "ghs" + "_" + abc36, `\nnext"}`},
	{"", "github" + "_pat_11ABCDEFG0" + abc36 + "_" + abc36, "\n"},
	{"curl -H 'PRIVATE-TOKEN: ", "gl" + "pat-" + abc36[:20], "' https://gitlab.example"},
	{"slack ", "xox" + "b-123456789012-1234567890123-" + abc36[:24], ""},
	{"slack ", "xox" + "p-123456789012-1234567890123-" + abc36[:24], ""},
	{"id ", "AK" + "IAQ3EGRIKJ5T7X2MPL", " in eu-west-1"},
	{"id ", "AS" + "IAQ3EGRIKJ5T7X2MPL", "\n"},
	{"maps ", "AI" + "zaSy" + abc36[:33], "&v=3"},
	{"ya ", "ya" + "29.a0AfH6SM" + abc36, ""},
	{"stripe ", "sk" + "_live_" + abc36[:24], ""},
	{"stripe ", "rk" + "_live_" + abc36[:24], ""},
	{"//registry.example.com/:_authToken=", "npm" + "_" + abc36, "\n"},
	{"twine ", "py" + "pi-AgEIcHlwaS5vcmcC" + abc36 + abc36, ""},
	{"openai ", "sk" + "-proj-" + abc36 + "_" + abc36, ""},
	{"openai ", "sk" + "-" + abc36 + abc36[:12], ""},
	{"claude ", "sk" + "-ant-api03-" + abc36 + "-" + abc36 + "AA", ""},
	{"hub ", "hf" + "_" + abc36[:34], ""},
	{"mail ", "SG" + "." + abc36[:22] + "." + abc36 + abc36[:7], ""},
	{"call ", "SK" + hex32, " with"},
	{"droplet ", "dop" + "_v1_" + hex32 + hex32, ""},
	{"vault ", "hvs" + "." + abc36, ""},
	{"age ", "AGE-SECRET" + "-KEY-1" + strings.ToUpper(abc36+abc36[:22]), ""},
	{"shop ", "shp" + "at_" + hex32, ""},
	{"image ", "dckr" + "_pat_" + abc36[:27], ""},
	{"post to https://hooks.slack.com/services/", "T00000000/B0" + "0000000/" + abc36[:24], ""},
	{"bot ", "1234567890" + ":AA" + abc36[:33], ""},
	// Web tokens and headers.
	{"cookie ", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "; path=/"},
	{"Authorization: Bearer ", "mF_9.B5f-4.1JqM", "\n"},
	{"then bearer ", abc36[:20], " is sent"},
	{`-H "Authorization: Basic `, "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", `"`},
	{`{"Authorization": "token `, "abcdef123456", `"}`},
	// Private keys.
	{"x\n", "-----BEGIN RSA " + "PRIVATE KEY-----\n" + key64 + "\n" + key64 + "\n-----END RSA " + "PRIVATE KEY-----", "\ny"},
	{"", "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + key64 + "\n-----END OPENSSH " + "PRIVATE KEY-----", ""},
	{"", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + key64 + "\n=abcd\n-----END PGP " + "PRIVATE KEY BLOCK-----", "\n"},
	{`{"k": "`, "-----BEGIN " + `PRIVATE KEY-----\n` + key64 + `\n` + key64 + `\n-----END ` + "PRIVATE KEY-----", `\n"}`},
	{"cut off:\n", "-----BEGIN EC " + "PRIVATE KEY-----\n" + key64 + "\n" + key64, ""},
	// URLs.
	{"DATABASE=postgres://", "app:hun" + "ter2", "@db.internal/app"},
	{"git clone https://", "x-access-token:" + abc36, "@github.com/a/b"},
	{"git clone https://", abc36, "@github.com/a/b"},
	{"redis://", ":p/ss?w@rd", "@cache:6379"},
	{"https://h/x?access_token=", "Zz9" + abc36[:12], "&page=2"},
	// Assignments.
	{"export DB_PASSWORD=", "hun" + "ter2", "\n"},
	{"API_TOKEN=", "qwertyuiop", ""},
	{"  - SECRET_KEY=", "k" + abc36[:12], "\n"},
	{"AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYS", "\n"},
	{"aws_secret_access_key = ", "/JalrXUtnFEMI/K7MDENG+bPxRfiCYzzzzzzKEYS", "\n"},
	{"password = ", "hun" + "ter", "\n"},
	{`{"password": "`, "correct horse battery", `", "a": 1}`},
	{`{\"client_secret\": \"`, "s3cr" + "et-value", `\"}`},
	{"db:\n  password: ", "swordfish", "\n  port: 5432\n"},
	{"auth: { user: x, apiKey: ", "abc123def", ", retries: 3 }"},
	{"passphrase: |\n  ", "two words\n  and more", "\nnext: 1\n"},
	{`const apiKey: string = "`, "abc" + "def-ghi", `";`},
	{"$env:ACCESS_TOKEN = '", "p0wer" + "shell", "'"},
	{"Server=x;User Id=sa;Password=", "S3cr" + "et!", ";Encrypt=1"},
	{"- **API key:** `", "zz" + abc36[:10], "`\n"},
	{"mysql --password ", "hun" + "ter2", " -u root"},
	{"curl -u ", "admin:hun" + "ter2", " https://x.example"},
	{"machine x.example login me password ", "hun" + "ter2", "\n"},
	{`"x.example": {"auth": "`, "dXNlcjpwYXNzd29yZA==", `"}`},
	{`MY_CREDENTIALS="`, "user/pass", `"` + "\n"},
	{"ENV GITHUB_TOKEN ", "abcdef99", "\n"},
	{`KEYS="x"` + "\n" + `DB_PASSWORD="`, "multi\nline", `"` + "\nX=1\n"},
	{"AUTH_TOKEN=", "Bearer abc", "\n"},
	{"DB_PASSWORD=", "${X:-hun" + "ter2}", "\n"},
	{`curl -H "X-Api-Key: `, "abcdef", `" https://x.example`},
	{"the password is ", "hun" + "ter2", ", as before"},
	{"| `DB_PASSWORD` | ", "hun" + "ter2", " | staging |"},
	{"<password>", "hun" + "ter2", "</password>"},
	{`<add key="ApiKey" value="`, "abc123", `"/>`},
	{"sshpass -p ", "hun" + "ter2", " ssh x"},
	{"os.environ['API_KEY'] = '", "abc", "'"},
	{"'password' => '", "x1", "',"},
	{"password: !vault |\n  ", "$ANSIBLE_VAULT;1.1\n  6162", "\nx: 1"},
}

func TestRedactPlanted(t *testing.T) {
	if len(planted) < 60 {
		t.Errorf("%d planted secrets; want 60", len(planted))
	}
	for _, p := range planted {
		text := p.before + p.secret + p.after
		got, n := Redact(text, "")
		if n == 0 || strings.Contains(got, p.secret) || !strings.Contains(got, markStart) {
			t.Errorf("Redact(%q) = %q, %d; want no %q", text, got, n, p.secret)
			continue
		}
		if cut, ok := strings.CutPrefix(got, p.before); !ok || !strings.HasSuffix(cut, p.after) || !marked(strings.TrimSuffix(cut, p.after)) {
			t.Errorf("Redact(%q) = %q; want the rest as it was", text, got)
		}
		settled(t, got, "")
	}
}

func settled(t *testing.T, clean, home string) {
	t.Helper()
	if left := Scan(clean, home); len(left) != 0 {
		t.Errorf("Scan(%q) = %v; want nothing", clean, left)
	}
	if again, n := Redact(clean, home); again != clean || n != 0 {
		t.Errorf("Redact(%q) = %q, %d; want it unchanged", clean, again, n)
	}
}

// lookalikes hold no secret.
var lookalikes = []string{
	"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"id 550e8400-e29b-41d4-a716-446655440000",
	"![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
	"integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
	"API_KEY=\nNEXT=1",
	`API_KEY=""`,
	"PUBLIC_KEY_PATH=/etc/ssl/x",
	"PRIMARY_KEY=id",
	"FOREIGN_KEY=user_id",
	"STRIPE_PUBLISHABLE_KEY=pk_live_" + "51H8x",
	"the token: it expires in an hour",
	"a token is a word; tokens = words",
	"MAX_TOKENS=4096",
	"max_token: 4096",
	"next_page_token: abc123def456",
	`eos_token: "</s>"`,
	"pip install scikit-learn sk-learn",
	"task-0123456789abcdef0123456789abcdef",
	"disk-0123456789abcdef0123456789abcdef01234567",
	"class=\"sk-ant-colony-optimisation-notes-and-more\"",
	"Password: ",
	`input("Password: ") + ")"`,
	`getpass('password: ')  # asks 'twice'`,
	`echo -n "Enter password: "; read -s x`,
	`{"password": "Password", "token": "Token"}`,
	`{"passwordLabel": "Your password", "password": "Enter your password"}`,
	"DB_PASSWORD=$DB_PASSWORD",
	"DB_PASSWORD=${DB_PASSWORD}",
	"DB_PASSWORD=${DB_PASSWORD:?not set}",
	"TOKEN=$(cat /run/secrets/token)",
	"token: ${{ secrets.GITHUB_TOKEN }}",
	"password: {{ vault.db.password }}",
	"API_KEY=<your-api-key>",
	"API_KEY=xxxxxxxx",
	"password: ********",
	"password: string;",
	"password?: string | null",
	"token = nil",
	`secret: true`,
	"password=password, user=user",
	"token := lexer.Next()",
	"apiKey: process.env.API_KEY,",
	"api_key = os.environ[\"API_KEY\"]",
	"connect(password=self.password)",
	"case token == EOF:",
	"SECRET_FILE=/run/secrets/db",
	"JWT_SECRET=/run/secrets/jwt",
	"PWD=/srv/app",
	"https://unpkg.com/react@18/umd/react.js",
	"http://localhost:3000/@fs/x.js",
	"ssh://git@github.com/a/b.git",
	"git@github.com:a/b.git",
	"docker://alpine:3.18@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"postgres://app:${PGPASSWORD}@db/app",
	"the Bearer scheme, bearer authentication",
	"Authorization: Bearer $TOKEN",
	"starts with -----BEGIN RSA " + "PRIVATE KEY----- and ends with -----END RSA " + "PRIVATE KEY-----, always",
	"-----BEGIN CERTIFICATE-----\n" + key64 + "\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\n" + key64 + "\n-----END PUBLIC KEY-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@x",
	"eyJhIjoxfQ==",
	"npm_config_registry=https://registry.example.com/",
	"npm run build --token to set it",
	"keyboard key: enter",
	"primary key: id",
	"SKU0123456789",
	"AKIA is a prefix",
	"SG.x",
	"1 test pass: 12 ms",
	"bypass: off",
	"monkey=abc123def",
	"see RFC 6750 (Bearer Token Usage)",
	"std::string token::value",
	"href=\"https://x.example/reset?token=\"",
}

func TestRedactLookalikes(t *testing.T) {
	if len(lookalikes) < 60 {
		t.Errorf("%d look-alikes; want 60", len(lookalikes))
	}
	for _, text := range lookalikes {
		if got, n := Redact(text, "/home/u"); got != text || n != 0 {
			t.Errorf("Redact(%q) = %q, %d; want it unchanged", text, got, n)
		}
	}
}

func TestRedactHome(t *testing.T) {
	for text, want := range map[string]string{
		"in /home/u/src":          "in ~/src",
		"/home/u":                 "~",
		"at /home/u.":             "at ~.",
		"file:///home/u/x":        "file://~/x",
		`"a\n/home/u/x"`:          `"a\n~/x"`,
		"/home/u2 /home/u.bak":    "/home/u2 /home/u.bak",
		"/mnt/home/u/x":           "/mnt/home/u/x",
		"/home/uä":                "/home/uä",
		"HOME=/home/u:/home/u/go": "HOME=~:~/go",
	} {
		got, _ := Redact(text, "/home/u/")
		if got != want {
			t.Errorf("Redact(%q) = %q; want %q", text, got, want)
		}
		settled(t, got, "/home/u/")
	}
	for _, home := range []string{"", "/", "home", "/x~"} {
		if got, n := Redact("/home/x~ /x~/", home); n != 0 {
			t.Errorf("with home %q: %q", home, got)
		}
	}
}

// A secret known from its surroundings is a secret where it stands alone, too.
func TestRedactRepeats(t *testing.T) {
	got, n := Redact("DB_PASSWORD=swordfish99\n\nlog in with swordfish99, or postgres://app:swordfish98@h\nswordfish98!\n", "")
	want := "DB_PASSWORD=[redacted:password]\n\nlog in with [redacted:repeated], or postgres://[redacted:url-credentials]@h\n[redacted:repeated]!\n"
	if got != want || n != 4 {
		t.Errorf("got %q, %d; want %q", got, n, want)
	}
	settled(t, got, "")
}

func TestRedactNamesTheIssuer(t *testing.T) {
	got, _ := Redact("GITHUB_TOKEN=ghp"+"_"+abc36, "")
	if want := "GITHUB_TOKEN=[redacted:github-token]"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

func FuzzRedact(f *testing.F) {
	for _, p := range planted {
		f.Add(p.before + p.secret + p.after)
	}
	for _, text := range lookalikes {
		f.Add(text)
	}
	f.Add("a\xff/home/u/TOKEN=\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		clean, n := Redact(text, "/home/u")
		if n == 0 && clean != text {
			t.Errorf("Redact(%q) = %q, 0", text, clean)
		}
		if utf8.ValidString(text) && !utf8.ValidString(clean) {
			t.Errorf("Redact(%q) = %q, which is no UTF-8", text, clean)
		}
		settled(t, clean, "/home/u")
	})
}
