/* `one_half` and `two_half` have the same code: the linker keeps one (identical code folding), and two functions of two units describe it. */
extern volatile int sink;

static inline int scaled(int n) { return n / 2 + 7; }

int one_half(int n) {
    sink = n;
    return scaled(n) * 3;
}

int one_alone(int n) {
    sink = n * 11;
    return n - 1;
}
