internal import BinaryPrimitives
internal import DWARF

/// The header of a line table (DWARF 5, section 6.2.4).
struct LineTableHeader {
    struct File {
        var name: DumpValue?
        var directory: UInt64 = 0
        var modificationTime: UInt64 = 0
        var length: UInt64 = 0
        var digest: Range<Int>?
        var source: DumpValue?
    }

    let offset: Int
    private let order: ByteOrder
    private(set) var totalLength: UInt64 = 0
    private(set) var offsetSize = 4
    private(set) var version = 0
    private(set) var addressSize = 0
    private(set) var segmentSelectorSize: UInt8 = 0
    private(set) var headerLength: UInt64 = 0
    private(set) var minimumInstructionLength: UInt8 = 0
    private(set) var maximumOperations: UInt8 = 0
    private(set) var defaultIsStatement: UInt8 = 0
    private(set) var lineBase: Int8 = 0
    private(set) var lineRange: UInt8 = 0
    private(set) var opcodeBase: UInt8 = 0
    private(set) var opcodeLengths: [UInt8] = []
    private(set) var directories: [DumpValue] = []
    private(set) var files: [File] = []
    private(set) var hasDigests = false
    private(set) var hasTimes = false
    private(set) var hasLengths = false
    private(set) var hasSources = false
    /// Start of the program and end of the table, inside the section.
    private(set) var program = 0
    private(set) var end = 0
    /// The table's length leads past the section's end.
    private var isCutShort = false
    /// How the program's opcodes are encoded.
    var encoding: LineMachine.Encoding {
        LineMachine.Encoding(
            opcodeBase: opcodeBase, minimumInstructionLength: minimumInstructionLength, maximumOperations: maximumOperations,
            lineBase: lineBase, lineRange: lineRange, operandCounts: opcodeLengths, order)
    }
    /// Problem of the directories and files; the program can be read all the same.
    private var problem: String?
    /// Problems of the table, a sentence each.
    var problems: [String] {
        let cut = isCutShort ? "the line table at \(hexadecimal(offset)) is longer than what is left of the section" : nil
        return [problem, cut].compactMap { $0 }
    }

    /// - Parameter unit: whose strings the files' names may be; a made-up one where no unit has
    ///   this table.
    /// - Throws: what is wrong, if the program cannot be found.
    init(at offset: Int, of lines: SectionBytes, unit: DumpUnit?) throws(DumpError) {
        self.offset = offset
        order = lines.order
        var cursor = lines.cursor(at: offset)
        (totalLength, offsetSize) = cursor.initialLength()
        let start = cursor.position
        let after = UInt64(max(0, lines.count - start))
        isCutShort = totalLength > after
        end = start + Int(min(totalLength, after))
        let table = lines.cut(at: end)
        cursor = table.cursor(at: start)
        version = Int(cursor.u16())
        if cursor.isPastEnd { throw DumpError("the line table at \(hexadecimal(offset)) is cut short") }
        guard (2...5).contains(version) else {
            throw DumpError("the line table at \(hexadecimal(offset)) has the version \(version): expected 2 to 5")
        }
        if version >= 5 {
            addressSize = Int(cursor.u8())
            segmentSelectorSize = cursor.u8()
        }
        headerLength = cursor.number(offsetSize)
        let position = cursor.position
        program = position + Int(min(headerLength, UInt64(max(0, end - position))))
        minimumInstructionLength = cursor.u8()
        if version >= 4 { maximumOperations = cursor.u8() }
        defaultIsStatement = cursor.u8()
        lineBase = Int8(bitPattern: cursor.u8())
        lineRange = cursor.u8()
        opcodeBase = cursor.u8()
        if opcodeBase > 1 { for _ in 1..<opcodeBase { opcodeLengths.append(cursor.u8()) } }
        if cursor.isPastEnd { throw DumpError("the line table at \(hexadecimal(offset)) is cut short") }
        let header = table.cut(at: program)
        var rest = header.cursor(at: cursor.position)
        let reader =
            unit.map { Self.reader(of: $0, offsetSize, addressSize, version, lines.order) }
            ?? Self.reader(offsetSize, addressSize, version, lines.order)
        if version >= 5 { readLists(&rest, reader) } else { readOldLists(&rest, reader) }
        if problem == nil, rest.isPastEnd { problem = "its directories and files do not end where the header does" }
        // A table that is cut short is reported already.
        if problem == nil, !isCutShort, headerLength > UInt64(max(0, end - position)) { problem = "its header is longer than the table" }
        if let found = problem { problem = "the line table at \(hexadecimal(offset)): \(found)" }
    }

    /// A unit for reading forms: with the table's own sizes, and the unit's strings.
    private static func reader(of unit: DumpUnit, _ offsetSize: Int, _ addressSize: Int, _ version: Int, _ order: ByteOrder) -> DumpUnit {
        let reader = reader(offsetSize, addressSize == 0 ? unit.addressSize : addressSize, version, order)
        reader.bases = unit.bases
        return reader
    }

    private static func reader(_ offsetSize: Int, _ addressSize: Int, _ version: Int, _ order: ByteOrder) -> DumpUnit {
        DumpUnit(FormSizes(addressSize: addressSize, offsetSize: offsetSize, version: UInt16(clamping: version), byteOrder: order))
    }

    /// Versions 2 to 4: names one after the other, an empty one ends them.
    private mutating func readOldLists(_ cursor: inout SectionCursor, _ reader: DumpUnit) {
        (hasTimes, hasLengths) = (true, true)
        while let value = DumpValue(form: Form.string, &cursor, reader), !cursor.isPastEnd, !value.bytes.isEmpty {
            directories.append(value)
        }
        while !cursor.isPastEnd, let value = DumpValue(form: Form.string, &cursor, reader), !cursor.isPastEnd, !value.bytes.isEmpty {
            var file = File(name: value)
            file.directory = cursor.uleb()
            file.modificationTime = cursor.uleb()
            file.length = cursor.uleb()
            if !cursor.isPastEnd { files.append(file) }
        }
    }

    /// Version 5: what an entry is made of comes before the entries.
    private mutating func readLists(_ cursor: inout SectionCursor, _ reader: DumpUnit) {
        let directoryParts = parts(&cursor)
        guard directoryParts.contains(where: { $0.kind == 1 }) else { return problem = "its directories have no paths" }
        let directoryCount = cursor.uleb()
        for _ in 0..<directoryCount {
            guard !cursor.isPastEnd else { return }
            for part in directoryParts {
                guard let value = DumpValue(form: part.form, &cursor, reader) else {
                    return problem = "a directory has an unknown form"
                }
                if part.kind == 1, !cursor.isPastEnd { directories.append(value) }
            }
        }
        let fileParts = parts(&cursor)
        guard fileParts.contains(where: { $0.kind == 1 }) else { return problem = "its files have no paths" }
        hasTimes = fileParts.contains { $0.kind == 3 }
        hasLengths = fileParts.contains { $0.kind == 4 }
        hasDigests = fileParts.contains { $0.kind == 5 }
        hasSources = fileParts.contains { $0.kind == 0x2001 }
        let fileCount = cursor.uleb()
        for _ in 0..<fileCount {
            guard !cursor.isPastEnd else { return }
            var file = File()
            for part in fileParts {
                guard let value = DumpValue(form: part.form, &cursor, reader) else { return problem = "a file has an unknown form" }
                switch part.kind {
                case 1: file.name = value
                case 2: file.directory = value.raw
                case 3: file.modificationTime = value.raw
                case 4: file.length = value.raw
                case 5: file.digest = value.bytes
                case 0x2001: file.source = value
                default: break
                }
            }
            if !cursor.isPastEnd { files.append(file) }
        }
    }

    private func parts(_ cursor: inout SectionCursor) -> [(kind: UInt64, form: UInt16)] {
        let count = cursor.u8()
        return (0..<count).map { _ in (cursor.uleb(), UInt16(truncatingIfNeeded: cursor.uleb())) }
    }
}

/// `0x00000010`, as places in sections are written.
func hexadecimal(_ offset: Int) -> String {
    let digits = String(offset, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
}

extension LineTableHeader {
    /// Version 5 counts files from 0, those before from 1.
    func hasFile(_ number: UInt64) -> Bool {
        version >= 5 ? number < UInt64(files.count) : number != 0 && number <= UInt64(files.count)
    }

    /// The path of a file by its number, from the root where that can be determined; `nil` if there
    /// is no such file.
    func path(_ number: UInt64, _ context: DumpContext, directory compilationDirectory: [UInt8]?, lines: SectionBytes) -> [UInt8]? {
        let index = version >= 5 ? number : number &- 1
        guard index < UInt64(files.count) else { return nil }
        let file = files[Int(index)]
        guard let name = file.name.flatMap({ text($0, context, lines) })?.bytes else { return nil }
        if Self.isAbsolute(name) { return name }
        // Version 5 counts directories from 0, which is where the compiler ran; versions before
        // from 1 (sections 6.2.4 of both).
        let position = version >= 5 ? file.directory : file.directory &- 1
        let folder = position < UInt64(directories.count) ? text(directories[Int(position)], context, lines)?.bytes ?? [] : []
        var path: [UInt8] = []
        if version < 5 || file.directory != 0, let compilationDirectory, !compilationDirectory.isEmpty, !Self.isAbsolute(folder) {
            Self.append(compilationDirectory, to: &path)
        }
        Self.append(folder, to: &path)
        Self.append(name, to: &path)
        return path
    }

    /// A path in a folder; itself where it leads from the root.
    static func joined(_ folder: [UInt8], _ path: [UInt8]) -> [UInt8] {
        if isAbsolute(path) { return path }
        var result = folder
        append(path, to: &result)
        return result
    }

    /// Text of the table's own forms.
    func text(_ value: DumpValue, _ context: DumpContext, _ lines: SectionBytes) -> DumpText? {
        value.form == Form.string ? DumpText(section: lines, range: value.bytes) : context.string(value)
    }

    /// On this system or on Windows, whose paths compilers for it leave in files for others too.
    private static func isAbsolute(_ path: [UInt8]) -> Bool {
        if path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "\\") && path.dropFirst().first == UInt8(ascii: "\\") {
            return true
        }
        return path.count > 2 && path[1] == UInt8(ascii: ":") && (path[2] == UInt8(ascii: "\\") || path[2] == UInt8(ascii: "/"))
    }

    private static func append(_ part: [UInt8], to path: inout [UInt8]) {
        guard !part.isEmpty else { return }
        let slash = UInt8(ascii: "/")
        if path.last == slash {
            path += part.drop { $0 == slash }
        } else {
            if !path.isEmpty, part.first != slash { path.append(slash) }
            path += part
        }
    }
}
