/* The library that logs have a stripped copy of: one function that it exports, two that it keeps to itself. */

#include "harbour.h"

static inline int weigh(const struct ship *ship, int crate, tally count)
{
    if (crate < 0)
        return 0;
    return count(ship, crate) + 1;
}

__attribute__((noinline)) static int unload(struct ship *ship, tally count)
{
    int weight = 0;
    for (int crate = 0; crate < ship->crates; crate++)
        weight += weigh(ship, crate, count);
    return weight;
}

int harbour_berth(struct ship *ship, tally count)
{
    int weight = unload(ship, count);
    ship->crates = 0;
    return weight;
}
