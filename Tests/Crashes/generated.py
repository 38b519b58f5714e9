"""Programs in C with random functions that call each other, for scripts/checks/verify-bases: the same seed makes the same program."""
import random

HEAD = """#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
volatile int sink;
#define APART __attribute__((noinline))
"""

# The stack as bare addresses or in glibc's rows; the memory map goes to a file of its own, so that the log has no base.
FINISH = """
static const char *form;
APART int finish(void) {
    void *frames[96];
    int count = backtrace(frames, 96);
    if (strcmp(form, "rows") == 0) {
        backtrace_symbols_fd(frames, count, 1);
    } else if (strcmp(form, "line") == 0) {
        printf("fatal: queue is empty\\nBacktrace:");
        for (int index = 0; index < count; index++) printf(" %p", frames[index]);
        printf("\\n");
    } else {
        for (int index = 0; index < count; index++) printf("%p\\n", frames[index]);
    }
    fflush(stdout);
    sink++;
    return count;
}
"""

MAIN = """
int main(int argc, char **argv) {
    char buffer[4096];
    if (argc < 4) return 64;
    form = argv[2];
    int input = open("/proc/self/maps", O_RDONLY), output = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (ssize_t count; (count = read(input, buffer, sizeof buffer)) > 0;) {
        if (write(output, buffer, (size_t)count) < 0) return 9;
    }
    unsigned path = (unsigned)strtoul(argv[3], NULL, 0);
    sink += FIRST(path, (int)(path % 7) + 2);
    sink++;
    return 0;
}
"""


def statements(numbers, indent="    "):
    """Lines that do something, of different lengths."""
    lines = []
    for _ in range(numbers.randint(1, 6)):
        value = numbers.randint(1, 10**numbers.randint(1, 9))
        lines.append(numbers.choice([
            f"sink += {value};", f"sink ^= sink >> {numbers.randint(1, 7)};", f"if (sink == {value}) sink *= {numbers.randint(3, 99)};",
            f"for (int turn = 0; turn < {numbers.randint(2, 5)}; turn++) sink -= turn * {value % 1000};", f"table[{value % 16}] += sink;",
        ]))
    return "".join(indent + line + "\n" for line in lines)


def functions(seed, count, moved=None, calls_finish=True):
    """The functions and what a changed build has more: `front` is a function in front of all, `inside` some lines in the middle of one."""
    numbers = random.Random(seed)
    text = "static int table[16];\n" + "".join(f"int f{index}(unsigned path, int depth);\n" for index in range(count))
    if moved == "front":
        other = random.Random(seed + 7)
        text += "APART int added(int depth) {\n" + "".join(statements(other) for _ in range(4)) + "    return sink + depth;\n}\n"
    changed = count // 3
    for index in range(count):
        text += f"APART int f{index}(unsigned path, int depth) {{\n" + statements(numbers)
        if moved == "inside" and index == changed:
            other = random.Random(seed + 11)
            text += "".join(statements(other) for _ in range(4)) + "    if (sink == 12345) abort();\n"
        end = "finish()" if calls_finish else "sink"
        text += f"    int result;\n    if (depth <= 0 || {index} == {count - 1}) {{\n        result = {end};\n"
        targets = sorted(numbers.sample(range(index + 1, count), min(numbers.randint(1, 3), count - index - 1)))
        for number, target in enumerate(targets):
            condition = f" else if (path % {len(targets)} == {number})" if number < len(targets) - 1 else " else"
            text += f"    }}{condition} {{\n        result = f{target}(path / {len(targets)}, depth - 1);\n"
        text += "    }\n" + statements(numbers) + f"    return result + {numbers.randint(1, 99)};\n}}\n"
    return text


def program(seed, count, moved=None):
    return HEAD + FINISH + functions(seed, count, moved) + MAIN.replace("FIRST", "f0")


def library(seed, count, moved=None):
    """Without anything of a system: for machines whose headers are not here."""
    return "volatile int sink;\n#define APART __attribute__((noinline))\nvoid abort(void);\n" + functions(seed, count, moved, calls_finish=False)
