#ifndef CAIRN_ALLOCATION_H
#define CAIRN_ALLOCATION_H

/* glibc's `mallopt`, which Swift's module of the C library leaves out. */
#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif

/* glibc's `renameat2`, which its headers declare for GNU's sources only; of its flags, the one that exchanges two names (renameat2(2)). */
#if defined(__GLIBC__)
int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
enum { cairn_rename_exchange = 1 << 1 };
#endif

/* Takes the program's own pages, code and constants, out of this process's memory; those that are used come back from the page cache. Nothing on other systems. */
void cairn_release_program_pages(void);

#endif
