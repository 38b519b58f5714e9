#include <stdlib.h>

static void drop(char *cart) {
    free(cart);  // fails: shop.frees_twice
}

int main(void) {
    char *volatile cart = malloc(24);
    free(cart);
    drop(cart);
    return 0;
}
