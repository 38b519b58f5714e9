// A program of C, and of C++, that crashes in the way that its argument names; scripts/checks/verify-run and RunTests let it crash.
//
// `// CRASH segv, thread: f` is at the line where f crashes in these cases. Where the signal is raised further in, as in abort(), it is f's call.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#include <stdexcept>
#endif

#define APART __attribute__((noinline)) static
// After a call, so that it is no jump.
#define STAY __asm__ volatile("" ::: "memory")

static volatile int *volatile null, zero;
static void (*volatile null_function)(void);
extern char **environ;

APART void write_null(void) {
    *null = 1; // CRASH segv, thread, child, fork, handler, parent, daemon, orphan, vfork, chain, exits: write_null
    STAY;
}

APART void call_null(void) {
    null_function(); // CRASH call: call_null
    STAY;
}

APART void give_up(void) {
    abort(); // CRASH abort: give_up
}

APART void check(int number) {
    assert(number == 1); // CRASH assert: check
    STAY;
}

#ifdef __cplusplus
APART void throw_it(int number) {
    if (number == 0) throw std::runtime_error("no such thing"); // CRASH exception: throw_it
    STAY;
}
#endif

APART void free_twice(void) {
    void *volatile memory = malloc(99);
    free(memory);
    free(memory); // CRASH free: free_twice
    STAY;
}

APART int deep(int n) { volatile char room[256]; room[n & 255] = 1; return deep(n + 1) + room[n & 255]; } // CRASH overflow: deep

APART int divide(int number) {
    return 7 / number; // CRASH fpe: divide
}

APART void read_beyond(void) {
    FILE *file = tmpfile();
    volatile char *map = (volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    zero = map[7]; // CRASH bus: read_beyond
    STAY;
}

APART void trap(void) {
    __builtin_trap(); // CRASH trap: trap
}

APART void overwrite(char *bytes, int count) {
    for (int index = 0; index < count; index++) bytes[index] = 0x41;
    STAY;
}

APART void smash(int count) {
    char room[16];
    overwrite(room, count);
    STAY;
} // CRASH smash: smash

static void *in_thread(void *unused) {
    write_null();
    STAY;
    return unused;
}

// Alone the program has crashed long before.
static void *exit_soon(void *unused) {
    usleep(20000);
    _exit(6);
    return unused;
}

APART void in_library(void) {
    void *library = dlopen("./library.so", RTLD_NOW);
    if (library == NULL) exit(9);
    void (*crash)(void) = (void (*)(void))dlsym(library, "crash_in_library");
    crash();
    STAY;
}

// The library's file is another one, or none, when the program crashes.
APART void in_library_without_file(const char *replacement) {
    if (system("cp library.so gone.so") != 0) exit(9);
    void *library = dlopen("./gone.so", RTLD_NOW);
    if (library == NULL) exit(9);
    if (unlink("gone.so") != 0) exit(9);
    if (replacement != NULL && (system(replacement) != 0)) exit(9);
    void (*crash)(void) = (void (*)(void))dlsym(library, "crash_in_library");
    crash();
    STAY;
}

static void on_fault(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

static void leave(int number) { _exit(number == SIGSEGV ? 4 : 5); }

static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return 5;
}

static int start(char *program, const char *name) {
    char *arguments[] = {program, (char *)name, NULL};
    pid_t child;
    return posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0 ? wait_for(child) : 8;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    sigset_t none;
    struct rlimit stack = {1 << 20, 1 << 20};
    // Threads that run tests hold signals back.
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_STACK, &stack);
    alarm(60);
    printf("before %s\n", name);
    fflush(stdout);
#define CASE(TEXT) if (strcmp(name, TEXT) == 0)
    CASE("segv") write_null();
    CASE("call") call_null();
    CASE("abort") give_up();
    CASE("assert") check(zero);
#ifdef __cplusplus
    CASE("exception") throw_it(zero);
#endif
    CASE("free") free_twice();
    CASE("overflow") zero = deep(1);
    CASE("fpe") zero = divide(zero);
    CASE("bus") read_beyond();
    CASE("trap") trap();
    CASE("smash") smash(41 + zero);
    CASE("thread") { pthread_t thread; pthread_create(&thread, NULL, in_thread, NULL); pthread_join(thread, NULL); }
    CASE("child") return start(arguments[0], "segv");
    CASE("fork") { pid_t child = fork(); if (child == 0) { if (chdir("/") != 0) return 8; write_null(); } return wait_for(child); }
    CASE("library") in_library();

    // Other ends: scripts/checks/verify-run's second table.
    CASE("parent") { if (fork() == 0) { usleep(20000); _exit(0); } write_null(); }
    CASE("orphan") { if (fork() == 0) { usleep(10000); write_null(); } usleep(20000); return 6; }
    CASE("vfork") { pid_t child = vfork(); if (child == 0) { write_null(); _exit(0); } return wait_for(child); }
    CASE("chain") { if (count > 2) execl(arguments[0], arguments[0], "chain", NULL); write_null(); }
    CASE("daemon") {
        if (fork() > 0) return 0;
        setsid();
        usleep(100000);
        write_null();
    }
    CASE("exits") { pthread_t thread; pthread_create(&thread, NULL, exit_soon, NULL); write_null(); }
    CASE("deleted") in_library_without_file(NULL);
    CASE("replaced") in_library_without_file("cp crash gone.so");
    CASE("handler") { signal(SIGSEGV, on_fault); write_null(); }
    CASE("handled") { signal(SIGSEGV, leave); write_null(); }
    CASE("reaped") { signal(SIGCHLD, SIG_IGN); if (fork() == 0) write_null(); while (wait(NULL) > 0) {} return 7; }
    CASE("raised") { signal(SIGUSR1, SIG_IGN); raise(SIGUSR1); }
    CASE("input") { int byte, found = 0; while ((byte = getchar()) != EOF) found += byte == 'x'; return found; }
    CASE("terminal") return isatty(0) && isatty(1) && tcgetpgrp(0) == getpgrp() ? 11 : 12;
    CASE("many") for (int index = 0; index < 1000; index++) { pid_t child = fork(); if (child == 0) _exit(0); wait_for(child); }
    CASE("work") for (int index = 0; index < 1000; index++) { pid_t child = fork(); if (child == 0) { for (int n = 0; n < 8000000; n++) zero = n & 0; _exit(0); } wait_for(child); }
    return 3;
}
