setup() { prices="$BATS_TEST_DIRNAME/prices"; }

@test "a cart adds up" { [ $((1 + 1)) -eq 2 ]; }

@test "a total is right" {
    total=4
    [ "$total" -eq 5 ]  # fails: a total is right
}

@test "a command fails" {
    false  # fails: a command fails
}

@test "a file is missing" {
    cat "$prices"  # fails: a file is missing
}

@test "an output differs" {
    run echo four
    [ "$output" = five ]  # fails: an output differs
}

expect_even() {
    [ $(($1 % 2)) -eq 0 ]  # fails: a helper fails
}

@test "a helper fails" {
    expect_even 3
}

@test "a status is 3" {
    sh -c 'exit 3'  # fails: a status is 3
}

@test "a program crashes" {
    sh -c 'kill -SEGV $$'  # fails: a program crashes
}
