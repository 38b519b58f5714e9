#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CFilterProbe.h"

#include "containment.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int descriptor;
static void *mapped;

static void *nothing(void *argument) { return argument; }

static long start_thread(void) {
    pthread_t thread;
    int code = pthread_create(&thread, 0, nothing, 0);
    if (code == 0) code = pthread_join(thread, 0);
    errno = code;
    return code ? -1 : 0;
}

static long take_memory(void) {
    volatile char *bytes = malloc(64 << 20);
    if (!bytes) return -1;
    bytes[0] = 1;
    void *larger = realloc((void *)bytes, 128 << 20);
    free(larger);
    return larger ? 0 : -1;
}

static long resume_after_signal(void) {
    signal(SIGUSR1, SIG_IGN);
    return raise(SIGUSR1);
}

static long call(const char *name) {
    char byte = 0;
    struct stat information;
    struct timespec moment = {0, 1};
    struct rlimit limit = {1, 1};
    char *none[] = {0};
#define IS(text) (strcmp(name, text) == 0)
    if (IS("read")) return read(descriptor, &byte, 1);
    if (IS("pread")) return pread(descriptor, &byte, 1, 0);
    if (IS("write")) return write(2, "", 0);
    if (IS("fstat")) return fstat(descriptor, &information);
    if (IS("sleep")) return nanosleep(&moment, 0);
    if (IS("memory")) return take_memory();
    if (IS("thread")) return start_thread();
    if (IS("raise")) return resume_after_signal();
    if (IS("limit")) return getrlimit(RLIMIT_NOFILE, &limit);
    if (IS("open")) return open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (IS("open to write")) return open("/dev/null", O_WRONLY);
    if (IS("open to create")) return open("/tmp/cairn-filter-probe", O_RDONLY | O_CREAT, 0600);
    if (IS("open without a name")) return open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (IS("openat2")) return syscall(SYS_openat2, AT_FDCWD, "/dev/null", 0, 0);
    if (IS("execve")) return execve("/bin/true", none, none);
    if (IS("execveat")) return syscall(SYS_execveat, AT_FDCWD, "/bin/true", none, none, 0);
    if (IS("fork")) return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (IS("clone3")) return syscall(SYS_clone3, 0, 0);
    if (IS("socket")) return socket(AF_INET, SOCK_STREAM, 0);
    if (IS("connect")) return connect(descriptor, 0, 0);
    if (IS("ptrace")) return ptrace(PTRACE_TRACEME, 0, 0, 0);
    if (IS("process_vm_readv")) return syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0);
    if (IS("kill another")) return kill(getppid(), 0);
    if (IS("tgkill another")) return syscall(SYS_tgkill, getppid(), getppid(), 0);
    if (IS("pidfd_open")) return syscall(SYS_pidfd_open, getppid(), 0);
    if (IS("unlink")) return unlink("/tmp/cairn-filter-probe");
    if (IS("rename")) return rename("/tmp/cairn-filter-probe", "/tmp/cairn-filter-probe-2");
    if (IS("mkdir")) return mkdir("/tmp/cairn-filter-probe", 0700);
    if (IS("chmod")) return chmod("/tmp/cairn-filter-probe", 0700);
    if (IS("code from a file")) return mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor, 0) == MAP_FAILED ? -1 : 0;
    if (IS("code from memory")) return mprotect(mapped, 4096, PROT_READ | PROT_EXEC);
    if (IS("raise a limit")) return setrlimit(RLIMIT_NOFILE, &limit);
    if (IS("memfd_create")) return (long)memfd_create("probe", 0);
    if (IS("io_uring_setup")) return syscall(SYS_io_uring_setup, 1, 0);
    if (IS("bpf")) return syscall(SYS_bpf, 0, 0, 0);
    if (IS("mount")) return syscall(SYS_mount, 0, 0, 0, 0, 0);
    if (IS("unshare")) return syscall(SYS_unshare, 0);
    if (IS("prctl")) return prctl(PR_SET_DUMPABLE, 1);
    if (IS("terminal")) return syscall(SYS_ioctl, 2, 0x5412 /* TIOCSTI */, &byte);
    _exit(255);
}

int cairn_probe(const char *name, int opens_files) {
    /* Local here, and the child's alone there: tests probe beside each other, and what is closed or unmapped twice is another test's the second time. */
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        descriptor = file;
        mapped = page;
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (!cairn_contain_seal(opens_files)) _exit(254);
        errno = 0;
        long result = call(name);
        _exit(result < 0 ? errno : 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    close(file);
    munmap(page, 4096);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#else

int cairn_probe(const char *call, int opens_files) {
    (void)call, (void)opens_files;
    return 254;
}

#endif
