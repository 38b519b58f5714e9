"""Writes the sources of a large program for Apple's platforms: `macho_sources.py FOLDER UNITS FUNCTIONS`.

No SDK is needed: the sources include nothing. Each function calls functions of its own unit and of the next one, inlined ones, and one that does not
return. The same arguments give the same program.
"""

import random
import sys
from pathlib import Path


def unit(number: int, units: int, functions: int, generator: random.Random) -> str:
    following = (number + 1) % units
    lines = [
        "extern void fail(const char *) __attribute__((noreturn));",
        f"struct node_{number} {{ struct node_{number} *next; const char *name; long count, values[8]; union {{ double ratio; long bits; }} weight; }};",
        f"static inline __attribute__((always_inline)) long weigh_{number}(const struct node_{number} *it, long by) {{",
        "  if (!it->next) fail(it->name);",
        "  return it->weight.bits * by + it->values[by & 7];",
        "}",
        *(f"long f_{following}_{index}(void *, long);" for index in range(functions)),
    ]
    for index in range(functions):
        own, other = (generator.randrange(functions) for _ in range(2))
        lines += [
            f"long f_{number}_{own}(void *, long);" if own > index else "",
            f"long f_{number}_{index}(void *given, long depth) {{",
            f"  struct node_{number} *it = given;",
            f"  long sum = weigh_{number}(it, depth);",
            f"  for (long at = 0; at < it->count; at++) sum += f_{following}_{other}(it->next, at + sum);",
            f"  if (depth > {index % 50}) sum ^= f_{number}_{own}(it->next, depth - 1) + weigh_{number}(it->next, sum);",
            f"  if (sum == {number * functions + index}) fail(it->name);",
            "  it->count = sum;",
            "  return sum;",
            "}",
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    folder, units, functions = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    generator = random.Random(1984)
    for number in range(units):
        (folder / f"unit{number:03}.c").write_text(unit(number, units, functions, generator))
    (folder / "main.c").write_text(
        "void fail(const char *) __attribute__((noreturn));\nvoid fail(const char *text) { __builtin_trap(); }\n"
        "long f_0_0(void *, long);\nint main(int count, char **arguments) { return (int)f_0_0(arguments, count); }\n")


main()
