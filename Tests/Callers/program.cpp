// What the callers of symbolizers look at. Without an argument it works for a while: templates, members inlined into each other, recursion, callbacks of the C library, numbers that the C++
// library prints. With one it goes wrong in that way, for the sanitizers.
// Every function has external linkage: for an inlined function without a linker's name (static ones, lambdas) binutils 2.40 answers the symbol around it when it is asked the first time, and
// the function's own name later, which no other tool can follow.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

int table[4];
volatile long sink;

namespace deep {
template <class T> __attribute__((noinline)) T read(T *values, int index) { return values[index]; }

struct Row {
    int *values;
    inline int get(int index) { return read(values, index); }
    inline int through(int index) { return get(index); }
};

template <class T> struct Mixer {
    T state;
    inline T turn(T value) { return state = state * 6364136223846793005 + (value ^ (state >> 29)); }
    __attribute__((noinline)) T several(T count) {
        T sum = 0;
        for (T index = 0; index < count; index++) sum += turn(index) % 1021;
        return sum;
    }
};

int compare(const void *left, const void *right) {
    long a = *static_cast<const long *>(left), b = *static_cast<const long *>(right);
    if (a == b) return 0;
    return a < b ? -1 : 1;
}

__attribute__((noinline)) unsigned long ways(unsigned long depth, unsigned long width) {
    if (depth == 0) return width % 7;
    return ways(depth - 1, width + depth) + ways(depth - 1, width * 3 + 1);
}

__attribute__((noinline)) long middle(std::vector<long> values) {
    if (values.empty()) {
        std::fprintf(stderr, "nothing to sort\n");
        std::abort();
    }
    std::qsort(values.data(), values.size(), sizeof(long), compare);
    return values[values.size() / 2];
}

__attribute__((noinline)) long printed(int count) {
    std::string text;
    for (int index = 0; index < count; index++) text += std::to_string(index);
    return long(std::strlen(text.c_str()));
}

__attribute__((noinline)) void work(int rounds) {
    Mixer<unsigned long> mixer{7};
    std::vector<long> values;
    for (int round = 0; round < rounds; round++) {
        sink = mixer.several(400000);
        values.clear();
        for (int index = 0; index < 30000; index++) values.push_back(long(mixer.turn(index) >> 20));
        sink = middle(values);
        sink = ways(16, round);
        sink = printed(60000);
    }
}

__attribute__((noinline)) int wrong(int count, const char *way) {
    int local[8] = {0};
    Row row{local}, global{table};
    if (std::strcmp(way, "global") == 0) return global.through(count + 4);
    if (std::strcmp(way, "stack") == 0) return row.through(count + 20);
    if (std::strcmp(way, "overflow") == 0) {
        int most = 0x7fffffff;
        most += count;
        std::printf("%d\n", most);
        return 0;
    }
    if (std::strcmp(way, "leak") == 0) {
        sink = reinterpret_cast<long>(new int[count + 40]);
        sink = 0;
        return 0;
    }
    int *values = new int[4];
    delete[] values;
    Row freed{values};
    return freed.through(1);
}
} // namespace deep

int main(int count, char **words) {
    if (count > 1) return deep::wrong(count, words[1]);
    deep::work(50);
    return 0;
}
