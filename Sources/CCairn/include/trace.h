#ifndef CAIRN_TRACE_H
#define CAIRN_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* A program whose end is watched with ptrace(2): it runs as it would without, and is stopped before a signal ends it. C, because ptrace has variable arguments, and because
   fork(2) is closed to Swift. Not on other systems than Linux: nothing can be started there, with errno ENOSYS. */

/* Starts a program, and watches it and all processes that it starts.
   path: of the program; arguments: with its name; environment: each as NAME=value; both end with NULL.
   is_traced: 1 to watch it; gets 0 where the system refuses ptrace. The program runs all the same.
   Returns its number; -1 where it cannot be started, with errno. */
int cairn_trace_start(const char *path, char *const arguments[], char *const environment[], int *is_traced);

/* Passes the signals on to the process that this one gets to end or to wake it. The terminal's signals reach both; this process ignores them from now on.
   process: 0 where all signals reach both. */
void cairn_trace_pass_signals_to(int process);

enum cairn_trace_kind {
    /* No process is left, or no event has come. */
    cairn_trace_none,
    /* A thread is about to get a signal; it is stopped. */
    cairn_trace_signal,
    /* A process runs another program (execve(2)); it is stopped before the first instruction. */
    cairn_trace_exec,
    /* A process exited with a status, or a signal ended it. */
    cairn_trace_exited,
    cairn_trace_killed,
    /* Somebody else is to trace the processes: SIGURG came. */
    cairn_trace_release
};

typedef struct cairn_trace_event {
    enum cairn_trace_kind kind;
    /* The number of the thread, which is the process's for its first one. */
    int thread;
    /* The signal, or the exit status. */
    int value;
} cairn_trace_event;

/* The next event. waits: 1 to wait for it; 0 gives cairn_trace_none where none has come. */
cairn_trace_event cairn_trace_next(int waits);

/* Lets a stopped thread go on, with a signal unless that is 0. */
void cairn_trace_continue(int thread, int signal);
/* As before, and its process is no longer watched, nor what it starts. */
void cairn_trace_detach(int thread, int signal);

/* Stops a thread; waits at most 0.2 seconds. Returns -1 if it does not stop, else the signal that it is about to get, 0 if none. */
int cairn_trace_stop(int thread);

/* The file of the program that a process runs: its device, inode and the time of its last change in nanoseconds (stat(2) of /proc/PID/exe). Returns 0 where the process has
   ended. One call of the system, for each program that a run starts. */
int cairn_trace_program(int process, uint64_t identity[3]);

/* Register set of a stopped thread (PTRACE_GETREGSET): 1 is NT_PRSTATUS, the general registers. Returns its bytes; 0 where it has none. */
size_t cairn_trace_registers(int thread, uint32_t set, void *bytes, size_t size);

/* The signal of a thread that is about to get it, as siginfo_t, 128 bytes. Returns 1 if it has one. */
int cairn_trace_signal_information(int thread, void *bytes);

#endif
