// Compiled for several machines and never linked: debug sections wait for their relocations.

int outside(int);

struct gauge {
    int reading;
    int limit;
    const char *name;
};

struct gauge gauges[4] = {{1, 40, "first"}, {2, 50, "second"}};
static int calls;

static inline int limited(int value, int limit) {
    if (value > limit) {
        return limit;
    }
    return value;
}

__attribute__((noinline)) static int measure(struct gauge *gauge, int step) {
    calls += 1;
    gauge->reading = limited(gauge->reading + step, gauge->limit);
    return gauge->reading;
}

int run(struct gauge *gauge, int times) {
    int last = 0;
    for (int round = 0; round < times; round += 1) {
        last += measure(gauge, round);
        if (limited(last, 100) == 100) {
            return outside(last);
        }
    }
    return last;
}

// Kernel modules keep such code apart, to throw it away when it has run. Its section begins at address 0 too.
#ifdef WITH_INIT
__attribute__((section(".init.text"))) int prepare(void) {
    return run(&gauges[0], 3) + calls;
}
#endif
