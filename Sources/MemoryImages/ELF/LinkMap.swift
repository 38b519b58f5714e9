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
        return program.description.entryPoint.map { $0 &+ bias == entry } ?? false
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
        guard let headers = description.programHeaders else { return nil }
        guard let address = process.auxiliaryVector[3] else { return program.baseAddress.value == 0 ? nil : 0 }
        for segment in description.segments where !segment.fileRange.isEmpty {
            guard headers >= UInt64(segment.fileRange.lowerBound), headers < UInt64(segment.fileRange.upperBound) else { continue }
            return address &- (segment.address.value &+ headers &- UInt64(segment.fileRange.lowerBound))
        }
        return nil
    }

    /// A file of the dynamic linker's list (`struct link_map`).
    private struct Link {
        var path: String
        var bias: UInt64
        /// Address of the file's dynamic section.
        var dynamicSection: UInt64
    }

    private func links(_ program: ObjectFile, _ bias: UInt64, _ limits: Limits) -> [Link] {
        let description = program.description
        guard let table = description.dynamicTable,
            let segment = description.segments.first(where: { $0.fileRange.contains(table.lowerBound) })
        else { return [] }
        let start = bias &+ segment.address.value &+ UInt64(table.lowerBound - segment.fileRange.lowerBound)
        return links(dynamicSection: start, size: UInt64(table.count), word: UInt64(description.addressSize), limits)
    }

    /// - Parameters:
    ///   - dynamicSection: address of the program's dynamic section.
    ///   - word: bytes of an address in the file.
    private func links(dynamicSection start: UInt64, size: UInt64, word: UInt64, _ limits: Limits) -> [Link] {
        func read(_ address: UInt64) -> UInt64? { memory.read(address, size: Int(word)) }
        var list: UInt64?
        for index in 0..<min(size / (2 * word), Self.maxDynamicEntries) {
            guard let tag = read(start &+ index &* 2 &* word), tag != 0 else { break }
            // DT_DEBUG: r_debug, whose second word is the list.
            if tag == 21 { list = read(start &+ (index &* 2 &+ 1) &* word).flatMap { read($0 &+ word) } }
        }
        var links: [Link] = []
        // l_addr, l_name, l_ld, l_next.
        while let link = list, link != 0, links.count < min(limits.images, 4096) {
            guard let bias = read(link), let name = read(link &+ word), let section = read(link &+ 2 &* word) else { break }
            links.append(Link(path: text(at: name), bias: bias, dynamicSection: section))
            list = read(link &+ 3 &* word)
        }
        return links
    }

    /// Entries of a dynamic section; programs have about thirty.
    private static let maxDynamicEntries: UInt64 = 1 << 12

    /// Returns the C string at an address, of at most 4,096 bytes (`PATH_MAX`); empty if there is none. Invalid UTF-8 is repaired.
    package func text(at address: UInt64) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 4096, let byte = memory.read(address &+ UInt64(bytes.count), size: 1), byte != 0 {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MemoryImage {
    /// Compares the images with the dynamic linker's list. An image whose headers were not saved gets its bias from there.
    mutating func compareWithLinks(_ limits: Limits) {
        var notes: [String] = []
        for link in programLinks(limits) where !link.path.isEmpty {
            let name = Path.name(of: link.path)
            let holder = files.firstIndex { $0.parts.contains { $0.range.contains(link.dynamicSection) } }
            guard let index = holder ?? files.firstIndex(where: { Path.name(of: $0.path) == name }) else { continue }
            guard let bias = files[index].bias else {
                if holder != nil { files[index].bias = link.bias }
                continue
            }
            if bias != link.bias, notes.count < Self.maxLinkNotes,
                !files.contains(where: { $0.bias == link.bias && Path.name(of: $0.path) == name })
            {
                notes.append(
                    "\(name): the dynamic linker's list has its load bias as \(RuntimeAddress(link.bias)), its program headers in memory as \(RuntimeAddress(bias)), which was used"
                )
            }
        }
        self.notes += notes
    }

    private static let maxLinkNotes = 8

    /// The list of the program whose headers are in memory (`AT_PHDR`, `AT_PHENT`, `AT_PHNUM`).
    private func programLinks(_ limits: Limits) -> [Link] {
        let vector = process.auxiliaryVector
        guard let table = vector[3], let size = vector[4], let count = vector[5] else { return [] }
        let isWide = size >= 56
        let headers = MappedHeaders(memory, tableAt: table, entrySize: size, count: count, isWide: isWide)
        guard let dynamic = headers.segments.first(where: { $0.type == MappedHeaders.dynamic }) else { return [] }
        let own = headers.segments.first { $0.type == MappedHeaders.table }.map { table &- $0.address }
        guard let bias = own ?? files.first(where: { $0.parts.contains { $0.range.contains(table) } })?.bias else { return [] }
        return links(dynamicSection: bias &+ dynamic.address, size: dynamic.memorySize, word: isWide ? 8 : 4, limits)
    }
}
