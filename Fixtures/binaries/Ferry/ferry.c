/* Goes through a library and back, and there does what a log is wanted of: ferry backtrace | assert | crash | catch | spin. */

#define _GNU_SOURCE
#include <assert.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harbour.h"

static const char *mode;
static int *missing;
static pthread_barrier_t started;

__attribute__((noinline)) static void print_stack(void)
{
    void *frames[32];
    int count = backtrace(frames, 32);
    char **lines = backtrace_symbols(frames, count);
    if (lines == NULL)
        return;
    for (int index = 0; index < count; index++)
        puts(lines[index]);
    fflush(stdout);
    free(lines);
}

static void on_abort(int number)
{
    (void)number;
    void *frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void on_fault(int number)
{
    (void)number;
    abort();
}

static inline int sum(volatile const int *from, int count)
{
    int total = 0;
    for (int index = 0; index < count; index++)
        total += from[index % 64] ^ index;
    return total;
}

__attribute__((noinline)) static int spin(int rounds)
{
    static volatile int table[64];
    int total = 0;
    for (int round = 0; round < rounds; round++)
        total ^= sum(table, 1000);
    return total;
}

static inline int fault(const struct ship *ship, int crate)
{
    *missing = crate;
    return ship->crates;
}

__attribute__((noinline)) static int count_crate(const struct ship *ship, int crate)
{
    if (strcmp(mode, "backtrace") == 0)
        print_stack();
    if (strcmp(mode, "assert") == 0)
        assert(ship->crates < crate);
    if (strcmp(mode, "crash") == 0 || strcmp(mode, "catch") == 0)
        return fault(ship, crate) + 1;
    if (strcmp(mode, "spin") == 0)
        return spin(100000) + crate;
    return crate;
}

static void *wait_for_ever(void *argument)
{
    pthread_barrier_wait(&started);
    pause();
    return argument;
}

__attribute__((noinline)) static int sail(const char *name)
{
    struct ship ship = { name, 1 };
    return harbour_berth(&ship, count_crate) + 1;
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "assert") == 0)
        signal(SIGABRT, on_abort);
    if (strcmp(mode, "catch") == 0)
        signal(SIGSEGV, on_fault);
    if (strcmp(mode, "crash") == 0) {
        pthread_t thread;
        pthread_barrier_init(&started, NULL, 2);
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        pthread_setname_np(thread, "waiter");
        pthread_barrier_wait(&started);
        usleep(100000);
    }
    return sail("Ferry") == 0;
}
