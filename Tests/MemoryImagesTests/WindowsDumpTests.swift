import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Minidumps of Windows whose program is at hand.
struct WindowsDumpTests {
    private static let program = TestPaths.root + "/Fixtures/hostile/pe/functions-x86_64"
    private static let base: UInt64 = 0x7ff6_1234_0000

    private static func address(_ name: String, in object: ObjectFile) throws -> UInt64 {
        var found: UInt64?
        try object.forEachSymbol { symbol in
            if symbol.name.text(in: object) == name { found = symbol.address.value - object.baseAddress.value }
            return found == nil
        }
        return try #require(found) + base
    }

    /// `one` is `sub rsp, 40; call leaf`, 4 and 5 bytes; `leaf` has no unwind information, as it moves no stack pointer. Windows
    /// loads a program at an address of its own choice.
    @Test func `the program's own unwind information counts where it was loaded`() throws {
        let object = try ObjectFiles.open(path: Self.program)
        let (leaf, one, start) = (
            try Self.address("leaf", in: object), try Self.address("one", in: object), try Self.address("start", in: object)
        )
        var words = [UInt64](repeating: one + 1, count: 12)
        words[0] = one + 9
        words[6] = start + 4
        words[7] = 0
        var dump = MadeMinidump()
        let stack = dump.numbers(words.map { ($0, 8) })
        dump.system(9, platform: 2, [10, 0, 19045])
        let thread = dump.thread(1, stack: (0x9000, stack), context: dump.context64(leaf, 0x9000))
        dump.list(3, [thread])
        let module = dump.module(Self.base, size: try #require(object.imageSize), "C:\\app\\functions.exe", time: 0x4ba9_b29c)
        dump.list(4, [module])
        let image = try MinidumpReader.read(try MappedFile(bytes: dump.bytes.span.rawBytes, name: "dump"))
        let found = try #require(image.stacks(image.modules { _ in ImageFiles([object]) }).first)
        #expect(found.frames.prefix(3).map(\.programCounter) == [leaf, one + 9, start + 4])
        #expect(found.frames.prefix(3).map(\.stackPointer) == [0x9000, 0x9008, 0x9008 + 48])
        #expect(found.frames.prefix(3).map(\.trust) == [.context, .cfi, .cfi])
        #expect(image.files.first?.bias(of: object) == Self.base - object.baseAddress.value)
    }

    /// Windows' loader writes the address into the headers, 24 bytes after the beginning of the optional header, which follows 24 bytes
    /// after the offset in byte 60. The next 4,096 bytes of memory are the first section's, and those of the file another's.
    @Test func `a program whose headers are in memory is recognised`() throws {
        let object = try ObjectFiles.open(path: Self.program)
        var headers = Array(try readFile(Self.program).prefix(0x400))
        let start = Int(headers[60]) | Int(headers[61]) << 8
        for index in 0..<8 { headers[start + 48 + index] = UInt8(truncatingIfNeeded: Self.base >> UInt64(8 * index)) }
        func holds(_ headers: [UInt8]) throws -> Bool? {
            var image = MemoryImage(
                .x86_64,
                Memory([.init(address: Self.base, .bytes(headers + [UInt8](repeating: 0, count: 0x1000 - headers.count)))], .littleEndian))
            image.files = [
                MappedImage(path: "functions.exe", parts: [.init(Self.base..<Self.base + 0x5000, fileOffset: 0, isExecutable: false)])
            ]
            return image.holdsBeginning(of: object, at: image.files[0])
        }
        #expect(try holds(headers) == true)
        // Another timestamp.
        headers[start + 8] ^= 1
        #expect(try holds(headers) == false)
    }
}
