#include "ledger.h"

#include <stdlib.h>

// Not expected to run: gcc moves the code that leads here into a part of its own, away from the function's body.
__attribute__((noinline, cold)) static void complain(const struct ledger *ledger, int amount) {
    if (ledger->count < 0 || amount == 0) {
        abort();
    }
}

__attribute__((noinline)) static int check(const struct ledger *ledger, int amount) {
    int rest = ledger->count - 8;
    if (rest >= 0) {
        complain(ledger, amount);
        return 0;
    }
    return amount != 0;
}

// Inlined into the function below, with `clamp` inlined into it: two levels.
static inline int rounded(int amount) {
    int limited = clamp(amount, -1000, 1000);
    return limited - limited % 5;
}

int ledger_add(struct ledger *ledger, int amount) {
    if (!check(ledger, amount)) {
        return -1;
    }
    ledger->entries[ledger->count] = rounded(amount);
    ledger->count += 1;
    return ledger->count;
}

int ledger_total(const struct ledger *ledger) {
    int total = 0;
    for (int i = 0; i < ledger->count; i++) {
        total += clamp(ledger->entries[i], 0, 500);
    }
    return total;
}

// Nobody calls it: a linker that collects garbage drops it, and leaves its debug information without an address.
void ledger_unused(struct ledger *ledger) {
    for (int i = 0; i < 8; i++) {
        ledger->entries[i] = 0;
    }
    ledger->count = 0;
}
