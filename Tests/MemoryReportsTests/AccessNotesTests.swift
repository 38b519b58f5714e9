import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import MemoryReports
import Symbolication
import TestSupport
import Testing

/// Accesses that are refused for more than their address. The cores are made by hand: a kernel with the processor's extension
/// writes them (Linux, `fs/binfmt_elf.c`, `arch/arm64/kernel/elfcore.c`).
struct AccessNotesTests {
    /// `siginfo_t` of SIGSEGV: number, error, code, a filling, the address, then what the code has.
    private static func signal(code: Int32, address: UInt64, rest: [UInt8] = []) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 128)
        bytes[0] = 11
        for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: code >> Int32(8 * index)) }
        for index in 0..<8 { bytes[16 + index] = UInt8(truncatingIfNeeded: address >> UInt64(8 * index)) }
        bytes.replaceSubrange(24..<24 + rest.count, with: rest)
        return bytes
    }

    private func notes(_ core: [UInt8]) throws -> [String] {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/core", core)
            let file = try MappedFile(path: folder + "/core")
            return try MemoryReader(Symbolicator(provider: NoSymbols())).contents(.core, file).report.notes
        }
    }

    /// SEGV_PKUERR is 4. x86-64 is machine 62 and has 27 registers.
    @Test func `a protection key that refused an access is shown`() throws {
        let signal = Self.signal(code: 4, address: 0x7000, rest: [UInt8](repeating: 0, count: 8) + [3, 0, 0, 0])
        let found = try notes(HandmadeCore.linux(machine: 62, registers: 27, signal: signal))
        #expect(found == ["The memory has the protection key 3, which the thread may not use for this access."])
    }

    /// SEGV_MTESERR is 9. arm64 is machine 183 and has 34 registers. The second 16 bytes of the segment have the upper half
    /// of its first byte.
    @Test func `the tags of a pointer and of its memory are shown`() throws {
        let signal = Self.signal(code: 9, address: 0x0300_ffff_8000_0018)
        let tags: HandmadeCore.Segment = (0x7000_0002, 0xffff_8000_0000, 64, [0x52, 0x00])
        #expect(
            try notes(HandmadeCore.linux(machine: 183, registers: 34, signal: signal, segments: [tags]))
                == ["The pointer has the tag 0x3, the memory there 0x5."])
        #expect(
            try notes(HandmadeCore.linux(machine: 183, registers: 34, signal: signal))
                == ["The pointer has the tag 0x3; the tags of the memory are not in the file."])
    }
}
