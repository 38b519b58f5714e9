internal import BinaryPrimitives
internal import ObjectFiles

/// The units of one section of a file: finds the one that covers an address or holds an entry, and
/// reads units' heads.
///
/// Used by one task; holds what it has read. A class, because names lead from one unit into another
/// while the first is being read.
final class UnitTable {
    let sections: DWARFSections
    /// `.debug_info`, or `.debug_types`.
    private let section: DWARFSections.Name
    private let info: SectionContents
    /// Buffer for headers and root entries.
    private let window: SectionWindow
    /// The first units, ascending by offset, as far as they were needed.
    private(set) var headers: [UnitHeader] = []
    /// Offset of the next unit in the section; `nil` after the last.
    private var nextHeader: Int? = 0
    private var abbreviations: AbbreviationTables
    /// Why units, or what they cover, could not be read: the first reason. An address that no unit
    /// covers may be in one of them.
    private(set) var problem: DWARFError?

    /// - Parameter contents: the section's bytes, if they are not to be read as the sections say.
    init(_ sections: DWARFSections, in section: DWARFSections.Name = .info, _ contents: SectionContents? = nil) throws(DWARFError) {
        self.sections = sections
        self.section = section
        abbreviations = AbbreviationTables(sections)
        info = if let contents { contents } else { try sections.required(section) }
        window = SectionWindow(info)
    }

    /// Bytes of the section.
    var size: Int { info.count }

    /// Whether the section is inflated as it is read, so that its units are best read in their
    /// order.
    var isStreamed: Bool { info.isStreamed }

    /// The section's bytes.
    var contents: SectionContents { info }

    func note(_ error: DWARFError) { problem = problem ?? error }

    /// The header of the unit at `offset`.
    func header(at offset: Int) throws(DWARFError) -> UnitHeader {
        let (count, order) = (info.count, sections.byteOrder)
        // An address table may say anything.
        guard (0..<count).contains(offset) else {
            throw DWARFError(section, at: offset, "no unit begins there: the section has \(count) bytes")
        }
        let (section, range) = (section, offset..<min(count, offset + UnitHeader.largestSize))
        return try window.withBytes(in: range) { (bytes: RawSpan) throws(DWARFError) -> UnitHeader in
            try expect(range.count, bytes)
            return try UnitHeader(bytes, at: offset, in: section, sectionSize: count, order)
        }
    }

    /// - Throws: `DWARFError` where a section that is streamed could not be inflated so far.
    private func expect(_ count: Int, _ bytes: RawSpan) throws(DWARFError) {
        if bytes.byteCount < count, let problem = info.problem { throw DWARFError(section, at: 0, problem.problem) }
    }

    /// Brings a unit's first bytes, or all of them, for `withLoadedUnit` and `loadedHead`.
    func load(_ header: UnitHeader, headOnly: Bool, into buffer: ReadBuffer) {
        info.load(header.offset..<(headOnly ? min(header.end, header.offset + Self.headSize) : header.end), into: buffer)
    }

    /// Gives a unit and its bytes, which were loaded, to `body`.
    func withLoadedUnit<Result>(
        _ header: UnitHeader, _ buffer: ReadBuffer, _ body: (Unit, RawSpan) throws(DWARFError) -> Result
    ) throws(DWARFError) -> Result {
        let table = try abbreviations.table(of: header)
        return try buffer.withLoaded { (bytes: RawSpan) throws(DWARFError) -> Result in
            try expect(header.end - header.offset, bytes)
            return try body(try Unit(sections, header, table, bytes), bytes)
        }
    }

    /// The unit with its root entry alone, of whose bytes at least the first were loaded; `nil`
    /// where those are not enough.
    func loadedHead(_ header: UnitHeader, _ buffer: ReadBuffer) -> Unit? { buffer.withLoaded { head(header, $0) } }

    /// All units of the section. Reading stops at a unit whose length cannot be followed; a unit
    /// with an unknown version is passed over.
    func allHeaders() -> [UnitHeader] {
        readHeaders(upTo: size)
        return headers
    }

    /// Gives all units to `body`, each as soon as its header was read, until it returns `false`.
    func forEachHeader(_ body: (UnitHeader) -> Bool) {
        for header in headers { guard body(header) else { return } }
        while let position = nextHeader, position < size {
            let known = headers.count
            readHeaders(upTo: position + 1)
            for header in headers[known...] { guard body(header) else { return } }
        }
    }

    /// Whether all headers have been read.
    var knowsHeaders: Bool { nextHeader.map { $0 >= size } ?? true }

    private func readHeaders(upTo end: Int) {
        while let position = nextHeader, position < end {
            let step = step(at: position)
            if let header = step.header { headers.append(header) }
            nextHeader = step.next
        }
    }

    /// Takes over what another table of the same section has found.
    func adopt(_ headers: [UnitHeader]) {
        self.headers = headers
        nextHeader = nil
    }

    /// The unit at `offset`, and where the next one begins.
    /// - Returns: no header for a unit that is passed over; nothing to go on with where its length
    ///   cannot be followed.
    func step(at offset: Int) -> (header: UnitHeader?, next: Int?) {
        let (count, order) = (info.count, sections.byteOrder)
        do throws(DWARFError) {
            let header = try header(at: offset)
            return (header, header.end)
        } catch {
            // Zeros at the end fill the section up.
            let isFilling = window.withBytes(in: offset..<min(count, offset + 64)) { bytes in
                (0..<bytes.byteCount).allSatisfy { bytes.byte(at: $0) == 0 }
            }
            if !isFilling || info.problem != nil { note(error) }
        }
        let next: Int? = window.withBytes(in: offset..<min(count, offset + 12)) { bytes in
            var cursor = bytes
            guard let (length, size) = try? cursor.readInitialLength(order), length > 0 else { return nil }
            let head = size == 8 ? 12 : 4
            guard let body = Int(exactly: length), body <= count - offset - head else { return nil }
            return offset + head + body
        }
        return (nil, next.flatMap { $0 > offset ? $0 : nil })
    }

    /// The same units for who follows references, which lead anywhere: this table, or where its
    /// section is streamed, one over the section as a whole.
    lazy var forReferences: UnitTable = {
        guard info.isStreamed, let whole = try? sections.wholeInformation(), let table = try? UnitTable(sections, in: section, whole) else {
            return self
        }
        return table
    }()

    /// The units of the supplementary file; `nil` if there is none or it is not found.
    lazy var supplementary: UnitTable? = sections.supplementary.flatMap { try? UnitTable($0) }

    /// The type units of DWARF 4, which have a section of their own; `nil` if there is none.
    lazy var types: UnitTable? = section == .types ? nil : try? UnitTable(sections, in: .types)

    /// Locations of the entries that signatures mean, in bytes from the section's start; the type units' headers are read when a reference
    /// first names one.
    private lazy var signatures: [UInt64: TypeEntryLocation] = {
        var result: [UInt64: TypeEntryLocation] = [:]
        // In a package, an index of its own gives the parts of the other sections that belong to a
        // type unit.
        guard (try? sections.contents(.cuIndex)) == nil else { return result }
        for (headers, isInTypes) in [(allHeaders(), false), (types?.allHeaders() ?? [], true)] {
            for header in headers {
                guard let signature = header.typeSignature, let offset = header.typeOffset,
                    offset < UInt64(header.end - header.offset), result.count < sections.limits.typeUnits
                else { continue }
                // Each object file has a copy, of which linkers keep one or all.
                if result[signature] == nil {
                    result[signature] = TypeEntryLocation(offset: header.offset + Int(offset), isInTypes: isInTypes)
                }
            }
        }
        return result
    }()

    /// The entry that references to a type unit's signature mean (DWARF 5, section 7.5.5.4,
    /// `ref_sig8`); `nil` if the file has no such unit.
    func typeEntry(_ signature: UInt64) -> TypeEntryLocation? { signatures[signature] }

    /// The unit that holds the entry at `offset` of the section; `nil` if none does.
    func header(containing offset: Int) -> UnitHeader? {
        readHeaders(upTo: offset < size ? offset + 1 : size)
        let low = headers.partitionPoint { $0.end > offset }
        guard low < headers.count, headers[low].offset <= offset else { return nil }
        return headers[low]
    }

    /// Gives a unit and its bytes, from its header to its end, to `body`.
    /// - Parameter buffer: where the bytes are copied to.
    func withUnit<Result>(
        _ header: UnitHeader, _ buffer: ReadBuffer, skeleton: Unit? = nil, contribution: PackageContribution = PackageContribution(),
        _ body: (Unit, RawSpan) throws(DWARFError) -> Result
    ) throws(DWARFError) -> Result {
        let table = try abbreviations.table(of: header, contribution)
        let sections = sections
        return try info.withBytes(in: header.offset..<header.end, buffer) { (bytes: RawSpan) throws(DWARFError) -> Result in
            try expect(header.end - header.offset, bytes)
            return try body(try Unit(sections, header, table, bytes, skeleton: skeleton, contribution: contribution), bytes)
        }
    }

    /// The same through the mapping: for the few bytes of one entry of a unit, which may be large.
    func withMappedUnit<Result>(
        _ header: UnitHeader, _ body: (Unit, RawSpan) throws(DWARFError) -> Result
    ) throws(DWARFError) -> Result {
        let table = try abbreviations.table(of: header)
        let sections = sections
        return try info.withMappedBytes(in: header.offset..<header.end) { (bytes: RawSpan) throws(DWARFError) -> Result in
            try body(try Unit(sections, header, table, bytes), bytes)
        }
    }

    /// The unit with its root entry alone, from as few bytes as that takes. Its abbreviations are
    /// not complete: gcc numbers them by how often they are used, so that the root's is one of the
    /// last of some hundred.
    func unitHead(_ header: UnitHeader) throws(DWARFError) -> Unit {
        let size = header.end - header.offset
        for length in [min(Self.headSize, size), size] {
            if let unit = window.withBytes(in: header.offset..<header.offset + length, { head(header, $0) }) { return unit }
        }
        if let problem = info.problem { throw DWARFError(section, at: 0, problem.problem) }
        throw DWARFError(section, at: header.firstEntry, "the unit's first entry cannot be read")
    }

    /// Whether entries of a unit may have addresses of code (`AbbreviationTable.declaresCode`).
    func declaresCode(_ header: UnitHeader) -> Bool { abbreviations.declareCode(header) }

    /// A root entry is some 60 bytes, with its strings in the entry itself some hundred.
    private static let headSize = 512

    private func head(_ header: UnitHeader, _ bytes: RawSpan) -> Unit? {
        var entry = try? bytes.from(UInt64(header.firstEntry - header.offset))
        guard let code = try? entry?.readULEB128(), let table = try? abbreviations.headTable(code, of: header),
            let unit = try? Unit(sections, header, table, bytes), unit.root.isKnown || unit.root.isNull
        else { return nil }
        return unit
    }
}

/// Location of a type unit's entry.
struct TypeEntryLocation: Sendable {
    /// Bytes from the section's start.
    var offset: Int
    /// In `.debug_types`; else in `.debug_info`.
    var isInTypes: Bool
}

/// The units of a file for one thread, or why they cannot be read: given to each caller. (Not
/// `Result`, for which the runtime would look through all conformances of the program.)
enum OpenedUnits {
    case table(UnitTable)
    case failure(DWARFError)

    init(_ sections: DWARFSections) {
        do throws(DWARFError) { self = .table(try UnitTable(sections)) } catch { self = .failure(error) }
    }

    func get() throws(DWARFError) -> UnitTable {
        switch self {
        case .table(let table): return table
        case .failure(let failure): throw failure
        }
    }
}

/// Small parts of a section, of which several are read at once where they come one soon after the
/// other: swiftc's program of 15,000 units has a unit header every two kilobytes, each of which
/// would take a `pread(2)` of its own.
///
/// Used by one task.
final class SectionWindow {
    private let contents: SectionContents
    private let buffer = ReadBuffer()
    /// For parts with nothing near to them, and while another is being used.
    private let spare = ReadBuffer()
    private var isInUse = false
    /// Range of the section that is in the buffer.
    private var loaded = 0..<0
    private var last = 0

    /// Bytes that are read at once, and how near the next part must be for it.
    private static let size = 32 << 10
    private static let near = 8 << 10

    init(_ contents: SectionContents) { self.contents = contents }

    /// Gives a part of the section to `body`, as far as the section goes.
    func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Not the same bytes again, as a unit's header and its root entry are: the next may be far.
        let isNear = range.lowerBound > last && range.lowerBound - last < Self.near
        last = range.lowerBound
        if !loaded.contains(range), isNear, !isInUse, !contents.isStreamed, range.count < Self.near {
            loaded = range.lowerBound..<min(contents.count, range.lowerBound + Self.size)
            contents.load(loaded, into: buffer)
        }
        guard loaded.contains(range) else { return try contents.withBytes(in: range, spare, body) }
        let wasInUse = isInUse
        isInUse = true
        defer { isInUse = wasInUse }
        let part = range.lowerBound - loaded.lowerBound..<range.upperBound - loaded.lowerBound
        return try buffer.withLoaded { (bytes: RawSpan) throws(Failure) -> Result in try body(bytes.clamped(to: part)) }
    }
}
