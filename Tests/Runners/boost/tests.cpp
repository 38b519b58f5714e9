#define BOOST_TEST_MODULE cart
#include <boost/test/included/unit_test.hpp>

#include <stdexcept>
#include <vector>

BOOST_AUTO_TEST_CASE(adds_up) { BOOST_TEST(1 + 1 == 2); }

BOOST_AUTO_TEST_CASE(totals) {
    int total = 4;
    BOOST_TEST(total == 5);  // fails: totals
}

BOOST_AUTO_TEST_CASE(is_empty) {
    std::vector<int> items{1};
    BOOST_REQUIRE(items.empty());  // fails: is_empty
}

BOOST_AUTO_TEST_CASE(gives_up) {
    BOOST_FAIL("no way on");  // fails: gives_up
}

BOOST_AUTO_TEST_CASE(throws) {  // fails: throws
    throw std::out_of_range("no such item");
}

BOOST_AUTO_TEST_CASE(throws_nothing) {
    BOOST_CHECK_THROW(static_cast<void>(1 + 1), std::out_of_range);  // fails: throws_nothing
}

BOOST_AUTO_TEST_CASE(weighs) {
    BOOST_CHECK_EQUAL(3 % 2, 0);  // fails: weighs
}

static int read(const int *value) {
    return *value;
}

// Boost.Test handles the signal: the process goes on, and the last line that it recorded is all that is known.
BOOST_AUTO_TEST_CASE(z_reads) { BOOST_TEST(read(nullptr) == 1); }  // fails: z_reads
