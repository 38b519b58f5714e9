// A second image, for a bundle with two members.

__attribute__((always_inline)) static inline int half(int value) {
    return value / 2;
}

__attribute__((noinline)) int helper_middle(int low, int high) {
    return low + half(high - low);
}

int helper_search(const int *values, int count, int wanted) {
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = helper_middle(low, high);
        if (values[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
