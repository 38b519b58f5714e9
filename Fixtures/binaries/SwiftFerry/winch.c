#define _GNU_SOURCE
#include "winch.h"
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct link {
    struct link *next;
    int weight;
};

static inline int weigh(const struct link *link) {
    return link->weight;  // no such address: SIGSEGV
}

// Inlined into its caller, and with it what it calls.
static inline int weigh_chain(const struct link *first, int links) {
    int sum = 0;
    for (int i = 0; i < links; i++) {
        sum += weigh(first);
        first = first->next;
    }
    return sum;
}

static __attribute__((noinline)) int turn(int load, winch_hook hook, void *context) {
    int lifted = hook(load, context);
    return lifted + 1;
}

int winch_pull(int turns, winch_hook hook, void *context) {
    int sum = 0;
    for (int i = 0; i < turns; i++)
        sum += turn(i, hook, context);
    return sum;
}

int winch_follow(int links) {
    struct link chain = {(struct link *)16, 3};
    struct link *volatile first = &chain;
    return weigh_chain(first, links);
}

void winch_wait(const char *name) {
    pthread_setname_np(pthread_self(), name);
    for (;;)
        pause();
}
