// The two functions of libbacktrace (gcc's) that swift-server/swift-backtrace calls, as its documentation declares them.
#ifndef BACKTRACE_H
#define BACKTRACE_H
#include <stdint.h>

struct backtrace_state;
typedef void (*backtrace_error_callback)(void *data, const char *msg, int errnum);
typedef int (*backtrace_full_callback)(void *data, uintptr_t pc, const char *filename, int lineno, const char *function);

struct backtrace_state *backtrace_create_state(const char *filename, int threaded, backtrace_error_callback error, void *data);
int backtrace_full(struct backtrace_state *state, int skip, backtrace_full_callback callback, backtrace_error_callback error, void *data);

#endif
