internal import BinaryPrimitives
internal import ObjectFiles

/// The header of a line program with its directories and files (DWARF 5, section 6.2.4).
struct LineTable {
    /// One entry of the file table.
    struct File {
        var name: AttributeValue
        /// An index into `directories`.
        var directory: Int
        /// The file's text, if the compiler was set to keep it.
        var source: AttributeValue?
    }

    let version: UInt16
    let sizes: FormSizes
    /// The initial value of `is_stmt`.
    let beginsWithStatements: Bool
    let encoding: LineMachine.Encoding
    private(set) var directories: [AttributeValue] = []
    private(set) var files: [File] = []
    /// The program, in bytes from the start of the contribution.
    let program: Range<Int>

    /// - Parameters:
    ///   - bytes: the contribution to `.debug_line`, from its initial length on to its end.
    ///   - addressSize: that of the unit, for versions before 5, which do not give it.
    init(_ bytes: RawSpan, addressSize: Int, _ order: ByteOrder) throws(ReadError) {
        var cursor = bytes
        let (length, offsetSize) = try cursor.readInitialLength(order)
        var body = try cursor.read(bytes: Int(clamping: length))
        let bodyStart = bytes.byteCount - cursor.byteCount - body.byteCount
        let bodyEnd = bodyStart + body.byteCount
        version = try body.read(UInt16.self, order)
        guard (2...5).contains(version) else { throw ReadError(.unknownVersion(UInt64(version)), bytesLeft: cursor.byteCount) }
        var addressSize = addressSize
        if version >= 5 {
            addressSize = Int(try body.read(UInt8.self))
            try body.skip(1)
        }
        sizes = FormSizes(addressSize: addressSize, offsetSize: offsetSize, version: version, byteOrder: order)
        let headerLength = Int(clamping: try body.readUnsigned(size: offsetSize, order))
        let programStart = bodyEnd - body.byteCount
        var header = try body.read(bytes: headerLength)
        program = programStart + headerLength..<bodyEnd
        let minimumInstructionLength = try header.read(UInt8.self)
        let maximumOperations = version >= 4 ? try header.read(UInt8.self) : 1
        beginsWithStatements = try header.read(UInt8.self) != 0
        let lineBase = Int8(bitPattern: try header.read(UInt8.self))
        let lineRange = try header.read(UInt8.self)
        let opcodeBase = try header.read(UInt8.self)
        var counts: [UInt8] = []
        for _ in 1..<max(1, opcodeBase) { counts.append(try header.read(UInt8.self)) }
        encoding = LineMachine.Encoding(
            opcodeBase: opcodeBase, minimumInstructionLength: minimumInstructionLength, maximumOperations: maximumOperations,
            lineBase: lineBase, lineRange: lineRange, operandCounts: counts, order)
        // Rows are resolved without names if the tables are damaged.
        if version >= 5 {
            try? readTables5(&header, bytesAfter: bytes.byteCount - programStart - headerLength)
        } else {
            try? readTables4(&header, bytesAfter: bytes.byteCount - programStart - headerLength)
        }
    }

    /// Strings end with their zero, tables with an empty string. Strings are kept as their distance
    /// from the end of the contribution.
    private mutating func readTables4(_ header: inout RawSpan, bytesAfter: Int) throws(ReadError) {
        while directories.count < Limits.standard.lineTableEntries {
            let bytesBeforeEnd = header.byteCount + bytesAfter
            if try header.readCString().byteCount == 0 { break }
            directories.append(.inlineString(bytesBeforeEnd: bytesBeforeEnd))
        }
        while files.count < Limits.standard.lineTableEntries {
            let bytesBeforeEnd = header.byteCount + bytesAfter
            if try header.readCString().byteCount == 0 { break }
            let directory = Int(clamping: try header.readULEB128())
            try header.skipLEB128()
            try header.skipLEB128()
            files.append(File(name: .inlineString(bytesBeforeEnd: bytesBeforeEnd), directory: directory))
        }
    }

    private mutating func readTables5(_ header: inout RawSpan, bytesAfter: Int) throws(ReadError) {
        for isFileTable in [false, true] {
            var formats: [(content: UInt64, form: UInt16)] = []
            for _ in 0..<(try header.read(UInt8.self)) {
                let content = try header.readULEB128()
                formats.append((content, UInt16(exactly: try header.readULEB128()) ?? .max))
            }
            let count = try header.readULEB128()
            guard count <= UInt64(Limits.standard.lineTableEntries) else {
                throw ReadError(.tooMany(limit: Limits.standard.lineTableEntries), bytesLeft: header.byteCount)
            }
            for _ in 0..<count {
                var entry = File(name: .other, directory: 0)
                let before = header.byteCount
                for (content, form) in formats {
                    var value = try header.readValue(form, implicit: 0, sizes)
                    if case .inlineString(let bytesBeforeEnd) = value { value = .inlineString(bytesBeforeEnd: bytesBeforeEnd + bytesAfter) }
                    switch content {
                    case LineOpcode.contentPath: entry.name = value
                    case LineOpcode.contentSource: entry.source = value
                    case LineOpcode.contentDirectoryIndex: entry.directory = Int(clamping: value.number ?? 0)
                    default: break
                    }
                }
                // Entries that take no bytes could be as many as the header claims.
                guard header.byteCount < before else {
                    throw ReadError(.unknownForm(formats.first.map { UInt64($0.form) }), bytesLeft: header.byteCount)
                }
                if isFileTable { files.append(entry) } else { directories.append(entry.name) }
            }
        }
    }

    /// The file with an index from a row or from `DW_AT_call_file`: they count from 1 before
    /// version 5, from 0 since.
    func file(at index: Int) -> File? {
        let position = version >= 5 ? index : index - 1
        return files.indices.contains(position) ? files[position] : nil
    }

    /// A file's path: the compilation directory, its directory and its name joined in this order,
    /// as far as each is relative.
    /// - Parameters:
    ///   - compilationDirectory: the unit's `DW_AT_comp_dir`.
    ///   - text: reads a string of this table.
    /// - Returns: `nil` if there is no such file or its name cannot be read.
    func path(at index: Int, compilationDirectory: String?, _ text: (AttributeValue) -> String?) -> String? {
        guard let file = file(at: index), let name = text(file.name) else { return nil }
        if name.isAbsolutePath { return name }
        // Directory 0 is the compilation directory: said in the table since version 5, not before.
        let position = version >= 5 ? file.directory : file.directory - 1
        let directory = directories.indices.contains(position) ? text(directories[position]) : nil
        let folder = directory ?? ""
        // With an option for a relative directory, a compiler writes the same one into the table and the unit.
        let isCompilationDirectory = version >= 5 && file.directory == 0 && (compilationDirectory == nil || folder == compilationDirectory)
        if folder.isAbsolutePath || isCompilationDirectory { return folder.appendingPath(name) }
        return (compilationDirectory ?? "").appendingPath(folder).appendingPath(name)
    }
}

extension LineTable {
    /// Adds the files that the program defines itself (`DW_LNE_define_file`, before version 5) if the header does not list all files of
    /// some rows: nothing else needs them.
    /// - Parameters:
    ///   - numbers: the rows' files.
    ///   - bytes: the contribution, from its initial length on.
    mutating func addDefinedFiles(of numbers: some Sequence<Int>, _ bytes: RawSpan) {
        guard version < 5, numbers.contains(where: { $0 > files.count }),
            let program = try? bytes.slice(at: UInt64(self.program.lowerBound), count: UInt64(self.program.count))
        else { return }
        let machine = LineMachine(encoding)
        var registers = LineMachine.Registers()
        var position = 0
        // Files before damage count.
        while position < program.byteCount, files.count < Limits.standard.lineTableEntries {
            let bytesAfter = bytes.byteCount - self.program.upperBound
            if let file = try? definedFile(program, at: position, endingBefore: bytesAfter) { files.append(file) }
            guard (try? machine.execute(program, &position, &registers)) != nil else { break }
        }
    }

    /// Returns the file that the opcode at a position defines; `nil` for other opcodes.
    /// - Parameter bytesAfter: bytes of the contribution after the program.
    private func definedFile(_ program: RawSpan, at position: Int, endingBefore bytesAfter: Int) throws(ReadError) -> File? {
        guard program.byte(at: position) == 0 else { return nil }
        var rest = try program.from(UInt64(position + 1))
        let size = Int(clamping: try rest.readULEB128())
        let bytesAfterOperands = rest.byteCount - size + bytesAfter
        var operands = try rest.read(bytes: size)
        guard size > 0, try operands.read(UInt8.self) == LineOpcode.extendedDefineFile else { return nil }
        let bytesBeforeEnd = operands.byteCount + bytesAfterOperands
        _ = try operands.readCString()
        return File(name: .inlineString(bytesBeforeEnd: bytesBeforeEnd), directory: Int(clamping: try operands.readULEB128()))
    }

    /// Gives every row of the program to `body`, in the program's order.
    /// - Parameters:
    ///   - bytes: the contribution, from its initial length on.
    ///   - body: gets the registers, the flags, and whether the row only ends the sequence.
    /// - Throws: `ReadError` where the program is damaged; the rows before the damage were given.
    func forEachRow(_ bytes: RawSpan, _ body: (LineMachine.Registers, LineRowFlags, Bool) -> Void) throws(ReadError) {
        let program = try bytes.slice(at: UInt64(program.lowerBound), count: UInt64(program.count))
        let machine = LineMachine(encoding)
        let first = LineRowFlags(isStatement: beginsWithStatements)
        var (registers, flags) = (LineMachine.Registers(), first)
        var position = 0
        while position < program.byteCount {
            try machine.readFlags(program, at: position, &flags)
            let event = try machine.execute(program, &position, &registers)
            guard event == .row || event == .endOfSequence else { continue }
            body(registers, flags, event == .endOfSequence)
            if event == .row {
                registers.row.discriminator = 0
                flags.endRow()
            } else {
                (registers, flags) = (LineMachine.Registers(), first)
            }
        }
    }
}

extension String {
    /// Begins at a root: `/`, `\`, or a drive letter. Debug information made on Windows is read
    /// everywhere.
    var isAbsolutePath: Bool {
        let start = Array(utf8.prefix(3))
        guard let first = start.first else { return false }
        if first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") { return true }
        return start.count == 3 && start[1] == UInt8(ascii: ":") && (start[2] == UInt8(ascii: "/") || start[2] == UInt8(ascii: "\\"))
    }

    /// This path with another one appended, one separator between them; a part that is empty adds
    /// nothing.
    func appendingPath(_ other: String) -> String {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return hasSuffix("/") || other.hasPrefix("/") ? self + other : self + "/" + other
    }
}
