/* Prints its stack, throws or crashes, below calls of a template, methods and a library; the first argument is the way. STACK has the
   functions, innermost first, inlined calls too; FRAME marks the line that each is at. What is thrown is not caught: the stack is printed
   where the program ends.
   STACK rows: print_rows yard::report(int) yard::grip(int) drum turn hoist<int>(int) yard::Crane::lift(int) main
   STACK write: yard::spoil(int) yard::grip(int) drum turn hoist<int>(int) yard::Crane::lift(int) main
   STACK divide: yard::share(int) yard::grip(int) drum turn hoist<int>(int) yard::Crane::lift(int) main
   STACK throw: print_rows at_end() yard::snap(int) yard::grip(int) drum turn hoist<int>(int) yard::Crane::lift(int) main */
#include <windows.h>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#define APART __attribute__((noinline))
#define INTO inline __attribute__((always_inline))

using function = int (*)(int);
extern "C" int print_rows(void);
static volatile int zero, *volatile nowhere;

namespace yard {
INTO int report(int a) {
    int r = print_rows(); /* FRAME yard::report(int) */
    return r + a;
}

INTO int spoil(int a) {
    return *nowhere = a; /* FRAME yard::spoil(int) */
}

INTO int share(int a) {
    return a / zero; /* FRAME yard::share(int) */
}

APART int snap(int a) {
    std::string load(a, 'x');
    throw std::runtime_error(load); /* FRAME yard::snap(int) */
}

APART int grip(int way) {
    int r = way == 'r' ? report(way) : way == 'w' ? spoil(way) : way == 't' ? snap(way) : share(way); /* FRAME yard::grip(int) */
    return r + zero;
}
}

template <class T> APART T hoist(T way) {
    std::string name("sheave");
    auto turn = (int (*)(function, int))(void *)GetProcAddress(LoadLibraryA((name + ".dll").c_str()), "turn");
    T r = turn(yard::grip, way); /* FRAME hoist<int>(int) */
    return r + zero;
}

namespace yard {
class Crane {
    std::string name = "crane";

public:
    APART int lift(int way);
};

int Crane::lift(int way) {
    int r = hoist(way); /* FRAME yard::Crane::lift(int) */
    return r + (int)name.size();
}
}

static void at_end() {
    print_rows(); /* FRAME at_end() */
    exit(3);
}

int main(int count, char **arguments) {
    std::set_terminate(at_end);
    LoadLibraryA("winch.dll");
    yard::Crane crane;
    int r = crane.lift(count > 1 ? arguments[1][0] : 'r'); /* FRAME main */
    return r == 77;
}
