#include "kernel.h"

static __attribute__((noinline)) int check(struct task *task) {
    console = task->number;
    return 1;
}

static __attribute__((noinline)) int report(int number) {
    console = number;
    return number;
}

__attribute__((noinline)) int stop_task(struct task *task) {
    int sum = check(task);
    sum += report(task->number);
    console = sum;
    return sum;
}
