/* Functions of many shapes for Windows: leaf functions, saved registers of all kinds, large and variable frames, tail calls, several
   returns. Compilers write few of the forms that unwind information has: the others are in assembly. Nothing of Windows is called, so
   that the functions run on any system. */
#define APART __attribute__((noinline))
typedef int (*function)(int);
volatile int zero;

#ifdef __x86_64__
__asm__(".text\n.globl ___chkstk_ms\n___chkstk_ms:\n ret\n");
#else
__asm__(".text\n.globl __chkstk\n__chkstk:\n ret\n");
#endif

APART int leaf(int a) { return a * 3 + zero; }
APART int one(int a) { return leaf(a) + 1; }
APART int tail(int a) { return one(a + 1); }
APART int saves(int a, int b, int c) { int x = leaf(a), y = one(b), z = leaf(c); return x * y + tail(z) + a; }
APART int early(int a, int b) { if (a > zero + 2) return b; int x = leaf(a); if (x == 6) return one(x) + b; return leaf(x) * leaf(b) + a; }
APART int large(int a) { volatile char buffer[20000]; buffer[a] = 1; return leaf(a) + buffer[a]; }
APART int medium(int a) { volatile char buffer[600]; buffer[a] = 1; return leaf(a) + buffer[a]; }
APART int variable(int a) { volatile char *p = __builtin_alloca(a * 16 + 1); p[0] = 1; return leaf(a) + p[0] + one(a); }
APART int both(int a) { volatile char buffer[300]; volatile char *p = __builtin_alloca(a * 16 + 1); p[0] = buffer[a] = 1; return leaf(a) + p[0] + buffer[a] + saves(a, a, a); }
APART int through(function f, int a) { return f(a) + 1; }
APART int jump(function f, int a) { return f(a); }
APART double twice(double a) { return a * 2 + zero; }
APART double floats(double a, double b, double c) { double x = twice(a), y = twice(b), z = twice(c); return x * y + twice(z) * a + b * twice(x) + c; }
APART int more(int a, int b, int c, int d, int e, int f, int g, int h) {
    int s = zero;
    for (int i = 0; i < 2; i++) s += leaf(a) + leaf(b) * leaf(c) + leaf(d) * leaf(e) + leaf(f) * leaf(g) + leaf(h) + s;
    return s + a + b + c + d + e + f + g + h;
}
APART int recursive(int a) { return a == 0 ? leaf(a) : recursive(a - 1) + leaf(a); }
APART int choose(int a) { switch (a) { case 1: return leaf(1); case 2: return one(2) + 1; case 3: return tail(3) * 2; case 4: return saves(4, 4, 4); default: return a; } }

#ifdef __x86_64__
#ifdef __clang__
__asm__(R"(
    .globl homed
    .seh_proc homed
homed:                              # as Visual C++ saves a register in the caller's frame
    movq %rbx, 8(%rsp)
    pushq %rdi
    .seh_pushreg %rdi
    subq $32, %rsp
    .seh_stackalloc 32
    .seh_savereg %rbx, 48
    .seh_endprologue
    xorl %ebx, %ebx
    xorl %edi, %edi
    movl $1, %ecx
    callq leaf
    movq 48(%rsp), %rbx
    addq $32, %rsp
    popq %rdi
    retq
    .seh_endproc

    .globl framed
    .seh_proc framed
framed:                             # a frame register in the middle of the frame
    pushq %rbp
    .seh_pushreg %rbp
    subq $64, %rsp
    .seh_stackalloc 64
    leaq 32(%rsp), %rbp
    .seh_setframe %rbp, 32
    movq %rsi, 56(%rsp)
    .seh_savereg %rsi, 56
    .seh_endprologue
    xorl %esi, %esi
    subq $256, %rsp
    movl $2, %ecx
    callq leaf
    movq 24(%rbp), %rsi
    leaq 32(%rbp), %rsp
    popq %rbp
    retq
    .seh_endproc

    .globl chained
    .seh_proc chained
chained:                            # a part of a function that saves a further register
    pushq %rbx
    .seh_pushreg %rbx
    subq $48, %rsp
    .seh_stackalloc 48
    .seh_endprologue
    movl $3, %ecx
    callq leaf
    .seh_startchained
    movq %rsi, 40(%rsp)
    .seh_savereg %rsi, 40
    .seh_endprologue
    xorl %esi, %esi
    xorl %ebx, %ebx
    movl $4, %ecx
    callq leaf
    movq 40(%rsp), %rsi
    addq $48, %rsp
    popq %rbx
    retq
    .seh_endchained
    .seh_endproc

    .globl versioned
    .seh_proc versioned
versioned:                          # unwind information of version 2, which has two epilogs
    .seh_unwindversion 2
    pushq %rbx
    .seh_pushreg %rbx
    pushq %rdi
    .seh_pushreg %rdi
    subq $40, %rsp
    .seh_stackalloc 40
    .seh_endprologue
    xorl %ebx, %ebx
    xorl %edi, %edi
    testl %ecx, %ecx
    jne 1f
    .seh_startepilogue
    addq $40, %rsp
    .seh_unwindv2start
    popq %rdi
    popq %rbx
    .seh_endepilogue
    retq
1:  movl $5, %ecx
    callq leaf
    .seh_startepilogue
    addq $40, %rsp
    .seh_unwindv2start
    popq %rdi
    popq %rbx
    .seh_endepilogue
    retq
    .seh_endproc

    .globl huge
    .seh_proc huge
huge:                               # more than 512 KB
    pushq %r15
    .seh_pushreg %r15
    subq $600000, %rsp
    .seh_stackalloc 600000
    .seh_endprologue
    xorl %r15d, %r15d
    addq $600000, %rsp
    popq %r15
    retq
    .seh_endproc
)");
void homed(void), framed(void), chained(void), versioned(int), huge(void);
static void written(void) { homed(); framed(); chained(); versioned(0); versioned(1); huge(); }
#else
static void written(void) {}
#endif
#else
__asm__(R"(
    .globl framed
    .seh_proc framed
framed:                             // a frame record below saved registers
    stp x19, x20, [sp, #-48]!
    .seh_save_regp_x x19, 48
    stp x21, x22, [sp, #16]
    .seh_save_regp x21, 16
    stp d8, d9, [sp, #32]
    .seh_save_fregp d8, 32
    stp x29, x30, [sp, #-32]!
    .seh_save_fplr_x 32
    mov x29, sp
    .seh_set_fp
    .seh_endprologue
    mov x19, #0
    mov x22, #0
    mov w0, #1
    bl leaf
    .seh_startepilogue
    mov sp, x29
    .seh_set_fp
    ldp x29, x30, [sp], #32
    .seh_save_fplr_x 32
    ldp d8, d9, [sp, #32]
    .seh_save_fregp d8, 32
    ldp x21, x22, [sp, #16]
    .seh_save_regp x21, 16
    ldp x19, x20, [sp], #48
    .seh_save_regp_x x19, 48
    .seh_endepilogue
    ret
    .seh_endproc

    .globl wide
    .seh_proc wide
wide:                               // more locals than the record's instruction can make room for
    stp x19, x20, [sp, #-16]!
    .seh_save_regp_x x19, 16
    sub sp, sp, #1024
    .seh_stackalloc 1024
    stp x29, x30, [sp]
    .seh_save_fplr 0
    mov x29, sp
    .seh_set_fp
    .seh_endprologue
    mov x19, #0
    mov w0, #2
    bl leaf
    .seh_startepilogue
    mov sp, x29
    .seh_set_fp
    ldp x29, x30, [sp]
    .seh_save_fplr 0
    add sp, sp, #1024
    .seh_stackalloc 1024
    ldp x19, x20, [sp], #16
    .seh_save_regp_x x19, 16
    .seh_endepilogue
    ret
    .seh_endproc

    .globl homed
homed:                              // x0 to x7 are stored: 96 bytes of registers, 5,008 of locals
    stp x19, x20, [sp, #-96]!
    str x30, [sp, #16]
    stp x0, x1, [sp, #24]
    stp x2, x3, [sp, #40]
    stp x4, x5, [sp, #56]
    stp x6, x7, [sp, #72]
    sub sp, sp, #4080
    sub sp, sp, #928
    mov x19, #0
    mov w0, #3
    bl leaf
    add sp, sp, #928
    add sp, sp, #4080
    ldr x30, [sp, #16]
    ldp x19, x20, [sp], #96
    ret
    .section .pdata, "dr"
    .rva homed
    .long 1 | 16 << 2 | 2 << 16 | 1 << 20 | 1 << 21 | 319 << 23
    .text

    .globl odd
odd:                                // the last register is stored with lr
    stp x19, x30, [sp, #-16]!
    mov x19, #0
    mov w0, #4
    bl leaf
    ldp x19, x30, [sp], #16
    ret
    .section .pdata, "dr"
    .rva odd
    .long 1 | 6 << 2 | 1 << 16 | 1 << 21 | 1 << 23
    .text

    .globl arguments
arguments:                          // only x0 to x7
    stp x0, x1, [sp, #-64]!
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    mov w0, #5
    add sp, sp, #64
    ret
    .section .pdata, "dr"
    .rva arguments
    .long 1 | 7 << 2 | 1 << 20 | 4 << 23
    .text

    .globl vectors
vectors:                            // three d registers, one x register
    str x19, [sp, #-32]!
    stp d8, d9, [sp, #8]
    str d10, [sp, #24]
    mov x19, #0
    ldr d10, [sp, #24]
    ldp d8, d9, [sp, #8]
    ldr x19, [sp], #32
    ret
    .section .pdata, "dr"
    .rva vectors
    .long 1 | 8 << 2 | 2 << 13 | 1 << 16 | 2 << 23
    .text
)");
void framed(void), wide(void), homed(void), odd(void), arguments(void), vectors(void);
static void written(void) { framed(); wide(); homed(); odd(); arguments(); vectors(); }
#endif

int start(void) {
    written();
    int s = tail(1) + saves(1, 2, 3) + early(1, 2) + early(2, 2) + early(9, 2) + large(3) + medium(4) + variable(5) + both(3);
    s += through(leaf, 3) + jump(one, 4) + (int)floats(1, 2, 3) + more(1, 2, 3, 4, 5, 6, 7, 8) + recursive(4);
    for (int i = 0; i < 5; i++) s += choose(i);
    return s;
}
