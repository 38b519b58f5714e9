// Namespaces with one name in both, templates, constructors, a class with two bases.

#pragma once

namespace north {
int area(int width, int height);
}

namespace south {
int area(int width, int height);
}

template <typename Value>
struct Box {
    Value low;
    Value high;

    Box(Value low, Value high) : low(low), high(high) {
        if (high < low) {
            swap();
        }
    }

    __attribute__((always_inline)) inline Value size() const {
        return high - low;
    }

    __attribute__((noinline)) Value clamp(Value value) const {
        return value < low ? low : value > high ? high : value;
    }

    void swap() {
        Value kept = low;
        low = high;
        high = kept;
    }
};

struct Named {
    virtual ~Named();
    virtual int name() const;
};

struct Measured {
    virtual ~Measured();
    virtual int measure(int scale) const;
};

// Overrides a method of its second base: calls through that base go through a thunk.
struct Shape : Named, Measured {
    explicit Shape(int sides);
    ~Shape() override;
    int name() const override;
    int measure(int scale) const override;
    Shape &operator+=(const Shape &other);

    int sides;
};
