#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "containment.h"
#include "containment_shared.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !CAIRN_SANITIZED && __has_include(<linux/seccomp.h>)

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

/* What memory, threads, clocks, reading what is open, and writing what is open need: of the C library, and of Swift's runtime. What a newer one of them may try and can do
   without is refused below, not here. */
static const int allowed[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_pwrite64, SYS_writev, SYS_lseek, SYS_ftruncate, SYS_close, SYS_dup, SYS_fstat,
#if defined(SYS_newfstatat)
    SYS_newfstatat,
#endif
#if defined(SYS_statx)
    SYS_statx,
#endif
#if defined(SYS_stat)
    SYS_stat, SYS_lstat, SYS_poll, SYS_epoll_wait, SYS_access,
#endif
    SYS_faccessat, SYS_ppoll, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime,
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_mincore,
    SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_membarrier, SYS_getcpu,
#if defined(SYS_rseq)
    SYS_rseq,
#endif
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_restart_syscall, SYS_getrandom,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_sigaltstack,
    SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage, SYS_sysinfo, SYS_uname,
#if defined(SYS_getrlimit)
    SYS_getrlimit,
#endif
    SYS_exit, SYS_exit_group,
};

/* Refused with an error that callers know what to do about. clone3's arguments are out of a filter's reach: the C library then takes clone. */
static const struct {
    int call, error;
} refused[] = {
    {SYS_readlinkat, EACCES},
    {SYS_getcwd, EACCES},
    {SYS_sched_setaffinity, EPERM},
#if defined(SYS_readlink)
    {SYS_readlink, EACCES},
#endif
#if defined(SYS_faccessat2)
    {SYS_faccessat2, ENOSYS},
#endif
#if defined(SYS_clone3)
    {SYS_clone3, ENOSYS},
#endif
};

enum { most = 512 };

typedef struct program {
    struct sock_filter steps[most];
    unsigned count;
} program;

static void add(program *p, struct sock_filter step) {
    if (p->count < most) p->steps[p->count++] = step;
}
static void load(program *p, unsigned offset) { add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
static void answer(program *p, unsigned action) { add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action)); }
/* Jumps over `yes` steps if the loaded word is the value, else over `no`. */
static void compare(program *p, unsigned value, unsigned yes, unsigned no) {
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no));
}
/* Likewise, if it has any of the bits. */
static void test(program *p, unsigned bits, unsigned yes, unsigned no) {
    add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no));
}
static unsigned low(unsigned argument) { return (unsigned)(offsetof(struct seccomp_data, args) + 8 * argument); }

enum { forbidden = SECCOMP_RET_TRAP, fine = SECCOMP_RET_ALLOW };
#define REFUSED(error) (SECCOMP_RET_ERRNO | ((error) & SECCOMP_RET_DATA))

/* The call is `yes` if an argument has any of the bits, else `no`. */
static void by_bits(program *p, int call, unsigned argument, unsigned bits, unsigned yes, unsigned no) {
    compare(p, (unsigned)call, 0, 4);
    load(p, low(argument));
    test(p, bits, 0, 1);
    answer(p, yes);
    answer(p, no);
}

/* The call is allowed if an argument is one of some values, else `otherwise`. */
static void by_value(program *p, int call, unsigned argument, const unsigned *values, unsigned count, unsigned otherwise) {
    compare(p, (unsigned)call, 0, 2 + 2 * count);
    load(p, low(argument));
    for (unsigned index = 0; index < count; index++) {
        compare(p, values[index], 0, 1);
        answer(p, fine);
    }
    answer(p, otherwise);
}

static void build(program *p, int opens_files) {
    load(p, offsetof(struct seccomp_data, arch));
    compare(p, NATIVE, 1, 0);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    for (unsigned index = 0; index < sizeof allowed / sizeof *allowed; index++) {
        compare(p, (unsigned)allowed[index], 0, 1);
        answer(p, fine);
    }
    for (unsigned index = 0; index < sizeof refused / sizeof *refused; index++) {
        compare(p, (unsigned)refused[index].call, 0, 1);
        answer(p, REFUSED(refused[index].error));
    }
    /* No memory becomes code. */
    by_bits(p, SYS_mmap, 2, PROT_EXEC, forbidden, fine);
    by_bits(p, SYS_mprotect, 2, PROT_EXEC, forbidden, fine);
    /* Threads, no processes. */
    by_bits(p, SYS_clone, 0, 0x00010000 /* CLONE_THREAD */, fine, forbidden);
    /* Opened to be read: where that is not wanted, the answer that a missing right gives, which the C library expects. To be written: nothing here does that. */
    const unsigned reading = opens_files ? (unsigned)fine : REFUSED(EACCES);
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    by_bits(p, SYS_openat, 2, writing, forbidden, reading);
#if defined(SYS_open)
    by_bits(p, SYS_open, 1, writing, forbidden, reading);
#endif
    /* Signals to itself alone, as abort(3) and raise(3) send them. */
    const unsigned own[] = {(unsigned)getpid()};
    by_value(p, SYS_kill, 0, own, 1, forbidden);
    by_value(p, SYS_tgkill, 0, own, 1, forbidden);
    /* Whether it is a terminal. */
    const unsigned terminal[] = {TCGETS, TIOCGWINSZ};
    by_value(p, SYS_ioctl, 1, terminal, 2, REFUSED(ENOTTY));
    /* Not those that have signals sent to others. */
    const unsigned descriptors[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};
    by_value(p, SYS_fcntl, 1, descriptors, 6, REFUSED(EPERM));
    /* Names of threads and of memory (PR_SET_VMA). */
    const unsigned names[] = {PR_SET_NAME, 0x53564d41};
    by_value(p, SYS_prctl, 0, names, 2, REFUSED(EPERM));
    /* Limits can be asked for: the new ones are then no address. Both halves. */
    compare(p, SYS_prlimit64, 0, 6);
    load(p, low(2));
    compare(p, 0, 0, 3);
    load(p, low(2) + 4);
    compare(p, 0, 0, 1);
    answer(p, fine);
    answer(p, forbidden);
    answer(p, forbidden);
}

static void tell_call(int number, siginfo_t *information, void *context) {
    (void)context;
    if (cairn_contain_shared) cairn_contain_shared->forbidden_call = information->si_code == 1 /* SYS_SECCOMP */ ? information->si_syscall : -1;
    signal(number, SIG_DFL);
    raise(number);
}

int cairn_contain_seal(int opens_files) {
    static program filter;
    filter.count = 0;
    build(&filter, opens_files);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
    struct sock_fprog whole = {.len = (unsigned short)filter.count, .filter = filter.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &whole) == 0;
}

#else

int cairn_contain_seal(int opens_files) {
    (void)opens_files;
    return 0;
}

#endif
