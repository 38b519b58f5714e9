#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cairn_open_terminal(char *name, size_t size) {
#ifdef __linux__
    // The flags are those of open(2) here.
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
#else
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master >= 0) (void)fcntl(master, F_SETFD, FD_CLOEXEC);
#endif
    if (master < 0) return -1;
    const char *other = NULL;
    if (grantpt(master) == 0 && unlockpt(master) == 0) other = ptsname(master);
    if (other == NULL || strlen(other) >= size) {
        int number = other == NULL ? errno : ENAMETOOLONG;
        close(master);
        errno = number;
        return -1;
    }
    memcpy(name, other, strlen(other) + 1);
    return master;
}
