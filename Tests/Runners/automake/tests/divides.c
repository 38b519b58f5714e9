static int share(int total, volatile int people) {
    return total / people;  // fails: tests/divides
}

int main(int count, char **arguments) {
    (void)arguments;
    return share(7, count - 1);
}
