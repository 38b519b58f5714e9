#include <assert.h>

static int pop(int count) {
    assert(count > 0);  // fails: shop / asserts
    return count - 1;
}

int main(void) { return pop(0); }
