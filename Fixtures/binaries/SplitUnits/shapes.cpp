#include "shapes.h"

// Three levels of inlining below every caller: grow, add, keep.
namespace {

__attribute__((always_inline)) inline int keep(int value) {
    volatile int kept = value;
    return kept;
}

__attribute__((always_inline)) inline int add(int left, int right) {
    int sum = keep(left);
    return sum + keep(right);
}

__attribute__((always_inline)) inline int grow(int value, int times) {
    int result = add(value, 1);
    for (int i = 0; i < times; i++) {
        result = add(result, value);
    }
    return result;
}

}  // namespace

namespace north {

int area(int width, int height) {
    return grow(width, height) * 2;
}

}  // namespace north

namespace south {

int area(int width, int height) {
    return width * height + grow(height, width);
}

}  // namespace south

Named::~Named() {
    keep(1);
}

int Named::name() const {
    return 0;
}

Measured::~Measured() {
    keep(2);
}

int Measured::measure(int scale) const {
    return scale;
}

Shape::Shape(int sides) : sides(keep(sides)) {}

Shape::~Shape() {
    keep(sides);
}

int Shape::name() const {
    return sides;
}

int Shape::measure(int scale) const {
    return grow(sides, scale);
}

Shape &Shape::operator+=(const Shape &other) {
    sides = add(sides, other.sides);
    return *this;
}
