import BinaryPrimitives
import MemoryImages
import TestSupport
import Testing
import Unwinding

/// Memory of dumps, its permissions, and damage.
struct MinidumpMemoryTests {
    /// A frame pointer's record, then its caller's, which ends the chain.
    static let stack: [(UInt64, Int)] = [(0x7010, 8), (0x40_0105, 8), (0, 8), (0x40_0205, 8)]

    @Test func `a stack that is in the thread's own descriptor alone is unwound`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201)
        dump.list(3, [dump.thread(1, stack: (0x7000, dump.numbers(Self.stack)), context: dump.context64(0x40_0010, 0x7000, 0x7000))])
        dump.list(4, [dump.module(0x40_0000, size: 0x1000, "/a")])
        let image = try dump.image()
        let stack = try #require(image.stacks(image.modules { _ in ImageFiles() }).first)
        #expect(stack.frames.map(\.programCounter) == [0x40_0010, 0x40_0105, 0x40_0205])
        #expect(stack.frames.map(\.trust) == [.context, .framePointer, .framePointer] && stack.end == .outermost)
        // 64-bit Windows keeps no chain: the same words are only scanned.
        var windows = MadeMinidump()
        windows.system(9, platform: 2)
        windows.list(3, [windows.thread(1, stack: (0x7000, dump.numbers(Self.stack)), context: dump.context64(0x40_0010, 0x7000, 0x7000))])
        windows.list(4, [windows.module(0x40_0000, size: 0x1000, "a.exe")])
        let other = try windows.image()
        let scanned = try #require(other.stacks(other.modules { _ in ImageFiles() }).first)
        #expect(scanned.frames.map(\.trust) == [.context, .scan, .scan])
    }

    @Test func `a record of zeros ends the chain`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201)
        // The last record is at 0x7020; 0x40_0305 is above it.
        let words: [(UInt64, Int)] = [(0x7010, 8), (0x40_0105, 8), (0x7020, 8), (0x40_0205, 8), (0, 8), (0, 8), (0x40_0305, 8)]
        dump.list(3, [dump.thread(1, stack: (0x7000, dump.numbers(words)), context: dump.context64(0x40_0010, 0x7000, 0x7000))])
        dump.list(4, [dump.module(0x40_0000, size: 0x1000, "/a")])
        let image = try dump.image()
        let stack = try #require(image.stacks(image.modules { _ in ImageFiles() }).first)
        #expect(stack.frames.map(\.programCounter) == [0x40_0010, 0x40_0105, 0x40_0205] && stack.end == .outermost)
    }

    @Test func `memory of which the file has a part is read so far`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        let bytes = dump.add([1, 2, 3, 4])
        // Number, offset, then addresses and sizes; the second range begins where the first ends.
        dump.stream(9, dump.numbers([(3, 8), (UInt64(bytes), 8), (0x1000, 8), (2, 8), (0x2000, 8), (2, 8), (0x3000, 8), (1 << 40, 8)]))
        let image = try dump.image()
        #expect(image.memory.read(0x1000, size: 2) == 0x0201 && image.memory.read(0x2000, size: 2) == 0x0403)
        #expect(image.notes.first == "the minidump's memory is cut short")
        // Sizes whose sum is too large.
        var other = MadeMinidump()
        other.system(9, platform: 2)
        other.stream(9, other.numbers([(2, 8), (64, 8), (0x1000, 8), (.max, 8), (0x2000, 8), (.max, 8)]))
        #expect(try other.image().notes.first == "the minidump's memory is cut short")
    }

    @Test func `Windows says which memory is code, and which pages are guards`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        // To the image's data, then to its code.
        let words: [(UInt64, Int)] = [(0x40_2005, 8), (0x40_1005, 8), (0x50_0005, 8)]
        dump.list(3, [dump.thread(1, stack: (0x7000, dump.numbers(words)), context: dump.context64(0x40_1010, 0x7000))])
        dump.list(4, [dump.module(0x40_0000, size: 0x3000, "a.exe")])
        // PAGE_READONLY, PAGE_EXECUTE_READ, PAGE_READWRITE, a guard; free memory.
        let regions: [(UInt64, UInt64, state: UInt64, protection: UInt64)] = [
            (0x40_0000, 0x1000, 0x1000, 2), (0x40_1000, 0x1000, 0x1000, 0x20), (0x40_2000, 0x1000, 0x1000, 4),
            (0x6000, 0x1000, 0x1000, 0x104), (0x10_0000, 0x1000, 0x10000, 0x20),
        ]
        let entries = regions.flatMap { region -> [(UInt64, Int)] in
            [
                (region.0, 8), (region.0, 8), (0, 8), (region.1, 8), (region.state, 4), (region.protection, 4), (0x100_0000, 4), (0, 4),
            ]
        }
        dump.stream(16, dump.numbers([(16, 4), (48, 4), (5, 8)] + entries))
        let image = try dump.image()
        #expect(image.notes.isEmpty && image.guards == [0x6000..<0x7000])
        #expect(image.files.first?.parts.map(\.isExecutable) == [false, true, false])
        #expect(image.memory.isExecutable(0x40_1800) && !image.memory.isExecutable(0x10_0000))
        let stack = try #require(image.stacks(image.modules { _ in ImageFiles() }).first)
        #expect(stack.frames.map(\.programCounter) == [0x40_1010, 0x40_1005])
    }

    static let maps = """
        400000-401000 r-xp 00000000 08:01 12                         /bin/a b
        600000-601000 rw-p 00001000 08:01 12                         /bin/a b
        700000-701000 rwxp 00000000 00:00 0
        7fff0000-7fff1000 rw-p 00000000 00:00 0                      [stack]

        """

    @Test func `Linux says which memory is code`() throws {
        func image(_ maps: String, modules: Bool) throws -> MemoryImage {
            var dump = MadeMinidump()
            dump.system(9, platform: 0x8201)
            dump.stream(0x4767_0009, Array(maps.utf8))
            dump.list(5, [dump.numbers([(0x70_0800, 8), (4, 4), (UInt64(dump.add([1, 2, 3, 4])), 4)])])
            if modules { dump.list(4, [dump.module(0x40_0000, size: 0x20_1000, "/bin/a b")]) }
            return try dump.image()
        }
        let expected = [
            MappedImage.Part(0x40_0000..<0x40_1000, fileOffset: 0, isExecutable: true),
            MappedImage.Part(0x60_0000..<0x60_1000, fileOffset: 0x1000, isExecutable: false),
        ]
        for modules in [false, true] {
            let image = try image(Self.maps, modules: modules)
            #expect(image.files.map(\.path) == ["/bin/a b"] && image.files.first?.parts == expected)
            // Compiled at run time: saved in part, and before and after.
            for address: UInt64 in [0x70_0000, 0x70_0801, 0x70_0fff] { #expect(image.memory.isExecutable(address)) }
            #expect(image.memory.read(0x70_0800, size: 4) == 0x0403_0201)
        }
        // With an executable stack all memory may be executed, and only files are known to be code.
        let all = try image(
            Self.maps.replacing("rw-p 00000000 00:00 0                      [stack]", with: "rwxp 0 00:00 0 [stack]"), modules: true)
        #expect(!all.memory.isExecutable(0x70_0000) && all.memory.isExecutable(0x40_0000))
    }

    // MARK: Damage

    /// A dump of every kind of stream.
    static func whole() -> MadeMinidump {
        var dump = MadeMinidump()
        dump.system(9, platform: 0x8201, build: "Linux 6.1 #1 x86_64")
        dump.list(3, [dump.thread(1, stack: (0x7000, dump.numbers(stack)), context: dump.context64(0x40_0010, 0x7000, 0x7000, size: 256))])
        dump.list(4, [dump.module(0x40_0000, size: 0x1000, "/a", codeView: Array("LEpB".utf8) + [1, 2, 3, 4, 5, 6, 7, 8])])
        dump.list(5, [dump.numbers([(0x7000, 8), (4, 4), (UInt64(dump.add([1, 2, 3, 4])), 4)])])
        dump.exception(thread: 1, code: 11, address: 0, context: dump.context64(0x40_0010, 0x7000, 0x7000, size: 256))
        dump.stream(9, dump.numbers([(1, 8), (64, 8), (0x1000, 8), (4, 8)]))
        dump.stream(14, dump.numbers([(12, 4), (24, 4), (1, 4), (0x1000, 8), (0x1000, 4), (0, 4), (1, 4), (dump.string("b"), 4)]))
        dump.stream(15, dump.numbers([(24, 4), (3, 4), (1, 4), (2, 4), (0, 8)]))
        dump.stream(
            16, dump.numbers([(16, 4), (48, 4), (1, 8), (0x40_0000, 8), (0, 8), (0, 8), (0x1000, 8), (0x1000, 4), (0x20, 4), (0, 8)]))
        dump.list(24, [dump.numbers([(1, 4), (dump.string("main"), 8)])])
        dump.stream(0x4350_0001, dump.numbers((0..<16).map { _ in (40, 4) }))
        dump.stream(0x4767_0001, dump.numbers([(3, 4), (9, 4), (1, 4)]))
        dump.stream(0x4767_0002, [UInt8](repeating: 0x41, count: 776))
        dump.stream(0x4767_0004, Array("Name:\ta\n".utf8))
        dump.stream(0x4767_0006, Array("./a\0".utf8))
        dump.stream(0x4767_0008, dump.numbers([(9, 8), (1, 8)]))
        dump.stream(0x4767_0009, Array(maps.utf8))
        dump.stream(0x4d7a_0001, dump.numbers([(0, 4), (1, 4), (16, 4), (40, 4), (64, 4)]))
        return dump
    }

    @Test func `a dump that is cut anywhere gives what is left`() throws {
        let dump = Self.whole()
        let count = dump.bytes.count
        #expect(throws: MinidumpError.notAMinidump) { try dump.image(cutTo: 3) }
        #expect(throws: MinidumpError.cut) { try dump.image(cutTo: 31) }
        #expect(throws: MinidumpError.processor(nil)) { try dump.image(cutTo: 32) }
        var threads = 0
        for size in stride(from: 33, to: count, by: 3) {
            guard let image = try? dump.image(cutTo: size) else {
                #expect(threads == 0)
                continue
            }
            threads = max(threads, image.threads.count)
            #expect(!image.notes.isEmpty || size > count - 40, "\(size)")
            _ = image.stacks(image.modules { _ in ImageFiles() })
        }
        #expect(threads == 1)
    }

    /// Each byte of the directory, of streams and of what they point to.
    @Test func `no byte of a dump stops the process`() throws {
        let bytes = Self.whole().bytes
        var limits = Limits.standard
        limits.framesPerThread = 8
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] = position.isMultiple(of: 2) ? 0xff : 0x7f
            let file = try MappedFile(bytes: damaged.span.rawBytes, name: "damaged")
            guard let image = try? MinidumpReader.read(file) else { continue }
            for stack in image.stacks(image.modules { _ in ImageFiles() }, limits: limits) { #expect(!stack.frames.isEmpty) }
        }
    }

    @Test func `a damaged stream loses nothing else`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        // Past the end of the file; larger than it; again.
        dump.entry(14, size: 100, .max)
        dump.entry(4, size: .max, dump.add(dump.numbers([(.max, 4)])))
        dump.list(3, [dump.thread(1, context: dump.context64(1, 2))])
        dump.list(3, [dump.thread(2, context: dump.context64(3, 4))])
        let image = try dump.image()
        #expect(image.threads.map(\.id) == [1])
        #expect(image.notes.contains("the minidump's unloaded modules are cut short"))
        #expect(image.notes.contains("the minidump's modules are cut short"))
        #expect(image.notes.contains { $0.hasPrefix("modules of the minidump that are not read: ") })
    }

    @Test func `more than the limits is not read, and said`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        dump.list(3, (1...3).map { dump.thread($0, context: dump.context64(1, 2)) })
        dump.list(4, (1...3).map { dump.module($0 << 16, size: 0x1000, "a") })
        var limits = Limits.standard
        (limits.threads, limits.images) = (3, 3)
        #expect(try dump.image(limits: limits).notes.isEmpty)
        (limits.threads, limits.images) = (2, 1)
        let image = try dump.image(limits: limits)
        #expect(image.threads.count == 2 && image.files.count == 1)
        #expect(image.notes == ["modules of the minidump that are not read: 2", "threads of the minidump that are not read: 1"])
    }

    @Test func `ranges, streams and annotations have limits`() throws {
        func notes(ranges: UInt64 = 1, streams: Int = 32, annotations: UInt64 = 1) throws -> [String] {
            var dump = MadeMinidump(room: streams)
            dump.system(9, platform: 2)
            dump.list(3, [dump.thread(1, context: dump.context64(1, 2))])
            dump.list(5, (0..<ranges).map { dump.numbers([($0 << 16, 8), (4, 4), (0, 4)]) })
            let (name, value) = (dump.utf8("n"), dump.utf8("v"))
            let entries = dump.add(dump.numbers([(annotations, 4)] + (0..<annotations).flatMap { _ in [(name, 4), (value, 4)] }))
            dump.stream(
                0x4350_0001,
                dump.numbers([(1, 4)] + (0..<4).map { _ in (0, 8) } + [(4 + annotations * 8, 4), (UInt64(entries), 4), (0, 8)]))
            // Entries of a kind that is not read.
            for _ in 4..<streams { dump.entry(0x7fff, size: 0, 0) }
            var limits = Limits.standard
            limits.sections = 2
            let image = try dump.image(limits: limits)
            #expect(image.annotations.count == min(Int(annotations), 16_384))
            return image.notes
        }
        #expect(try notes(ranges: 2, streams: 4096, annotations: 16_384).isEmpty)
        #expect(try notes(ranges: 3) == ["ranges of memory of the minidump that are not read: 1"])
        #expect(try notes(streams: 4097) == ["streams of the minidump that are not read: 1"])
        #expect(try notes(annotations: 16_385) == ["annotations of Crashpad of the minidump that are not read: 1"])
    }

    /// A thousand images with one name of 100,000 letters, in a file of 400 KB, would be 100 MB.
    @Test func `a name that many share is read as often as the file has room for`() throws {
        var dump = MadeMinidump()
        dump.system(9, platform: 2)
        let name = dump.string(String(repeating: "n", count: 100_000))
        dump.list(4, (1...1000).map { dump.module($0 << 16, size: 0x1000, name: name) })
        let image = try dump.image()
        #expect(image.files.count == 1000 && image.files.map(\.path.utf8.count).reduce(0, +) < dump.bytes.count)
    }
}
