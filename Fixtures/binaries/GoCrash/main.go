// A program that dies in Go, in C that is part of it, and in a library.
package main

/*
#cgo CFLAGS: -g -O1 -fno-omit-frame-pointer
#cgo LDFLAGS: -L. -lspill -Wl,-rpath,$ORIGIN
#include "tank.h"
*/
import "C"

import (
	"os"
	"runtime"
	"unsafe"
)

type tank struct{ glass *int }

//go:noinline
func (t *tank) drain(amount int) int { return *t.glass + amount }

func pour(t *tank, amount int) int { return t.drain(amount) + 1 }

//go:noinline
func fill(amount int) int { return pour(&tank{}, amount) * 2 }

//go:noinline
func leak(amount int) int { return int(C.leak(C.int(amount))) + 1 }

//go:noinline
func spill(amount int) int { return int(C.spill(C.int(amount))) + 1 }

func main() {
	switch os.Args[1] {
	case "nil":
		println(fill(7))
	case "goroutine":
		done := make(chan int)
		go func() { done <- fill(3) }()
		<-done
	case "cgo":
		println(leak(7))
	case "traced":
		// The runtime then prints what C called, without names: there is no symbolizer.
		runtime.SetCgoTraceback(0, unsafe.Pointer(C.walk), nil, nil)
		println(leak(7))
	case "library":
		runtime.SetCgoTraceback(0, unsafe.Pointer(C.walk), nil, nil)
		println(spill(7))
	}
}
