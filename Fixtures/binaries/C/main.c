#include "ledger.h"

typedef int (*step)(struct ledger *ledger, int amount);

static struct ledger books;

__attribute__((noinline)) static int twice(step step, int amount) {
    int first = step(&books, amount);
    return first + step(&books, amount + 1);
}

int main(int argc, char **argv) {
    (void)argv;
    int done = twice(ledger_add, argc * 40);
    if (done < 0) {
        return 1;
    }
    return report_print(&books, ledger_total(&books)) == 0;
}
