#if Inspection
    internal import BinaryPrimitives
    internal import CLibdwarf
    internal import ObjectFiles

    /// One object's debug sections as libdwarf is given them; it keeps pointers into them while it is open.
    @safe final class LibdwarfSections {
        let object: UnsafeMutablePointer<cairn_dwarf_object>
        private let sections: UnsafeMutablePointer<cairn_dwarf_section>
        /// Owns the bytes that `sections` points to, where they are in a file or were inflated.
        private let contents: [SectionContents]
        /// Copies of those that were put together in an array, which may move its elements.
        private let copies: [UnsafeMutableRawPointer]

        /// The sections that answer addresses, by ELF's names.
        private static let names: [StaticString] = [
            ".debug_info", ".debug_types", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets",
            ".debug_addr", ".debug_ranges", ".debug_rnglists",
        ]

        /// - Throws: `InspectionError` if the object has no `.debug_info`, or a section cannot be inflated.
        init(_ file: ObjectFile) throws(InspectionError) {
            var parts: [(name: StaticString, contents: SectionContents)] = []
            for name in Self.names {
                let found = Self.sections(name.description, of: file)
                guard !found.isEmpty else { continue }
                do throws(ObjectFileError) { parts.append((name, try file.contents(joining: found))) } catch {
                    throw InspectionError("\(name) cannot be read: \(error.problem)")
                }
            }
            guard parts.first?.name.description == ".debug_info" else {
                throw InspectionError("no debug information: expected a .debug_info section")
            }
            contents = parts.map(\.contents)
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
                            // The mapping and the inflated memory stay where they are for as long as `contents` owns them.
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

        deinit {
            unsafe copies.forEach { unsafe $0.deallocate() }
            unsafe sections.deallocate()
            unsafe object.deallocate()
        }

        /// A literal stays where it is, and ends with a zero.
        private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
            unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        /// Mach-O's names have two underscores for the dot, and are cut to the sixteen bytes of `sectname`. GNU's old compression puts a `z` before the name.
        /// A relocatable file may have several of one name, which its linker would join.
        private static func sections(_ name: String, of file: ObjectFile) -> [Section] {
            let isMachO = file.description.container == .machO
            let names = [name.dropFirst(), "z" + name.dropFirst()].map { isMachO ? String(("__" + $0).prefix(16)) : "." + $0 }
            let found = file.description.sections.filter { names.contains($0.name) && !$0.fileRange.isEmpty }
            return file.description.sectionsArePlaced ? found : Array(found.prefix(1))
        }
    }
#endif
