internal import BinaryPrimitives
internal import ObjectFiles

/// Reads the bytes as the stubs of a file made here: the first byte selects the machine. They often
/// load from an address that has a relocation.
func askStubs(_ bytes: RawSpan) {
    guard bytes.byteCount > 8 else { return }
    let machine = machines[Int(bytes.byte(at: 0)) % machines.count]
    let file = wrap(bytes.clamped(to: 1..<min(bytes.byteCount, 4096)), machine)
    guard let mapped = try? MappedFile(bytes: file.span.rawBytes, name: "input"), let object = try? ObjectFiles.openAll(mapped).first else {
        return
    }
    askStubs(object)
}

/// Looks up each stub at both its ends.
func askStubs(_ object: ObjectFile) {
    var end: UInt64 = 0
    for range in object.stubRanges {
        precondition(range.lowerBound >= end && !range.isEmpty)
        end = range.upperBound
        let (first, last) = (object.stub(containing: LinkAddress(range.lowerBound)), object.stub(containing: LinkAddress(end - 1)))
        precondition(first == last)
    }
}

/// `e_machine`, the class and the byte order, and the type of relocation for a function that is
/// chosen at the start.
private let machines: [(number: UInt64, is64Bit: Bool, isLittle: Bool, indirect: UInt64)] = [
    (62, true, true, 37), (62, false, true, 37), (3, false, true, 42), (183, true, true, 1032), (40, false, true, 160),
    (243, true, true, 58),
    (243, false, true, 58), (22, true, false, 61), (21, true, true, 248), (21, true, false, 248), (258, true, true, 12),
    (8, false, true, 127),
    (8, true, true, 127),
]

/// An ELF file (gABI, chapters 4 and 5) with `.plt` at 0x1000, `.got` at 0x1800, and a relocation
/// for every eighth byte from 0xc00 to 0x2000.
private func wrap(_ code: RawSpan, _ machine: (number: UInt64, is64Bit: Bool, isLittle: Bool, indirect: UInt64)) -> [UInt8] {
    var file: [UInt8] = []
    func put(_ value: UInt64, _ size: Int) {
        for index in 0..<size {
            file.append(UInt8(truncatingIfNeeded: value >> UInt64((machine.isLittle ? index : size - 1 - index) * 8)))
        }
    }
    let word = machine.is64Bit ? 8 : 4
    let (headerSize, segmentSize, sectionSize) = machine.is64Bit ? (64, 56, 64) : (52, 32, 40)
    let names: [UInt8] = Array("\0.plt\0.got\0.n\0puts\0".utf8)
    let slots = Array(stride(from: UInt64(0xc00), to: 0x2000, by: 8))
    // After the headers: the dynamic table, two symbols, the names, the relocations, the code; all
    // of them at 0x8000 in memory.
    let start = headerSize + 2 * segmentSize
    let symbols = start + 14 * word
    let strings = symbols + 2 * (machine.is64Bit ? 24 : 16)
    let relocations = strings + names.count
    let length = slots.count * 3 * word
    let sections = relocations + length + code.byteCount
    file += [0x7f, 0x45, 0x4c, 0x46, machine.is64Bit ? 2 : 1, machine.isLittle ? 1 : 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    put(3, 2)
    put(machine.number, 2)
    put(1, 4)
    for value in [0, headerSize, sections] { put(UInt64(value), word) }
    put(0, 4)
    for value in [headerSize, segmentSize, 2, sectionSize, 4, 3] { put(UInt64(value), 2) }
    for (type, size) in [(UInt64(1), sections - start), (2, symbols - start)] {
        put(type, 4)
        if machine.is64Bit { put(4, 4) }
        for value in [UInt64(start), UInt64(0x8000), 0x8000, UInt64(size), UInt64(size)] { put(value, word) }
        if !machine.is64Bit { put(4, 4) }
        put(0x1000, word)
    }
    func address(_ position: Int) -> UInt64 { UInt64(0x8000 + position - start) }
    let entries = [
        (3, 0x1800), (6, address(symbols)), (5, address(strings)), (10, UInt64(names.count)), (23, address(relocations)),
        (2, UInt64(length)), (20, 7),
    ]
    for (tag, value) in entries { for number in [UInt64(tag), value] { put(number, word) } }
    for name: UInt64 in [0, 14] {
        put(name, 4)
        file += [UInt8](repeating: 0, count: machine.is64Bit ? 20 : 12)
    }
    file += names
    for (index, slot) in slots.enumerated() {
        put(slot, word)
        put(index % 4 == 3 ? machine.indirect : UInt64(1) << (machine.is64Bit ? 32 : 8), word)
        put(0x1234, word)
    }
    for index in 0..<code.byteCount { file.append(code.byte(at: index)) }
    let headers: [(name: UInt64, type: UInt64, flags: UInt64, address: UInt64, offset: Int, size: Int)] = [
        (0, 0, 0, 0, 0, 0), (1, 1, 6, 0x1000, relocations + length, code.byteCount), (6, 8, 3, 0x1800, 0, 8),
        (11, 3, 0, 0, strings, names.count),
    ]
    for header in headers {
        put(header.name, 4)
        put(header.type, 4)
        for value in [header.flags, header.address, UInt64(header.offset), UInt64(header.size)] { put(value, word) }
        put(0, 8)
        for _ in 0..<2 { put(1, word) }
    }
    return file
}
