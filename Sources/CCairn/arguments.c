#include "arguments.h"

/* Any header of the C library says which one it is (__GLIBC__). */
#include <stdlib.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

static int argument_count;
static char **arguments;

/*
 * Swift's CommandLine reads the arguments from /proc, which small roots do not have mounted; then there are none. glibc and dyld hand main()'s arguments to
 * constructors too. A constructor is in every program; in those that call neither function it costs two stores.
 */
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
#if defined(__GLIBC__) || defined(__APPLE__)
    argument_count = count;
    arguments = values;
#else
    (void)count, (void)values;
#endif
}

char **cairn_arguments(void) { return arguments; }
int cairn_argument_count(void) { return argument_count; }

const char *cairn_executed_path(void) {
#if defined(__linux__)
    return (const char *)getauxval(AT_EXECFN);
#else
    return NULL;
#endif
}
