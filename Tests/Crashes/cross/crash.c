// A program that crashes in the way that its argument names, and whose signal handler prints its stack as glibc has it: `NAME(+0xOFFSET)[0xADDRESS]`.
//
// The truth stands in comments: `CRASH f` is the line of f at which the processor stopped, `CALL f` the line of f that called what stands above it in the stack. The line above each case of `main`
// lists its stack, from the crash outwards. A row of a test is right if it says these functions and these lines, inlined calls too.
//
// The first argument is the file that takes the program's memory map (- for none), the second names the case.
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define INSIDE static inline __attribute__((always_inline))
#ifdef __clang__
#undef APART
#define APART __attribute__((noinline))
#endif

volatile int sink;

static void write_text(const char *text) {
    if (write(2, text, strlen(text)) < 0) _exit(9);
}

APART static void print_stack(void) {
    void *frames[64];
    int count = backtrace(frames, 64); /* CALL print_stack */
    backtrace_symbols_fd(frames, count, 2);
    sink++;
}

static void handler(int number) {
    write_text(number == SIGABRT ? "Caught signal 6 (SIGABRT), backtrace:\n" : "Caught signal 11 (SIGSEGV), backtrace:\n");
    print_stack(); /* CALL handler */
    _exit(1);
}

// A crash in the middle of a function.
APART int weigh(int *crate) {
    int base = getpid() > 0 ? 3 : 4;
    base += (int)(size_t)crate;
    *crate = base; /* CRASH weigh */
    sink++;
    return base;
}

APART int load(int count, int *crate) {
    int sum = 0;
    for (int index = 0; index < count; index++) {
        sum += weigh(crate) + index; /* CALL load */
        sink += sum;
    }
    return sum;
}

// A crash inside of a call that is inlined, twice.
INSIDE void press(int *crate) {
    *crate = sink; /* CRASH press */
}

INSIDE void stack_up(int *crate) {
    sink++;
    press(crate); /* CALL stack_up */
    sink += 2;
}

APART int lower(int *crate) {
    sink += 3;
    stack_up(crate); /* CALL lower */
    return sink;
}

// What crashes is the instruction behind a call, in another line than the call: one byte before it is the call's line.
APART int *choose(int *crate) {
    sink++;
    return crate;
}

APART int drop(int *crate) {
    sink++;
    int *chosen = choose(crate);
    *chosen = 0; /* CRASH drop */
    return sink;
}

// The crash is a function's first instruction, and the byte before it belongs to another function: to `ahead`, which ends exactly there, or to `give_up`, whose last instruction is a call of
// `abort`, which does not return. `doomed` ends in such a call too: its return address is the first byte of `behind`. clang's functions are aligned to 16 bytes, and so is what is written here for it;
// gcc packs functions by -falign-functions=1, and keeps their order by -fno-toplevel-reorder.
#if defined(__clang__) && defined(__x86_64__)
#define NAKED __attribute__((naked, noinline))
NAKED void ahead(void) {
    __asm__("addl $2, %eax\n\tret\n\t.p2align 4");
}
NAKED void instant(int *crate, int value) {
    __asm__("movl %esi, (%rdi)\n\tret\n\t.p2align 4"); /* CRASH instant */
}
NAKED void give_up(void) {
    __asm__("subq $8, %rsp\n\t.p2align 4\n\t.skip 11, 0x90\n\tcall abort@PLT");
}
NAKED void landing(int *crate, int value) {
    __asm__("movl %esi, (%rdi)\n\tret\n\t.p2align 4"); /* CRASH landing */
}
NAKED void doomed(void) {
    __asm__("subq $8, %rsp\n\t.cfi_adjust_cfa_offset 8\n\t.p2align 4\n\t.skip 11, 0x90\n\tcall abort@PLT"); /* CALL doomed */
}
NAKED void behind(void) {
    __asm__("ret");
}
#else
// Without a frame, whatever the rest is compiled with: the store is the first instruction.
#define FRAMELESS APART __attribute__((optimize("O2", "omit-frame-pointer")))
APART void ahead(void) {
    sink++;
}
FRAMELESS void instant(int *crate, int value) {
    *crate = value; /* CRASH instant */
}
APART __attribute__((noreturn)) void give_up(void) {
    sink++;
    abort();
}
FRAMELESS void landing(int *crate, int value) {
    *crate = value; /* CRASH landing */
}
APART __attribute__((noreturn)) void doomed(void) {
    sink++;
    abort(); /* CALL doomed */
}
APART void behind(void) {
    sink++;
}
#endif

// The compiler's own call of a function that does not return.
APART int despair(int depth) {
    sink += depth;
    if (depth > 0) abort(); /* CALL despair */
    return sink;
}

// A handler that crashes itself, below another one.
APART static void trip(int *crate) {
    sink++;
    *crate = sink; /* CRASH trip */
    sink++;
}

static void first_handler(int number) {
    signal(SIGSEGV, handler);
    sink += number;
    trip((int *)32); /* CALL first_handler */
    _exit(2);
}

static void save_map(const char *path) {
    char buffer[4096];
    if (strcmp(path, "-") == 0) return;
    int input = open("/proc/self/maps", O_RDONLY), output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (ssize_t count; (count = read(input, buffer, sizeof buffer)) > 0;) {
        if (write(output, buffer, (size_t)count) < 0) _exit(9);
    }
    close(input);
    close(output);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    save_map(argv[1]);
    const char *name = argv[2];
    void *unused[4];
    // Loads what walks the stack before it is needed in a handler.
    sink += backtrace(unused, 4);
    signal(SIGSEGV, handler);
    signal(SIGABRT, handler);
    int *nowhere = (int *)(size_t)(16 * (argc - 2));
    if (strcmp(name, "nested") == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = first_handler;
        action.sa_flags = SA_NODEFER;
        sigaction(SIGSEGV, &action, NULL);
        // STACK nested: print_stack handler | trip first_handler | weigh load main:nested
        sink += load(argc, nowhere); /* CALL main:nested */
    }
    if (strcmp(name, "middle") == 0) {
        // STACK middle: print_stack handler | weigh load main:middle
        sink += load(argc, nowhere); /* CALL main:middle */
    }
    if (strcmp(name, "inlined") == 0) {
        // STACK inlined: print_stack handler | press stack_up lower main:inlined
        sink += lower(nowhere); /* CALL main:inlined */
    }
    if (strcmp(name, "after-call") == 0) {
        // STACK after-call: print_stack handler | drop main:after-call
        sink += drop(nowhere); /* CALL main:after-call */
    }
    if (strcmp(name, "first-instruction") == 0) {
        // STACK first-instruction: print_stack handler | instant main:first-instruction
        instant(nowhere, argc); /* CALL main:first-instruction */
        sink++;
    }
    if (strcmp(name, "behind-noreturn") == 0) {
        // STACK behind-noreturn: print_stack handler | landing main:behind-noreturn
        landing(nowhere, argc); /* CALL main:behind-noreturn */
        sink++;
    }
    if (strcmp(name, "noreturn-at-end") == 0) {
        // STACK noreturn-at-end: print_stack handler | doomed main:noreturn-at-end
        doomed(); /* CALL main:noreturn-at-end */
        sink++;
    }
    if (strcmp(name, "abort") == 0) {
        // STACK abort: print_stack handler | despair main:abort
        sink += despair(argc); /* CALL main:abort */
    }
    ahead();
    if (sink == 1000) give_up();
    behind();
    return sink;
}
