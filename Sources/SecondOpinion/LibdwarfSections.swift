internal import BinaryPrimitives
internal import CLibdwarf
internal import ObjectFiles

/// One object's debug sections as they are passed to libdwarf; it keeps pointers into them while it is open.
@safe final class LibdwarfSections {
    let object: UnsafeMutablePointer<cairn_dwarf_object>
    private let sections: UnsafeMutablePointer<cairn_dwarf_section>
    /// Owns the bytes that `sections` points to, if they are in a file or were inflated.
    private let contents: [SectionContents]
    /// Copies of the bytes that were joined in an array, which may move its elements.
    private let copies: [UnsafeMutableRawPointer]
    /// Owns the bytes instead, if only a part of its sections is passed.
    private let whole: LibdwarfSections?

    /// The sections that are needed to resolve addresses, by ELF's names.
    private static let names: [StaticString] = [
        ".debug_info", ".debug_types", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets",
        ".debug_addr", ".debug_ranges", ".debug_rnglists",
    ]

    /// The sections of a `.dwo` file (DWARF 5, section 7.3.2.2), and the indexes of a package of them
    /// (section 7.3.5.3).
    private static let splitNames: [StaticString] = [
        ".debug_info.dwo", ".debug_types.dwo", ".debug_abbrev.dwo", ".debug_line.dwo", ".debug_str.dwo", ".debug_str_offsets.dwo",
        ".debug_rnglists.dwo", ".debug_cu_index", ".debug_tu_index",
    ]

    /// - Parameter isSplit: the object is a `.dwo` file or a package of them.
    /// - Throws: `InspectionError` if the object has no `.debug_info`, or a section cannot be
    ///   inflated.
    init(_ file: ObjectFile, isSplit: Bool = false) throws(InspectionError) {
        let names = isSplit ? Self.splitNames : Self.names
        var parts: [(name: StaticString, contents: SectionContents)] = []
        for name in names {
            let found = file.debugSections(named: name.description)
            guard !found.isEmpty else { continue }
            do throws(ObjectFileError) { parts.append((name, try file.contents(joining: found))) } catch {
                throw InspectionError("\(name) cannot be read: \(error.problem)")
            }
        }
        guard let first = parts.first?.name.description, first == names[0].description else {
            throw InspectionError("no debug information: expected a \(names[0]) section")
        }
        contents = parts.map(\.contents)
        whole = nil
        var copies: [UnsafeMutableRawPointer] = unsafe []
        unsafe sections = .allocate(capacity: parts.count + 1)
        unsafe sections.initialize(repeating: cairn_dwarf_section(), count: parts.count + 1)
        unsafe sections[0].name = Self.cString("")
        for (index, part) in parts.enumerated() {
            unsafe sections[index + 1].name = Self.cString(part.name)
            unsafe sections[index + 1].size = UInt64(part.contents.count)
            unsafe sections[index + 1].bytes = part.contents.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { buffer in
                    guard case .assembled = part.contents, let start = buffer.baseAddress else {
                        // The mapping and the inflated memory do not move for as long as `contents` owns
                        // them.
                        return unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    }
                    let copy = UnsafeMutableRawPointer.allocate(byteCount: buffer.count, alignment: 16)
                    unsafe copy.copyMemory(from: start, byteCount: buffer.count)
                    unsafe copies.append(copy)
                    return unsafe UnsafePointer(copy.assumingMemoryBound(to: UInt8.self))
                }
            }
        }
        unsafe self.copies = copies
        unsafe object = .allocate(capacity: 1)
        unsafe object.initialize(to: cairn_dwarf_object())
        unsafe object.pointee.sections = UnsafePointer(sections)
        unsafe object.pointee.section_count = UInt64(parts.count + 1)
        unsafe object.pointee.file_size = UInt64(file.file.size)
        unsafe object.pointee.is_big_endian = file.description.byteOrder == .bigEndian ? 1 : 0
        unsafe object.pointee.address_size = UInt8(clamping: file.description.addressSize)
    }

    /// Takes another object's sections, some of them cut to a part.
    /// - Parameter parts: ranges in bytes from the section's first, by its name.
    init(_ parts: [String: Range<UInt64>], of other: LibdwarfSections) {
        whole = other
        contents = []
        unsafe copies = []
        let count = unsafe Int(other.object.pointee.section_count)
        unsafe sections = .allocate(capacity: count)
        unsafe sections.initialize(from: other.sections, count: count)
        for index in 1..<count {
            guard let part = unsafe parts[String(cString: sections[index].name)] else { continue }
            let range = unsafe part.clamped(to: 0..<sections[index].size)
            unsafe sections[index].bytes = sections[index].bytes.map { unsafe $0 + Int(range.lowerBound) }
            unsafe sections[index].size = UInt64(range.count)
        }
        unsafe object = .allocate(capacity: 1)
        unsafe object.initialize(to: other.object.pointee)
        unsafe object.pointee.sections = UnsafePointer(sections)
    }

    deinit {
        unsafe copies.forEach { unsafe $0.deallocate() }
        unsafe sections.deallocate()
        unsafe object.deallocate()
    }

    /// A literal does not move, and ends with a zero.
    private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
