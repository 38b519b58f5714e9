#if Inspection
    internal import BinaryPrimitives
    internal import CLibdwarf
    internal import ObjectFiles

    /// One object's debug sections as libdwarf is given them; it keeps pointers into them while it is open.
    @safe final class LibdwarfSections {
        let object: UnsafeMutablePointer<cairn_dwarf_object>
        private let sections: UnsafeMutablePointer<cairn_dwarf_section>
        /// Owns the bytes that `sections` points to.
        private let contents: [SectionContents]

        /// The sections that answer addresses, by ELF's names.
        private static let names: [StaticString] = [
            ".debug_info", ".debug_types", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets",
            ".debug_addr",
            ".debug_ranges", ".debug_rnglists",
        ]

        /// - Throws: `InspectionError` if the object has no `.debug_info`, or a section cannot be inflated.
        init(_ file: ObjectFile) throws(InspectionError) {
            var parts: [(name: StaticString, contents: SectionContents)] = []
            for name in Self.names {
                guard let section = Self.section(name.description, of: file) else { continue }
                do throws(ObjectFileError) { parts.append((name, try file.contents(of: section))) } catch {
                    throw InspectionError("\(name) cannot be read: \(error.problem)")
                }
            }
            guard parts.first?.name.description == ".debug_info" else {
                throw InspectionError("no debug information: expected a .debug_info section")
            }
            contents = parts.map(\.contents)
            unsafe sections = .allocate(capacity: parts.count + 1)
            unsafe sections.initialize(repeating: cairn_dwarf_section(), count: parts.count + 1)
            unsafe sections[0].name = Self.cString("")
            for (index, part) in parts.enumerated() {
                unsafe sections[index + 1].name = Self.cString(part.name)
                unsafe sections[index + 1].size = UInt64(part.contents.count)
                // The mapping and the inflated memory stay where they are for as long as `contents` owns them.
                unsafe sections[index + 1].bytes = part.contents.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: UInt8.self) }
                }
            }
            unsafe object = .allocate(capacity: 1)
            unsafe object.initialize(to: cairn_dwarf_object())
            unsafe object.pointee.sections = UnsafePointer(sections)
            unsafe object.pointee.section_count = UInt64(parts.count + 1)
            unsafe object.pointee.file_size = UInt64(file.file.size)
            unsafe object.pointee.is_big_endian = file.description.byteOrder == .bigEndian ? 1 : 0
            unsafe object.pointee.address_size = UInt8(clamping: file.description.addressSize)
        }

        deinit {
            unsafe sections.deallocate()
            unsafe object.deallocate()
        }

        /// A literal stays where it is, and ends with a zero.
        private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
            unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        /// Mach-O's names have two underscores for the dot, and are cut to the sixteen bytes of `sectname`.
        private static func section(_ name: String, of file: ObjectFile) -> Section? {
            let name = file.description.container == .machO ? String(("__" + name.dropFirst()).prefix(16)) : name
            return file.description.sections.first { $0.name == name && !$0.fileRange.isEmpty }
        }
    }
#endif
