#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#if __has_include(<doctest/doctest.h>)
#include <doctest/doctest.h>
#else
#include <doctest.h>
#endif

#include <stdexcept>
#include <vector>

TEST_CASE("a cart adds up") { REQUIRE(1 + 1 == 2); }

TEST_CASE("a total is right") {
    int total = 4;
    REQUIRE(total == 5);  // fails: a total is right
}

TEST_CASE("a cart is empty") {
    std::vector<int> items{1};
    CHECK_FALSE(!items.empty());  // fails: a cart is empty
}

TEST_CASE("there is no way on") {
    FAIL("no way on");  // fails: there is no way on
}

TEST_CASE("an exception is unexpected") {  // fails: an exception is unexpected
    throw std::out_of_range("no such item");
}

TEST_CASE("nothing is thrown") {
    REQUIRE_THROWS_AS(static_cast<void>(1 + 1), std::out_of_range);  // fails: nothing is thrown
}

TEST_CASE("a subcase fails") {
    SUBCASE("with a weight") {
        INFO("weight 3");
        CHECK(3 % 2 == 0);  // fails: a subcase fails
    }
}

static int read(const int *value) {
    return *value;  // fails: z a pointer is null
}

TEST_CASE("z a pointer is null") { REQUIRE(read(nullptr) == 1); }
