internal import BinaryPrimitives

/// The abbreviations of a unit.
///
/// Everything that a walk over the entries needs is computed when the table is read. The attributes of an abbreviation are read from their
/// declaration when an entry is looked into, which few are: small units cost as much for their abbreviations as for their entries.
final class AbbreviationTable: Sendable {
    /// By code minus one, where the codes count up from one, as every compiler writes them.
    private let dense: [Abbreviation]
    /// The same of each in short.
    private let shapes: [EntryShape]
    /// Those that do not fit in `dense`.
    private let sparse: [UInt64: Abbreviation]
    /// A copy of the bytes that were read.
    private let declarations: [UInt8]
    /// The attributes of the abbreviations for subroutines, one after the other.
    private let specifications: [AttributeSpecification]
    private let forms: FormSteps

    /// Reads the table at `offset` of `.debug_abbrev`.
    /// - Parameters:
    ///   - section: all of `.debug_abbrev`.
    ///   - only: the one code that is wanted; the other abbreviations are passed over.
    ///   - sectionOffset: where `section` begins, if that is not the section's first byte; used in
    ///     errors.
    ///   - isCut: the section goes on after `section`, so that a table that is not at its end there
    ///     is not complete.
    init(
        _ section: RawSpan, at offset: Int, _ sizes: FormSizes, only wanted: UInt64? = nil, sectionOffset: Int = 0,
        isCut: Bool = false, limits: Limits = .standard
    ) throws(DWARFError) {
        forms = FormSteps(sizes)
        var parser = AbbreviationParser(forms)
        do throws(ReadError) {
            // The attributes' positions count from here.
            var table = try section.from(UInt64(clamping: offset))
            var cursor = table
            if let wanted {
                if try cursor.skipDeclarations(before: wanted, isCut: isCut) {
                    table = cursor
                    try parser.readAbbreviation(wanted, &cursor, in: table)
                }
            } else {
                parser.reserveTable()
                while cursor.byteCount > 0 || isCut {
                    let code = try cursor.readULEB128()
                    if code == 0 { break }
                    try parser.readAbbreviation(code, &cursor, in: table)
                    if parser.count > limits.abbreviations || table.byteCount - cursor.byteCount > Int(Int32.max) {
                        throw ReadError(.tooMany(limit: limits.abbreviations), bytesLeft: cursor.byteCount)
                    }
                }
            }
            var bytes: [UInt8] = []
            bytes.append(copying: table.prefix(table.byteCount - cursor.byteCount).text)
            declarations = bytes
        } catch {
            throw DWARFError(.abbrev, endingAt: sectionOffset + section.byteCount, error)
        }
        dense = parser.dense
        shapes = parser.shapes
        sparse = parser.sparse
        specifications = parser.specifications
    }

    /// How many abbreviations it has.
    var count: Int { dense.count + sparse.count }

    /// Whether another table declares a code as this one does, which was read for it alone.
    func isDeclared(_ code: UInt64, at offset: Int, of section: RawSpan) -> Bool {
        guard var cursor = try? section.from(UInt64(clamping: offset)),
            let isThere = try? cursor.skipDeclarations(before: code, isCut: false), isThere
        else { return false }
        let kept = declarations
        let bytes = kept.span.rawBytes
        return cursor.hasPrefix(bytes)
    }

    /// Whether a table declares an entry with addresses of code (`DW_AT_low_pc`, `DW_AT_ranges`; DWARF 5, section 2.17). A unit that has
    /// only types declares none, and need not be searched for functions.
    /// - Returns: `true` also if the table cannot be read.
    static func declaresCode(_ section: RawSpan, at offset: Int) -> Bool {
        guard var cursor = try? section.from(UInt64(clamping: offset)) else { return true }
        do throws(ReadError) {
            while try cursor.readULEB128() != 0 {
                // The tag, and whether it has children.
                try cursor.skipLEB128()
                try cursor.skip(1)
                while true {
                    let (name, form) = (try cursor.readULEB128(), try cursor.readULEB128())
                    if name == UInt64(Attribute.lowPC) || name == UInt64(Attribute.ranges) { return true }
                    if form == UInt64(Form.implicitConst) { try cursor.skipLEB128() }
                    if name == 0, form == 0 { break }
                }
            }
            return false
        } catch {
            return true
        }
    }

    /// The attributes of an abbreviation, in their order.
    @inline(__always)
    func attributes(of abbreviation: Abbreviation) -> AttributeList {
        AttributeList(
            specifications: specifications, declarations: declarations, isRead: abbreviation.role.isSubroutine,
            range: abbreviation.attributes,
            forms: forms)
    }

    /// The abbreviation with a code from an entry; `nil` if the table has none.
    func abbreviation(_ code: UInt64) -> Abbreviation? {
        let index = code &- 1
        if index < UInt64(dense.count) { return dense[Int(truncatingIfNeeded: index)] }
        return sparse[code]
    }

    /// The same in short.
    @inline(__always)
    func shape(_ code: UInt64) -> EntryShape? {
        let index = code &- 1
        if index < UInt64(shapes.count) { return shapes[Int(truncatingIfNeeded: index)] }
        return sparseShape(code)
    }

    private func sparseShape(_ code: UInt64) -> EntryShape? { sparse[code].map { EntryShape($0) } }

    /// The end of an entry's attributes, skipped one by one as the abbreviation declares them.
    /// - Parameters:
    ///   - position: of its first attribute, in bytes from the start of `bytes`.
    func end(ofDeclaredAttributesAt position: Int, _ code: UInt64, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int {
        guard let abbreviation = abbreviation(code) else { return position }
        var cursor = try bytes.from(UInt64(position))
        for attribute in attributes(of: abbreviation) { try cursor.skip(attribute.step, sizes) }
        return bytes.byteCount &- cursor.byteCount
    }

    /// The start of an entry's next sibling, according to the entry; `nil` if it does not say.
    func sibling(ofEntryWithAttributesAt position: Int, _ code: UInt64, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int? {
        guard let abbreviation = abbreviation(code), abbreviation.siblingOffset >= 0 else { return nil }
        var siblingPosition = position
        guard try abbreviation.siblingSteps.pass(&siblingPosition, bytes, sizes) else { return nil }
        return Int(try bytes.value(UInt32.self, at: siblingPosition &+ Int(abbreviation.siblingOffset), sizes.byteOrder))
    }

    /// The end of an entry's children: after the zero after the last one.
    /// - Parameters:
    ///   - position: of the first child, in bytes from the start of `bytes`.
    ///   - depth: number of entries that may be in one another.
    /// - Returns: the end of `bytes`, if that comes before the zero.
    func end(ofChildrenAt position: Int, depth: Int, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int {
        // Most entries of clang's units are passed here: nothing is kept but these two numbers.
        var position = position
        var open = 1
        let kept = shapes
        let shapes = kept.span
        while position < bytes.byteCount {
            var code = UInt64(bytes.byte(at: position))
            position &+= 1
            if code >= 0x80 { code = try bytes.restOfCode(code, &position) }
            if code == 0 {
                open &-= 1
                if open == 0 { return position }
                continue
            }
            let index = code &- 1
            let shape: EntryShape
            if index < UInt64(shapes.count) {
                shape = shapes[Int(truncatingIfNeeded: index)]
            } else if let other = sparseShape(code) {
                shape = other
            } else {
                throw ReadError(.unknownCode(code), bytesLeft: bytes.byteCount &- position)
            }
            if try !shape.steps.pass(&position, bytes, sizes) {
                position = try end(ofDeclaredAttributesAt: position, code, bytes, sizes)
            }
            guard position <= bytes.byteCount else { throw ReadError(.outOfBytes(needed: position &- bytes.byteCount), bytesLeft: 0) }
            if shape.hasChildren {
                open &+= 1
                guard open < depth else { throw ReadError(.tooDeep(limit: depth), bytesLeft: bytes.byteCount &- position) }
            }
        }
        return position
    }
}

extension RawSpan {
    /// The code of an entry that takes more than one byte. Tables of C++ units have some hundred
    /// abbreviations, so that most of theirs take two.
    /// - Parameters:
    ///   - first: its first byte.
    ///   - position: of its second byte; moved past its last.
    @inline(__always)
    func restOfCode(_ first: UInt64, _ position: inout Int) throws(ReadError) -> UInt64 {
        if position < byteCount, byte(at: position) < 0x80 {
            position &+= 1
            return first & 0x7f | UInt64(byte(at: position &- 1)) << 7
        }
        var cursor = try from(UInt64(position &- 1))
        let code = try cursor.readULEB128()
        position = byteCount &- cursor.byteCount
        return code
    }
}

extension RawSpan {
    fileprivate func hasPrefix(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount <= byteCount else { return false }
        var index = 0
        while index &+ 8 <= bytes.byteCount {
            if word64(at: index) != bytes.word64(at: index) { return false }
            index &+= 8
        }
        while index < bytes.byteCount {
            if byte(at: index) != bytes.byte(at: index) { return false }
            index &+= 1
        }
        return true
    }

    /// Moves past the abbreviations before the one with a code, and past that code.
    /// - Returns: `false` if the table has none with it.
    fileprivate mutating func skipDeclarations(before wanted: UInt64, isCut: Bool) throws(ReadError) -> Bool {
        while byteCount > 0 || isCut {
            let code = try readULEB128()
            if code == wanted { return code != 0 }
            if code == 0 { return false }
            try skipDeclaration()
        }
        return false
    }

    /// Moves past what follows an abbreviation's code, up to the pair of zeros.
    fileprivate mutating func skipDeclaration() throws(ReadError) {
        try skipLEB128()
        var position = 1
        while true {
            // Four pairs at once, as long as each number is one byte.
            if position &+ 8 <= byteCount {
                let pairs = try value(UInt64.self, at: position, .littleEndian)
                if pairs & 0x8080_8080_8080_8080 == 0 {
                    let end = pairs.firstZeroOfFour
                    let others = pairs & 0xff00_ff00_ff00_ff00 ^ UInt64(Form.implicitConst) << 8 &* 0x0001_0001_0001_0001
                    let implicit = others.firstZeroOfFour
                    position &+= 2 &* min(end &+ 1, implicit, 4)
                    if end < implicit { return try skip(position) }
                    if implicit == 4 { continue }
                }
            }
            let pair = try value(UInt16.self, at: position, .littleEndian)
            if pair & 0x8080 == 0, pair >> 8 != Form.implicitConst {
                position &+= 2
                if pair == 0 { return try skip(position) }
            } else {
                try skip(position)
                position = 0
                try skipLEB128()
                if try readULEB128() == UInt64(Form.implicitConst) { try skipLEB128() }
            }
        }
    }
}

extension UInt64 {
    /// The index of the first zero among its four numbers of 16 bits, all below 0x8000, from the lowest; 4 if there is none. One that is not zero keeps its highest bit clear when 1 is subtracted,
    /// unless a lower one was zero and borrowed.
    fileprivate var firstZeroOfFour: Int { ((self &- 0x0001_0001_0001_0001) & 0x8000_8000_8000_8000).trailingZeroBitCount / 16 }
}
