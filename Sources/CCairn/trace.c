#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "trace.h"

#include <errno.h>

#if defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of linux/ptrace.h, which does not go with glibc's header. */
enum { event_stop = 128 };

/* The parent's answer to the child. */
enum { watched = 'w', unwatched = 'u' };

int cairn_trace_start(const char *path, char *const arguments[], char *const environment[], int *is_traced) {
    int ready[2], failure[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return -1;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        int number = errno;
        close(ready[0]);
        close(ready[1]);
        errno = number;
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        /* Until it is watched. */
        char byte = 0;
        while (read(ready[0], &byte, 1) < 0 && errno == EINTR) {}
        if (byte == unwatched) {
            struct rlimit limit;
            if (getrlimit(RLIMIT_CORE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_CORE, &limit);
            }
        }
        execve(path, arguments, environment);
        int number = errno;
        (void)!write(failure[1], &number, sizeof number);
        _exit(127);
    }
    int number = errno;
    close(ready[0]);
    close(failure[1]);
    if (child > 0) {
        long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
        /* If the end of children is ignored, the status of an unwatched one would be lost. */
        signal(SIGCHLD, SIG_DFL);
        *is_traced = *is_traced && ptrace(PTRACE_SEIZE, child, 0, options) == 0;
        number = 0;
        char byte = *is_traced ? watched : unwatched;
        (void)!write(ready[1], &byte, 1);
        /* Ends when the program begins. */
        ssize_t count;
        while ((count = read(failure[0], &number, sizeof number)) < 0 && errno == EINTR) {}
        if (count != sizeof number) number = 0;
    }
    close(ready[1]);
    close(failure[0]);
    if (child > 0 && number == 0) return child;
    if (child > 0) {
        while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR) {}
    }
    errno = number;
    return -1;
}

static volatile pid_t receiver;
static volatile sig_atomic_t is_release_requested;

static void request_release(int number) {
    (void)number;
    is_release_requested = 1;
}

static void pass_on(int number) {
    int before = errno;
    if (receiver > 0) kill(receiver, number);
    errno = before;
}

void cairn_trace_pass_signals_to(int process) {
    static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};
    receiver = process;
    for (size_t index = 0; index < sizeof passed / sizeof passed[0]; index++) {
        struct sigaction before, action;
        memset(&action, 0, sizeof action);
        action.sa_handler = process > 0 ? pass_on : SIG_IGN;
        action.sa_flags = SA_RESTART;
        if (sigaction(passed[index], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(passed[index], &action, NULL);
    }
    struct sigaction release;
    memset(&release, 0, sizeof release);
    /* Ends waiting. */
    release.sa_handler = request_release;
    sigaction(SIGURG, &release, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
}

cairn_trace_event cairn_trace_next(int waits) {
    cairn_trace_event event = {cairn_trace_none, 0, 0};
    /* Processes that are left may start others all the time. */
    for (int attempt = 0; waits || attempt < 1000; attempt++) {
        int status;
        if (is_release_requested) {
            is_release_requested = 0;
            event.kind = cairn_trace_release;
            return event;
        }
        pid_t thread = waitpid(-1, &status, waits ? __WALL : __WALL | WNOHANG);
        if (thread == 0) return event;
        if (thread < 0) {
            if (errno == EINTR) continue;
            return event;
        }
        event.thread = thread;
        if (WIFEXITED(status)) {
            event.kind = cairn_trace_exited;
            event.value = WEXITSTATUS(status);
            return event;
        }
        if (WIFSIGNALED(status)) {
            event.kind = cairn_trace_killed;
            event.value = WTERMSIG(status);
            return event;
        }
        if (!WIFSTOPPED(status)) continue;
        int number = WSTOPSIG(status);
        switch (status >> 16) {
        case 0:
            event.kind = cairn_trace_signal;
            event.value = number;
            return event;
        case PTRACE_EVENT_EXEC:
            event.kind = cairn_trace_exec;
            return event;
        case event_stop:
            /* A process that a signal stopped stays stopped until it is continued; a new one begins. */
            if (number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) {
                ptrace(PTRACE_LISTEN, thread, 0, 0);
                continue;
            }
            break;
        default: break;
        }
        ptrace(PTRACE_CONT, thread, 0, 0);
    }
    return event;
}

void cairn_trace_continue(int thread, int signal) { ptrace(PTRACE_CONT, thread, 0, (long)signal); }

void cairn_trace_detach(int thread, int signal) { ptrace(PTRACE_DETACH, thread, 0, (long)signal); }

int cairn_trace_stop(int thread) {
    if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0) return -1;
    for (int attempt = 0; attempt < 200; attempt++) {
        int status;
        pid_t found = waitpid(thread, &status, __WALL | WNOHANG);
        if (found == thread) return !WIFSTOPPED(status) ? -1 : status >> 16 == 0 ? WSTOPSIG(status) : 0;
        if (found < 0 && errno != EINTR) return -1;
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    return -1;
}

int cairn_trace_program(int process, uint64_t identity[3]) {
    char path[32];
    struct stat information;
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    if (stat(path, &information) != 0) return 0;
    identity[0] = (uint64_t)information.st_dev;
    identity[1] = (uint64_t)information.st_ino;
    identity[2] = (uint64_t)information.st_ctim.tv_sec * 1000000000u + (uint64_t)information.st_ctim.tv_nsec;
    return 1;
}

size_t cairn_trace_registers(int thread, uint32_t set, void *bytes, size_t size) {
    struct iovec buffer = {bytes, size};
    return ptrace(PTRACE_GETREGSET, thread, (long)set, &buffer) == 0 ? buffer.iov_len : 0;
}

int cairn_trace_signal_information(int thread, void *bytes) {
    siginfo_t information;
    if (ptrace(PTRACE_GETSIGINFO, thread, 0, &information) != 0) return 0;
    memcpy(bytes, &information, 128);
    return 1;
}

#else

int cairn_trace_start(const char *path, char *const arguments[], char *const environment[], int *is_traced) {
    (void)path;
    (void)arguments;
    (void)environment;
    *is_traced = 0;
    errno = ENOSYS;
    return -1;
}
void cairn_trace_pass_signals_to(int process) { (void)process; }
cairn_trace_event cairn_trace_next(int waits) { return (void)waits, (cairn_trace_event){cairn_trace_none, 0, 0}; }
void cairn_trace_continue(int thread, int signal) { (void)thread, (void)signal; }
void cairn_trace_detach(int thread, int signal) { (void)thread, (void)signal; }
int cairn_trace_stop(int thread) { return (void)thread, -1; }
int cairn_trace_program(int process, uint64_t identity[3]) { return (void)process, (void)identity, 0; }
size_t cairn_trace_registers(int thread, uint32_t set, void *bytes, size_t size) { return (void)thread, (void)set, (void)bytes, (void)size, 0; }
int cairn_trace_signal_information(int thread, void *bytes) { return (void)thread, (void)bytes, 0; }

#endif
