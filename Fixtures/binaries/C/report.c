#include "ledger.h"

#include <stdio.h>

__attribute__((noinline)) static int check(int width) {
    return clamp(width, 4, 40);
}

static int bar(int amount, int width) {
    int length = clamp(amount / 10, 0, width);
    for (int i = 0; i < length; i++) {
        putchar('#');
    }
    putchar('\n');
    return length;
}

int report_print(const struct ledger *ledger, int width) {
    int printed = 0;
    int most = check(width);
    for (int i = 0; i < ledger->count; i++) {
        printed += bar(ledger->entries[i], most);
    }
    return printed;
}
