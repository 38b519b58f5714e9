#ifndef CAIRN_CALLOCATION_H
#define CAIRN_CALLOCATION_H

/* glibc's `mallopt`, which Swift's module of the C library leaves out. */
#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif

#endif
