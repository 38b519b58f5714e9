package import BinaryPrimitives
package import ObjectFiles
internal import Unwinding

/// Finds the program and its libraries in cores that do not list mapped files (Linux before 3.7, qemu): the
/// kernel notes the address of the program's headers, and the dynamic linker keeps a list of the files that
/// it loaded (glibc, `link.h`).
extension MemoryImage {
    /// Adds the program, and the libraries of its list of links.
    /// - Parameter open: opens a library by the path that the process had.
    package mutating func addFiles(program: ObjectFile, path: String, limits: Limits = .standard, open: (String) -> ObjectFile?) {
        guard files.isEmpty, let bias = bias(ofProgram: program), begins(program, bias) else { return }
        add(program, path: path, bias: bias)
        for link in links(program, bias, limits) where link.bias != bias {
            if let object = open(link.path) { add(object, path: link.path, bias: link.bias) }
        }
        files.sort { $0.base < $1.base }
    }

    /// Whether the program's entry point is the one that the kernel noted (`AT_ENTRY`).
    private func begins(_ program: ObjectFile, _ bias: UInt64) -> Bool {
        guard let entry = process.auxiliaryVector[9] else { return true }
        return program.entryPoint.map { $0 &+ bias == entry } ?? false
    }

    private mutating func add(_ object: ObjectFile, path: String, bias: UInt64) {
        let parts = object.description.segments.filter { $0.size > 0 }.map { segment in
            let start = bias &+ segment.address.value
            let page = start & 0xfff
            return MappedImage.Part(
                start &- page..<max(start &- page, start &+ segment.size), fileOffset: UInt64(segment.fileRange.lowerBound) &- page,
                isExecutable: segment.isExecutable)
        }
        files.append(MappedImage(path: path, parts: parts.sorted { $0.range.lowerBound < $1.range.lowerBound }))
    }

    /// Returns the bias by `AT_PHDR`, the address of the program's headers; without it, the bias of a program
    /// that is loaded at its linked address.
    private func bias(ofProgram program: ObjectFile) -> UInt64? {
        let description = program.description
        guard description.container == .elf else { return nil }
        let (offset, size) = description.addressSize == 8 ? (32, 8) : (28, 4)
        let headers = program.file.withBytes { try? $0.unsigned(size: size, at: offset, description.byteOrder) }
        guard let address = process.auxiliaryVector[3], let headers else { return program.baseAddress.value == 0 ? nil : 0 }
        for segment in description.segments where !segment.fileRange.isEmpty {
            guard headers >= UInt64(segment.fileRange.lowerBound), headers < UInt64(segment.fileRange.upperBound) else { continue }
            return address &- (segment.address.value &+ headers &- UInt64(segment.fileRange.lowerBound))
        }
        return nil
    }

    private func links(_ program: ObjectFile, _ bias: UInt64, _ limits: Limits) -> [(path: String, bias: UInt64)] {
        let description = program.description
        let word = UInt64(description.addressSize)
        guard let table = description.dynamicTable,
            let segment = description.segments.first(where: { $0.fileRange.contains(table.lowerBound) })
        else { return [] }
        func read(_ address: UInt64) -> UInt64? { memory.read(address, size: Int(word)) }
        let start = bias &+ segment.address.value &+ UInt64(table.lowerBound - segment.fileRange.lowerBound)
        var list: UInt64?
        for index in 0..<UInt64(table.count) / (2 * word) {
            guard let tag = read(start &+ index &* 2 &* word), tag != 0 else { break }
            // DT_DEBUG: r_debug, whose second word is the list.
            if tag == 21 { list = read(start &+ (index &* 2 &+ 1) &* word).flatMap { read($0 &+ word) } }
        }
        var links: [(path: String, bias: UInt64)] = []
        // l_addr, l_name, l_ld, l_next.
        while let link = list, link != 0, links.count < min(limits.images, 4096) {
            guard let bias = read(link), let name = read(link &+ word) else { break }
            links.append((text(at: name), bias))
            list = read(link &+ 3 &* word)
        }
        return links
    }

    private func text(at address: UInt64) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 4096, let byte = memory.read(address &+ UInt64(bytes.count), size: 1), byte != 0 {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
