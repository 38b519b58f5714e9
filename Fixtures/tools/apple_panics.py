"""Made panic logs. CrashExample stands where an extension, or the kernel itself, would: identities, sizes and return addresses are those of the built slices.

The grammar is that of xnu's osfmk/kern/debug.c, osfmk/i386/AT386/model_dep.c and osfmk/arm/model_dep.c.
"""

import os

import symbolizer

KEXT_BASE = 0xFFFFFF7F9838C000
KERNEL_BASE = 0xFFFFFF8006A00000
IOS_BASE = 0xFFFFFFF00DD4C000


def write_case(logs, name, file_name, lines, part, rows):
    """`rows`: (address, link address to look up or None)."""
    directory = os.path.join(logs, "apple-panic", name)
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, file_name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    if rows:
        symbolizer.write_expected(os.path.join(directory, "expected.tsv"), part.dwarf,
                                  [{"address": hex(a), "link": link, "frame": i, "thread": 0} for i, (a, link) in enumerate(rows)], part.arch)


def extension(logs, part, returns):
    """macOS 10.15 on Intel: an extension trapped at its first frame, which the reason names."""
    own = [KEXT_BASE + a - part.base for a in returns]
    kernel = [(0xB3A48D, "_handle_debugger_trap", 0x47D), (0xC75B75, "_kdp_i386_trap", 0x155), (0xC676FE, "_kernel_trap", 0x4EE),
              (0xAE0A40, "_return_from_trap", 0xE0)]
    end = [(0xBE5B0E, "_thread_call_delayed_timer", 0xEA5), (0xAE013E, "_call_continuation", 0x2E)]
    frame = 0xFFFFFFA3DC85B8A0
    rows, table = [], []
    for offset, symbol, location in kernel:
        rows.append((KERNEL_BASE + offset, None, f" mach_kernel : {symbol} + {location:#x}"))
    # Extensions are stripped, so that nothing is printed; the first address is the trap's own.
    rows += [(own[0], returns[0], "")] + [(a, link - 1, "") for a, link in zip(own[1:], returns[1:])]
    rows += [(KERNEL_BASE + offset, None, f" mach_kernel : {symbol} + {location:#x}") for offset, symbol, location in end]
    lines = ["Anonymous UUID:       00000000-0000-0000-0000-000000000000", "", "Fri Feb 11 18:22:10 2022", "", "*** Panic Report ***",
             f"panic(cpu 2 caller 0xffffff80076676fe): Kernel trap at {own[0]:#018x}, type 14=page fault, registers:",
             "CR0: 0x0000000080010033, CR2: 0x0000000000000018, CR3: 0x0000000021c5e000, CR4: 0x00000000003626e0",
             "RAX: 0x0000000000000000, RBX: 0xffffff8038d3e000, RCX: 0x0000000000000000, RDX: 0x0000000000000001",
             f"RFL: 0x0000000000010246, RIP: {own[0]:#018x}, CS:  0x0000000000000008, SS:  0x0000000000000000",
             "Fault CR2: 0x0000000000000018, Error code: 0x0000000000000000, Fault CPU: 0x2, PL: 0, VF: 1", "",
             "Backtrace (CPU 2), Frame : Return Address"]
    for index, (address, link, text) in enumerate(rows):
        lines.append(f"{frame + 0x40 * index:#018x} : {address:#018x}{text}")
        table.append((address, link))
    lines += ["      Kernel Extensions in backtrace:",
              f"         org.example.CrashExample(1.0)[{part.uuid.upper()}]@{KEXT_BASE:#x}->{KEXT_BASE + part.text_size - 1:#x}",
              "            dependency: com.apple.iokit.IOPCIFamily(2.9)[2CE7BCB3-0766-3A94-A8D4-29BF3EBAEFBC]@0xffffff7f97c95000", "",
              "BSD process name corresponding to current thread: kernel_task", "Boot args: keepsyms=1", "", "Mac OS version:", "19H2026", "",
              "Kernel version:", "Darwin Kernel Version 19.6.0: Tue Jun 21 21:18:39 PDT 2022; root:xnu-6153.141.66~1/RELEASE_X86_64",
              "Kernel UUID: E1F5A2C0-0D10-3A22-A1A5-4B0B8B9D0001", f"Kernel slide:     {KERNEL_BASE - 0xFFFFFF8000200000:#018x}",
              f"Kernel text base: {KERNEL_BASE:#018x}", "__HIB  text base: 0xffffff8006900000", "System model name: Macmini8,1 (Mac-7BA5B2DFE22DDD8C)", "",
              "System uptime in nanoseconds: 8123456789", "last loaded kext at 71034567: org.example.CrashExample\t1.0 (addr 0xffffff7f9838c000, size 16384)",
              "loaded kexts:", "org.example.CrashExample\t1.0", "com.apple.driver.usb.cdc\t5.0.0"]
    write_case(logs, "CrashExample-kext", "kernel.panic", lines, part, table)


def ios(logs, part, returns):
    """iOS 14: one image of kernel and extensions, with a text base; rows of `lr` and `fp`."""
    own = [IOS_BASE + a - part.base for a in returns]
    lines = ['panic(cpu 1 caller 0xfffffff00e7ca1cc): "bad transition" @CrashExampleAppDelegate.m:94', "Debugger message: panic",
             "Memory ID: 0x1", "OS version: 18F72", "Kernel version: Darwin Kernel Version 20.5.0: Sat May  8 02:21:50 PDT 2021; root:xnu-7195.122.1~4/RELEASE_ARM64_T8030",
             "KernelCache UUID: 6B6E0F3BA3E2B1E8B2B7C0F7E0B7D0C1", f"Kernel UUID: {part.uuid.upper()}", "iBoot version: iBoot-6723.120.36", "secure boot?: YES",
             "Paniclog version: 13", f"Kernel slide:      {IOS_BASE - 0xFFFFFFF007004000:#018x}", f"Kernel text base:  {IOS_BASE:#018x}",
             "mach_absolute_time: 0x14ebe844454", "Epoch Time:        sec       usec", "  Boot    : 0x60ec272b 0x000ad276", "",
             "Panicked task 0xffffffe19a7a92f0: 94 pages, 1 threads: pid 890: CrashExample",
             "Panicked thread: 0xffffffe19b390b80, backtrace: 0xffffffe80438ac30, tid: 204291"]
    for index, address in enumerate(own):
        lines.append(f"\t\t  lr: {address:#018x}  fp: {0xFFFFFFE80438AC80 + 0x60 * index:#018x}")
    lines += ["\t\t  lr: 0xfffffff0ffffff00  fp: 0x0000000000000000", ""]
    write_case(logs, "CrashExample-ios", "panic-full.txt", lines, part, [(a, link - 1) for a, link in zip(own, returns)])


def bridge(logs):
    """bridgeOS 6 on Apple silicon's layout: the code lies apart from the header, so nothing can be answered."""
    lines = ["panic(cpu 0 caller 0xfffffff0209d3a4c): x86 CPU CATERR detected", "Debugger message: panic", "Memory ID: 0x6", "OS release type: User",
             "OS version: 19P5071", "macOS version: 21G72", "Kernel version: Darwin Kernel Version 21.6.0: Wed Jun 22 19:44:19 PDT 2022; root:xnu-8020.140.41~2/RELEASE_ARM64_T8010",
             "KernelCache UUID: 28F2B9F0D5B0F2C1A8F6A5BE5F4A0C11", "Kernel UUID: 9E4B1C2D-44F0-3B1A-9D0B-0A6D1E2F3C4B", "Boot session UUID: 00000000-0000-0000-0000-000000000000",
             "iBoot version: iBoot-7459.141.1", "secure boot?: YES", "x86 EFI Boot State: 0x16", "x86 System State: 0x0", "x86 Power State: 0x0",
             "x86 Shutdown Cause: 0x5", "Paniclog version: 13", "KernelCache slide: 0x0000000018a94000", "KernelCache base:  0xfffffff01fa98000",
             "Kernel slide:      0x00000000190a0000", "Kernel text base:  0xfffffff0200a4000", "Kernel text exec slide: 0x000000001918c000",
             "Kernel text exec base:  0xfffffff020190000", "mach_absolute_time: 0x35a1b2c3d4", "", "Panicked task 0xffffffe19a7a92f0: 0 pages, 230 threads: pid 0: kernel_task",
             "Panicked thread: 0xffffffe19b390b80, backtrace: 0xffffffe80438ac30, tid: 383", "\t\t  lr: 0xfffffff02033b8a4  fp: 0xffffffe80438ac80",
             "\t\t  lr: 0xfffffff0209d3a4c  fp: 0xffffffe80438ace0", "      Kernel Extensions in backtrace:",
             "         com.apple.driver.AppleSMC(3.1.9)[F5A5A9E8-1B9C-3B2E-8C5C-4C1A6B0A7D11]@0xfffffff0209d0a40->0xfffffff0209e1f2b", "",
             "last started kext at 1834567: com.apple.driver.usb.cdc\t5.0.0 (addr 0xfffffff01f8a1000, size 4096)", "loaded kexts:", "com.apple.filesystems.apfs\t1934.141.2"]
    write_case(logs, "bridgeos", "panic.txt", lines, None, [])


def make(logs, intel, arm, intel_returns, arm_returns, trap):
    extension(logs, intel, [trap, *intel_returns[1:3]])
    ios(logs, arm, arm_returns[:3])
    bridge(logs)
