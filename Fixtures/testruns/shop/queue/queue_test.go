package queue

import "testing"

func TestPasses(t *testing.T) {
	t.Log("nothing is wrong here")
	if Pop([]int{1}) != 1 {
		t.Error("unreachable")
	}
}

func TestFails(t *testing.T) {
	if got := Pop([]int{1, 2}); got != 2 {
		t.Errorf("Pop() = %d, want %d", got, 2)
	}
	t.Fatal("two lines:\n::error::second")
}

func TestTable(t *testing.T) {
	for _, name := range []string{"one", "two words"} {
		t.Run(name, func(t *testing.T) {
			check(t, name)
		})
	}
}

func check(t *testing.T, name string) {
	t.Helper()
	if name != "one" {
		t.Fatalf("bad name: %q", name)
	}
}

func TestSkips(t *testing.T) { t.Skip("not today") }
