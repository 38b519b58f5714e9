import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport

/// An ELF file of one executable section, at 0x1000.
struct MadeELF {
    var machine: UInt16
    var is64Bit = true
    var order = ByteOrder.littleEndian
    var flags: UInt32 = 0
    var text: [UInt8]

    init(machine: UInt16 = 62, is64Bit: Bool = true, order: ByteOrder = .littleEndian, flags: UInt32 = 0, text: [UInt8]) {
        (self.machine, self.is64Bit, self.order, self.flags, self.text) = (machine, is64Bit, order, flags, text)
    }

    init(machine: UInt16, order: ByteOrder = .littleEndian, words: [UInt32]) {
        var writer = ByteWriter(order)
        for word in words { writer.put(word) }
        self.init(machine: machine, order: order, text: writer.bytes)
    }

    /// Header, text, names, section headers (gABI, chapter 4).
    var bytes: [UInt8] {
        let names: [UInt8] = Array("\0.text\0.n\0".utf8)
        let headerSize = is64Bit ? 64 : 52
        var writer = ByteWriter(order)
        writer.bytes = [0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, order == .littleEndian ? 1 : 2, 1] + [UInt8](repeating: 0, count: 9)
        writer.put(UInt16(3))
        writer.put(machine)
        writer.put(UInt32(1))
        for value in [0, 0, headerSize + text.count + names.count] { writer.putWord(UInt64(value), wide: is64Bit) }
        writer.put(flags)
        for value in [headerSize, is64Bit ? 56 : 32, 0, is64Bit ? 64 : 40, 3, 2] { writer.put(UInt16(value)) }
        writer.bytes += text + names
        let sections: [(name: Int, type: Int, flags: Int, address: Int, offset: Int, size: Int)] = [
            (0, 0, 0, 0, 0, 0), (1, 1, 6, 0x1000, headerSize, text.count), (7, 3, 0, 0, headerSize + text.count, names.count),
        ]
        for section in sections {
            writer.put(UInt32(section.name))
            writer.put(UInt32(section.type))
            for value in [section.flags, section.address, section.offset, section.size] { writer.putWord(UInt64(value), wide: is64Bit) }
            writer.put(UInt32(0))
            writer.put(UInt32(0))
            for _ in 0..<2 { writer.putWord(1, wide: is64Bit) }
        }
        return writer.bytes
    }

    func object(limits: Limits = .standard) throws -> ObjectFile {
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "made")
        return try ObjectFiles.openAll(file, limits: limits)[0]
    }

    func sites(limits: Limits = .standard) throws -> CallSites? { CallSites([try object(limits: limits)]) }

    func calls() throws -> [CallSite] {
        var calls: [CallSite] = []
        try sites()?.forEachCall { site in
            calls.append(site)
            return true
        }
        return calls
    }
}
