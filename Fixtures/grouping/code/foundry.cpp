// A foundry with fourteen bugs, one for each name: foundry BUG.
// Lines that begin with //+N are part of version N and later, with //-N of those before N; `make-version` makes one of them.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>
//+2 #include <numeric>

/// Keeps compilers from knowing a value.
template <typename T> T hidden(T value) {
    volatile T copy = value;
    return copy;
}

volatile long sink;

// MARK: What writes the stack

static bool wants_maps;

extern "C" void crash_handler(int signal) {
    void* addresses[64];
    int count = backtrace(addresses, 64);
    char text[96];
    if (wants_maps) {
        for (int index = 0; index < count; index++) {
            int length = snprintf(text, sizeof text, "#%d %p\n", index, addresses[index]);
            if (write(2, text, length) < 0) _exit(2);
        }
        int maps = open("/proc/self/maps", O_RDONLY);
        char buffer[4096];
        for (ssize_t length; (length = read(maps, buffer, sizeof buffer)) > 0;)
            if (write(2, buffer, length) < 0) _exit(2);
    } else {
        int length = snprintf(text, sizeof text, "*** signal %d\n", signal);
        if (write(2, text, length) < 0) _exit(2);
        backtrace_symbols_fd(addresses, count, 2);
    }
    _exit(3);
}

static void install_handler() {
    const char* style = getenv("STYLE");
    if (!style) return;
    wants_maps = !strcmp(style, "maps");
    static char stack[1 << 16];
    stack_t alternative = {};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action = {};
    action.sa_handler = crash_handler;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) sigaction(signal, &action, nullptr);
}

// MARK: What many bugs have in common

namespace support {
//+2 /// How often something was required.
//+2 static long requirements;
//+2 long required() { return requirements; }

__attribute__((noinline)) void require(bool condition, const char* what) {
    //+2 requirements++;
    if (condition) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

struct Pool {
    size_t room = 4096;
    std::map<void*, size_t> live;

    void fail(const char* why) {
        fprintf(stderr, "pool: %s\n", why);
        abort();
    }
    //+3 bool empty() const { return live.empty(); }
    void* take(size_t size) {
        if (size > room) fail("no room");
        room -= size;
        void* block = malloc(size);
        live[block] = size;
        return block;
    }
    void give(void* block) {
        auto found = live.find(block);
        if (found == live.end()) fail("not from this pool");
        room += found->second;
        live.erase(found);
        free(block);
    }
};
}  // namespace support

static support::Pool pool;

//+2 /// Of no use to any bug: it moves what follows.
//+2 long padding(long value) {
//+2     for (int step = 0; step < 7; step++) value = value * 31 + step;
//+2     return value;
//+2 }

struct Ore {
    long grade;
    long weight;
};

namespace {
struct Furnace {
    long heat = 0;
    long melt(Ore* ore) {
        heat = heat * 7 + 3;
        sink = heat;
        heat += static_cast<volatile Ore*>(ore)->grade * 2;
        sink = heat;
        return heat;
    }
    void raise(long degrees) {
        support::require(degrees < 2000, "the furnace stands this heat");
        heat += degrees;
    }
};

//+3 struct Bellows {
//+3     long force = hidden(3);
//+3     long blow(Furnace& furnace) { return furnace.heat += force; }
//+3 };

struct Mold {
    long* form = nullptr;
    long size = 0;
    long pour(long* target) {
        size = size * 5 + 1;
        sink = size;
        *static_cast<volatile long*>(target) = size + 1;
        sink = size;
        return size;
    }
    void open() {
        support::require(size > 0, "the mold has a form");
        sink = size;
    }
    void enlarge(long by) {
        form = static_cast<long*>(pool.take(by * sizeof(long)));
        size += by;
        sink = form[0];
    }
};
}  // namespace

class Smelter {
    Furnace furnace;
    Mold mold;

  public:
    long smelt(Ore* ore, long* target) {
        //+2 sink = padding(sink);
        long melted = ore == target_of(target) ? 0 : furnace.melt(ore);
        long poured = mold.pour(target);
        return melted + poured;
    }
    static Ore* target_of(long* target) { return reinterpret_cast<Ore*>(target); }
    void prepare(long degrees) {
        furnace.raise(degrees);
        //+3 Bellows().blow(furnace);
        mold.open();
        sink = furnace.heat;
    }
    void widen(long by) { mold.enlarge(by); }
};

class Ingot {
    void* block = nullptr;

  public:
    void grow(size_t size) {
        block = pool.take(size);
        memset(block, 1, 16);
    }
    void discard() {
        pool.give(block);
        sink++;
        pool.give(block);
    }
    void recycle() {
        char* inside = static_cast<char*>(block) + hidden(8);
        free(inside);
        sink++;
    }
};

class Ledger {
    std::vector<long> entries = {1, 2, 3};

  public:
    long entry(size_t index) { return entries.at(index) + 1; }
};

template <typename Value> Value average(const std::vector<Value>& values, Value divisor) {
    Value sum = 0;
    for (auto value : values) sum += value;
    return sum / divisor;
}

struct Rate {
    int share(int parts) {
        std::vector<int> values = {4, 5, 6};
        int mean = average<int>(values, parts);
        return mean + 1;
    }
};

struct Vein {
    std::vector<Vein*> branches;
    long length = 1;
    long walk(long depth) {
        volatile char room[512];
        room[depth % 512] = 1;
        long sum = length;
        for (auto branch : branches) sum += branch->walk(depth + 1) + room[depth % 512];
        return sum;
    }
};

struct Batch {
    std::vector<Ore*> ores;
    void order() {
        std::sort(ores.begin(), ores.end(), [](const Ore* left, const Ore* right) { return left->weight < right->weight; });
        sink = ores.size();
    }
};

static int compare_weights(const void* left, const void* right) {
    const Ore* first = *static_cast<Ore* const*>(left);
    const Ore* second = *static_cast<Ore* const*>(right);
    return first->weight < second->weight ? -1 : 1;
}

static void weigh_all(Ore** ores, size_t count) {
    qsort(ores, count, sizeof(Ore*), compare_weights);
    sink = count;
}

struct Machine {
    Machine() { start(); }
    virtual ~Machine() = default;
    void start() {
        spin();
        sink++;
    }
    virtual void spin() = 0;
};

struct Mill : Machine {
    long turns = 0;
    void spin() override { turns++; }
};

// MARK: Jobs

struct Job {
    std::string name;
    long result = 0;
};

template <typename Work> class Dispatcher {
    std::map<std::string, std::function<void(Work&)>> handlers;

  public:
    void add(const std::string& name, std::function<void(Work&)> handler) { handlers[name] = handler; }
    //+3 void timed(Work& work) {
    //+3     sink = padding(sink);
    //+3     handlers.at(work.name)(work);
    //+3     sink++;
    //+3 }
    void dispatch(Work& work) {
        if (!handlers.count(work.name)) exit(64);
        //-3 handlers.at(work.name)(work);
        //+3 timed(work);
        work.result++;
    }
};

static void run_smelting(Job& job, Ore* ore, long* target) {
    Smelter smelter;
    job.result += smelter.smelt(ore, target);
}

static void add_jobs(Dispatcher<Job>& jobs) {
    jobs.add("null-melt", [](Job& job) {
        long target = 0;
        run_smelting(job, hidden<Ore*>(nullptr), &target);
    });
    jobs.add("null-pour", [](Job& job) {
        Ore ore = {hidden(1L), 2};
        run_smelting(job, &ore, hidden<long*>(nullptr));
    });
    jobs.add("require-heat", [](Job& job) {
        Smelter smelter;
        smelter.prepare(hidden(5000));
        job.result++;
    });
    jobs.add("require-mold", [](Job& job) {
        Smelter smelter;
        smelter.prepare(hidden(500));
        job.result++;
    });
    jobs.add("pool-ingot", [](Job& job) {
        Ingot ingot;
        ingot.grow(hidden(100000));
        job.result++;
    });
    jobs.add("pool-mold", [](Job& job) {
        Smelter smelter;
        smelter.widen(hidden(100000));
        job.result++;
    });
    jobs.add("pool-twice", [](Job& job) {
        Ingot ingot;
        ingot.grow(hidden(100));
        ingot.discard();
        job.result++;
    });
    jobs.add("free-inside", [](Job& job) {
        Ingot ingot;
        ingot.grow(hidden(100));
        ingot.recycle();
        job.result++;
    });
    jobs.add("out-of-range", [](Job& job) {
        Ledger ledger;
        job.result = ledger.entry(hidden(7));
    });
    jobs.add("divide", [](Job& job) {
        Rate rate;
        job.result = rate.share(hidden(0));
    });
    jobs.add("endless-vein", [](Job& job) {
        Vein vein;
        vein.branches = {&vein, &vein};
        job.result = vein.walk(0);
    });
    jobs.add("sort-null", [](Job& job) {
        Ore first = {1, 2}, second = {2, 1};
        Batch batch;
        batch.ores = {&first, hidden<Ore*>(nullptr), &second};
        batch.order();
        job.result++;
    });
    jobs.add("qsort-null", [](Job& job) {
        Ore first = {1, 2}, second = {2, 1};
        Ore* ores[] = {&first, hidden<Ore*>(nullptr), &second};
        weigh_all(ores, 3);
        job.result++;
    });
    jobs.add("pure-virtual", [](Job& job) {
        Mill mill;
        job.result = mill.turns;
    });
}

//+2 static void greet(const char* name) {
//+2     if (hidden(0)) fprintf(stderr, "%s begins\n", name);
//+2 }

static void run_job(const char* name) {
    Dispatcher<Job> jobs;
    add_jobs(jobs);
    Job job = {name};
    //+2 greet(name);
    jobs.dispatch(job);
    printf("%ld\n", job.result);
}

int main(int count, char** arguments) {
    if (count != 2) return 64;
    install_handler();
    run_job(arguments[1]);
    return 0;
}
