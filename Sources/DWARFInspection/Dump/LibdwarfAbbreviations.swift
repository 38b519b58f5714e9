#if Inspection
    internal import CLibdwarf

    /// An abbreviation: what entries with its code are and have (DWARF 5, section 7.5.3).
    final class Abbreviation {
        struct Specification {
            /// `DW_AT_…`
            var attribute: UInt16
            /// `DW_FORM_…`
            var form: UInt16
            /// The value, where the form is `DW_FORM_implicit_const`.
            var constant: Int64
        }

        let code: UInt64
        let tag: UInt16
        let hasChildren: Bool
        let specifications: [Specification]
        /// How statistics read such entries, made when the first is met.
        var plan: EntryPlan?

        init(code: UInt64, tag: UInt16, hasChildren: Bool, specifications: [Specification]) {
            self.code = code
            self.tag = tag
            self.hasChildren = hasChildren
            self.specifications = specifications
        }
    }

    /// The abbreviations of one unit, by their codes.
    final class Abbreviations {
        /// Where they begin in `.debug_abbrev`.
        let offset: UInt64
        /// In the order of the section.
        let all: [Abbreviation]
        /// The offset behind the zero that ends them.
        let end: UInt64
        private let byCode: [UInt64: Int]
        /// The codes are 1, 2, 3, … as compilers write them.
        private let isCounted: Bool

        init(offset: UInt64, all: [Abbreviation], end: UInt64) {
            self.offset = offset
            self.all = all
            self.end = end
            isCounted = all.enumerated().allSatisfy { $0.element.code == UInt64($0.offset) + 1 }
            byCode = isCounted ? [:] : Dictionary(all.enumerated().map { ($0.element.code, $0.offset) }) { first, _ in first }
        }

        @inline(__always)
        subscript(code: UInt64) -> Abbreviation? {
            if isCounted { return code > 0 && code <= UInt64(all.count) ? all[Int(code) - 1] : nil }
            return byCode[code].map { all[$0] }
        }
    }

    extension LibdwarfSession {
        /// The abbreviations that begin at an offset of `.debug_abbrev`.
        /// - Throws: `InspectionError` where libdwarf refuses one.
        func abbreviations(at start: UInt64) throws(InspectionError) -> Abbreviations {
            var all: [Abbreviation] = []
            var offset = start
            while true {
                var abbreviation: OpaquePointer?
                var (length, count): (Dwarf_Unsigned, Dwarf_Unsigned) = (0, 0)
                var error: OpaquePointer?
                let status = unsafe dwarf_get_abbrev(handle, offset, &abbreviation, &length, &count, &error)
                guard status == DW_DLV_OK, let abbreviation = unsafe abbreviation, length > 0 else {
                    // The end of the section stands for the zero.
                    if status == DW_DLV_NO_ENTRY, !all.isEmpty { break }
                    throw InspectionError("the abbreviations at 0x\(String(start, radix: 16)): \(unsafe Self.words(error))")
                }
                defer { unsafe dwarf_dealloc(handle, UnsafeMutableRawPointer(abbreviation), Dwarf_Unsigned(DW_DLA_ABBREV)) }
                offset += length
                // libdwarf gives the zero that ends them as an abbreviation of one byte.
                if length == 1 { break }
                all.append(try unsafe Self.read(abbreviation, count))
            }
            return Abbreviations(offset: start, all: all, end: offset)
        }

        private static func read(_ abbreviation: OpaquePointer, _ count: UInt64) throws(InspectionError) -> Abbreviation {
            var (code, tag, hasChildren): (Dwarf_Unsigned, Dwarf_Half, Dwarf_Signed) = (0, 0, 0)
            var error: OpaquePointer?
            guard unsafe dwarf_get_abbrev_code(abbreviation, &code, &error) == DW_DLV_OK,
                unsafe dwarf_get_abbrev_tag(abbreviation, &tag, &error) == DW_DLV_OK,
                unsafe dwarf_get_abbrev_children_flag(abbreviation, &hasChildren, &error) == DW_DLV_OK
            else { throw InspectionError("an abbreviation: \(unsafe words(error))") }
            var specifications: [Abbreviation.Specification] = []
            for index in 0..<count {
                var (attribute, form, offset): (Dwarf_Unsigned, Dwarf_Unsigned, Dwarf_Off) = (0, 0, 0)
                var constant: Dwarf_Signed = 0
                guard
                    unsafe dwarf_get_abbrev_entry_b(abbreviation, index, 0, &attribute, &form, &constant, &offset, &error) == DW_DLV_OK
                else { throw InspectionError("an abbreviation: \(unsafe words(error))") }
                // The pair of zeros that ends them counts as one.
                if attribute == 0, form == 0 { break }
                specifications.append(
                    Abbreviation.Specification(
                        attribute: UInt16(truncatingIfNeeded: attribute), form: UInt16(truncatingIfNeeded: form), constant: constant))
            }
            return Abbreviation(code: code, tag: tag, hasChildren: hasChildren != 0, specifications: specifications)
        }
    }
#endif
