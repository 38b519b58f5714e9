// Cases of faults.c whose machine code is written by hand. `ud2` crashes where it is.

// The first instruction of a function, before anything is pushed; after `push`; and before it returns.
#define FUNCTION(name, code) __asm__(".text\n.type " name ",@function\n" name ":\n.cfi_startproc\n" code "\n.cfi_endproc\n.size " name ",.-" name "\n");
#define PUSH "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\n"
#define FRAME "mov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
#define POP "pop %rbp\n.cfi_def_cfa %rsp,8\n"
FUNCTION("at_entry", "ud2\n" PUSH FRAME POP "ret")
FUNCTION("after_push", PUSH "ud2\n" FRAME POP "ret")
FUNCTION("after_frame", PUSH FRAME "ud2\n" POP "ret")
FUNCTION("before_return", PUSH FRAME "xor %eax,%eax\n" POP "ud2\nret")
void at_entry(void), after_push(void), after_frame(void), before_return(void);
// CHAIN entry: at_entry outer main
OWN void fault_entry(void) { at_entry(); STAY; }
// CHAIN pushed: after_push outer main
OWN void fault_pushed(void) { after_push(); STAY; }
// CHAIN framed: after_frame outer main
OWN void fault_framed(void) { after_frame(); STAY; }
// CHAIN returning: before_return outer main
OWN void fault_returning(void) { before_return(); STAY; }

// Without rules: with a frame pointer, without one, and with neither where it calls back.
#define BARE(name, code) __asm__(".text\n.type " name ",@function\n" name ":\n" code "\n.size " name ",.-" name "\n");
BARE("bare_frame", "push %rbp\nmov %rsp,%rbp\nsub $64,%rsp\ncall bare_leaf\nleave\nret")
BARE("bare_leaf", "push %rbp\nmov %rsp,%rbp\nud2\npop %rbp\nret")
BARE("bare_none", "sub $56,%rsp\nud2\nadd $56,%rsp\nret")
BARE("bare_entry", "ud2\nret")
BARE("bare_back", "sub $56,%rsp\nmov %rdi,%rax\nmov $1,%edi\ncall *%rax\nadd $56,%rsp\nret")
void bare_frame(void), bare_none(void), bare_entry(void), bare_back(void (*)(int));
// CHAIN bare-frame: bare_leaf bare_frame outer main
OWN void fault_bare_frame(void) { bare_frame(); STAY; }
// CHAIN bare-none: bare_none outer main
OWN void fault_bare_none(void) { bare_none(); STAY; }
// CHAIN bare-entry: bare_entry outer main
OWN void fault_bare_entry(void) { bare_entry(); STAY; }
// CHAIN bare-back: write_null innermost inner bare_back outer main
OWN void fault_bare_back(void) { bare_back(inner); STAY; }

// Code that is made while the program runs, which calls back: with a frame pointer, and without.
OWN void made(const unsigned char *code, size_t size) {
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, size);
    ((void (*)(void (*)(int)))page)(inner);
    STAY;
}
// push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov %rdi,%rax; mov $1,%edi; call *%rax; leave; ret
static const unsigned char with_frame[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0x48, 0x89, 0xf8, 0xbf, 1, 0, 0, 0, 0xff, 0xd0, 0xc9, 0xc3};
// sub $40,%rsp; mov %rdi,%rax; mov $1,%edi; call *%rax; add $40,%rsp; ret
static const unsigned char without_frame[] = {0x48, 0x83, 0xec, 0x28, 0x48, 0x89, 0xf8, 0xbf, 1, 0, 0, 0, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x28, 0xc3};
// ud2
static const unsigned char trap[] = {0x0f, 0x0b};
// CHAIN made-frame: write_null innermost inner made outer main
OWN void fault_made_frame(void) { made(with_frame, sizeof with_frame); STAY; }
// CHAIN made-none: write_null innermost inner made outer main
OWN void fault_made_none(void) { made(without_frame, sizeof without_frame); STAY; }
// CHAIN made-trap: made outer main
OWN void fault_made_trap(void) { made(trap, sizeof trap); STAY; }

// The handler returns to a place that crashes: the C library's restorer with a stack that is none, and one of its own.
BARE("own_restorer", "ud2")
void own_restorer(void);
OWN void on_nothing(int number) { sink = number; }
#include <sys/syscall.h>
OWN void restore_with(void (*restorer)(void)) {
    struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } action = {on_nothing, 0x04000000, restorer, 0};
    syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
}
// What interrupts a frame is above it: `send` is the frame that was interrupted.
// CHAIN restorer: own_restorer send outer main
OWN void fault_restorer(void) { restore_with(own_restorer); send(SIGUSR1); STAY; }

// A handler that returns well; the caller gives up afterwards.
OWN void fault_restored(void) { handle(SIGUSR1, on_nothing, 0); send(SIGUSR1); STAY; }

// The table that the stubs of calls jump through cannot be read.
#include <elf.h>
#include <link.h>
extern ElfW(Dyn) _DYNAMIC[];
static long *table(void) {
    for (ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_PLTGOT) return (long *)entry->d_un.d_ptr;
    return NULL;
}
#ifdef LAZY
// The stub of a call that was not resolved yet jumps into the dynamic linker, which finds its argument spoiled.
// CHAIN resolver: resolve outer main
OWN void resolve(void) { table()[1] = 8; sink = getpid(); STAY; }
OWN void fault_resolver(void) { resolve(); STAY; }
// CHAIN stub: through_stub outer main
OWN void through_stub(void) { mprotect((void *)((long)table() & ~4095), 4096, PROT_NONE); sink = getppid(); STAY; }
OWN void fault_stub(void) { through_stub(); STAY; }
#define CASES_LAZY {"resolver", fault_resolver}, {"stub", fault_stub},
#else
#define CASES_LAZY
#endif

#define CASES_X86_64 \
    {"entry", fault_entry}, {"pushed", fault_pushed}, {"framed", fault_framed}, {"returning", fault_returning}, \
    {"bare-frame", fault_bare_frame}, {"bare-none", fault_bare_none}, {"bare-entry", fault_bare_entry}, {"bare-back", fault_bare_back}, \
    {"made-frame", fault_made_frame}, {"made-none", fault_made_none}, {"made-trap", fault_made_trap}, {"restorer", fault_restorer}, {"restored", fault_restored}, CASES_LAZY
