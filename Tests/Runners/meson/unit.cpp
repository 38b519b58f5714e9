#include <gtest/gtest.h>

static int total(const int *prices) { return prices[0] + 1; }

TEST(Cart, Adds) { EXPECT_EQ(3, 3); }

TEST(Cart, Total) {
    int prices[] = {3};
    EXPECT_EQ(total(prices), 5);  // fails: Cart.Total
}
