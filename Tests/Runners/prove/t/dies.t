use strict;
use warnings;
use Test::More tests => 1;

die 'no such item';  # fails: t/dies.t
