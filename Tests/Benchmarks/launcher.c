// Runs one command and says what it cost, for the benchmark's tables.
//
//     launcher COST COMMAND ARGUMENT...   < input   > output
//
// One line is written to the file COST: elapsed nanoseconds, user microseconds, system
// microseconds, peak resident kibibytes, exit status (128 + the signal's number for a process that
// a signal ended).
//
// Why a program of its own: Linux keeps a process's peak resident size across exec
// (`setmax_mm_hiwater_rss` in `exec_mmap`), so a child forked from a large interpreter reports at
// least the interpreter's size. This program is small, allocates nothing, and links nothing but the
// C library.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

int main(int count, char **arguments) {
    if (count < 3) {
        dprintf(2, "usage: launcher COST COMMAND ARGUMENT...\n");
        return 64;
    }
    long long start = nanoseconds();
    pid_t child = fork();
    if (child == 0) {
        execvp(arguments[2], arguments + 2);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        dprintf(2, "launcher: cannot run %s\n", arguments[2]);
        return 71;
    }
    long long elapsed = nanoseconds() - start;
    int cost = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (cost < 0) {
        dprintf(2, "launcher: cannot write %s\n", arguments[1]);
        return 73;
    }
    dprintf(cost, "%lld %ld %ld %ld %d\n", elapsed, microseconds(usage.ru_utime), microseconds(usage.ru_stime), usage.ru_maxrss,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
