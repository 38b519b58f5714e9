import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Texts with numbers, names and addresses that are not stacks: no report may be found in them.
struct NoStackTests {
    struct Text: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var testDescription: String { name }
    }

    /// Output of a tool for a program of this machine.
    private static func printed(_ command: String) -> Text {
        let result = try? run("/bin/sh", ["-c", command])
        return Text(name: command, text: result?.output ?? "")
    }

    static let ofTools: [Text] = [
        printed("ls -la /usr/lib /usr/bin"), printed("od -A x -t x1z /bin/ls | head -3000"), printed("objdump -d /bin/ls | head -6000"),
        printed("nm -D /lib/x86_64-linux-gnu/libc.so.6"), printed("readelf -a -W /bin/ls"), printed("ldd /bin/ls /usr/bin/gdb"),
        printed("nm -D --defined-only /lib/x86_64-linux-gnu/libc.so.6 | awk '{ print $1, $3 }' | head -300"),
        printed("cat /proc/self/maps"),
        printed("cat /proc/kallsyms | head -4000"),
        printed("env; ulimit -a; uname -a; df -h; cat /proc/cpuinfo /proc/meminfo /proc/interrupts"),
        printed("cat /proc/self/smaps | head -600"), printed("git log --stat | head -4000"), printed("xxd /bin/ls | head -2000"),
        printed("gdb -batch -ex 'disassemble main' -ex 'info functions' -ex 'info line main' /usr/bin/gdb 2>&1 | head -3000"),
        printed("strings -t x /bin/ls"),
    ]

    /// Made texts of kinds that were once misread as stacks.
    static let made: [Text] = [
        Text(
            name: "registers",
            text:
                "rax: 0x0000000000000000 rbx: 0x00007ffd12345678\nrcx: 0x00005555555551a9 rdx: 0x00007f61cfb63050\nrip            0x55555555513d      0x55555555513d <main+4>\neflags         0x246               [ PF ZF IF ]\n"
        ),
        Text(name: "bracketed words", text: "Dumping registers\nstatus[0x10]\nctrl[0x14]\nmask[0x18]\n"),
        Text(name: "CSV", text: "name,address,size\nmoor,0x401136,24\nberth,0x401150,99\ntide,0x4011b3,7\n"),
        Text(
            name: "JSON",
            text:
                "{\n  \"name\": \"moor\",\n  \"address\": \"0x401136\",\n  \"items\": [\n    { \"pc\": \"0x401150\", \"fn\": \"berth\" },\n    { \"pc\": \"0x4011b3\", \"fn\": \"tide\" }\n  ]\n}\n"
        ),
        Text(
            name: "linker map",
            text:
                " .text          0x0000000000401136       0x1c main.o\n                0x0000000000401136                main\n                0x0000000000401150                moor\n .text          0x0000000000401152       0x40 tide.o\n"
        ),
        Text(
            name: "load addresses",
            text:
                "\tlinux-vdso.so.1 (0x00007ffd5b7f2000)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1c2a000000)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f1c2a21f000)\n"
        ),
        Text(
            name: "kernel's boot",
            text:
                "[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable\n[    0.000000] ACPI: RSDP 0x00000000000F5AD0 000014 (v00 BOCHS )\n[    0.100000] pci 0000:00:01.0: reg 0x10: [io  0xc000-0xc03f]\n[    0.100001] pci 0000:00:02.0: BAR 0: assigned [mem 0xfe000000-0xfe7fffff pref]\n"
        ),
        Text(
            name: "strace",
            text:
                "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f1c2a21d000\nmprotect(0x7f1c2a1d2000, 16384, PROT_READ) = 0\nbrk(0x55d31c926000)                     = 0x55d31c926000\n"
        ),
        Text(
            name: "objects",
            text:
                "<harbour.Ship object at 0x7f1c2a21d0a0>\n<harbour.Ship object at 0x7f1c2a21d0d0>\nShip@0x55d31c926b7b moored\nShip@0x55d31c926c01 moored\n"
        ),
        Text(
            name: "flags",
            text:
                "flag A = 0x1000\nflag B = 0x2000\nopen(0x7ffd12345678, 0x8000) failed\nwrite 0x55d31c926b7b 4096 bytes\nwrite 0x55d31c927b7b 4096 bytes\n"
        ),
        Text(
            name: "build",
            text:
                "[1/3] Compiling main.c\nmain.c:12:3: warning: unused variable 'x' [-Wunused-variable]\n[2/3] Compiling tide.c\ntide.c:9:1: note: declared here\n[3/3] Linking a.out\n"
        ),
        Text(name: "hashes", text: "commit 0123456789abcdef0123456789abcdef01234567\n1234567890abcdef  main.c\nfedcba0987654321  tide.c\n"),
        Text(
            name: "disassembly",
            text:
                "=> 0x401136 <main+4>:\tmov    %edi,-0x14(%rbp)\n   0x401139 <main+7>:\tcall   0x401020 <puts@plt>\n   0x40113e <main+12>:\tleave\n"
        ),
        Text(
            name: "heap",
            text: "0x55d31c926b70: 24 bytes, allocated\n0x55d31c926b90: 24 bytes, free\n0x55d31c926bb0: 4096 bytes, allocated\n"),
        Text(name: "device list", text: "01:00.0 class 0x060400\n01:01.0 class 0x060400\nusb 1-1: idVendor=0x1d6b, idProduct=0x0002\n"),
    ]

    /// Texts of this machine: headers, scripts, licences, package lists, manual pages. Examples of Python's traces in
    /// them count as traces.
    static let ofMachine: [String] = {
        let kinds = [
            ("/usr/include", ".h", 120), ("/usr/share/perl", ".pm", 40), ("/usr/lib/python3", ".py", 40),
            ("/usr/share/doc", "copyright", 80),
            ("/var/lib/dpkg/info", ".list", 40), ("/usr/share/vim", ".vim", 20), ("/etc", ".conf", 20),
        ]
        return kinds.flatMap { folder, ending, count in
            let files = TestPaths.files(under: folder).filter { $0.hasSuffix(ending) }.sorted()
            return stride(from: 0, to: files.count, by: max(1, files.count / count)).map { files[$0] }
        }
    }()

    /// Listings that tools print, each of several programs.
    static let listings: [Text] =
        ["/bin/bash", "/usr/bin/perl", "/usr/bin/git"].flatMap { program in
            [
                "objdump -d \(program) | head -20000", "objdump -s -j .rodata \(program) | head -4000", "objdump -T \(program)",
                "readelf -aW \(program) | head -8000", "readelf --debug-dump=frames \(program) | head -8000",
                "readelf --debug-dump=frames-interp \(program) | head -8000", "nm -D \(program)", "nm -DnC \(program)",
                "size -A -x \(program)",
                "strings -t x \(program) | head -8000", "hexdump -C \(program) | head -4000", "eu-readelf -d \(program)",
                "gdb -batch -ex 'info files' -ex 'info functions' \(program) | head -8000",
            ].map(printed)
        } + [
            printed(
                "gdb -batch -ex starti -ex 'info registers' -ex 'info all-registers' -ex 'x/200gx $sp' -ex 'x/100i $pc' -ex 'info auxv' /bin/true"
            ),
            printed("LD_DEBUG=all /bin/true 2>&1 | head -4000"), printed("dpkg -l"), printed("ps auxww"), printed("lsof | head -2000"),
            printed("cd /tmp && echo 'int main(void) { return 0; }' | gcc -x c - -o /dev/null -Wl,-Map=/dev/stdout"),
        ]

    /// Our own sources: their comments contain rows of stacks.
    static let sources: [Text] = TestPaths.files(under: TestPaths.root + "/Sources").filter {
        $0.hasSuffix(".swift") || $0.hasSuffix(".h") || $0.hasSuffix(".c")
    }
    .map {
        Text(
            name: $0.split(separator: "/").suffix(2).joined(separator: "/"), text: String(decoding: TestPaths.bytes(of: $0), as: UTF8.self))
    }

    @Test(arguments: ofTools + made) func `it is no stack`(text: Text) {
        let reports = SampleLog(text.text).parsed().reports
        #expect(reports.isEmpty, "\(reports.map { "\($0.format): \($0.allFrames.prefix(3).map { SampleLog(text.text).text(of: $0) })" })")
    }

    @Test(arguments: listings) func `a listing is no stack`(text: Text) {
        let reports = SampleLog(text.text).parsed().reports
        #expect(reports.isEmpty, "\(reports.map { "\($0.format): \($0.allFrames.prefix(3).map { SampleLog(text.text).text(of: $0) })" })")
    }

    @Test func `three hundred texts of this machine are no stacks`() {
        var count = 0
        for path in Self.ofMachine {
            let bytes = TestPaths.bytes(of: path)
            guard bytes.count < 2_000_000 else { continue }
            count += 1
            let reports = SampleLog(bytes: bytes).parsed().reports.filter { $0.format != "python-trace" }
            #expect(reports.isEmpty, "\(path): \(reports.map(\.format))")
        }
        print("NoStackTests: \(count) texts of this machine, \(Self.listings.count) listings.")
    }

    @Test func `source code is no stack`() {
        var size = Self.ofTools.reduce(0) { $0 + $1.text.utf8.count }
        for source in Self.sources {
            size += source.text.utf8.count
            let reports = SampleLog(source.text).parsed().reports.filter { $0.format == "stack-rows" || $0.format == "glibc-backtrace" }
            #expect(
                reports.isEmpty, "\(source.name): \(reports.map { $0.allFrames.prefix(3).map { SampleLog(source.text).text(of: $0) } })")
        }
        // The texts and the output of the tools are more than two megabytes.
        #expect(size > 2_000_000)
    }
}
