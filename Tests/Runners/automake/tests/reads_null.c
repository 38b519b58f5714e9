struct item {
    struct item *next;
    int price;
};

static int total(const struct item *item) {
    return item->next->price;  // fails: tests/reads_null
}

int main(void) {
    struct item item = {0, 3};
    return total(&item);
}
