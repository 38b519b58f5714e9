#include <stdexcept>

static int price(int item) {
    if (item > 2)
        throw std::out_of_range("no such item");  // fails: shop.throws
    return 5;
}

int main() { return price(7) == 5; }
