#ifndef CAIRN_CONTAINMENT_H
#define CAIRN_CONTAINMENT_H

#include <stdint.h>

/* What a process that reads hostile bytes with an old C library takes from itself before it begins, and a parent that tells what it died of.
   C, because fork(2) is closed to Swift, and because handlers of signals may do next to nothing. */

/* Closes every descriptor above standard error, and opens /dev/null for those of the three that are closed, so that no file takes their numbers. */
void cairn_contain_descriptors(void);

/* How a worker ended. */
typedef struct cairn_ending {
    /* Its exit status; 0 if a signal ended it. */
    int status;
    /* The signal that ended it; 0 if it ended itself. */
    int signal;
    /* The signal was sent to this process first, which passed it on. */
    int is_passed_on;
    /* It was ended by this process, because it took longer than it may. */
    int is_late;
} cairn_ending;

/* Forks a worker (fork(2)), which calls body, in a thread of its own. Its parent does nothing but wait for it, passing on the signals that it gets itself; a worker whose parent
   dies is killed. Before any thread is started.
   seconds: after which the worker is killed; 0 for never.
   body: ends the process. Where no process can be forked, this one calls it.
   Returns in the parent, when the worker has ended. */
cairn_ending cairn_contain_in_worker(unsigned seconds, void (*body)(void *), void *context);

/* What the worker was last said to be at, as its parent sees it. */
int cairn_contain_phase(void);
const char *cairn_contain_name(void);
/* The number of the system call that ended the worker, if one did, else -1. */
int cairn_contain_forbidden_call(void);

/* Set in the worker when a file turns out to have changed while it was read, which C libraries may not survive; where that is set, and whether it was. */
volatile int *cairn_contain_file_changed(void);

/* Says what the worker is at; does nothing where there is none. */
void cairn_contain_begin(int phase);
/* On which input; cut where it is very long. */
void cairn_contain_name_input(const char *name);
/* Stops this process (SIGSTOP) when it begins a phase for the first time; for tests, which then look at it, or kill it there. */
void cairn_contain_stop_at(int phase);

/* Lowers the limits of this process (setrlimit(2)); none is raised above what it has. No core is written.
   files: descriptors; 0 for what it has; data: bytes of memory that it may write to, touched or not; 0 for what it has; seconds: of processor time; 0 for what it has. */
void cairn_contain_limits(uint64_t files, uint64_t data, uint64_t seconds);

/* Only lines of ours are to reach standard error: the C library has words of its own for what it dies of. Where those go, nobody reads them. */
void cairn_contain_errors(void);
/* The descriptor that lines of ours are written to: 2 unless the above was called. */
int cairn_contain_error_descriptor(void);

/* From now on this process, with all of its threads, can read and write what it has open, take memory and start threads, and no more: another call to the system ends it
   (seccomp(2)). New privileges are out of reach.
   opens_files: files can still be opened to be read; otherwise that is refused by EACCES.
   Returns 1 if it is so; 0 where the system has no such filters, or refuses. */
int cairn_contain_seal(int opens_files);

#endif
