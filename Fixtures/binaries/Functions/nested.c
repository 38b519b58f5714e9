/* GNU C: functions in functions, which are no inlined calls. */
volatile int total;

__attribute__((noinline)) static int weigh(int (*scale)(int), int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += scale(i);
    return sum;
}

__attribute__((noinline)) int market(int count) {
    __attribute__((noinline)) int stall(int fruit) {
        __attribute__((noinline)) int basket(int n) { return n * 3 + total; }
        return basket(fruit) + 1;
    }
    int first = stall(count);
    return first + weigh(stall, 2);
}

void _start(void) {
    total = market(5);
    for (;;) {}
}
