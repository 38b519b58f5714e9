// A member of a static library, with a function of the same name as one of the program's: both are static.

static __attribute__((noinline)) int clamp(int value) {
    if (value < 0) {
        return 0;
    }
    return value > 100 ? 100 : value;
}

int pool_level(const int *values, int count) {
    int sum = 0;
    for (int index = 0; index < count; index++) {
        sum += clamp(values[index]);
    }
    return count > 0 ? sum / count : 0;
}

// Nobody calls it: the linker leaves it out, and with it its place in the debug map.
int pool_unused(int value) {
    return clamp(value) * 2;
}
