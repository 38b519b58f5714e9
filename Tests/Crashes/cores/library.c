// A library that faults.c opens while it runs, and that calls back.
#include <stdlib.h>
static volatile int *volatile null;
__attribute__((noinline)) static void write_there(int n) { *null = n; }
__attribute__((noinline)) static void library_inner(void (*back)(int)) { if (back) back(1); else write_there(1); __asm__ volatile("" ::: "memory"); }
void library_call(void (*back)(int)) { library_inner(back); __asm__ volatile("" ::: "memory"); }
__attribute__((constructor)) static void in_constructor(void) { if (getenv("CRASH_IN_CONSTRUCTOR")) { write_there(1); __asm__ volatile("" ::: "memory"); } }
