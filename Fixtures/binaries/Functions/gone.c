/* Most functions are never called and are dropped by the linker; one of them is larger than what lies before the code. */
volatile int sink;

int dropped_first(int n) { return sink + n; }

__attribute__((noinline)) static int kept(int n) {
    sink = n;
    return n * 5;
}

int dropped_large(int n) {
    __asm__ volatile(".skip 0x2000, 0x90");
    return sink - n;
}

void _start(void) {
    sink = kept(3);
    for (;;) {}
}

int dropped_last(int n) { return kept(n) + dropped_first(n); }
