// Compiled without any library for several machines, of both byte orders and word sizes.

struct gauge {
    int reading;
    int limit;
};

static inline int limited(int value, int limit) {
    if (value > limit) {
        return limit;
    }
    return value;
}

__attribute__((noinline)) static int measure(struct gauge *gauge, int step) {
    gauge->reading = limited(gauge->reading + step, gauge->limit);
    return gauge->reading;
}

__attribute__((noinline)) int run(struct gauge *gauge, int times) {
    int last = 0;
    while (times > 0) {
        last = measure(gauge, times);
        times -= 1;
    }
    return last;
}

void start(void) {
    struct gauge gauge = {1, 40};
    volatile int result = run(&gauge, 9);
    for (;;) {
        result = limited(result, 3);
    }
}
