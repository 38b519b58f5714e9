/// Core files of ELF with 64 bits, little-endian, that are made by hand (gABI, chapters 4 and 5; Linux, `fs/binfmt_elf.c`).
enum HandmadeCore {
    typealias Segment = (type: UInt32, address: UInt64, memory: UInt64, contents: [UInt8])

    static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T(8 * $0)) }
    }

    /// A note; its name has a zero at its end.
    static func note(_ name: String, _ type: UInt32, _ content: [UInt8]) -> [UInt8] {
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
        let name = Array(name.utf8) + [0]
        return little(UInt32(name.count)) + little(UInt32(content.count)) + little(type) + padded(name) + padded(content)
    }

    static func file(machine: UInt16, notes: [UInt8], segments: [Segment] = []) -> [UInt8] {
        let headers = 1 + segments.count
        var position = 64 + headers * 56
        func header(_ type: UInt32, _ address: UInt64, _ memory: UInt64, _ size: Int) -> [UInt8] {
            defer { position += size }
            return little(type) + little(UInt32(type == 1 ? 5 : 4)) + little(UInt64(position)) + little(address) + little(UInt64(0))
                + little(UInt64(size)) + little(memory) + little(UInt64(1))
        }
        var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        bytes += little(UInt16(4)) + little(machine) + little(UInt32(1)) + little(UInt64(0)) + little(UInt64(64)) + little(UInt64(0))
        bytes += little(UInt32(0)) + [64, 56, UInt16(headers), 0, 0, 0].flatMap { little(UInt16($0)) }
        bytes += header(4, 0, 0, notes.count)
        for segment in segments { bytes += header(segment.type, segment.address, segment.memory, segment.contents.count) }
        return bytes + notes + segments.flatMap(\.contents)
    }

    /// A core of Linux with one thread and a signal: elf_prstatus has 112 bytes, the registers, and a number.
    static func linux(machine: UInt16, registers: Int, signal: [UInt8], segments: [Segment] = []) -> [UInt8] {
        let status = little(UInt32(11)) + [UInt8](repeating: 0, count: 108 + registers * 8 + 8)
        return file(machine: machine, notes: note("CORE", 1, status) + note("CORE", 0x5349_4749, signal), segments: segments)
    }
}
