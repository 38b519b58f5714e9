#include <stdio.h>

static int failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
        } \
    } while (0)

int main(void) {
    int price = 4;
    CHECK(price > 0);
    CHECK(price == 5);  // fails: tests/says
    return failures;
}
