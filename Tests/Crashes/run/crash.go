// A program of Go that crashes in the way that its argument names. CRASH: see crash.c. With GOTRACEBACK=crash a panic ends by SIGABRT; else with status 2, and no signal.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"syscall"
)

var null *int
var nullFunction func()
var zero int

//go:noinline
func writeNull() {
	*null = 1 // CRASH segv, thread, child: writeNull
}

//go:noinline
func callNull() {
	nullFunction() // CRASH call: callNull
}

//go:noinline
func giveUp() {
	var mutex sync.Mutex
	mutex.Unlock() // CRASH abort: giveUp
}

//go:noinline
func panics() {
	panic("no such thing") // CRASH exception: panics
}

//go:noinline
func deep(n int) int { var room [64]int; room[n&63] = n; return deep(n+1) + room[(n+1)&63] } // CRASH overflow: deep

//go:noinline
func divide(number int) int {
	return 7 / number // CRASH fpe: divide
}

//go:noinline
func readBeyond() byte {
	file, _ := os.CreateTemp("", "read-beyond")
	os.Remove(file.Name())
	bytes, _ := syscall.Mmap(int(file.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED)
	return bytes[7] // CRASH bus: readBeyond
}

//go:noinline
func trap(list []int) int {
	return list[len(list)+zero] // CRASH trap: trap
}

func main() {
	name := os.Args[1]
	fmt.Println("before " + name)
	switch name {
	case "segv":
		writeNull()
	case "call":
		callNull()
	case "abort":
		giveUp()
	case "exception":
		panics()
	case "overflow":
		debug.SetMaxStack(1 << 20)
		fmt.Println(deep(1))
	case "fpe":
		fmt.Println(divide(zero))
	case "bus":
		fmt.Println(readBeyond())
	case "trap":
		fmt.Println(trap([]int{1}))
	case "thread":
		go writeNull()
		select {}
	case "child":
		exec.Command(os.Args[0], "segv").Run()
		os.Exit(5)
	}
	os.Exit(3)
}
