import BinaryPrimitives
import TestSupport

/// Makes small Mach-O files of either width and byte order, so that a test states all of their
/// contents.
struct MachOBuilder {
    struct Section {
        var name: String
        var segment: String
        var address: UInt64
        var size: UInt64
        /// In the file; `nil` puts `bytes` after the load commands.
        var offset: UInt32?
        var flags: UInt32 = 0
        var bytes: [UInt8] = []
    }

    struct Symbol {
        var name: String
        var type: UInt8
        var section: UInt8
        var descriptor: UInt16 = 0
        var value: UInt64
    }

    var is64Bit = true
    var order = ByteOrder.littleEndian
    var cpu: (type: UInt32, subtype: UInt32) = (0x0100_000c, 0)
    var fileType: UInt32 = 2
    var uuid: [UInt8]?
    var segments: [(name: String, address: UInt64, sections: [Section])] = []
    var symbols: [Symbol] = []
    var localCount: UInt32?
    var functionStarts: [UInt8]?
    /// `cmd` and the words after `cmdsize`.
    var otherCommands: [(UInt32, [UInt32])] = []
    /// Offset of the object in the file that its offsets count in.
    var fileOffset = 0
    /// Offset and bytes of a pool elsewhere in the file that holds the symbols' names.
    var pool: (offset: Int, bytes: [UInt8])?

    func build() -> [UInt8] {
        // Once to learn how long the commands are, once with the offsets after them.
        let size = commands(dataOffset: 0).bytes.count
        let header = is64Bit ? 32 : 28
        let commands = commands(dataOffset: fileOffset + header + size)
        var writer = ByteWriter(order)
        writer.put(is64Bit ? 0xfeed_facf : 0xfeed_face as UInt32)
        writer.put(cpu.type)
        writer.put(cpu.subtype)
        writer.put(fileType)
        writer.put(UInt32(commands.count))
        writer.put(UInt32(commands.bytes.count))
        writer.put(UInt32(0))
        if is64Bit { writer.put(UInt32(0)) }
        return writer.bytes + commands.bytes + commands.data
    }

    private func commands(dataOffset: Int) -> (bytes: [UInt8], count: Int, data: [UInt8]) {
        var bytes: [UInt8] = []
        var count = 0
        var data: [UInt8] = []
        func add(_ command: UInt32, _ body: (inout ByteWriter) -> Void) {
            var writer = ByteWriter(order)
            body(&writer)
            var start = ByteWriter(order)
            start.put(command)
            start.put(UInt32(writer.bytes.count + 8))
            bytes += start.bytes + writer.bytes
            count += 1
        }
        func append(_ more: [UInt8]) -> UInt32 {
            let offset = UInt32(dataOffset + data.count)
            data += more
            return offset
        }
        for segment in segments {
            add(is64Bit ? 0x19 : 0x1) { writer in
                writer.put(name: segment.name, width: 16)
                writer.putWord(segment.address, wide: is64Bit)
                for value: UInt64 in [0x1000, 0, 0] { writer.putWord(value, wide: is64Bit) }
                for value in [7, 5, UInt32(segment.sections.count), 0] { writer.put(value) }
                for section in segment.sections {
                    writer.put(name: section.name, width: 16)
                    writer.put(name: section.segment, width: 16)
                    writer.putWord(section.address, wide: is64Bit)
                    writer.putWord(section.size, wide: is64Bit)
                    writer.put(section.offset ?? append(section.bytes))
                    for value: UInt32 in [0, 0, 0, section.flags, 0, 0] { writer.put(value) }
                    if is64Bit { writer.put(UInt32(0)) }
                }
            }
        }
        if let uuid { add(0x1b) { $0.bytes += uuid } }
        if !symbols.isEmpty {
            var strings: [UInt8] = [0]
            var records = ByteWriter(order)
            for symbol in symbols {
                records.put(UInt32(pool.map { Self.offset(of: symbol.name, in: $0.bytes) } ?? strings.count))
                if pool == nil { strings += Array(symbol.name.utf8) + [0] }
                records.bytes += [symbol.type, symbol.section]
                records.put(symbol.descriptor)
                records.putWord(symbol.value, wide: is64Bit)
            }
            let offset = append(records.bytes)
            let stringsOffset = pool.map { UInt32($0.offset) } ?? append(strings)
            let stringsSize = UInt32(pool?.bytes.count ?? strings.count)
            add(0x2) { writer in for value in [offset, UInt32(symbols.count), stringsOffset, stringsSize] { writer.put(value) } }
        }
        if let localCount {
            add(0xb) { writer in for value in [0, localCount] + [UInt32](repeating: 0, count: 16) { writer.put(value) } }
        }
        if let functionStarts {
            let offset = append(functionStarts)
            add(0x26) { writer in for value in [offset, UInt32(functionStarts.count)] { writer.put(value) } }
        }
        for (command, words) in otherCommands {
            add(command) { writer in for word in words { writer.put(word) } }
        }
        return (bytes, count, data)
    }

    private static func offset(of name: String, in pool: [UInt8]) -> Int {
        let text = [0] + Array(name.utf8) + [0]
        return pool.indices.first { pool[$0...].starts(with: text) }.map { $0 + 1 } ?? 0
    }

    /// A universal file of these objects (`fat_header`, always big-endian), each at a multiple of
    /// 16.
    static func universal(_ slices: [[UInt8]], wide: Bool = false) -> [UInt8] {
        var writer = ByteWriter(.bigEndian)
        writer.put(wide ? 0xcafe_babf : 0xcafe_babe as UInt32)
        writer.put(UInt32(slices.count))
        var position = (8 + slices.count * (wide ? 32 : 20) + 15) & ~15
        var positions: [Int] = []
        for slice in slices {
            writer.put(UInt64(0))  // cputype, cpusubtype
            writer.putWord(UInt64(position), wide: wide)
            writer.putWord(UInt64(slice.count), wide: wide)
            writer.put(UInt32(4))
            if wide { writer.put(UInt32(0)) }
            positions.append(position)
            position = (position + slice.count + 15) & ~15
        }
        for (slice, position) in zip(slices, positions) {
            writer.bytes += [UInt8](repeating: 0, count: position - writer.bytes.count) + slice
        }
        return writer.bytes
    }
}
