#include <stdlib.h>

static void check(int stock) {
    if (stock < 0)
        abort();  // fails: shop.gives_up
}

int main(void) {
    check(-1);
    return 0;
}
