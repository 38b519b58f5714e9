"""Made logs of an X server and of Chromium with the library of Fixtures/binaries/SharedLibrary in them: return addresses and symbols are the built library's.

The grammar is that of xserver's `os/backtrace.c` and of Chromium's `base/debug/stack_trace_posix.cc`.
"""

import os
import re
import sys

import symbolizer

BASE = 0x7F1C2A000000
NAME = "libqueue.so.1"


def write(directory, name, lines):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    out, logs = sys.argv[1:]
    symbolizer.check_version()
    library = os.path.join(out, NAME)
    symbols = {m[1]: int(m[0], 16) for m in re.findall(r"^(\w+) \w (\S+)$", symbolizer.run("nm", library), re.M)}
    code = symbolizer.run("objdump", "-d", "--no-show-raw-insn", library)
    def after_call(function, callee):
        """Where the first call of `callee` in `function` returns to: the next instruction."""
        body = re.search(rf"<{re.escape(function)}>:\n(.*?)(\n\n|\Z)", code, re.S)[1]
        places = [(int(m[0], 16), m[1]) for m in re.findall(r"^ +([0-9a-f]+):\s+(.*)$", body, re.M)]
        index = next(i for i, (_, text) in enumerate(places) if text.startswith("call") and callee in text)
        return places[index + 1][0]
    # A signal struck in `slot`, at its second instruction; the others are return addresses.
    struck = int(re.findall(r"^ +([0-9a-f]+):", re.search(r"<slot\.isra\.0>:\n(.*?)\n\n", code, re.S)[1], re.M)[1], 16)
    returns = [after_call("queue_push", "<slot.isra.0>"), after_call("queue_clear", "<queue_pop@plt>")]
    expected = [{"address": hex(struck), "link": struck, "frame": 2, "thread": 0}]
    expected += [{"address": hex(a), "link": a - 1, "frame": 3 + i, "thread": 0} for i, a in enumerate(returns)]

    path = f"/usr/lib/xorg/modules/{NAME}"
    case = os.path.join(logs, "xorg-backtrace", "libqueue")
    head = ["[   160.640] (EE) ", "[   160.640] (EE) Backtrace:", "[   160.641] (EE) 0: /usr/lib/xorg/Xorg (xorg_backtrace+0x4d) [0x55d0c6a5f1bd]",
            "[   160.641] (EE) 1: /lib/x86_64-linux-gnu/libc.so.6 (__restore_rt+0x0) [0x7f1c29e42520]"]
    names = ["queue_push", "queue_clear"]
    rows = [f"[   160.641] (EE) {3 + i}: {path} ({n}+{a - symbols[n]:#x}) [{BASE + a:#x}]" for i, (n, a) in enumerate(zip(names, returns))]
    tail = ["[   160.642] (EE) 5: /usr/lib/xorg/Xorg (_start+0x25) [0x55d0c68f1f15]", "[   160.642] (EE) ", "[   160.642] (EE) Segmentation fault at address 0x10",
            "[   160.642] (EE) ", "Fatal server error:", "[   160.642] (EE) Caught signal 11 (Segmentation fault). Server aborting", "[   160.642] (EE) "]
    # dladdr knows exported symbols alone: below the first there is none, and the row tells where the file was loaded.
    write(case, "xorg-base.log", head + [f"[   160.641] (EE) 2: {path} ({BASE:#x}+{struck:#x}) [{BASE + struck:#x}]"] + rows + tail)
    # By libunwind, which finds a symbol in the packed table; nothing tells the base.
    write(case, "xorg-symbols.log", head + [f"[   160.641] (EE) 2: {path} (slot.isra.0+{struck - symbols['slot.isra.0']:#x}) [{BASE + struck:#x}]"] + rows + tail)
    symbolizer.write_expected(os.path.join(case, "expected-rows.tsv"), library, expected)

    path = f"/opt/example/{NAME}"
    case = os.path.join(logs, "chromium-misc", "libqueue")
    lines = ["[24222:24245:0324/233643.123456:ERROR:bad_message.cc(18)] Terminating renderer for bad IPC message, reason 36",
             "Received signal 11 SEGV_MAPERR 000000000010",
             "#0 0x59903e819bb2 (/opt/example/example+0xa6a3bb1)", "#1 0x7f1c29e42520 (/usr/lib/x86_64-linux-gnu/libc.so.6+0x4251f)"]
    # The program asks for the byte before each address, the interrupted one's too.
    lines += [f"#{2 + i} {BASE + a:#014x} ({path}+{a - 1:#x})" for i, a in enumerate([struck] + returns)]
    lines += ["#5 0x59903852280c <unknown>", "  r8: 0000000000000000  r9: 0000000000000000 r10: 0000000000000000 r11: 0000000000000246",
              "  di: 0000000000000010  si: 0000000000000001  bp: 00007ffefe02d710  bx: 00007ffefe02d720",
              "  dx: 0000000000000006  ax: 0000000000000000  cx: ffffffffffffffff  sp: 00007ffefe02d5d8",
              f"  ip: {BASE + struck:016x} efl: 0000000000000206 cgf: 002b000000000033 erf: 0000000000000004", " trp: 000000000000000e msk: 0000000000000000 cr2: 0000000000000010",
              "[end of stack trace]"]
    write(case, "dump.log", lines)
    symbolizer.write_expected(os.path.join(case, "expected-rows.tsv"), library, expected)


main()
