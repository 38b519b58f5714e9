// A tiny ledger, in two translation units that each have a static function called `check`.

struct ledger {
    int entries[8];
    int count;
};

// Inlined wherever it is called when optimizing: its lines belong to this header.
static inline int clamp(int value, int low, int high) {
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

int ledger_add(struct ledger *ledger, int amount);
int ledger_total(const struct ledger *ledger);
int report_print(const struct ledger *ledger, int width);
void ledger_unused(struct ledger *ledger);
