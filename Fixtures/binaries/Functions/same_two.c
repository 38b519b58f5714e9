extern volatile int sink;
int one_half(int n);
int one_alone(int n);
volatile int sink;

static inline int scaled(int n) { return n / 2 + 7; }

int two_half(int n) {
    sink = n;
    return scaled(n) * 3;
}

void _start(void) {
    sink = one_half(4) + two_half(5) + one_alone(6);
    for (;;) {}
}
