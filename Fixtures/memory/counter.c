/* A program without a C library, so that its core file is small: counter.c of Fixtures/memory. */
struct item { long count, price; };
static volatile int zero;

__attribute__((noinline)) static long price(volatile struct item *item) {
    return item->price + 1;
}

__attribute__((noinline)) static long total(struct item **items, int count) {
    long sum = 0;
    for (int index = 0; index < count; index++) sum += price(items[index]);
    return sum;
}

__attribute__((noinline)) static long sell(int count) {
    struct item first = {2, 30};
    struct item *items[2] = {&first, (struct item *)(long)zero};
    return total(items, count) + count;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
    sell(2);
    for (;;) continue;
}
