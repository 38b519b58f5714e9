#include "part.h"

int NAME(struct reading *one) {
    gauge = reading_kind_of(one, 40);
    return (int)reading_difference(one, 2);
}
