import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import Unwinding

/// `.ARM.exidx`: each entry against what `readelf --unwind` lists; each instruction by the ABI's
/// table.
struct ExceptionIndexTests {
    static let files = ["aosp-straddle_arm/libc.so", "aosp-straddle_arm/libbase.so", "aosp-gnu_debugdata_arm/libandroid_runtime.so"]
    static let canRead = OfflineUnwind.folder != nil && TestPaths.isReadable("/usr/bin/readelf")

    @Test(.enabled(if: canRead, "there is no corpus, or no readelf"), arguments: files)
    func `every entry is the one that readelf lists`(name: String) throws {
        let bytes = try #require(OfflineUnwind.folder.flatMap { OfflineUnwind.bytes($0 + "/" + name) })
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: name)
        let index = try #require(try ObjectFiles.openAll(file).first.flatMap { ExceptionIndex($0) })
        let lines = try withTemporaryFolder { folder in
            try writeFile(folder + "/a.so", bytes)
            return try run("readelf", ["--unwind", "--wide", folder + "/a.so"]).lines
        }
        // `0x1a9b8 <abort>: @0x9c6b4`, or a word of instructions or `0x1 [cantunwind]`; then
        // `  0xa8 pop {r4, r14}`.
        var entries: [(start: UInt64, bytes: [UInt8], cannot: Bool)] = []
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("0x"), line.contains(": "), let start = UInt64(words[0].split(separator: ":")[0].dropFirst(2), radix: 16) {
                entries.append((start & ~1, [], line.contains("cantunwind")))
            } else if line.hasPrefix("  0x"), !entries.isEmpty {
                entries[entries.count - 1].bytes += words.prefix { $0.hasPrefix("0x") && $0.count == 4 }.compactMap {
                    UInt8($0.dropFirst(2), radix: 16)
                }
            }
        }
        #expect(entries.count > 100)
        for (number, entry) in entries.enumerated() {
            let last = number + 1 < entries.count ? max(entry.start, entries[number + 1].start - 1) : entry.start
            for address in [entry.start, last] {
                let found = try #require(index.entry(for: address))
                guard found.start == entry.start else { continue }
                switch found.entry {
                case .cannotUnwind: #expect(entry.cannot)
                // After the end of the instructions the words are filled up.
                case .instructions(let bytes):
                    #expect(bytes.starts(with: entry.bytes) && bytes.dropFirst(entry.bytes.count).allSatisfy { $0 == 0xb0 })
                }
            }
        }
    }

    /// A stack of the words 0x100, 0x104, … at 0x7000; r7 is 0x7010, lr 0x55.
    static func caller(_ bytes: [UInt8]) -> Registers? {
        var writer = ByteWriter()
        for index in 0..<64 { writer.put(UInt32(0x100 + 4 * index)) }
        var registers = Registers(.arm, programCounter: 0x40, stackPointer: 0x7000)
        (registers[7], registers[14]) = (0x7010, 0x55)
        var step = ExceptionIndexStep(registers, Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian))
        if case .caller(let caller, false) = step.caller(by: bytes) { return caller }
        return nil
    }

    /// Instructions, the stack pointer and the program counter after them, and a register's value.
    static let cases: [([UInt8], UInt64, UInt64, Int, UInt64?)] = [
        ([0xb0], 0x7000, 0x55, 4, nil), ([], 0x7000, 0x55, 4, nil), ([0x00], 0x7004, 0x55, 4, nil), ([0x3f], 0x7100, 0x55, 4, nil),
        ([0x00, 0x00, 0x40], 0x7004, 0x55, 4, nil),
        // pop {r4-r6, r14}: the return address is in lr.
        ([0xaa], 0x7010, 0x10c, 6, 0x108), ([0xa1, 0xb0], 0x7008, 0x55, 5, 0x104),
        // pop under mask {r4, r15}; {r4-r11, r13}: sp is loaded.
        ([0x88, 0x01], 0x7008, 0x104, 4, 0x100), ([0x82, 0x00], 0x100, 0x55, 4, nil),
        // vsp = r7; pop {r0, r1}; vsp += 0x204 + (2 << 2); VFP; FSTMFDX; D8 to D10.
        ([0x97], 0x7010, 0x55, 4, nil), ([0xb1, 0x03], 0x7008, 0x55, 1, 0x104), ([0xb2, 0x02], 0x720c, 0x55, 4, nil),
        ([0xc9, 0x83], 0x7020, 0x55, 4, nil), ([0xb3, 0x81], 0x7014, 0x55, 4, nil), ([0xd2], 0x7018, 0x55, 4, nil),
        ([0xb9], 0x7014, 0x55, 4, nil), ([0xb4], 0x7004, 0x55, 4, nil), ([0xc7, 0x03], 0x7008, 0x55, 4, nil),
        // Instructions after the end are not executed.
        ([0xb0, 0x3f], 0x7000, 0x55, 4, nil),
    ]

    @Test(arguments: cases)
    func `an instruction does what the table says`(bytes: [UInt8], pointer: UInt64, counter: UInt64, register: Int, value: UInt64?) throws {
        let caller = try #require(Self.caller(bytes))
        #expect(caller.stackPointer == pointer)
        #expect(caller.programCounter == counter)
        #expect(caller[register] == value)
    }

    /// Refuse to unwind; reserved; cut short; memory that is not there.
    @Test(
        arguments: [
            [0x80, 0x00], [0x9d], [0x9f], [0x91], [0xb1, 0x00], [0xb1, 0x10], [0xb1], [0x88], [0xb2], [0xe0], [0x3f, 0x3f, 0xaf],
        ] as [[UInt8]])
    func `what cannot be executed leads nowhere`(bytes: [UInt8]) { #expect(Self.caller(bytes) == nil) }
}
