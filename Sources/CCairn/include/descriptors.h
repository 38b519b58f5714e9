#ifndef CAIRN_DESCRIPTORS_H
#define CAIRN_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that no program inherits which another thread starts meanwhile: pipe2, which glibc declares for _GNU_SOURCE alone. */

/* As pipe(2). */
int cairn_pipe(int ends[2], bool is_blocking);

/* As mkstemp(3), with a mode, of which the system takes the process's mask: to read the mask, umask(2) changes it, and other threads would
   make files for everybody meanwhile. */
int cairn_temporary_file(char *template, unsigned mode);

/* Sets a file's time of the last access, and leaves that of the last change (utimensat(2), whose macros Swift does not import). */
void cairn_note_access(const char *path);

/* The number of a path's file system (statfs(2), f_type), which Swift's module of the C library leaves out; 0 where it is not known. */
unsigned long cairn_file_system(const char *path);

/* An open file that goes with bytes through a local socket (SCM_RIGHTS, unix(7)), whose macros Swift does not import.
   The results are long in place of ssize_t, which is the same: <sys/types.h> would make this module the owner of the C library's types in Swift. */

/* Sends some of the bytes, and the descriptor with the first of them unless it is negative. As send(2) without SIGPIPE. */
long cairn_send(int socket, const void *bytes, size_t count, int descriptor);

/* Receives bytes as recv(2) does. *descriptor gets the one that came with them, closed on exec; it stays as it is where none came. A second one is closed. */
long cairn_receive(int socket, void *bytes, size_t count, int *descriptor);

#endif
