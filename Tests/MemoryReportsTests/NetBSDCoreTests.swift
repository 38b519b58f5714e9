import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import MemoryReports
import Symbolication
import TestSupport
import Testing

/// Notes of NetBSD, made by hand as `sys/exec_elf.h`, `sys/ptrace.h` and `machine/reg.h` of its amd64 have them.
struct NetBSDCoreTests {
    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] { HandmadeCore.little(value) }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    private static func text(_ text: String, _ count: Int) -> [UInt8] { Array(text.utf8) + zeros(count - text.utf8.count) }

    /// `struct netbsd_elfcore_procinfo`: the signal at 8, the process at 80, its name at 124, the signal's thread at 156.
    private static let process =
        little(UInt32(1)) + little(UInt32(160)) + little(UInt32(11)) + zeros(68) + little(UInt32(693)) + zeros(40) + text("shopd", 32)
        + little(UInt32(2))

    /// `struct reg`: 21 words, `rip` and three more, `rsp`, `ss`.
    private static func registers(counter: UInt64) -> [UInt8] {
        zeros(21 * 8) + little(counter) + zeros(16) + little(UInt64(0x7fff_4000)) + zeros(8)
    }

    /// `struct ptrace_lwpstatus`: the number, two sets of signals, the name, a filling, a pointer.
    private static func status(_ number: UInt32, _ name: String) -> [UInt8] { little(number) + zeros(32) + text(name, 20) + zeros(8) }

    @Test func `threads of NetBSD have the names in their notes`() throws {
        // The name comes before the registers or after them; thread 3 has none.
        let notes =
            HandmadeCore.note("NetBSD-CORE", 1, Self.process)
            + HandmadeCore.note("NetBSD-CORE@1", 24, Self.status(1, "main"))
            + HandmadeCore.note("NetBSD-CORE@1", 33, Self.registers(counter: 0x20_0123))
            + HandmadeCore.note("NetBSD-CORE@2", 33, Self.registers(counter: 0x20_0456))
            + HandmadeCore.note("NetBSD-CORE@2", 24, Self.status(2, "worker"))
            + HandmadeCore.note("NetBSD-CORE@3", 24, Self.status(3, ""))
            + HandmadeCore.note("NetBSD-CORE@3", 33, Self.registers(counter: 0x20_0789))
        try withTemporaryFolder { folder in
            try writeFile(folder + "/core", HandmadeCore.file(machine: 62, notes: notes, segments: [(1, 0x20_0000, 0x1000, [])]))
            let core = try MappedFile(path: folder + "/core")
            let report = try MemoryReader(Symbolicator(provider: NoSymbols())).report(.core, core, from: nil).report
            #expect(report.platform == "NetBSD" && report.process.pid == 693 && report.cause?.signal == "SIGSEGV")
            // The thread that got the signal is the first.
            #expect(report.threads.map(\.systemID) == [2, 1, 3] && report.threads.map(\.name) == ["worker", "main", nil])
        }
    }
}
