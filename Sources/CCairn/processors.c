#define _GNU_SOURCE
#include "processors.h"

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
