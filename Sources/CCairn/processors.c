#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "processors.h"
#include <pthread.h>

#if defined(__linux__)
#include <sched.h>

int cairn_allowed_processors(void) {
    /* Too small on a machine with more than 1,024. */
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
#else
int cairn_allowed_processors(void) { return 0; }
#endif

#if defined(__linux__) && defined(__GLIBC__)
int cairn_begin_thread(void *thread, void *(*body)(void *), void *context) {
    cpu_set_t all, others;
    int here = sched_getcpu();
    if (here >= 0 && here < CPU_SETSIZE && sched_getaffinity(0, sizeof all, &all) == 0) {
        others = all;
        CPU_CLR(here, &others);
        pthread_attr_t attributes;
        if (CPU_COUNT(&others) > 0 && pthread_attr_init(&attributes) == 0) {
            int code = pthread_attr_setaffinity_np(&attributes, sizeof others, &others);
            if (code == 0) code = pthread_create(thread, &attributes, body, context);
            pthread_attr_destroy(&attributes);
            if (code == 0) {
                pthread_setaffinity_np(*(pthread_t *)thread, sizeof all, &all);
                return 0;
            }
        }
    }
    /* Where the system forbids it, the thread begins wherever it may. */
    return pthread_create(thread, 0, body, context);
}
#else
int cairn_begin_thread(void *thread, void *(*body)(void *), void *context) { return pthread_create(thread, 0, body, context); }
#endif
