#include "shapes.h"

template <typename Function>
__attribute__((noinline)) int repeat(int times, Function function) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
        sum += function(i);
    }
    return sum;
}

// A template whose instances differ by a number, and one that calls itself with the next.
template <int depth>
struct Stairs {
    static int climb(int from) {
        return Stairs<depth - 1>::climb(from + depth) + 1;
    }
};

template <>
struct Stairs<0> {
    __attribute__((noinline)) static int climb(int from) {
        return from * 3;
    }
};

struct Failure {
    int code;
};

__attribute__((noinline)) static int risky(int value) {
    if (value > 100) {
        throw Failure{value};
    }
    return value;
}

static int total;

static struct Starter {
    Starter() {
        total = Stairs<4>::climb(1);
    }
} starter;

int main(int argc, char **) {
    Shape shape(argc);
    Shape other(argc + 2);
    shape += other;
    const Measured &measured = shape;

    Box<int> whole(argc, 10);
    Box<double> broken(1.5, argc);
    auto outer = [&](int step) {
        auto inner = [&](int value) {
            return whole.clamp(value) + whole.size();
        };
        return inner(step) + static_cast<int>(broken.clamp(step));
    };

    total += repeat(argc, outer);
    total += north::area(argc, 2) + south::area(argc, 3);
    try {
        total += risky(measured.measure(total));
    } catch (const Failure &failure) {
        total -= failure.code;
    }
    return total == 0;
}
