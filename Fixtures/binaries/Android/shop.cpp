#include "shelf.h"

// More than a page in front of the code, so that the code's mapping does not begin at the file's first page.
extern "C" __attribute__((visibility("default"))) const unsigned char shop_sign[5000] = {'o', 'p', 'e', 'n'};

namespace shop {

static int sold;

// Crashes where the shelf has no items: the load is inlined from the header.
__attribute__((noinline)) int sell(const Shelf &shelf, int index) {
    int price = shelf.take(index);
    sold += 1;
    return price + sold;
}

__attribute__((noinline)) int serve(const Shelf &shelf, int customers) {
    int total = 0;
    for (int customer = 0; customer < customers; customer += 1)
        total += sell(shelf, customer % (shelf.count + 1));
    return total;
}

}

extern "C" __attribute__((visibility("default"))) int shop_open(int *items, int count, int customers) {
    Shelf shelf = {items, count};
    int total = shop::serve(shelf, customers);
    return total - count;
}
