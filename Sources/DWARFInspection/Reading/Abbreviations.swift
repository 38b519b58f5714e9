internal import BinaryPrimitives
internal import DWARF

/// An abbreviation: what entries with its code are and have (DWARF 5, section 7.5.3).
final class DumpAbbreviation {
    let code: UInt64
    let tag: UInt16
    let hasChildren: Bool
    let specifications: [AttributeSpecification]
    /// How statistics read such entries.
    private(set) lazy var plan = EntryPlan(self)

    init(_ declaration: AbbreviationDeclaration) {
        code = declaration.code
        tag = declaration.tag
        hasChildren = declaration.hasChildren
        specifications = declaration.specifications
    }
}

/// The abbreviations of one unit, by their codes.
final class Abbreviations {
    /// In the order of the section.
    let all: [DumpAbbreviation]
    /// The offset after the zero that ends them.
    let end: UInt64
    private let byCode: [UInt64: Int]
    /// The codes are 1, 2, 3, … as compilers write them.
    private let isCounted: Bool

    /// Reads those that begin at an offset of `.debug_abbrev`.
    /// - Parameter sizes: of the units that have them; any do where no entries are read.
    /// - Throws: `DumpError` where one cannot be read.
    init(at offset: UInt64, of section: SectionBytes, _ sizes: FormSizes = .ofTables) throws(DumpError) {
        var cursor = section.cursor(at: Int(clamping: offset))
        let forms = FormSteps(sizes)
        var all: [DumpAbbreviation] = []
        do throws(ReadError) {
            // The end of the section counts as the zero.
            while all.isEmpty || cursor.position < section.count {
                let declaration = try cursor.read { (bytes: inout RawSpan) throws(ReadError) in
                    try AbbreviationDeclaration(&bytes, forms)
                }
                guard let declaration else { break }
                all.append(DumpAbbreviation(declaration))
                let limit = Limits.standard.abbreviations
                if all.count > limit { throw ReadError(.tooMany(limit: limit), bytesLeft: 0) }
            }
        } catch {
            throw DumpError("the abbreviations at 0x\(String(offset, radix: 16)): \(error.description)")
        }
        self.all = all
        end = UInt64(cursor.position)
        isCounted = all.enumerated().allSatisfy { $0.element.code == UInt64($0.offset) + 1 }
        byCode = isCounted ? [:] : Dictionary(all.enumerated().map { ($0.element.code, $0.offset) }) { first, _ in first }
    }

    @inline(__always)
    subscript(code: UInt64) -> DumpAbbreviation? {
        if isCounted { return code > 0 && code <= UInt64(all.count) ? all[Int(code) - 1] : nil }
        return byCode[code].map { all[$0] }
    }
}
