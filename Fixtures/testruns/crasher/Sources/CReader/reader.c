#include "CReader.h"
#include <stdlib.h>

int reader_first(const int *values) {
    return *values;
}

int reader_at(int index) {
    int *values = malloc(4 * sizeof(int));
    for (int i = 0; i < 4; i++) values[i] = i;
    int value = values[index];
    free(values);
    return value;
}
