// With -g1, the debug information has neither linkage names nor types: `add` of two classes and of two arguments is `add` four times.
volatile int sink;

struct Cart {
    __attribute__((noinline)) void add(int n) { sink = n; }
    __attribute__((noinline)) void add(long n) { sink = int(n) + 1; }
};

namespace store {
struct Shelf {
    inline __attribute__((always_inline)) void add(int n) { sink = sink * n + 2; }
    __attribute__((noinline)) void fill(int n) {
        // A function of a local class.
        struct Box {
            __attribute__((noinline)) static int open(int n) { return n + sink; }
        };
        add(Box::open(n));
    }
};
}

extern "C" void _start() {
    Cart cart;
    cart.add(1);
    cart.add(2L);
    store::Shelf shelf;
    shelf.fill(3);
    for (;;) {}
}
