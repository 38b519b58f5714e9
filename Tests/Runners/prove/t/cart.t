use strict;
use warnings;
use Test::More tests => 7;

ok(1 + 1 == 2, 'a cart adds up');

is(4, 5, 'a total is right');  # fails: a total is right

ok(0, 'a cart is empty');  # fails: a cart is empty

like('four', qr/five/, 'a text matches');  # fails: a text matches

is_deeply([1, 2], [1, 3], 'two lists agree');  # fails: two lists agree

isa_ok({}, 'Cart', 'an object');  # fails: 'an object' isa 'Cart'

subtest 'a part fails' => sub {
    plan tests => 1;
    cmp_ok(3, '<', 2, 'a weight');  # fails: a weight
};
