#include <stdio.h>

int shared_apply(int (*function)(int), int value) {
    int sum = function(value + 1);
    printf("sum %d\n", sum);
    return sum;
}
