package import BinaryPrimitives
internal import Synchronization

/// The line table that every Go program carries for its own panics, stripped or not: `.gopclntab`
/// (ELF), `__gopclntab` (Mach-O).
///
/// Go's linker writes it (`cmd/link/internal/ld/pcln.go`), its runtime and `debug/gosym` read it. A
/// table of functions, ascending by address, leads to each function's record: its name, and
/// programs that give the file and the line for each of its addresses.
package struct GoLineTable: Sendable {
    /// Functions and locations for one address.
    package struct Result: Sendable, Hashable {
        /// A function; of a result with several, the last is the one that holds the code.
        package struct Function: Sendable, Hashable {
            /// As Go writes it: `main.(*tank).fill`.
            package var name: String
            /// Location of the address (innermost), or of the call of the next inner function. The
            /// line is zero if it is not known.
            package var location: SourceLocation?
        }

        /// Innermost first; never empty. Calls that were inlined are known from Go 1.16 on; before,
        /// there is the function that holds the code, with a line where that is in the function's
        /// own file.
        package var functions: [Function]
        /// Entry address of the function that holds the code.
        package var entry: LinkAddress
    }

    let header: GoTableHeader
    let contents: SectionContents
    /// Base address of 32-bit distances; zero for tables that have whole addresses.
    let textStart: UInt64
    /// `nil` where their address is unknown.
    let inlineTrees: GoInlineTrees?
    /// `Limits.goTableRows`.
    let rows: Int

    /// - Returns: `nil` if the object has no such table, the table is damaged, or it is unknown
    ///   what its distances count from.
    package init?(_ object: ObjectFile) {
        rows = object.limits.goTableRows
        guard let table = GoTableSection(object) else { return nil }
        let header = table.header
        self.header = header
        contents = table.contents
        let module = GoModuleData(object, table: table.addresses, header)
        if header.version >= .go118 {
            let end = table.contents.withBytes { Self.end(of: header, $0) } ?? 0
            guard let start = Self.findTextStart(object, header, module, length: end) else { return nil }
            textStart = start
        } else {
            textStart = 0
        }
        inlineTrees = GoInlineTrees(object, module, header)
        // A table whose addresses are filled in by the dynamic linker only (position-independent
        // programs before Go 1.16) is not usable.
        guard let first = contents.withBytes({ entry(0, $0) }), object.section(containing: LinkAddress(first))?.isExecutable ?? false else {
            return nil
        }
    }

    /// A table in a file without a container: for tests.
    /// - Parameters:
    ///   - textStart: base address of 32-bit distances.
    ///   - inlineTrees: start of the tables of inlined calls, in bytes from the table's start;
    ///     before Go 1.18 the records have such offsets themselves.
    package init?(_ file: MappedFile, _ order: ByteOrder, textStart: UInt64, inlineTrees: Int? = nil, limits: Limits = .standard) {
        rows = limits.goTableRows
        let contents = SectionContents.stored(file, 0..<file.size)
        self.contents = contents
        guard let header = contents.withBytes({ GoTableHeader($0, order) }) else { return nil }
        self.header = header
        self.textStart = header.version >= .go118 ? textStart : 0
        self.inlineTrees = inlineTrees.map {
            GoInlineTrees(start: header.version >= .go118 ? UInt64(clamping: $0) : 0, [(0, contents)], header)
        }
    }

    /// The results for some addresses, in their order; `nil` outside of all functions.
    package func results(for addresses: [LinkAddress]) -> [Result?] {
        contents.withBytes { bytes in addresses.map { result($0.value, bytes) } }
    }

    // MARK: Functions

    /// The distance at which the last function ends.
    private static func end(of header: GoTableHeader, _ bytes: RawSpan) -> UInt64? {
        var rest = try? bytes.from(UInt64(header.functions + header.functionCount * 2 * header.fieldSize))
        return try? rest?.readUnsigned(size: header.fieldSize, header.byteOrder)
    }

    /// The address of the function with that index; one past the last: the end of all.
    private func entry(_ index: Int, _ bytes: RawSpan) -> UInt64? {
        field(at: header.functions + index * 2 * header.fieldSize, header.fieldSize, bytes).flatMap { distance in
            let (address, overflow) = textStart.addingReportingOverflow(distance)
            return overflow ? nil : address
        }
    }

    func field(at position: Int, _ size: Int, _ bytes: RawSpan) -> UInt64? {
        guard position >= 0, var rest = try? bytes.from(UInt64(position)) else { return nil }
        return try? rest.readUnsigned(size: size, header.byteOrder)
    }

    /// The addresses around one that have its file and line.
    /// - Returns: `nil` outside of all functions, and where the table has no line.
    package func lineRange(containing address: LinkAddress) -> (location: SourceLocation, range: Range<LinkAddress>)? {
        contents.withBytes { bytes in
            guard let (function, start) = function(around: address.value, bytes),
                let (location, range) = function.locationRange(address.value - start, bytes),
                let low = LinkAddress(start).advanced(by: range.lowerBound), let high = LinkAddress(start).advanced(by: range.upperBound)
            else { return nil }
            return (location, low..<high)
        }
    }

    private func result(_ address: UInt64, _ bytes: RawSpan) -> Result? {
        function(around: address, bytes).map { function, start in function.result(address - start, bytes) }
    }

    /// Finds the base address of distances in the table: the address of `runtime.text`, a symbol that
    /// a stripped program does not have.
    /// - Parameter length: the distance at which the table's last function ends.
    /// - Returns: `nil` where it cannot be determined for certain.
    private static func findTextStart(_ object: ObjectFile, _ header: GoTableHeader, _ module: GoModuleData?, length: UInt64) -> UInt64? {
        func isCode(_ address: UInt64) -> Bool {
            address != 0 && object.section(containing: LinkAddress(address))?.isExecutable ?? false
        }
        if isCode(header.textStart) { return header.textStart }
        if let start = module?.textStart, isCode(start) { return start }
        // A program of nothing but Go has nothing else in its text section; C's code would come
        // before or after.
        guard let text = object.section(named: object.description.container == .machO ? "__text" : ".text"), text.isExecutable,
            length <= text.size, text.size - length <= 64
        else { return nil }
        return text.address.value
    }

    private func function(around address: UInt64, _ bytes: RawSpan) -> (GoFunction, start: UInt64)? {
        var low = 0
        var high = header.functionCount
        while low < high {
            let middle = low + (high - low) / 2
            guard let start = entry(middle, bytes) else { return nil }
            if start <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let start = entry(low - 1, bytes), start <= address, let end = entry(low, bytes), address < end,
            let recordOffset = field(at: header.functions + ((low - 1) * 2 + 1) * header.fieldSize, header.fieldSize, bytes),
            let function = GoFunction(self, at: recordOffset, entry: start, bytes)
        else { return nil }
        return (function, start)
    }
}

extension ObjectFile {
    private struct KnownGoTable: Sendable {
        var table: GoLineTable?
    }

    /// The line table of a Go program, searched for at the first call. `nil` if there is none.
    package func goLineTable() -> GoLineTable? {
        goTable.withLock { known in
            if let known = known as? KnownGoTable { return known.table }
            let table = GoLineTable(self)
            known = KnownGoTable(table: table)
            return table
        }
    }
}
