/* A library that calls back. Two copies, winch.dll and sheave.dll, are linked at one base, so that the second is loaded elsewhere. */
typedef int (*function)(int);

__attribute__((noinline)) static int drum(function callback, int way) {
    volatile int turns = 1;
    int r = callback(way); /* FRAME drum */
    return r + turns;
}

__declspec(dllexport) int turn(function callback, int way) {
    int r = drum(callback, way); /* FRAME turn */
    return r * 2;
}
