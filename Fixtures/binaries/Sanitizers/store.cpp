#include "store.h"
#include <cstdlib>
#include <cstring>

// Small functions are inlined, the others never; the empty assembly keeps calls from becoming jumps, which would take frames away.
#define INLINED static inline __attribute__((always_inline))
#define KEPT __attribute__((noinline))
#define STAY asm volatile("")

namespace store {
struct Shelf {
    int *slots;
    int size;
};

INLINED int read(const Shelf &shelf, int index) {
    return shelf.slots[index];
}

INLINED int sum(const Shelf &shelf, int from) {
    int total = 1;
    total += read(shelf, from);
    return total;
}

KEPT Shelf *open(int size) {
    Shelf *shelf = new Shelf;
    shelf->slots = static_cast<int *>(malloc(sizeof(int) * size));
    shelf->size = size;
    memset(shelf->slots, 1, sizeof(int) * size);
    return shelf;
}

KEPT void close(Shelf *shelf) {
    free(shelf->slots);
    STAY;
}

KEPT int use(Shelf *shelf, int index) {
    int result = sum(*shelf, index);
    STAY;
    return result;
}

INLINED void add(int *count) {
    *count = *count + 1;
}

KEPT void restock(int *count) {
    add(count);
    STAY;
}

KEPT static int twice(int amount) {
    int result = amount + 2147483647;
    STAY;
    return result;
}

KEPT int price(int amount) {
    int result = twice(amount) << (amount + 32);
    STAY;
    return result;
}

struct Box {
    Box *next;
};

KEPT static Box *box(Box *next) {
    Box *made = static_cast<Box *>(malloc(sizeof(Box)));
    made->next = next;
    return made;
}

KEPT void lose() {
    Box *first = box(box(nullptr));
    asm volatile("" ::"r"(first));
}

KEPT static int *note() {
    return new int[2];
}

INLINED bool isOdd(const int *number) {
    if (number[1] & 1) return true;
    return false;
}

KEPT int guess() {
    int *number = note();
    number[0] = 1;
    number[1] = number[1] + number[0];
    int result = isOdd(number) ? 1 : 2;
    STAY;
    return result;
}

KEPT void burn(const unsigned char *order) {
    if (order) abort();
    STAY;
}
}
