// A program for Go's own line table: a method, a closure, an inlined call. Without packages of the library, so that the table is small.

package main

type tank struct{ level, limit int }

func (t *tank) fill(step int) int {
	if t.level+step > t.limit {
		overflow(t, step)
	}
	t.level += step
	return t.level
}

//go:noinline
func overflow(t *tank, step int) {
	panic("tank overflows")
}

func apply(steps []int, f func(int) int) (last int) {
	for _, step := range steps {
		last = f(step)
	}
	return
}

func main() {
	t := &tank{limit: 40}
	println(apply([]int{1, 2, 3}, t.fill), apply([]int{5}, func(n int) int { return n * t.level }))
}
