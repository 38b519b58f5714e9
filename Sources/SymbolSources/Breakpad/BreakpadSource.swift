package import BinaryPrimitives

/// Resolves addresses of an image from its Breakpad symbol file.
package struct BreakpadSource: SymbolSource {
    private let symbols: BreakpadFile
    private let base: LinkAddress?

    /// - Parameter base: link address of the image's first mapped byte, if another file of the image gives it:
    ///   Breakpad files do not, and their addresses count from there.
    package init(_ symbols: BreakpadFile, base: LinkAddress? = nil) {
        self.symbols = symbols
        self.base = base
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        let tables = symbols.tables
        let results = symbols.file.withBytes { bytes in
            let lookup = BreakpadLookup(tables: tables)
            return offsets.map { lookup.result(at: $0.value, bytes.text) }
        }
        symbols.releasePages(after: offsets.count)
        return results.believed(symbols.file)
    }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        locations.map { location in
            switch location {
            case .linkAddress(let address): base == nil ? .unresolved(.unknownImageBase) : .found([address])
            default: .unresolved(.needsImageOffset)
            }
        }
    }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        guard let base else { return addresses.map { _ in .unresolved(.unknownImageBase) } }
        return addresses.map { address in
            guard let offset = address.offset(fromImageBase: base) else { return .unresolved(.outsideImage) }
            return frames(at: [offset])[0]
        }
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { base.flatMap { address.offset(fromImageBase: $0) } }
}

/// Looks up one address in the text.
struct BreakpadLookup {
    let tables: BreakpadTables

    func result(at address: UInt64, _ text: Span<UInt8>) -> SymbolResult {
        if let function = tables.function(containing: address) {
            guard let frames = frames(of: function, at: address, text) else {
                return .unresolved(.corrupt("inlined calls are nested deeper than \(Limits.standard.inlineDepth)"))
            }
            return .found(frames)
        }
        switch tables.symbol(at: address) {
        case .found(let name, let start):
            return .found([
                SourceFrame(name: line(name, text), entry: ImageOffset(start), isInlined: false, location: nil, origin: .symbolTable)
            ])
        case .unresolved(let reason): return .unresolved(reason)
        }
    }

    /// - Returns: `nil` if the calls are nested too deeply.
    private func frames(of function: BreakpadTables.Function, at address: UInt64, _ text: Span<UInt8>) -> [SourceFrame]? {
        guard var (location, calls) = records(of: function, at: address, text) else { return nil }
        let origin: SourceFrame.Origin = location == nil && calls.isEmpty ? .symbolTable : .debugInformation
        var frames: [SourceFrame] = []
        // The line belongs to the innermost call; each call has its position in the function that it was
        // inlined into.
        while let call = calls.popLast() {
            frames.append(
                SourceFrame(
                    name: tables.origin(call.origin).map { name($0, text) } ?? "", entry: nil, isInlined: true, location: location,
                    origin: .debugInformation))
            location = call.file.flatMap { sourceLocation($0, call.line, text) }
        }
        frames.append(
            SourceFrame(
                name: name(function.name, text), entry: ImageOffset(function.address), isInlined: false, location: location, origin: origin)
        )
        return frames
    }

    /// Returns the line that covers the address, and the inlined calls that do, outermost first; `nil` if a
    /// call is deeper than `Limits.inlineDepth`: without it the line would be another function's.
    private func records(
        of function: BreakpadTables.Function, at address: UInt64, _ text: Span<UInt8>
    ) -> (SourceLocation?, [BreakpadRecord.Inline])? {
        var rest = text.from(function.name)
        _ = rest.readLine()
        var location: SourceLocation?
        var calls: [UInt64: BreakpadRecord.Inline] = [:]
        records: while var fields = rest.readLine() {
            switch fields.at(0) {
            case UInt8(ascii: "I"):
                // A call with several ranges comes before the one that it is nested in, if that has
                // the later ranges alone: only the depth counts.
                guard fields.consume("INLINE "), let call = BreakpadRecord.inline(fields, covering: address) else { continue }
                guard call.depth < UInt64(Limits.standard.inlineDepth) else { return nil }
                calls[call.depth] = call
            // Lines belong to the last function before them; files may be listed anywhere.
            case UInt8(ascii: "F"): if fields.hasPrefix("FUNC ") { break records }
            case UInt8(ascii: "P"), UInt8(ascii: "S"), UInt8(ascii: "M"): break records
            default:
                guard location == nil, let line = BreakpadRecord.line(fields), address >= line.address, address - line.address < line.size
                else { continue }
                location = sourceLocation(line.file, line.line, text)
            }
        }
        // A call without its own file has no location.
        var chain: [BreakpadRecord.Inline] = []
        while let call = calls[UInt64(chain.count)] { chain.append(call) }
        return (location, chain)
    }

    private func sourceLocation(_ file: UInt64, _ line: UInt64, _ text: Span<UInt8>) -> SourceLocation? {
        tables.file(file).map { SourceLocation(file: self.line($0, text), line: Int(clamping: line)) }
    }

    /// Reads a function's name, which is demangled in the file; empty where the dumper wrote its text for an
    /// unknown name (`common/module.cc`).
    private func name(_ position: Int, _ text: Span<UInt8>) -> String {
        let name = line(position, text)
        return name == "<name omitted>" ? "" : name
    }

    private func line(_ position: Int, _ text: Span<UInt8>) -> String {
        var rest = text.from(position)
        return rest.readLine()?.upTo(Limits.standard.nameLength).text ?? ""
    }
}
