// A library that crash.c opens. CRASH: see there.
#ifdef __cplusplus
extern "C"
#endif
void crash_in_library(void);
static volatile int *volatile null;
__attribute__((noinline)) static void write_there(void) {
    *null = 1; // CRASH library, deleted, replaced: write_there
    __asm__ volatile("" ::: "memory");
}
void crash_in_library(void) {
    write_there();
    __asm__ volatile("" ::: "memory");
}
