#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif
#include <unistd.h>

/* macOS has a socket's option in their place. */
#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif
#if !defined(MSG_CMSG_CLOEXEC)
#define MSG_CMSG_CLOEXEC 0
#endif

int cairn_pipe(int ends[2], bool is_blocking) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC | (is_blocking ? 0 : O_NONBLOCK));
#else
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        (void)fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        if (!is_blocking) (void)fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    return 0;
#endif
}

int cairn_temporary_file(char *template, unsigned mode) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char *name = template + strlen(template) - 6;
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned char random[6];
        if (getentropy(random, sizeof random) != 0) return -1;
        for (int index = 0; index < 6; index++) name[index] = letters[random[index] % (sizeof letters - 1)];
        int descriptor = open(template, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
} control;

long cairn_send(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    control control;
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

long cairn_receive(int socket, void *bytes, size_t count, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    control control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS || header->cmsg_len < CMSG_LEN(sizeof(int))) continue;
        int found;
        memcpy(&found, CMSG_DATA(header), sizeof found);
        if (*descriptor >= 0) {
            close(found);
            continue;
        }
#if !defined(__linux__)
        (void)fcntl(found, F_SETFD, FD_CLOEXEC);
#endif
        *descriptor = found;
    }
    return received;
}

void cairn_note_access(const char *path) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    (void)utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

unsigned long cairn_file_system(const char *path) {
#if defined(__linux__)
    struct statfs information;
    if (statfs(path, &information) == 0) return (unsigned long)information.f_type;
#else
    (void)path;
#endif
    return 0;
}
