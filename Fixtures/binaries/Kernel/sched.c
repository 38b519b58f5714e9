#include "kernel.h"

volatile int console;

/* As in a kernel: what each processor has of its own is linked at address 0. */
__attribute__((section(".data..percpu"), used)) static long current_task = 1;

/* exit.c has a function of the same name and length, so that their distances to the next symbols are the same: a log that says `check` means either. */
static __attribute__((noinline)) int check(struct task *task) {
    console = task->number;
    return 1;
}

/* And one of another length: the printed size tells which. */
static __attribute__((noinline)) int report(int number) {
    console = number;
    console = number + 1;
    console = number + 2;
    console = number + 3;
    console = number + 4;
    return number;
}

static inline __attribute__((always_inline)) int pick_next(struct task *task) {
    return report(task->next->number);
}

__attribute__((noinline)) int run_task(struct task *task) {
    int sum = check(task);
    sum += pick_next(task);
    console = sum;
    return sum;
}
