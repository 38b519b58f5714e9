/* A program for Windows that divides by zero in an inlined function. Without the C library the file stays small. */
struct ship { int length; struct ship *next; };

static volatile int zero;

static inline __attribute__((always_inline)) int share(int length, int berths) {
    return length / berths; /* FRAME share */
}

__attribute__((noinline)) static int longest(const struct ship *first, int berths) {
    int found = 0;
    for (; first; first = first->next) {
        int length = share(first->length, berths); /* FRAME longest */
        if (length > found) found = length;
    }
    return found + zero;
}

__attribute__((noinline)) static int moor(int berths) {
    struct ship last = {70, 0}, first = {90, &last};
    return longest(&first, berths) + 1; /* FRAME moor */
}

int start(void) {
    return moor(zero) + zero; /* FRAME start */
}
