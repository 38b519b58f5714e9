/* gcc -O2 puts what is unlikely apart: `check` has two ranges, and its entry is in the second part of the section. */
volatile int sink;

__attribute__((cold, noinline)) void complain(int n) { sink = n + 100; }

__attribute__((noinline)) int check(int n) {
    if (__builtin_expect(n > 1000, 0)) {
        complain(n);
        sink = sink / 3;
        return sink - n;
    }
    sink = n;
    return n + 1;
}

void _start(void) {
    sink = check(sink);
    for (;;) {}
}
