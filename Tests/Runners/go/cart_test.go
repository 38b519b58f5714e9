package shop

import (
	"os"
	"testing"
)

func TestAddsUp(t *testing.T) {
	if 1+1 != 2 {
		t.Fatal("odd")
	}
}

func TestTotals(t *testing.T) {
	t.Errorf("total %d, want %d", 4, 5) // fails: TestTotals
}

func TestIsEmpty(t *testing.T) {
	t.Fatal("one is left") // fails: TestIsEmpty
}

func TestMissing(t *testing.T) {
	if _, err := os.Open("prices"); err != nil {
		t.Fatal(err) // fails: TestMissing
	}
}

func TestWeights(t *testing.T) {
	t.Run("three", func(t *testing.T) {
		t.Error("odd") // fails: TestWeights/three
	})
}

// no line: TestSilent: the test prints nothing
func TestSilent(t *testing.T) { t.Fail() }

func expectPrice(t *testing.T, price int) {
	t.Helper()
	if price < 3 {
		t.Errorf("price %d", price)
	}
}

func TestPrices(t *testing.T) {
	expectPrice(t, 2) // fails: TestPrices
}

func TestZPanics(t *testing.T) {
	var cart map[string]int
	cart["a"] = 1 // fails: TestZPanics
}
