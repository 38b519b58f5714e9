/* Programs of WASI that trap in one way each, by their first argument. STACK has the functions of a way, innermost first; FRAME marks the
   line that each is at. Functions that the compiler may inline have rows of their own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
#define INTO static inline __attribute__((always_inline))

static volatile int zero;
static volatile int *volatile far = (int *)0x7fff0000;
typedef int (*function)(int);
typedef double (*other_function)(double, double);

/* STACK divide: quotient share divide run main */
INTO int quotient(int a, int b) {
    return a / b; /* FRAME quotient */
}

APART int share(int a) {
    int part = quotient(a, zero); /* FRAME share */
    return part + zero;
}

APART int divide(int a) {
    int part = share(a + 1); /* FRAME divide */
    zero = part;
    return part;
}

/* STACK memory: fetch walk memory run main */
INTO int fetch(volatile int *from, int index) {
    return from[index]; /* FRAME fetch */
}

APART int walk(int count) {
    int sum = 0;
    for (int index = 0; index < count; index++) {
        sum += fetch(far, index); /* FRAME walk */
    }
    return sum;
}

APART int memory(int count) {
    int sum = walk(count); /* FRAME memory */
    zero = sum;
    return sum;
}

/* STACK unreachable: check unreachable run main */
APART int check(int value) {
    if (value > 2) __builtin_trap(); /* FRAME check */
    return value;
}

APART int unreachable(int value) {
    int kept = check(value + 3); /* FRAME unreachable */
    zero = kept;
    return kept;
}

/* STACK indirect: call indirect run main */
APART int twice(int value) { return value * 2; }
static volatile function chosen = twice;

APART double call(double value) {
    other_function wrong = (other_function)(uintptr_t)chosen;
    double found = wrong(value, value); /* FRAME call */
    zero = (int)found;
    return found + 1;
}

APART int indirect(int value) {
    int found = (int)call(value); /* FRAME indirect */
    zero = found;
    return found;
}

/* STACK aborted: give_up aborted run main */
APART int give_up(int value) {
    fprintf(stderr, "giving up after %d\n", value);
    abort(); /* FRAME give_up */
}

APART int aborted(int value) {
    int found = give_up(value + 1); /* FRAME aborted */
    zero = found;
    return found;
}

/* STACK compared: compare compared run main */
static int compare(const void *left, const void *right) {
    int difference = *(const int *)left / (zero * *(const int *)right); /* FRAME compare */
    return difference;
}

APART int compared(int count) {
    int values[] = {3, 1, count, 2};
    qsort(values, 4, sizeof *values, compare); /* FRAME compared */
    zero = values[0];
    return values[1];
}

/* What is on top of the stack when it ends differs.
   STACK deep: any sink sink sink */
APART int sink(int depth) {
    volatile char room[64];
    room[depth % 64] = (char)depth;
    int below = sink(depth + 1) + room[depth % 64]; /* FRAME sink */
    zero = below;
    return below;
}

APART int deep(int depth) {
    int below = sink(depth);
    zero = below;
    return below;
}

static const struct {
    const char *name;
    function run;
} ways[] = {
    {"divide", divide}, {"memory", memory}, {"unreachable", unreachable}, {"indirect", indirect}, {"aborted", aborted},
    {"compared", compared}, {"deep", deep},
};

APART int run(const char *name, int value) {
    for (size_t index = 0; index < sizeof ways / sizeof *ways; index++) {
        if (strcmp(ways[index].name, name) == 0) {
            int found = ways[index].run(value); /* FRAME run */
            zero = found;
            return found;
        }
    }
    return -1;
}

int main(int count, char **arguments) {
    int found = run(count > 1 ? arguments[1] : "", count); /* FRAME main */
    printf("%d\n", found);
    return 0;
}
