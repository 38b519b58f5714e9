import BinaryPrimitives
import MemoryImages
import TestSupport
import Unwinding

/// Builds a minidump: a header, a directory, then streams and the data that they refer to.
struct MadeMinidump {
    private var writer: ByteWriter
    private var entries: [(type: UInt32, size: UInt32, offset: UInt32)] = []
    let order: ByteOrder

    /// Entries of the directory; those that are not used have the type 0.
    private let room: Int

    init(_ order: ByteOrder = .littleEndian, room: Int = 32) {
        self.order = order
        self.room = room
        writer = ByteWriter(order)
        writer.bytes = [UInt8](repeating: 0, count: 32 + 12 * room)
    }

    /// - Returns: the offset of the bytes.
    @discardableResult
    mutating func add(_ bytes: [UInt8]) -> UInt32 {
        let offset = UInt32(writer.count)
        writer.bytes += bytes
        return offset
    }

    mutating func stream(_ type: UInt32, _ bytes: [UInt8]) { entry(type, size: UInt32(bytes.count), add(bytes)) }

    mutating func entry(_ type: UInt32, size: UInt32, _ offset: UInt32) { entries.append((type, size, offset)) }

    /// Bytes of numbers.
    func numbers(_ numbers: [(UInt64, Int)]) -> [UInt8] {
        var part = ByteWriter(order)
        for (value, size) in numbers { part.put(value, size: size) }
        return part.bytes
    }

    /// A string of UTF-16 after its length.
    mutating func string(_ text: String) -> UInt64 {
        let units = Array(text.utf16)
        return UInt64(add(numbers([(UInt64(units.count * 2), 4)] + units.map { (UInt64($0), 2) } + [(0, 2)])))
    }

    /// A string of UTF-8 after its length.
    mutating func utf8(_ text: String) -> UInt64 { UInt64(add(numbers([(UInt64(text.utf8.count), 4)]) + Array(text.utf8) + [0])) }

    /// - Parameter processor: Microsoft's or Breakpad's number.
    mutating func system(
        _ processor: UInt64, platform: UInt64, _ version: [UInt64] = [0, 0, 0], build: String = "", processors: UInt64 = 4
    ) {
        let text = build.isEmpty ? 0 : string(build)
        stream(
            7,
            numbers(
                [(processor, 2), (0, 2), (0, 2), (processors, 1), (0, 1)] + version.map { ($0, 4) } + [(platform, 4), (text, 4)])
                + [UInt8](repeating: 0, count: 28))
    }

    /// A context of zeros but for its flags and some registers.
    func context(flags: (offset: Int, value: UInt64), _ registers: [(offset: Int, size: Int, value: UInt64)], size: Int) -> [UInt8] {
        var part = ByteWriter(order)
        part.bytes = [UInt8](repeating: 0, count: size)
        part.patch(UInt32(flags.value), at: flags.offset)
        for register in registers {
            if register.size == 8 {
                part.patch(register.value, at: register.offset)
            } else {
                part.patch(UInt32(register.value), at: register.offset)
            }
        }
        return part.bytes
    }

    /// `CONTEXT` of x64: `Rip`, `Rsp`, `Rbp`.
    func context64(_ counter: UInt64, _ stack: UInt64, _ frame: UInt64 = 0, size: Int = 1232) -> [UInt8] {
        context(flags: (48, 0x10_000b), [(248, 8, counter), (152, 8, stack), (160, 8, frame)], size: size)
    }

    /// `MINIDUMP_THREAD`.
    mutating func thread(_ id: UInt64, stack: (address: UInt64, bytes: [UInt8]) = (0, []), context: [UInt8]) -> [UInt8] {
        let offset = add(stack.bytes)
        let registers = add(context)
        return numbers([
            (id, 4), (0, 4), (0, 4), (0, 4), (0, 8), (stack.address, 8), (UInt64(stack.bytes.count), 4), (UInt64(offset), 4),
            (UInt64(context.count), 4), (UInt64(registers), 4),
        ])
    }

    /// A list: a count, perhaps four bytes, and the entries.
    mutating func list(_ type: UInt32, _ entries: [[UInt8]], isPadded: Bool = false) {
        stream(type, numbers([(UInt64(entries.count), 4)]) + [UInt8](repeating: 0xee, count: isPadded ? 4 : 0) + entries.joined())
    }

    /// `MINIDUMP_MODULE`.
    mutating func module(_ base: UInt64, size: UInt64, _ path: String, codeView: [UInt8] = [], time: UInt64 = 0) -> [UInt8] {
        let name = string(path)
        return module(base, size: size, name: name, codeView: codeView, time: time)
    }

    mutating func module(_ base: UInt64, size: UInt64, name: UInt64, codeView: [UInt8] = [], time: UInt64 = 0) -> [UInt8] {
        let offset = UInt64(add(codeView))
        // VS_FIXEDFILEINFO: 1.2.3.4.
        let version = numbers([(0xfeef_04bd, 4), (0x1_0000, 4), (0x1_0002, 4), (0x3_0004, 4)]) + [UInt8](repeating: 0, count: 36)
        return numbers([(base, 8), (size, 4), (0, 4), (time, 4), (name, 4)]) + version
            + numbers([(UInt64(codeView.count), 4), (offset, 4), (0, 4), (0, 4), (0, 8), (0, 8)])
    }

    /// `MINIDUMP_EXCEPTION_STREAM`.
    mutating func exception(thread: UInt64, code: UInt64, flags: UInt64 = 0, address: UInt64, _ parameters: [UInt64] = [], context: [UInt8])
    {
        let offset = UInt64(add(context))
        let filled = parameters + [UInt64](repeating: 0, count: 15 - parameters.count)
        stream(
            6,
            numbers(
                [(thread, 4), (0, 4), (code, 4), (flags, 4), (0, 8), (address, 8), (UInt64(parameters.count), 4), (0, 4)]
                    + filled.map { ($0, 8) } + [(UInt64(context.count), 4), (offset, 4)]))
    }

    var bytes: [UInt8] {
        var file = writer
        for (offset, value) in [(0, 0x504d_444d), (4, 0xa793), (8, UInt32(room)), (12, 32), (20, 1_700_000_000)] {
            file.patch(value, at: offset)
        }
        for (index, entry) in entries.enumerated() {
            file.patch(entry.type, at: 32 + 12 * index)
            file.patch(entry.size, at: 36 + 12 * index)
            file.patch(entry.offset, at: 40 + 12 * index)
        }
        return file.bytes
    }

    func image(limits: Limits = .standard, cutTo size: Int? = nil) throws -> MemoryImage {
        let bytes = bytes
        let file = try MappedFile(bytes: Array(bytes.prefix(size ?? bytes.count)).span.rawBytes, name: "made")
        return try MinidumpReader.read(file, limits: limits)
    }
}
