#include <unistd.h>

// no line: shop.sleeps: ctest ends it after a second
int main(void) {
    sleep(60);
    return 0;
}
