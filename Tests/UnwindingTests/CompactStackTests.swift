import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import Unwinding

/// Stacks in framehop's Mach-O library, whose entries `CompactUnwindTests` compares.
struct CompactStackTests {
    /// The function at 0x1af0 has 176 bytes, with `r14` and `rbx` below the return address; that at
    /// 0x1020 has nothing but it (framehop's list of the entries).
    @Test(.enabled(if: OfflineUnwind.folder != nil, "there is no corpus")) func `frames without frame pointers are unwound by their size`()
        throws
    {
        let folder = try #require(OfflineUnwind.folder)
        let bytes = try #require(OfflineUnwind.bytes(folder + "/framehop-x86_64-nofp-libmozglue.dylib"))
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "libmozglue.dylib")
        let tables = UnwindTables([try #require(try ObjectFiles.openAll(file).first)])
        let base: UInt64 = 0x1_0000_0000
        func step(_ offset: UInt64, _ registers: Registers, _ memory: Memory) throws -> Registers {
            let rule = try #require(tables.rule(at: LinkAddress(offset), offset: offset, isReturn: false, .x86_64))
            guard case .caller(let caller, false) = rule.caller(of: registers, memory, calleeParameters: 0) else {
                throw RunError(description: "no caller")
            }
            return caller
        }
        var writer = ByteWriter()
        for index in 0..<64 { writer.put(base + UInt64(index)) }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        let start = Registers(.x86_64, programCounter: base + 0x1b50, stackPointer: 0x7000)
        let caller = try step(0x1b50, start, memory)
        #expect(caller.stackPointer == 0x70b0)
        // The words 21, 20 and 19 of the stack: 8, 16 and 24 bytes below its caller's.
        #expect(caller.programCounter == base + 21 && caller[14] == base + 20 && caller[3] == base + 19)
        let leaf = try step(0x1024, start, memory)
        #expect(leaf.stackPointer == 0x7008 && leaf.programCounter == base)
        // Indirect: `sub $N, %rsp` in the code has the size, 8 and the pushed registers are added.
        let indirect = try step(
            0x8f00, start, Memory([.init(address: 0x7000, .bytes([UInt8](repeating: 1, count: 1 << 16)))], .littleEndian))
        let size = try Self.subtracted(bytes, at: 0x8de0)
        #expect(indirect.stackPointer == 0x7000 + size + 8 * 7)
    }

    /// The number of the first `sub $N, %rsp` of a function: 48 81 ec and four bytes.
    private static func subtracted(_ bytes: [UInt8], at position: Int) throws -> UInt64 {
        let start = try #require((position..<position + 64).first { Array(bytes[$0..<$0 + 3]) == [0x48, 0x81, 0xec] })
        return (0..<4).reduce(UInt64(0)) { $0 | UInt64(bytes[start + 3 + $1]) << UInt64($1 * 8) }
    }
}
