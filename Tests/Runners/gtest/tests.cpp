#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

TEST(Cart, Passes) { EXPECT_EQ(2, 1 + 1); }

TEST(Cart, Totals) {
    EXPECT_EQ(5, 2 + 2);  // fails: Cart.Totals
}

TEST(Cart, IsEmpty) {
    std::vector<int> items{1};
    ASSERT_TRUE(items.empty()) << "there is " << items.size() << " left";  // fails: Cart.IsEmpty
}

TEST(Cart, GivesUp) {
    FAIL() << "no way on";  // fails: Cart.GivesUp
}

// no line: Cart.Throws: GoogleTest names no line of an exception
TEST(Cart, Throws) { throw std::out_of_range("no such item"); }

static void expectPrice(int price) {
    EXPECT_GT(price, 3);  // fails: Cart.Prices
}

TEST(Cart, Prices) { expectPrice(2); }

// The process that this test starts is meant to crash.
TEST(CartDeathTest, Dies) { EXPECT_DEATH(std::abort(), ""); }

TEST(Cart, Weighs) {
    EXPECT_NEAR(1.0, 2.0, 0.5);  // fails: Cart.Weighs
}

static int read(const int *value) {
    return *value;  // fails: Some/Pointers.Crash/0
}

// Tests with values come last.
class Pointers : public testing::TestWithParam<const int *> {};

TEST_P(Pointers, Crash) { EXPECT_EQ(1, read(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Some, Pointers, testing::Values(nullptr));
