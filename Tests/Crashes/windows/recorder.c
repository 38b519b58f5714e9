#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* recorder IMAGE ADDRESS OUTPUT: maps a PE image where it is linked, calls the function at an address, and writes the registers
   and the stack before each instruction: DWARF's registers, the number of the stack's bytes, the bytes. */

static uint64_t base, size, top, entry;
static int output;
static ucontext_t home, away;
static unsigned char *image;

static void record(const uint64_t *registers, int count, uint64_t stack) {
    uint64_t bytes = top - stack;
    write(output, registers, 8 * count);
    write(output, &bytes, 8);
    write(output, (void *)stack, bytes);
}

#ifdef __x86_64__
static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

static void trap(int number, siginfo_t *info, void *context) {
    greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;
    if ((uint64_t)saved[REG_RIP] - base >= size) return;
    uint64_t registers[17];
    for (int i = 0; i < 17; i++) registers[i] = saved[order[i]];
    record(registers, 17, saved[REG_RSP]);
}

static void run(void) {
    __asm__ volatile("mov %%rsp, %%rbx; and $-16, %%rsp; sub $32, %%rsp; pushfq; orl $0x100, (%%rsp); popfq; call *%0;"
                     "pushfq; andl $~0x100, (%%rsp); popfq; mov %%rbx, %%rsp"
                     : : "r"(entry) : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc",
                     "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5");
}
static void prepare(uint64_t start, uint64_t count) {}
#else
static uint32_t *code, *original;
static uint64_t codeCount, previous = -1;
static const uint32_t breakpoint = 0xd4200000;

static void put(uint64_t index, uint32_t word) {
    code[index] = word;
    __builtin___clear_cache((char *)(code + index), (char *)(code + index + 1));
}

static void trap(int number, siginfo_t *info, void *context) {
    mcontext_t *saved = &((ucontext_t *)context)->uc_mcontext;
    uint64_t index = (saved->pc - (uint64_t)code) / 4;
    if (index >= codeCount) _exit(9);
    uint64_t registers[33];
    for (int i = 0; i < 31; i++) registers[i] = saved->regs[i];
    registers[31] = saved->sp;
    registers[32] = saved->pc;
    record(registers, 33, saved->sp);
    if (previous != (uint64_t)-1 && previous != index) put(previous, breakpoint);
    put(index, original[index]);
    previous = index;
}

static void run(void) { ((void (*)(void))entry)(); }

static void prepare(uint64_t start, uint64_t count) {
    code = (uint32_t *)start;
    codeCount = count / 4;
    original = malloc(count);
    memcpy(original, code, count);
    for (uint64_t i = 0; i < codeCount; i++) put(i, breakpoint);
}
#endif

int main(int argc, char **argv) {
    static unsigned char file[1 << 22];
    int input = open(argv[1], O_RDONLY);
    read(input, file, sizeof file);
    output = open(argv[3], O_CREAT | O_TRUNC | O_WRONLY, 0644);
    entry = strtoull(argv[2], NULL, 16);
    unsigned char *pe = file + *(uint32_t *)(file + 60), *optional = pe + 24;
    base = *(uint64_t *)(optional + 24);
    size = *(uint32_t *)(optional + 56);
    image = mmap((void *)base, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (image != (void *)base) return 8;
    unsigned char *section = optional + *(uint16_t *)(pe + 20);
    for (int i = 0; i < *(uint16_t *)(pe + 6); i++, section += 40) {
        uint32_t count = *(uint32_t *)(section + 16), memory = *(uint32_t *)(section + 8);
        memcpy(image + *(uint32_t *)(section + 12), file + *(uint32_t *)(section + 20), count < memory ? count : memory);
        if (!memcmp(section, ".text\0", 6)) prepare(base + *(uint32_t *)(section + 12), memory & ~3);
    }
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGTRAP, &action, NULL);
    unsigned char *stack = mmap((void *)0x200000000, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    top = (uint64_t)stack + (1 << 20);
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = 1 << 20;
    away.uc_link = &home;
    makecontext(&away, run, 0);
    swapcontext(&home, &away);
    return 0;
}
