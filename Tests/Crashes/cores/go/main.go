// A program of Go that crashes in C which it calls, and in Go which that calls. CHAIN: see faults.c.
package main

/*
#include <stdlib.h>
static volatile int *volatile null;
__attribute__((noinline)) static void write_null(int n) { *null = n; }
__attribute__((noinline)) static void in_c(int n) { write_null(n + 1); __asm__ volatile("" ::: "memory"); }
extern void back(int);
__attribute__((noinline)) static void call_back(int n) { back(n); __asm__ volatile("" ::: "memory"); }
*/
import "C"
import "os"

//export back
func back(n C.int) { C.in_c(n) }

//go:noinline
func outer(n int) {
	switch os.Args[1] {
	// CHAIN cgo: write_null in_c
	case "cgo":
		C.in_c(C.int(n))
	// CHAIN cgo-back: write_null in_c
	case "cgo-back":
		C.call_back(C.int(n))
	// CHAIN nil: inGo outer main
	case "nil":
		inGo(nil)
	}
}

//go:noinline
func inGo(n *int) { *n = 1 }

func main() { outer(1) }
