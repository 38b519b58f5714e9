#ifndef CAIRN_DEMANGLE_H
#define CAIRN_DEMANGLE_H
#include <stddef.h>
#include <stdint.h>

/* Prototypes of runtime functions that ship without a header. Nothing is defined here. */

/* libswiftCore: the full form. The result is malloc'ed unless `output` is given; NULL if the name is not Swift's. */
char *swift_demangle(const char *mangled, size_t mangledLength, char *output, size_t *outputLength, uint32_t flags);

/* libswiftCore: the simplified form that Swift's own crash reports print. Same ownership as swift_demangle. */
char *_swift_backtrace_demangle(const char *mangled, size_t mangledLength, char *output, size_t *outputLength);

#endif
