// The part in C of faults.ml.
int *volatile nowhere;
__attribute__((noinline)) long crash_here(long number) { *nowhere = (int)number; return number + 1; }
