#define _GNU_SOURCE
#include "tank.h"

#include <stdint.h>
#include <ucontext.h>

static volatile int level;

static inline __attribute__((always_inline)) int pour(volatile int *glass, int amount) {
    *glass = amount;
    return amount + 1;
}

static __attribute__((noinline)) int fill(volatile int *glass, int amount) {
    level = amount;
    return pour(glass, amount) + level;
}

/* The last function of the program's own C: the walk below ends here. */
int leak(int amount) { return fill((volatile int *)(long)(amount & 8), amount) - level; }

/* What runtime.SetCgoTraceback asks for: the program counters of C, by frame pointers, until Go's code is met. */
struct question {
    uintptr_t context;
    ucontext_t *signal;
    uintptr_t *buffer;
    uintptr_t count;
};

void walk(void *argument) {
    struct question *question = argument;
    uintptr_t found = 0;
    if (question->signal && question->count > 4) {
        uintptr_t *frame = (uintptr_t *)question->signal->uc_mcontext.gregs[REG_RBP];
        question->buffer[found++] = question->signal->uc_mcontext.gregs[REG_RIP];
        while (found < 3 && frame) {
            question->buffer[found++] = frame[1];
            frame = (uintptr_t *)frame[0];
        }
    }
    question->buffer[found] = 0;
}
