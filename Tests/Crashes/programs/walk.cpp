// Calls through templates, virtual functions and std::function, as deep as its argument says, and prints its stack as bare addresses.
#include <execinfo.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#define APART __attribute__((noinline))

volatile int sink;
static const char *form;

APART int finish() {
    void *frames[96];
    int count = backtrace(frames, 96);
    if (std::strcmp(form, "line") == 0) {
        std::printf("fatal: queue is empty\nBacktrace:");
        for (int index = 0; index < count; index++) std::printf(" %p", frames[index]);
        std::printf("\n");
    } else {
        for (int index = 0; index < count; index++) std::printf("%p\n", frames[index]);
    }
    std::fflush(stdout);
    sink = sink + 1;
    return count;
}

#ifdef OTHER
APART std::string added(int depth) {
    std::map<int, std::string> names;
    for (int index = 0; index < depth; index++) names[index] = std::to_string(index);
    return names.empty() ? "" : names.begin()->second;
}
#endif

struct Crate {
    virtual ~Crate() = default;
    virtual int weigh(unsigned path, int depth) = 0;
};

int next(unsigned path, int depth);

template <int Kind> struct Box : Crate {
    std::vector<int> content = std::vector<int>(Kind + 3, Kind);
    APART int weigh(unsigned path, int depth) override {
        if (depth <= 0) return finish() + Kind;
        int rest = next(path / 3, depth - 1);
        sink = sink + rest;
        return std::accumulate(content.begin(), content.end(), 0) + rest;
    }
};

APART int sorted(unsigned path, int depth) {
    std::vector<int> numbers{3, 1, 2};
    bool done = false;
    std::sort(numbers.begin(), numbers.end(), [&](int left, int right) {
        if (!done) {
            done = true;
            sink = sink + next(path / 5, depth - 1);
        }
        return left < right;
    });
    return numbers[0];
}

APART int called(const std::function<int(int)> &body, int depth) {
    int rest = body(depth);
    sink = sink + rest;
    return rest + 1;
}

APART int next(unsigned path, int depth) {
    std::unique_ptr<Crate> crate;
    int rest = 0;
    switch (path % 4) {
    case 0: crate = std::make_unique<Box<1>>(); break;
    case 1: crate = std::make_unique<Box<2>>(); break;
    case 2: rest = depth > 0 ? sorted(path, depth) : finish(); break;
    default: rest = depth > 0 ? called([&](int left) { return next(path / 7, left - 1) + 1; }, depth) : finish();
    }
    if (crate) rest = crate->weigh(path, depth);
    sink = sink + rest;
    return rest + 2;
}

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    form = argv[2];
    std::ofstream(argv[1]) << std::ifstream("/proc/self/maps").rdbuf();
#ifdef OTHER
    sink = sink + static_cast<int>(added(argc).size());
#endif
    unsigned path = static_cast<unsigned>(std::atoi(argv[3]));
    sink = sink + next(path, static_cast<int>(path % 6) + 1);
    return 0;
}
