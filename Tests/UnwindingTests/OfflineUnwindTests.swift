import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Every frame's program counter and stack pointer of AOSP's offline unwinds.
struct OfflineUnwindTests {
    @Test(.enabled(if: OfflineUnwind.folder == nil, "the corpus is there")) func `without a corpus nothing is unwound`() {
        print("There is no corpus of memory (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    @Test(.enabled(if: OfflineUnwind.folder != nil, "there is no corpus")) func `there are unwinds to compare with`() {
        #expect(OfflineUnwind.names.count >= 6)
    }

    @Test(arguments: OfflineUnwind.names) func `every frame is the one that AOSP's test expects`(name: String) throws {
        let unwind = try OfflineUnwind(name)
        let stack = unwind.unwinder.stack(from: unwind.registers)
        let text = stack.frames.map { "\(String($0.programCounter, radix: 16)) \(String($0.stackPointer, radix: 16)) \($0.trust)" }
        // libunwindstack does not scan the stack's bytes above.
        let frames = stack.frames.prefix { $0.trust != .scan }
        #expect(frames.count == unwind.expected.count, "\(text) \(stack.end)")
        for (frame, expected) in zip(frames, unwind.expected) {
            #expect(frame.stackPointer == expected.stackPointer, "\(text) \(stack.end)")
            // libunwindstack has moved return addresses back into the call; and, as it does, the
            // address that a signal interrupted, which is exact.
            let moved = frame.programCounter &- expected.counter
            let step: Set<UInt64> =
                switch unwind.processor {
                case .arm64: [4]
                case .arm: [2, 4]
                default: [1]
                }
            let allowed = frame.trust == .context ? [0] : frame.isExact ? step.union([0]) : step
            #expect(allowed.contains(moved), "\(text) \(stack.end)")
        }
        #expect(frames.dropFirst().allSatisfy { $0.trust == .cfi }, "\(text)")
    }
}

/// An offline unwind of AOSP's libunwindstack: registers, a stack's bytes, what was mapped, and the
/// frames that its test expects.
struct OfflineUnwind {
    struct Expected {
        var counter: UInt64
        var stackPointer: UInt64
    }

    let processor: Processor
    let registers: Registers
    let unwinder: Unwinder
    let expected: [Expected]

    static let folder = TestPaths.corpus.map { $0 + "/memory/unwind" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    static let names: [String] = {
        let names = TestPaths.files(under: folder ?? "").compactMap { path in
            let parts = path.split(separator: "/").map(String.init)
            return parts.last == "expected.tsv" ? parts[parts.count - 2] : nil
        }
        return names.filter { $0.hasPrefix("aosp-") }
    }()

    init(_ name: String) throws {
        guard let folder = Self.folder.map({ $0 + "/" + name }) else { throw RunError(description: "there is no corpus") }
        func text(_ file: String) throws -> [[Substring]] {
            String(decoding: try readFile(folder + "/" + file), as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        }
        let suffix = String(name.split(separator: "_").last ?? "")
        let processor: Processor =
            switch suffix {
            case "arm": .arm
            case "arm64": .arm64
            case "x86": .i386
            default: .x86_64
            }
        var registers = Registers(processor, programCounter: 0, stackPointer: 0)
        for line in try text("regs.txt") where line.count == 2 {
            guard let value = UInt64(line[1], radix: 16) else { continue }
            let register = String(line[0].dropLast())
            if register == "pc" { registers.programCounter = value } else { registers[name: register] = value }
        }
        var segments: [Memory.Segment] = []
        for file in TestPaths.files(under: folder) where file.hasSuffix(".data") {
            let bytes = try readFile(file)
            let start = bytes.prefix(8).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64($1.offset * 8) }
            segments.append(Memory.Segment(address: start, .bytes(Array(bytes.dropFirst(8)))))
        }
        var modules: [UnwindModule] = []
        for line in try text("maps.txt") {
            let ends = line[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, let offset = UInt64(line[2], radix: 16), let file = line.last.map(String.init) else { continue }
            let isExecutable = line[1].contains("x")
            modules.append(
                UnwindModule(ends[0]..<ends[1]) {
                    Self.image(folder + "/" + file, mappedAt: ends[0], fileOffset: offset, isExecutable: isExecutable)
                })
        }
        self.processor = processor
        self.registers = registers
        unwinder = Unwinder(ModuleMap(modules), Memory(segments, .littleEndian), processor)
        expected = try readFile(folder + "/expected.tsv").split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            let numbers = String(decoding: line, as: UTF8.self).split(separator: "\t").suffix(2).compactMap {
                UInt64($0.dropFirst(2), radix: 16)
            }
            return numbers.count == 2 ? Expected(counter: numbers[0], stackPointer: numbers[1]) : nil
        }
    }

    /// A file of the folder, which may be packed by xz.
    static func bytes(_ path: String) -> [UInt8]? {
        if TestPaths.isReadable(path) { return try? readFile(path) }
        guard TestPaths.isReadable(path + ".xz"), let result = try? run("xz", ["-dc", path + ".xz"]), result.status == 0 else { return nil }
        return result.standardOutput
    }

    private static func image(_ path: String, mappedAt start: UInt64, fileOffset offset: UInt64, isExecutable: Bool) -> UnwindModule.Image?
    {
        guard var bytes = bytes(path) else { return nil }
        var offset = offset
        // The library is stored in the package as it is, 16 KB from its beginning.
        if path.hasSuffix(".apk") {
            bytes.removeFirst(0x4000)
            offset -= 0x4000
        }
        guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: path), let object = try? ObjectFiles.openAll(file).first,
            let bias = LoadSegments(object).bias(of: [FileMapping(start..<start + 4096, fileOffset: offset, isExecutable: isExecutable)])
        else { return nil }
        return UnwindModule.Image(UnwindTables([object]), bias: bias)
    }
}
