/* clang writes no `.debug_aranges` for this unit; the assembler does for the other one: the table of the program is not complete. */
volatile int sink;
int twice(int n);

__attribute__((noinline)) static int once(int n) { return n + sink; }

void _start(void) {
    sink = once(twice(3));
    for (;;) {}
}
