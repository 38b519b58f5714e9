/* What four units have in common: types, and functions that are inlined into all of them. */
struct reading { int first; int second; long sums[4]; const char *label; struct reading *next; };
enum reading_kind { reading_low, reading_middle, reading_high, reading_unknown };
extern volatile int gauge;

static inline __attribute__((always_inline)) long reading_difference(const struct reading *one, int scale) {
    long difference = one->second - one->first;
    gauge = (int)difference;
    return difference * scale;
}

static inline __attribute__((always_inline)) enum reading_kind reading_kind_of(const struct reading *one, int limit) {
    long difference = reading_difference(one, 3);
    if (difference > limit) return reading_high;
    return one->next ? reading_middle : reading_low;
}
