/* Versioned symbols, a function that is chosen when the program starts, data, and labels without sizes. */
__asm__(".symver drain_old, drain@V1");
__asm__(".symver drain_new, drain@@V2");

__attribute__((visibility("default"))) int level_now = 4;
__attribute__((visibility("default"))) const char level_names[24] = "low, high";

__attribute__((visibility("default"))) int drain_old(int n) { return n - 1; }
__attribute__((visibility("default"))) int drain_new(int n) { return n - level_now; }

static int fill_slow(int n) { return n + 1; }
static int fill_fast(int n) { return n + level_now * 2; }

static int (*choose(void))(int) { return level_now > 3 ? fill_fast : fill_slow; }
__attribute__((visibility("default"), ifunc("choose"))) int fill(int n);

__attribute__((visibility("default"))) int both(int n) { return fill(n) + drain_new(n); }
