#ifndef HARBOUR_H
#define HARBOUR_H

struct ship {
    const char *name;
    int crates;
};

typedef int (*tally)(const struct ship *ship, int crate);

/* Unloads every crate of the ship, and tells `count` of each. */
int harbour_berth(struct ship *ship, tally count);

#endif
