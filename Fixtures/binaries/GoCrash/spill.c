/* A library of its own: what it is called in the log does not say where it was loaded. */
static volatile int level;

static __attribute__((noinline)) int over(volatile int *glass, int amount) {
    *glass = amount;
    return level + amount;
}

int spill(int amount) { return over((volatile int *)(long)(amount & 8), amount) - level; }
