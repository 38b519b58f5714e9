// A program that crashes in the way that its first argument names; scripts/checks/verify-cores lets it crash.
// `// CHAIN case: f g h` says which of its functions are on the stack of the thread that crashed, innermost first.
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// Not inlined, not joined with others, and calls that are no jumps.
#define OWN __attribute__((noinline, noclone)) static
// After a call, so that it is no jump.
#define STAY __asm__ volatile("" ::: "memory")

static volatile int zero, sink, *volatile null;
static void *volatile bad = (void *)8;

OWN void write_null(int n) { *null = n; }
OWN void innermost(int n) { write_null(n + 1); STAY; }
OWN void inner(int n) { innermost(n + 1); STAY; }

// CHAIN null: write_null innermost inner outer main
OWN void fault_null(void) { inner(1); STAY; }

// CHAIN call-null: call_it outer main
OWN void call_it(void (*function)(void)) { function(); STAY; }
OWN void fault_call_null(void) { call_it((void (*)(void))(long)zero); STAY; }

// CHAIN no-exec: call_it outer main
static char data[4096];
OWN void fault_no_exec(void) { call_it((void (*)(void))(data + 64)); STAY; }

// Nothing is left of where it would return to.
// CHAIN bad-return:
OWN void spoil(int n) { memset((char *)__builtin_frame_address(0), 0x41, 16 + n); }
OWN void fault_bad_return(void) { spoil(zero); STAY; }

// CHAIN overflow: recurse recurse recurse
OWN int recurse(int n) { volatile char room[512]; room[n & 511] = n; return recurse(n + 1) + room[n & 511]; }
OWN void fault_overflow(void) { sink = recurse(1); }

// CHAIN deep: write_null deep deep deep outer main
OWN int deep(int n) { if (n == 0) { write_null(1); return 0; } int deeper = deep(n - 1); STAY; return deeper * 3 + n; }
OWN void fault_deep(void) { sink = deep(5000); }

OWN void on_signal(int number) { inner(number); STAY; }
OWN void send(int number) { raise(number); STAY; }
static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}
// CHAIN handler: write_null innermost inner on_signal send outer main
OWN void fault_handler(void) { handle(SIGUSR1, on_signal, 0); send(SIGUSR1); STAY; }
// CHAIN alt-stack: write_null innermost inner on_signal send outer main
OWN void fault_alt_stack(void) {
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&other, NULL);
    handle(SIGUSR1, on_signal, SA_ONSTACK);
    send(SIGUSR1);
    STAY;
}
OWN void on_first(int number) { send(SIGUSR2); STAY; }
// CHAIN nested: write_null innermost inner on_signal send on_first send outer main
OWN void fault_nested(void) { handle(SIGUSR1, on_first, 0); handle(SIGUSR2, on_signal, 0); send(SIGUSR1); STAY; }
OWN void on_fault(int number, siginfo_t *information, void *context) { abort(); }
// What is interrupted is the instruction that wrote, in a function that called none.
// CHAIN handled-fault: on_fault write_null innermost inner outer main
OWN void fault_handled_fault(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    inner(1);
    STAY;
}
OWN void on_overflow(int number) { abort(); }
// CHAIN overflow-handled: on_overflow recurse recurse recurse
OWN void fault_overflow_handled(void) {
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&other, NULL);
    handle(SIGSEGV, on_overflow, SA_ONSTACK);
    sink = recurse(1);
}
// CHAIN handled-call-null: on_overflow call_it outer main
OWN void fault_handled_call_null(void) { handle(SIGSEGV, on_overflow, 0); call_it((void (*)(void))(long)zero); STAY; }

// CHAIN vdso-clock: read_clock outer main
OWN void read_clock(void) { clock_gettime(CLOCK_MONOTONIC, bad); STAY; }
OWN void fault_vdso_clock(void) { read_clock(); STAY; }
// CHAIN vdso-time: read_time outer main
OWN void read_time(void) { gettimeofday(bad, NULL); STAY; }
OWN void fault_vdso_time(void) { read_time(); STAY; }

// CHAIN abort: give_up outer main
OWN void give_up(void) { abort(); }
OWN void fault_abort(void) { give_up(); STAY; }
// CHAIN assert: check outer main
OWN void check(int n) { assert(n == 1); }
OWN void fault_assert(void) { check(zero); STAY; }
// CHAIN raise: send outer main
OWN void fault_raise(void) { send(SIGQUIT); STAY; }
// CHAIN smash: smashed outer main
OWN void overwrite(char *bytes, int count) { for (int i = 0; i < count; i++) bytes[i] = 0x41; }
__attribute__((noinline, noclone, optimize("stack-protector-all"))) static void smashed(int count) { char room[16]; overwrite(room, count); STAY; }
OWN void fault_smash(void) { smashed(25 + zero); STAY; }
// CHAIN free: free_twice outer main
OWN void free_twice(void) { void *volatile memory = malloc(100); free(memory); free(memory); STAY; }
OWN void fault_free(void) { free_twice(); STAY; }
// In a function of the C library that is written by hand.
// CHAIN copy: copy outer main
OWN void copy(void *to, size_t count) { memcpy(to, data, count); STAY; }
OWN void fault_copy(void) { copy(bad, 1000 + zero); STAY; }
// CHAIN length: measure outer main
OWN void measure(const char *text) { sink = strlen(text); STAY; }
OWN void fault_length(void) { measure(bad); STAY; }
// CHAIN print: print outer main
OWN void print(const char *text) { printf("%d %s\n", zero, text); STAY; }
OWN void fault_print(void) { print(bad); STAY; }
// CHAIN sort: write_null compare sort outer main
OWN int compare(const void *a, const void *b) { write_null(1); return *(int *)a - *(int *)b; }
OWN void sort(void) { int numbers[] = {3, 1, 2}; qsort(numbers, 3, sizeof(int), compare); STAY; }
OWN void fault_sort(void) { sort(); STAY; }

// CHAIN exit: write_null at_end leave outer main
OWN void at_end(void) { write_null(1); STAY; }
OWN void leave(void) { exit(3); }
OWN void fault_exit(void) { atexit(at_end); leave(); }

// CHAIN alloca: write_null moving outer main
OWN void moving(int n) { char *room = alloca(n * 100); overwrite(room, n); write_null(room[1]); STAY; }
OWN void fault_alloca(void) { moving(7 + zero); STAY; }
// CHAIN array: write_null aligned outer main
OWN void aligned(int n) { char room[n * 33] __attribute__((aligned(64))); overwrite(room, n); write_null(room[1]); STAY; }
OWN void fault_array(void) { aligned(7 + zero); STAY; }

// Calls that are jumps leave no frame: middle's is not there.
// CHAIN tail: write_null outer main
__attribute__((noinline, noclone)) static void tail_middle(int n) { write_null(n + 1); }
__attribute__((noinline, noclone)) static void tail_outer(int n) { tail_middle(n + 1); }
OWN void fault_tail(void) { tail_outer(2); STAY; }

#ifdef __GLIBC__
// CHAIN coroutine: write_null innermost inner coroutine
static ucontext_t here, there;
OWN void coroutine(void) { inner(1); STAY; }
OWN void fault_coroutine(void) {
    getcontext(&there);
    there.uc_stack.ss_sp = malloc(1 << 16);
    there.uc_stack.ss_size = 1 << 16;
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
}
#endif

// CHAIN longjmp: write_null innermost inner outer main
static jmp_buf place;
OWN void jump(void) { longjmp(place, 1); }
OWN void fault_longjmp(void) { if (setjmp(place) == 0) jump(); inner(1); STAY; }

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static void ready(void) { pthread_barrier_wait(&barrier); }
static void *in_pause(void *a) { ready(); for (;;) pause(); return a; }
static void *in_sleep(void *a) { ready(); for (;;) sleep(1000); return a; }
static void *in_nanosleep(void *a) { ready(); struct timespec t = {1000, 0}; for (;;) nanosleep(&t, NULL); return a; }
static void *in_poll(void *a) { ready(); for (;;) poll(NULL, 0, -1); return a; }
static void *in_select(void *a) { ready(); for (;;) select(0, NULL, NULL, NULL, NULL); return a; }
static void *in_epoll(void *a) { int e = epoll_create1(0); struct epoll_event v; ready(); for (;;) epoll_wait(e, &v, 1, -1); return a; }
static void *in_lock(void *a) { ready(); pthread_mutex_lock(&mutex); return a; }
static void *in_condition(void *a) { pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&own); ready(); for (;;) pthread_cond_wait(&condition, &own); return a; }
static void *in_semaphore(void *a) { ready(); for (;;) sem_wait(&semaphore); return a; }
static void *in_read(void *a) { int p[2]; char c; if (pipe(p)) return a; ready(); sink = read(p[0], &c, 1); return a; }
static void *in_loop(void *a) { ready(); for (;;) sink++; return a; }
static void *in_join(void *a) { ready(); pthread_join(*(pthread_t *)a, NULL); return a; }
static void start(void *(*const *functions)(void *), int kinds, int count) {
    static pthread_t first;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 17);
    pthread_barrier_init(&barrier, NULL, count + 1);
    pthread_mutex_lock(&mutex);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(i == 0 ? &first : &thread, &attributes, functions[i % kinds], &first)) abort();
    }
    ready();
    usleep(200000);
}
// CHAIN waits: write_null innermost inner outer main
OWN void fault_waits(void) {
    static void *(*const functions[])(void *) = {in_pause, in_sleep, in_nanosleep, in_poll, in_select, in_epoll, in_lock, in_condition, in_semaphore, in_read, in_loop, in_join};
    start(functions, 12, 12);
    inner(1);
    STAY;
}
// CHAIN threads: write_null innermost inner outer main
OWN void fault_threads(void) { static void *(*const functions[])(void *) = {in_pause, in_poll, in_lock, in_semaphore}; start(functions, 4, 500); inner(1); STAY; }
static void *crash_there(void *a) { inner(1); STAY; return a; }
// CHAIN thread: write_null innermost inner crash_there
OWN void fault_thread(void) { pthread_t thread; pthread_create(&thread, NULL, crash_there, NULL); pthread_join(thread, NULL); STAY; }
// CHAIN cancel: write_null clean crash_cancelled
OWN void clean(void *a) { write_null(1); STAY; }
static void *crash_cancelled(void *a) { pthread_cleanup_push(clean, NULL); for (;;) pause(); pthread_cleanup_pop(0); return a; }
OWN void fault_cancel(void) { pthread_t thread; pthread_create(&thread, NULL, crash_cancelled, NULL); usleep(100000); pthread_cancel(thread); pthread_join(thread, NULL); STAY; }
// The child of a fork has one thread.
// CHAIN fork: write_null innermost inner outer main
OWN void fault_fork(void) { int status; if (fork() == 0) inner(1); else { wait(&status); _exit(0); } STAY; }

#ifdef LIBRARY
// CHAIN library: write_there library_inner library_call outer main
typedef void (*call_t)(void (*)(int));
OWN void fault_library(void) { void *library = dlopen(LIBRARY, RTLD_NOW); call_t call = (call_t)dlsym(library, "library_call"); call(NULL); STAY; }
// CHAIN library-back: write_null innermost inner library_inner library_call outer main
OWN void fault_library_back(void) { void *library = dlopen(LIBRARY, RTLD_NOW); call_t call = (call_t)dlsym(library, "library_call"); call(inner); STAY; }
// The library has no file any more, so that its functions have no names.
// CHAIN deleted: write_null innermost inner outer main
OWN void fault_deleted(void) {
    if (system("cp " LIBRARY " ./gone.so")) abort();
    void *library = dlopen("./gone.so", RTLD_NOW);
    call_t call = (call_t)dlsym(library, "library_call");
    unlink("./gone.so");
    call(inner);
    STAY;
}
// CHAIN constructor: write_there in_constructor outer main
OWN void fault_constructor(void) { setenv("CRASH_IN_CONSTRUCTOR", "1", 1); dlopen(LIBRARY, RTLD_NOW); STAY; }
#endif

#ifdef __x86_64__
#include "faults-x86-64.h"
#endif

static const struct { const char *name; void (*fault)(void); } cases[] = {
    {"null", fault_null}, {"call-null", fault_call_null}, {"no-exec", fault_no_exec}, {"bad-return", fault_bad_return},
    {"overflow", fault_overflow}, {"deep", fault_deep}, {"handler", fault_handler}, {"alt-stack", fault_alt_stack},
    {"nested", fault_nested}, {"handled-fault", fault_handled_fault}, {"overflow-handled", fault_overflow_handled},
    {"handled-call-null", fault_handled_call_null}, {"vdso-clock", fault_vdso_clock}, {"vdso-time", fault_vdso_time},
    {"abort", fault_abort}, {"assert", fault_assert}, {"raise", fault_raise}, {"smash", fault_smash}, {"free", fault_free},
    {"copy", fault_copy}, {"length", fault_length}, {"print", fault_print}, {"sort", fault_sort}, {"exit", fault_exit},
    {"alloca", fault_alloca}, {"array", fault_array}, {"tail", fault_tail}, {"longjmp", fault_longjmp},
    {"waits", fault_waits}, {"threads", fault_threads}, {"thread", fault_thread}, {"cancel", fault_cancel}, {"fork", fault_fork},
#ifdef __GLIBC__
    {"coroutine", fault_coroutine},
#endif
#ifdef LIBRARY
    {"library", fault_library}, {"library-back", fault_library_back}, {"deleted", fault_deleted}, {"constructor", fault_constructor},
#endif
#ifdef __x86_64__
    CASES_X86_64
#endif
};

OWN void outer(void (*fault)(void)) { fault(); STAY; }

int main(int count, char **arguments) {
    struct rlimit stack = {1 << 20, 1 << 20};
    sigset_t none;
    alarm(60);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_STACK, &stack);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (unsigned i = 0; count > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(arguments[1], cases[i].name) == 0) outer(cases[i].fault);
    return 2;
}
