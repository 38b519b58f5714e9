import BinaryPrimitives
import MemoryImages
import TestSupport
import Testing
import Unwinding

/// Dumps that are made here, of each processor and system, and in both byte orders.
struct MinidumpReaderTests {
    static let orders = [ByteOrder.littleEndian, .bigEndian]

    /// Numbers of processors, and where their contexts have the flags, the program counter, the
    /// stack pointer and another register (`winnt.h`; Breakpad, `minidump_cpu_*.h`, by the
    /// structures' fields and their sizes).
    static let contexts: [(number: UInt64, flags: (Int, UInt64), word: Int, counter: Int, stack: Int, other: (String, Int), size: Int)] = [
        // Six homes of 8 bytes, flags, MxCsr, six segments, EFlags, six debug registers.
        (9, (48, 0x10_001f), 8, 48 + 8 + 12 + 4 + 48 + 16 * 8, 48 + 8 + 12 + 4 + 48 + 4 * 8, ("r15", 48 + 8 + 12 + 4 + 48 + 15 * 8), 1232),
        // LLDB's ends after the floating point registers.
        (9, (48, 0x10_001f), 8, 248, 152, ("rbp", 160), 720),
        // Flags, six debug registers, 112 bytes of floating point registers, four segments.
        (0, (0, 0x1_003f), 4, 4 + 24 + 112 + 16 + 7 * 4, 4 + 24 + 112 + 16 + 10 * 4, ("ebp", 4 + 24 + 112 + 16 + 6 * 4), 716),
        (5, (0, 0x4000_0006), 4, 4 + 15 * 4, 4 + 13 * 4, ("lr", 4 + 14 * 4), 368),
        (12, (0, 0x40_0007), 8, 8 + 32 * 8, 8 + 31 * 8, ("x30", 8 + 30 * 8), 912),
        (0x8003, (0, 0x8000_0006), 8, 8 + 32 * 8, 8 + 31 * 8, ("x29", 8 + 29 * 8), 796),
        // Registers, mdhi, mdlo, three of hi and of lo, dsp_control and four bytes.
        (1, (0, 0x4_0007), 8, 8 + 32 * 8 + 16 + 24 + 8, 8 + 29 * 8, ("ra", 8 + 31 * 8), 600),
        (0x8004, (0, 0x8_0007), 8, 8 + 32 * 8 + 16 + 24 + 8, 8 + 29 * 8, ("fp", 8 + 30 * 8), 600),
        (3, (0, 0x2000_0003), 4, 4, 12 + 4, ("lr", 12 + 32 * 4 + 8), 1000),
        (0x8006, (0, 0x800_0003), 8, 8, 8 + 2 * 8, ("ra", 16), 600), (0x8005, (0, 0x80_0003), 4, 8, 8 + 2 * 4, ("s0", 8 + 8 * 4), 300),
        (0x8007, (0, 0x80_0006), 8, 8 + 32 * 8, 8 + 3 * 8, ("ra", 16), 600),
    ]

    @Test(arguments: orders, contexts.indices) func `registers are where the processor's context has them`(order: ByteOrder, index: Int)
        throws
    {
        let layout = Self.contexts[index]
        var dump = MadeMinidump(order)
        dump.system(layout.number, platform: 0x8201)
        let registers = [
            (layout.counter, layout.word, UInt64(0x1234_5670)), (layout.stack, layout.word, 0x7fff_0010),
            (layout.other.1, layout.word, 0x55aa_0020),
        ]
        let context = dump.context(flags: layout.flags, registers, size: layout.size)
        dump.list(3, [dump.thread(77, context: context)])
        let image = try dump.image()
        #expect(image.notes.isEmpty, "\(image.notes)")
        let thread = try #require(image.threads.first)
        #expect(thread.id == 77 && thread.registers.programCounter == 0x1234_5670)
        #expect(thread.registers.stackPointer == 0x7fff_0010 && thread.registers[name: layout.other.0] == 0x55aa_0020)
        #expect(image.time == 1_700_000_000 && image.operatingSystem.processorCount == 4)
        // A context of another processor has no registers of this.
        var other = MadeMinidump(order)
        other.system(layout.number, platform: 0x8201)
        other.list(3, [other.thread(77, context: [UInt8](repeating: 0, count: layout.size))])
        let without = try other.image()
        #expect(without.threads.isEmpty && without.notes.first == "threads of the minidump without registers: 1")
    }

    /// 64-bit Power has flags of 64 bits, whose upper half comes first in big-endian files.
    @Test(arguments: orders) func `registers of Power`(order: ByteOrder) throws {
        var dump = MadeMinidump(order)
        dump.system(0x8002, platform: 0x8201)
        let context = dump.context(
            flags: (order == .bigEndian ? 4 : 0, 0x100_0003), [(8, 8, 0x1000), (24 + 8, 8, 0x7000), (24 + 32 * 8 + 16, 8, 0x2000)],
            size: 400)
        dump.list(3, [dump.thread(1, context: context)])
        let registers = try #require(try dump.image().threads.first?.registers)
        #expect(registers.programCounter == 0x1000 && registers.stackPointer == 0x7000 && registers[name: "lr"] == 0x2000)
    }

    @Test func `32-bit ARM says in its state that the code is Thumb`() throws {
        var dump = MadeMinidump()
        dump.system(5, platform: 0x8203)
        dump.list(3, [dump.thread(1, context: dump.context(flags: (0, 0x4000_0006), [(64, 4, 0x1000), (68, 4, 0x20)], size: 368))])
        #expect(try dump.image().threads.first?.registers.programCounter == 0x1001)
    }

    @Test(arguments: orders, [false, true]) func `lists may have four bytes after their count`(order: ByteOrder, isPadded: Bool) throws {
        var dump = MadeMinidump(order)
        dump.system(9, platform: 2, [10, 0, 19045], build: "Service Pack 1")
        dump.list(3, [1, 2].map { dump.thread($0, context: dump.context64(0x40_0000 + $0, 0x7000)) }, isPadded: isPadded)
        dump.list(24, [dump.numbers([(2, 4), (dump.string("Tür 🚪"), 8)])], isPadded: isPadded)
        dump.list(4, [dump.module(0x40_0000, size: 0x1000, "C:\\a.exe", time: 0x1a2b)], isPadded: isPadded)
        dump.list(5, [dump.numbers([(0x9000, 8), (4, 4), (UInt64(dump.add([1, 2, 3, 4])), 4)])], isPadded: isPadded)
        let image = try dump.image()
        #expect(image.notes.isEmpty, "\(image.notes)")
        #expect(image.threads.map(\.id) == [1, 2] && image.threads.map(\.name) == [nil, "Tür 🚪"])
        #expect(image.threads.map(\.registers.programCounter) == [0x40_0001, 0x40_0002])
        let module = image.files.first?.module
        #expect(image.files.map(\.path) == ["C:\\a.exe"] && module?.range == 0x40_0000..<0x40_1000)
        #expect(module?.version == "1.2.3.4" && module?.codeIdentifier == "00001A2B1000")
        #expect(image.memory.read(0x9000, size: 4) == (order == .littleEndian ? 0x0403_0201 : 0x0102_0304))
        #expect(
            image.operatingSystem.version == "10.0.19045" && image.operatingSystem.build == "Service Pack 1"
                && image.operatingSystem.kind == .windows)
    }

    /// A GUID's first three parts are numbers; the dump of a big-endian machine has them reversed.
    static let guid: [UInt8] = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]
    static let printed = "00112233445566778899AABBCCDDEEFF"

    @Test func `images are identified as their systems do`() throws {
        func module(_ platform: UInt64, _ record: [UInt8], _ order: ByteOrder = .littleEndian) throws -> MappedImage.Module {
            var dump = MadeMinidump(order)
            dump.system(9, platform: platform)
            dump.list(4, [dump.module(0x1000, size: 0x1000, "/a", codeView: record)])
            return try #require(try dump.image().files.first?.module)
        }
        func named(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
        let pdb = Array("RSDS".utf8) + Self.guid + [0x1a, 0, 0, 0] + named("C:\\b\\a.pdb")
        let windows = try module(2, pdb)
        #expect(windows.debugIdentifier == Self.printed + "1a" && windows.identity?.hexadecimal.uppercased() == Self.printed)
        #expect(windows.debugFile == "C:\\b\\a.pdb")
        // A UUID is printed as it is; of a build ID the bytes are.
        let mac = try module(0x8101, pdb)
        #expect(mac.identity?.uuid == "00112233-4455-6677-8899-AABBCCDDEEFF")
        let linux = try module(0x8201, pdb)
        #expect(linux.identity?.bytes == Self.guid && linux.debugIdentifier == Self.printed + "1a")
        // The same GUID as numbers of a big-endian machine.
        let reversed = stride(from: 0, to: 16, by: 1).map { Self.guid[[3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15][$0]] }
        let big = try module(2, Array("SDSR".utf8) + reversed + [0, 0, 0, 0x1a] + named("a.pdb"), .bigEndian)
        #expect(big.debugIdentifier == Self.printed + "1a")
        // A build ID of 20 bytes, of which Breakpad's stores have 16.
        let whole = try module(0x8203, Array("LEpB".utf8) + Self.guid + [1, 2, 3, 4])
        #expect(whole.identity?.bytes == Self.guid + [1, 2, 3, 4] && whole.debugIdentifier == Self.printed + "0")
        #expect(try module(0x8203, Array("LEpB".utf8) + [UInt8](repeating: 0, count: 20)).identity == nil)
        #expect(try module(0x8201, Array("RSDS".utf8) + [UInt8](repeating: 0, count: 20) + named("a")).debugIdentifier == nil)
        // Offset, timestamp, age.
        let old = try module(2, Array("NB10".utf8) + [0, 0, 0, 0, 0x9a, 0x78, 0x56, 0x34, 3, 0, 0, 0] + named("old.pdb"))
        #expect(old.debugIdentifier == "3456789A3" && old.debugFile == "old.pdb")
        for size in 0..<24 { _ = try module(2, Array(pdb.prefix(size))) }
    }

    @Test func `the exception has the registers of the crash`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        dump.list(
            3,
            [
                dump.thread(1, context: dump.context64(0x1111, 0x7000)), dump.thread(2, context: dump.context64(0x2222, 0x8000)),
                dump.thread(3, context: []),
            ])
        dump.exception(thread: 2, code: 0xc000_0005, address: 0x3333, [1, 0x44], context: dump.context64(0x3333, 0x8800))
        dump.exception(thread: 3, code: 0x8000_0003, address: 0x5555, context: dump.context64(0x5555, 0x9000))
        dump.exception(thread: 9, code: 1, address: 1, context: [])
        let image = try dump.image()
        #expect(image.threads.map(\.id) == [1, 2, 3] && image.crashedThread == 1)
        #expect(image.threads.map(\.registers.programCounter) == [0x1111, 0x3333, 0x5555])
        #expect(image.exceptions.map(\.thread) == [2, 3, 9] && image.exceptions[0].parameters == [1, 0x44])
        // Written: an access violation's second parameter is the address.
        #expect(image.crashAddress == 0x44)
        #expect(image.threads.allSatisfy { $0.signal == nil } && image.notes.isEmpty)
    }

    @Test func `on Linux an exception is a signal`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201, build: "Linux 6.1.0-13-amd64 #1 SMP Debian x86_64")
        dump.list(3, [dump.thread(5, context: dump.context64(0x1111, 0x7000))])
        dump.exception(thread: 5, code: 11, flags: 0xffff_fffa, address: 0x88, context: dump.context64(0x2222, 0x7000))
        let image = try dump.image()
        #expect(image.operatingSystem.version == "6.1.0-13-amd64")
        let signal = try #require(image.threads.first?.signal)
        // SI_TKILL: the address' field has the sender.
        #expect(signal.number == 11 && signal.code == -6 && signal.address == nil)
    }

    @Test(arguments: [true, false])
    func `a code of zero is SI_USER in dumps of Crashpad, and in others not known`(isCrashpad: Bool) throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201, build: "Linux 6.1.0-13-amd64 #1 SMP Debian x86_64")
        dump.list(3, [dump.thread(5, context: dump.context64(0x1111, 0x7000))])
        // As Chromium's, whose renderer got `kill -SEGV`: si_pid is 27147.
        dump.exception(thread: 5, code: 11, address: 27147, context: dump.context64(0x2222, 0x7000))
        if isCrashpad { dump.stream(0x4350_0001, [UInt8](repeating: 0, count: 52)) }
        let signal = try #require(try dump.image().threads.first?.signal)
        #expect(signal.code == (isCrashpad ? 0 : nil) && signal.address == (isCrashpad ? nil : 27147))
    }

    @Test func `the thread that wrote the dump is left out`() throws {
        func image(valid: UInt64, exceptionIn thread: UInt64? = nil) throws -> MemoryImage {
            var dump = MadeMinidump()
            dump.system(0, platform: 2)
            let contexts = (1...3).map { dump.context(flags: (0, 0x1_003f), [(184, 4, $0), (196, 4, 0x7000)], size: 716) }
            dump.list(3, zip(1..., contexts).map { dump.thread($0, context: $1) })
            dump.stream(0x4767_0001, dump.numbers([(valid, 4), (3, 4), (2, 4)]))
            if let thread { dump.exception(thread: thread, code: 0xc000_0005, address: 0, context: contexts[0]) }
            return try dump.image()
        }
        #expect(try image(valid: 0).threads.map(\.id) == [1, 2, 3])
        let requested = try image(valid: 3)
        #expect(requested.threads.map(\.id) == [1, 2] && requested.crashedThread == 1)
        #expect(try image(valid: 3, exceptionIn: 1).crashedThread == 0)
        // Its own crash is its own.
        #expect(try image(valid: 3, exceptionIn: 3).threads.map(\.id) == [1, 2, 3])
        let elsewhere = try image(valid: 3, exceptionIn: 99)
        #expect(elsewhere.crashedThread == nil && elsewhere.notes == ["the thread that crashed, 99, is not in the minidump"])
    }

    @Test func `annotations and messages are read`() throws {
        var dump = MadeMinidump()
        dump.system(12, platform: 0x8101, [14, 1, 0], build: "23B74")
        dump.list(4, [dump.module(0x1000, size: 0x1000, "/usr/lib/a.dylib")])
        func location(_ bytes: [UInt8]) -> [(UInt64, Int)] { [(UInt64(bytes.count), 4), (UInt64(dump.add(bytes)), 4)] }
        let dictionary = location(dump.numbers([(1, 4), (dump.utf8("name"), 4), (dump.utf8("välue"), 4)]))
        let list = location(dump.numbers([(1, 4), (dump.utf8("line"), 4)]))
        let objects = location(
            dump.numbers([
                (2, 4), (dump.utf8("key"), 4), (1, 2), (0, 2), (dump.utf8("text"), 4), (dump.utf8("own"), 4), (7, 2), (0, 2), (0, 4),
            ]))
        let module = location(dump.numbers([(1, 4)] + list + dictionary + objects))
        let links = location(dump.numbers([(1, 4), (0, 4)] + module))
        // Version, two ids, dictionary, modules, four bytes, the mask of addresses.
        dump.stream(
            0x4350_0001, dump.numbers([(1, 4)] + (0..<4).map { _ in (0, 8) } + dictionary + links + [(0, 4), (0xffff_8000_0000_0000, 8)]))
        // Type, number, where strings begin in a record.
        let record = dump.numbers([(0x4d7a_0001, 8), (4, 8)]) + Array("/usr/lib/b.dylib\0fatal\0\0at 0\0second\0".utf8)
        dump.stream(0x4d7a_0001, dump.numbers([(0x4d7a_0001, 4), (1, 4), (16, 4)] + location(record)))
        let image = try dump.image()
        let expected: [(String?, String, String)] = [
            ("/usr/lib/b.dylib", "message", "fatal"), ("/usr/lib/b.dylib", "backtrace", "at 0"), ("/usr/lib/b.dylib", "message2", "second"),
            (nil, "name", "välue"), ("/usr/lib/a.dylib", "", "line"), ("/usr/lib/a.dylib", "name", "välue"),
            ("/usr/lib/a.dylib", "key", "text"),
        ]
        #expect(image.annotations == expected.map { MemoryImage.Annotation(image: $0.0, name: $0.1, value: $0.2) })
        #expect(image.codeMask == 0xffff_8000_0000_0000)
        #expect(image.operatingSystem.version == "14.1.0" && image.operatingSystem.build == "23B74")
    }

    /// LLDB writes no number of processors, no version, and the size of an image's first segment.
    @Test func `an image of LLDB's dump goes on until the next`() throws {
        func ranges(processors: UInt64) throws -> MemoryImage {
            var dump = MadeMinidump()
            dump.system(9, platform: 0x8201, [0, 0x8000_0000, 7], processors: processors)
            dump.list(
                4,
                [
                    dump.module(0x40_0000, size: 0x200, "/a"), dump.module(0x7f00_0000_0000, size: 0x200, "/b"),
                    dump.module(0x7f00_0001_0000, size: 0x200, "/c"),
                ])
            return try dump.image()
        }
        let image = try ranges(processors: 0)
        #expect(image.operatingSystem.version == nil)
        // At most 256 MB.
        #expect(
            image.files.compactMap(\.module?.range) == [
                0x40_0000..<0x1040_0000, 0x7f00_0000_0000..<0x7f00_0001_0000, 0x7f00_0001_0000..<0x7f00_1001_0000,
            ])
        #expect(try ranges(processors: 1).files.allSatisfy { $0.module?.range.count == 0x200 })
    }

    @Test func `an assertion of Windows' C library is read`() throws {
        var dump = MadeMinidump()
        dump.system(0, platform: 2)
        let texts = ["a != b", "f", "a.cpp"].flatMap { text in
            Array(text.utf16).map { (UInt64($0), 2) } + [(UInt64, Int)](repeating: (0, 2), count: 128 - text.utf16.count)
        }
        dump.stream(0x4767_0002, dump.numbers(texts + [(42, 4), (1, 4)]))
        let expected = MemoryImage.Assertion(kind: .invalidParameter, expression: "a != b", function: "f", file: "a.cpp", line: 42)
        #expect(try dump.image().assertion == expected)
    }

    @Test func `facts about the process are read`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201)
        dump.stream(0x4767_0004, Array("Name:\ta b\nState:\tR (running)\nTgid:\t321\nPid:\t321\n".utf8))
        dump.stream(0x4767_0005, Array("# comment\nDISTRIB_ID=Ubuntu\nDISTRIB_DESCRIPTION=\"Ubuntu 16.04.1 LTS\"\n".utf8))
        dump.stream(0x4767_0006, Array("./a\0-x\0".utf8))
        dump.stream(0x4767_0008, dump.numbers([(9, 8), (0x40_1000, 8), (0, 8), (0, 8), (3, 8), (1, 8)]))
        let image = try dump.image()
        #expect(image.process.id == 321 && image.process.name == "a b" && image.process.arguments == "./a -x")
        #expect(image.process.auxiliaryVector == [9: 0x40_1000] && image.operatingSystem.distribution == "Ubuntu 16.04.1 LTS")
        // Size, flags, number, start.
        dump.stream(15, dump.numbers([(24, 4), (3, 4), (654, 4), (1_600_000_000, 4), (0, 4), (0, 4)]))
        let second = try dump.image().process
        #expect(second.id == 654 && second.started == 1_600_000_000)
    }
}
