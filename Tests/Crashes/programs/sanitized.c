// Errors that AddressSanitizer stops at. The truth stands in comments, as in crash.c; a second line of a case is the stack that allocated the memory.
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
#define INSIDE static inline __attribute__((always_inline))

volatile int sink;

INSIDE void put(int *crate, int index) {
    crate[index] = sink; /* CRASH put */
}

APART int fill(int *crate, int count) {
    sink++;
    put(crate, count); /* CALL fill */
    return sink;
}

APART int *order(int count) {
    int *crate = malloc((size_t)count * sizeof *crate); /* CALL order */
    sink++;
    return crate;
}

APART int touch(int *crate) {
    sink++;
    *crate = sink; /* CRASH touch */
    return sink;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "overflow") == 0) {
        // STACK overflow: put fill main:overflow
        // ALLOCATED overflow: order main:ordered
        int *crate = order(argc + 1); /* CALL main:ordered */
        sink += fill(crate, argc + 1); /* CALL main:overflow */
        free(crate);
    }
    if (strcmp(name, "null") == 0) {
        // STACK null: touch main:null
        sink += touch((int *)(size_t)(argc - 2)); /* CALL main:null */
    }
    return sink;
}
