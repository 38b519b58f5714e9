// Panics or crashes below methods, a closure and a callback; the first argument is the way. STACK has the functions, innermost first; FRAME
// marks the line that each is at.
//
// STACK rows: main.report main.grip/rows main.hoist.func1 main.turn main.hoist main.(*crane).lift main.main
// STACK panic: main.snap main.grip/panic main.hoist.func1 main.turn main.hoist main.(*crane).lift main.main
// STACK write: main.spoil main.grip/write main.hoist.func1 main.turn main.hoist main.(*crane).lift main.main
// STACK divide: main.share main.grip/divide main.hoist.func1 main.turn main.hoist main.(*crane).lift main.main
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

var zero int
var nowhere *int

type crane struct{ load int }

// Prints return addresses, which runtime.Callers returns as they are.
//
//go:noinline
func report(a int) int {
	var stack [64]uintptr
	count := runtime.Callers(1, stack[:]) // FRAME main.report
	base, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("GetModuleHandleW").Call(0)
	fmt.Println("== plain")
	for index, address := range stack[:count] {
		fmt.Printf("#%d 0x%016x crane.exe+0x%x\n", index, address, address-base)
	}
	fmt.Println("== end")
	return a + count
}

func snap(a int) int {
	panic(fmt.Sprint("too heavy: ", a)) // FRAME main.snap
}

func spoil(a int) int {
	*nowhere = a // FRAME main.spoil
	return a
}

func share(a int) int {
	return a / zero // FRAME main.share
}

//go:noinline
func grip(way string) int {
	switch way {
	case "rows":
		return report(1) + zero // FRAME main.grip/rows
	case "panic":
		return snap(1) + zero // FRAME main.grip/panic
	case "write":
		return spoil(1) + zero // FRAME main.grip/write
	}
	return share(1) + zero // FRAME main.grip/divide
}

//go:noinline
func turn(callback func() int) int {
	return callback() + zero // FRAME main.turn
}

//go:noinline
func hoist(way string) int {
	return turn(func() int { // FRAME main.hoist
		return grip(way) + zero // FRAME main.hoist.func1
	})
}

//go:noinline
func (c *crane) lift(way string) int {
	return hoist(way) + c.load // FRAME main.(*crane).lift
}

func main() {
	c := &crane{load: len(os.Args)}
	os.Exit(c.lift(os.Args[1])) // FRAME main.main
}
