#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "containment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "containment_shared.h"

cairn_contain_state *cairn_contain_shared;

void cairn_contain_descriptors(void) {
    for (int number = 0; number < 3; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
        /* The lowest number that is free. */
        if (open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY) != number) return;
    }
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
#endif
    struct rlimit limit;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 65536;
    /* A limit that was lowered later leaves higher numbers open; a million of them takes a tenth of a second to try. */
    for (rlim_t number = 3; number < end && number < 1048576; number++) close((int)number);
}

static volatile sig_atomic_t worker;
static volatile sig_atomic_t last_passed_on;
static volatile sig_atomic_t is_late;

static void pass_on(int number) {
    last_passed_on = number;
    if (worker > 0) kill((pid_t)worker, number);
}

static void end_late_worker(int number) {
    (void)number;
    is_late = 1;
    if (worker > 0) kill((pid_t)worker, SIGKILL);
}

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { passed_on_count = sizeof passed_on / sizeof *passed_on };

/* What a worker dies of is told by its parent: no handler of a language's runtime, which would start a program that prints a trace. */
static void die_plainly(void) {
    const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU};
    for (unsigned index = 0; index < sizeof numbers / sizeof *numbers; index++) signal(numbers[index], SIG_DFL);
}

typedef struct work {
    void (*body)(void *);
    void *context;
} work;

static void *run_work(void *argument) {
    const work *own = argument;
    own->body(own->context);
    return 0;
}

/* Goes on in a thread that did not exist when the process was forked. Swift's locks, those of its runtime among them, hold the number of the thread that has them (FUTEX_LOCK_PI,
   futex(2)), and each thread asks for its own once. The one that forked has asked before, so that in the child it goes by its parent's number: where another thread waits for its
   lock it cannot be released, and both try for ever. Under ThreadSanitizer one run in fifty did, for eight seconds of a processor: the watchdog looked at memory for the first time
   while the reader made a type's metadata. The first thread takes no lock from here on. */
static _Noreturn void go_on(void (*body)(void *), void *context) {
    work own = {body, context};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    /* As much as a first thread usually has; others get 512 KB on macOS, and what `ulimit -s` says on Linux. */
    pthread_attr_setstacksize(&attributes, 8 << 20);
    if (pthread_create(&thread, &attributes, run_work, &own) == 0)
        pthread_join(thread, 0);
    else /* Where no thread can be started, there is hardly a watchdog, either, to wait for a lock. */
        body(context);
    /* The body ends the process; EX_SOFTWARE should it not. */
    _exit(70);
}

cairn_ending cairn_contain_in_worker(unsigned seconds, void (*body)(void *), void *context) {
    cairn_ending ending = {.status = 1};
    void *memory = mmap(0, sizeof(cairn_contain_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) {
        body(context);
        return ending;
    }
    cairn_contain_shared = memory;
    cairn_contain_shared->phase = -1;
    cairn_contain_shared->forbidden_call = -1;
    cairn_contain_shared->stop_at = -1;

    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
#if defined(__linux__)
    pid_t parent = getpid();
#endif
    pid_t child = fork();
    if (child == 0) {
#if defined(__linux__)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
#endif
#if !CAIRN_SANITIZED
        die_plainly();
#endif
        sigprocmask(SIG_SETMASK, &before, 0);
        go_on(body, context);
    }
    if (child < 0) {
        sigprocmask(SIG_SETMASK, &before, 0);
        body(context);
        return ending;
    }
    worker = child;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    for (int index = 0; index < passed_on_count; index++) {
        struct sigaction now;
        /* What whoever started this wants ignored (nohup) stays so, for the worker too. */
        if (sigaction(passed_on[index], 0, &now) == 0 && now.sa_handler == SIG_IGN) continue;
        action.sa_handler = pass_on;
        sigaction(passed_on[index], &action, 0);
    }
    action.sa_handler = end_late_worker;
    sigaction(SIGALRM, &action, 0);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, 0);
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_only, 0);
    if (seconds > 0) alarm(seconds);

    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    ending.status = ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : ended == child ? 0 : 1;
    ending.signal = ended == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.is_passed_on = ending.signal != 0 && ending.signal == last_passed_on;
    ending.is_late = is_late && ending.signal == SIGKILL;
    worker = 0;
    return ending;
}

int cairn_contain_phase(void) { return cairn_contain_shared ? cairn_contain_shared->phase : -1; }
const char *cairn_contain_name(void) { return cairn_contain_shared ? cairn_contain_shared->name : ""; }
int cairn_contain_forbidden_call(void) { return cairn_contain_shared ? cairn_contain_shared->forbidden_call : -1; }

volatile int *cairn_contain_file_changed(void) {
    static volatile int nowhere;
    return cairn_contain_shared ? &cairn_contain_shared->file_changed : &nowhere;
}

void cairn_contain_begin(int phase) {
    if (!cairn_contain_shared) return;
    cairn_contain_shared->phase = phase;
    if (phase != cairn_contain_shared->stop_at) return;
    cairn_contain_shared->stop_at = -1;
    raise(SIGSTOP);
}

void cairn_contain_name_input(const char *name) {
    if (!cairn_contain_shared) return;
    /* The last byte stays zero. */
    strncpy(cairn_contain_shared->name, name, sizeof cairn_contain_shared->name - 1);
}

void cairn_contain_stop_at(int phase) {
    if (cairn_contain_shared) cairn_contain_shared->stop_at = phase;
}

/* room: how far beyond it the process may raise the limit again. */
static void lower(int resource, rlim_t value, rlim_t room) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value + room) limit.rlim_max = value + room;
    limit.rlim_cur = limit.rlim_max < value ? limit.rlim_max : value;
    setrlimit(resource, &limit);
}

void cairn_contain_limits(uint64_t files, uint64_t data, uint64_t seconds) {
    lower(RLIMIT_CORE, 0, 0);
    if (files > 0) lower(RLIMIT_NOFILE, files, 0);
#if !CAIRN_SANITIZED
    if (data > 0) lower(RLIMIT_DATA, data, 0);
#else
    (void)data;
#endif
    /* SIGXCPU at the lower one, which says what it is; SIGKILL at the upper one. */
    if (seconds > 0) lower(RLIMIT_CPU, seconds, 5);
}

static int error_descriptor = 2;

void cairn_contain_errors(void) {
#if !CAIRN_SANITIZED
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int copy = nowhere >= 0 ? fcntl(2, F_DUPFD_CLOEXEC, 3) : -1;
    if (copy >= 0 && dup2(nowhere, 2) == 2) error_descriptor = copy;
    if (nowhere >= 0) close(nowhere);
#endif
}

int cairn_contain_error_descriptor(void) { return error_descriptor; }
