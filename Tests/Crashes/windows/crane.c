/* Prints its stack or crashes, below calls through two libraries; the first argument is the way. STACK has the functions, innermost first,
   inlined calls too; FRAME marks the line that each is at.
   STACK rows: print_rows report grip drum turn through hoist drum turn through lift main
   STACK write: spoil grip drum turn through hoist drum turn through lift main
   STACK divide: quotient share grip drum turn through hoist drum turn through lift main */
#include <windows.h>

#define APART __attribute__((noinline))
#define INTO static inline __attribute__((always_inline))

typedef int (*function)(int);
int print_rows(void);
static volatile int zero, *volatile nowhere;

INTO int report(int a) {
    int r = print_rows(); /* FRAME report */
    return r + a;
}

INTO int spoil(int a) {
    return *nowhere = a; /* FRAME spoil */
}

INTO int quotient(int a, int b) {
    return a / b; /* FRAME quotient */
}

INTO int share(int a) {
    int r = quotient(a, zero) + a; /* FRAME share */
    return r + zero;
}

APART static int grip(int way) {
    int r = way == 'r' ? report(way) : way == 'w' ? spoil(way) : share(way); /* FRAME grip */
    return r + zero;
}

APART static int through(const char *library, function callback, int way) {
    int (*turn)(function, int) = (int (*)(function, int))(void *)GetProcAddress(LoadLibraryA(library), "turn");
    int r = turn(callback, way); /* FRAME through */
    return r + zero;
}

APART static int hoist(int way) {
    int r = through("sheave.dll", grip, way); /* FRAME hoist */
    return r + zero;
}

APART static int lift(int way) {
    int r = through("winch.dll", hoist, way); /* FRAME lift */
    return r + zero;
}

int main(int count, char **arguments) {
    int r = lift(count > 1 ? arguments[1][0] : 'r'); /* FRAME main */
    return r == 77;
}
