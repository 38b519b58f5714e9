import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import MemoryReports
import Symbolication
import TestSupport
import Testing

/// Notes of FreeBSD, made by hand as `sys/procfs.h`, `sys/ptrace.h`, `sys/user.h` and `machine/reg.h` of its amd64 have them.
struct FreeBSDCoreTests {
    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] { HandmadeCore.little(value) }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    private static func text(_ text: String, _ count: Int) -> [UInt8] { Array(text.utf8) + zeros(count - text.utf8.count) }

    /// `prstatus_t`: version and filling, three sizes, the system's date, the signal, the thread, a filling, `struct reg`.
    private static func thread(_ id: UInt32, counter: UInt64, stack: UInt64) -> [UInt8] {
        // r15 … r8, rdi, rsi, rbp, rbx, rdx, rcx, rax, traps and segments (16 bytes), rip, cs, rflags, rsp, ss.
        let registers =
            (0..<17).flatMap { little(UInt64($0)) } + little(counter) + little(UInt64(0x43)) + little(UInt64(0x202))
            + little(stack) + little(UInt64(0x3b))
        return little(UInt64(1)) + zeros(24) + little(UInt32(1_400_000)) + little(UInt32(11)) + little(id) + zeros(4) + registers
    }

    /// `kinfo_vmentry`: size, kind, start, end, offset; the path is after 136 bytes.
    private static func mapping(_ start: UInt64, _ end: UInt64, offset: UInt64, kind: UInt32, path: String) -> [UInt8] {
        let path = Array(path.utf8) + [0]
        let size = (136 + path.count + 7) & ~7
        let head = little(UInt32(size)) + little(kind) + little(start) + little(end) + little(offset)
        return head + zeros(136 - head.count) + path + zeros(size - 136 - path.count)
    }

    @Test func `a core of FreeBSD has its threads, signal, program and files`() throws {
        // Version and filling, the size, the name of 17 bytes, the arguments of 81, two bytes, the process.
        let process =
            Self.little(UInt64(1)) + Self.little(UInt64(120)) + Self.text("shopd", 17) + Self.text("shopd -v", 81) + Self.zeros(2)
            + Self.little(UInt32(77))
        // The size, then ptrace_lwpinfo: thread, event, flags, two masks, a filling, and siginfo: number, error, code, three numbers, the
        // address.
        let signal =
            Self.little(UInt32(176)) + Self.little(UInt32(100_101)) + Self.zeros(44) + Self.little(UInt32(11)) + Self.zeros(4)
            + Self.little(UInt32(1)) + Self.zeros(12) + Self.little(UInt64(0x18)) + Self.zeros(80)
        let mappings =
            Self.little(UInt32(1160))
            + Self.mapping(0x20_0000, 0x20_1000, offset: 0, kind: 2, path: "/usr/local/bin/shopd")
            + Self.mapping(0x7fff_0000, 0x7fff_8000, offset: 0, kind: 1, path: "")
        let notes =
            HandmadeCore.note("FreeBSD", 3, process)
            + HandmadeCore.note("FreeBSD", 1, Self.thread(100_101, counter: 0x20_0123, stack: 0x7fff_4000))
            + HandmadeCore.note("FreeBSD", 7, Self.text("main", 20) + Self.zeros(4)) + HandmadeCore.note("FreeBSD", 17, signal)
            + HandmadeCore.note("FreeBSD", 1, Self.thread(100_102, counter: 0x20_0456, stack: 0x7fff_6000))
            + HandmadeCore.note("FreeBSD", 7, Self.text("worker", 20) + Self.zeros(4)) + HandmadeCore.note("FreeBSD", 10, mappings)
        try withTemporaryFolder { folder in
            try writeFile(folder + "/core", HandmadeCore.file(machine: 62, notes: notes, segments: [(1, 0x20_0000, 0x1000, [])]))
            let core = try MappedFile(path: folder + "/core")
            let made = try MemoryReader(Symbolicator(provider: NoSymbols())).report(.core, core, from: nil)
            let report = made.report
            #expect(report.platform == "FreeBSD" && report.process.pid == 77 && report.process.commandLine == "shopd -v")
            #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address?.value == 0x18)
            #expect(report.threads.map(\.systemID) == [100_101, 100_102] && report.threads.map(\.name) == ["main", "worker"])
            #expect(report.threads.map { $0.frames.first?.address?.value } == [0x20_0123, 0x20_0456])
            #expect(report.threads[0].registers?.values.first { $0.name == "rsp" }?.value == 0x7fff_4000)
            #expect(report.images.map(\.path) == ["/usr/local/bin/shopd"])
        }
    }
}
