__attribute__((always_inline)) static inline int meter_is_valid(int value) {
    return value >= 0 && value < 200;
}

int meter_read(const int *values, int count);
