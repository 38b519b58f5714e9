#ifndef CAIRN_TERMINAL_H
#define CAIRN_TERMINAL_H

#include <stddef.h>

/* Opens a pseudo-terminal: posix_openpt(3), grantpt(3), unlockpt(3), which the C library's module for Swift leaves out.
   Returns the master's descriptor, which is closed on exec, and puts the other side's path into name; -1 with errno where it fails. */
int cairn_open_terminal(char *name, size_t size);

#endif
