// Prints where a program is: the return addresses of its frames, and the functions, files and lines that the program itself says are on its stack.
//
// Compiled without debug information and without optimization between files, so that nothing of it is in a frame.
// A line is `P` and, for each frame from the inside, a tab, its return address as the linker counted it, and for each function in that frame `|NAME@FILE@LINE`.
// A fact is in the frame in whose part of the stack it is: a compiler that inlines a function puts its variables into the frame of its caller.
#define _GNU_SOURCE
#include "facts.h"
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

struct fact *facts;
volatile int ticks, deep;
void *volatile nothing;

struct stack {
    unsigned count;
    unsigned long address[256], frame[256];
};

static unsigned long base;
static unsigned outside;
static int bare;

static int find_base(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(unsigned long *)found = info->dlpi_addr;
    return 1;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *place)
{
    struct stack *stack = place;
    if (stack->count == 256)
        return _URC_END_OF_STACK;
    stack->address[stack->count] = _Unwind_GetIP(context);
    stack->frame[stack->count++] = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
}

static int by_frame_pointers;

__attribute__((noinline)) static void take(struct stack *stack)
{
    stack->count = 0;
    if (!by_frame_pointers) {
        _Unwind_Backtrace(visit, stack);
        return;
    }
    stack->address[0] = stack->frame[0] = 0;
    stack->count = 1;
    unsigned long *frame = __builtin_frame_address(0), *before;
    do {
        stack->address[stack->count] = frame[1];
        stack->frame[stack->count++] = (unsigned long)(frame + 2);
        before = frame;
        frame = (unsigned long *)frame[0];
    } while (stack->count < 256 && frame > before && (unsigned long)frame % 16 == 0 && frame < before + 100000);
}

// The caller is the program's outermost frame: those outside of it are not printed. 1: facts are not on the stack. 2: frames are found by frame pointers.
__attribute__((noinline)) void fact_base(int facts_have_no_frame)
{
    struct stack stack;
    by_frame_pointers = facts_have_no_frame == 2;
    take(&stack);
    // This function and `take` are the first.
    outside = stack.count > 3 ? stack.count - 3 : 0;
    bare = facts_have_no_frame == 1;
    dl_iterate_phdr(find_base, &base);
}

static void print_fact(const struct fact *fact)
{
    printf("|%s@%s@%d", fact->function, fact->file, fact->line);
}

__attribute__((noinline)) static void show(void *caller)
{
    struct stack stack;
    take(&stack);
    // This function and `take`, and the probe.
    unsigned first = 3;
    // One instruction may be left out of a stack by the unwinder, but the probe's return address is known for sure.
    if (stack.count <= first || stack.address[first] != (unsigned long)caller) {
        fprintf(stderr, "probe: the unwinder does not find the caller\n");
        abort();
    }
    fputs(bare ? "Q" : "P", stdout);
    const struct fact *fact = facts;
    for (unsigned at = first; at + outside < stack.count; at++) {
        printf("\t%lx", stack.address[at] - base);
        int last = at + outside + 1 == stack.count;
        // What a context calls its CFA is the stack pointer in it: the lower end of its frame.
        for (; !bare && fact && (last || (unsigned long)fact < stack.frame[at + 1]); fact = fact->up)
            print_fact(fact);
    }
    if (bare)
        fputs("\t-", stdout);
    for (; fact; fact = fact->up)
        print_fact(fact);
    puts("");
}

// Many of them, so that compilers do not merge calls in different functions.
#define PROBE(number) \
    __attribute__((noinline)) void probe_##number(void) \
    { \
        show(__builtin_return_address(0)); \
        __asm__ volatile("" : : "i"(number)); \
    }
#define EIGHT(tens) PROBE(tens##0) PROBE(tens##1) PROBE(tens##2) PROBE(tens##3) PROBE(tens##4) PROBE(tens##5) PROBE(tens##6) PROBE(tens##7)
EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7) EIGHT(8)

// For languages whose facts are not on the stack.

static struct fact heap[512];
static int used;

void fact_enter(const char *function, const char *file)
{
    struct fact *fact = &heap[used++];
    *fact = (struct fact){function, file, 0, facts};
    facts = fact;
}

void fact_line(int line)
{
    facts->line = line;
}

void fact_leave(void)
{
    used--;
    facts = facts->up;
}

// How many functions are on the stack; and those above are gone, because an exception was caught.
int fact_top(void)
{
    return used;
}

void fact_return(int top)
{
    used = top;
    facts = top ? &heap[top - 1] : 0;
}

int fact_tick(void)
{
    return ticks++;
}

// Something that is done after a call, so that the call is not the last of its function.
void fact_after(int number)
{
    __asm__ volatile("" : : "r"(number));
}

// For languages whose texts have a length: a name as a text that ends with a zero, after that of the function that it is in.
const char *fact_inside(const char *outer, const char *bytes, int length)
{
    static char *known[1024];
    char text[300];
    snprintf(text, sizeof text, "%s%s%.*s", outer, *outer ? "." : "", length, bytes);
    int at = 0;
    while (known[at] && strcmp(known[at], text))
        at++;
    return known[at] ? known[at] : (known[at] = strdup(text));
}

const char *fact_text(const char *bytes, int length)
{
    return fact_inside("", bytes, length);
}
