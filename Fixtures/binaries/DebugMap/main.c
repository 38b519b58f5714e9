#include "meter.h"

int pool_level(const int *values, int count);

static __attribute__((noinline)) int clamp(int value) {
    return value > 7 ? 7 : value;
}

static __attribute__((noinline)) int first_of(const int *values, int count) {
    for (int index = 0; index < count; index++) {
        if (meter_is_valid(values[index])) {
            return clamp(values[index]);
        }
    }
    return -1;
}

int main(int argc, char **argv) {
    (void)argv;
    int values[] = {argc, argc * 3, 250};
    int count = (int)(sizeof values / sizeof values[0]);
    return first_of(values, count) + pool_level(values, count) + meter_read(values, count);
}
