#include "meter.h"

__attribute__((noinline, cold)) int meter_fail(int value) {
    return -value;
}

__attribute__((noinline)) int meter_scale(int value) {
    if (!meter_is_valid(value)) {
        return meter_fail(value);
    }
    return value * 10;
}

int meter_read(const int *values, int count) {
    int sum = 0;
    for (int index = 0; index < count; index++) {
        sum += meter_scale(values[index]);
    }
    return sum;
}
