internal import BinaryPrimitives
internal import DWARF
package import ObjectFiles

/// One file's results.
struct ObjectLookup {
    let object: ObjectFile
    let usesDebugMap: Bool
    var options = SourceOptions()
    /// The file's debug information, where it is kept between calls.
    var kept: CachedReader?

    /// Addresses from which on another thread is worth being started for the symbol table: their
    /// units take longer than it.
    private static let manyAddresses = 64
    /// Bytes of a symbol table from which on it is for one address too: one of a kernel, whose
    /// table has 3.2 MB, takes 7.7 ms with two processors, and 8.9 with one.
    private static let largeTable = 1 << 20

    func frames(at offsets: [ImageOffset]) -> [SymbolResult] { frames(at: offsets.map { resolve($0) }) }

    /// Converts an offset to an address.
    func resolve(_ offset: ImageOffset) -> ObjectFile.ResolvedOffset {
        let location = object.resolve(offset)
        guard options.searchesUnmapped, case .outside = location else { return location }
        return offset.linkAddress(imageBase: object.baseAddress).map { .address($0) } ?? location
    }

    /// Returns the frames at addresses, with details that only some tools print.
    func detailedFrames(at wanted: [ObjectFile.ResolvedOffset], _ kinds: DWARFDetails) -> [DetailedResult] {
        var details = [(debug: DWARFResultDetails?, symbolStart: LinkAddress?)](repeating: (nil, nil), count: wanted.count)
        let results = frames(at: wanted, details: kinds) { details[$0] = ($1?.details, $2) }
        return zip(results, details).map { DetailedResult($0, $1.debug, symbolStart: $1.symbolStart) }
    }

    /// - Parameters:
    ///   - details: details that the debug information's results are to have.
    ///   - calls: receives the calls of the functions there.
    ///   - body: receives, by the index in `wanted`, the parts of the result: the debug information's, and the
    ///     start of the symbol that names the function.
    func frames(
        at wanted: [ObjectFile.ResolvedOffset], details: DWARFDetails = .none, calls: CollectedCallSites? = nil,
        _ body: (Int, DWARFResult?, LinkAddress?) -> Void = { _, _, _ in }
    ) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.outsideImage), count: wanted.count)
        var mapped: [(index: Int, address: LinkAddress)] = []
        for (index, location) in wanted.enumerated() {
            switch location {
            case .address(let address):
                let address = address.withoutSignExtension(object.architecture)
                if options.searchesUnmapped || isMapped(address) { mapped.append((index, address)) }
            case .ambiguous(let sections): results[index] = .unresolved(.ambiguousSection(sections))
            case .outside: break
            }
        }
        guard !mapped.isEmpty else { return results }
        let before = FileChanges.count
        // In a relocatable file, adjacent offsets may be in different sections.
        if object.description.sectionsArePlaced { mapped.sort { ($0.address, $0.index) < ($1.address, $1.index) } }
        let wanted = mapped.map(\.address)
        var (debug, names) = read(wanted, details, calls)
        // A file that is opened for this lookup alone (split units, a debug map's objects) has lost pages.
        // Retry: it is opened anew, as it is now.
        var count = before
        for _ in 0..<Self.attempts where FileChanges.count != count && object.file.change == nil {
            count = FileChanges.count
            (debug, names) = read(wanted, details, calls)
        }
        let go = GoLineSource(object)?.frames(at: wanted)
        var linked = LinkedNames(object, order: options.symbols)
        for (position, entry) in mapped.enumerated() {
            if let frames = go?[position], debug?[position].dwarf?.isKnown != true {
                results[entry.index] = .found(frames)
                continue
            }
            var name = names[position]
            if let found = linked.name(at: entry.address, inPlaceOf: name) { name = .linked(found) }
            results[entry.index] = result(debug?[position], name, names.problem)
            var symbolStart: LinkAddress?
            if case .found(let found) = name { symbolStart = found.symbol.address }
            body(entry.index, debug?[position].dwarf, symbolStart)
        }
        return results
    }

    /// How often files beside this one are opened anew that change while they are read.
    private static let attempts = 3

    /// Reads the results of the debug information and of the symbol tables.
    private func read(
        _ wanted: [LinkAddress], _ details: DWARFDetails, _ calls: CollectedCallSites?
    ) -> ([DebugMapSource.AddressResult]?, SymbolNames) {
        Parallel.both(
            worthwhile: wanted.count >= Self.manyAddresses || object.section(named: ".symtab")?.fileRange.count ?? 0 >= Self.largeTable,
            {
                let results =
                    kept.map { $0.results(for: wanted, in: object, options.split, details: details, calls: calls) }
                    ?? DWARFReader(object, options.split)?.results(for: wanted, details: details, calls: calls)
                return results?.map {
                    DebugMapSource.AddressResult(dwarf: $0)
                }
                    ?? (usesDebugMap ? DebugMapSource(object)?.results(for: wanted, details: details) : nil)
            },
            { SymbolNames(object, wanted: wanted, order: options.symbols) })
    }

    /// Files without segments (relocatable ones) map their loaded sections.
    private func isMapped(_ address: LinkAddress) -> Bool {
        let segments = object.description.segments
        if segments.isEmpty { return object.section(containing: address) != nil }
        return segments.contains { segment in address.distance(from: segment.address).map { $0 < segment.size } ?? false }
    }

    private func result(_ debug: DebugMapSource.AddressResult?, _ table: SymbolNames.Result, _ tableProblem: String?) -> SymbolResult {
        var symbol: SymbolNames.Found?
        if case .found(let found) = table { symbol = found }
        let problem = debug?.dwarf?.problem?.description
        let note = problem.map { "the debug information cannot be read in full: \($0)" } ?? debug?.refusal
        if let dwarf = debug?.dwarf, dwarf.isKnown { return .found(frames(dwarf, symbol, note)) }
        if let symbol {
            let name = symbol.name
            guard !name.isEmpty else { return .unresolved(.corrupt(Self.missingName)) }
            var frame = frame(name, at: symbol.symbol.address, note)
            frame.alsoAt = symbol.others(than: frame.name)
            return .found([frame])
        }
        if case .linked(let linked) = table { return .found([frame(object.sourceName(linked.name), at: linked.address, note)]) }
        if let problem { return .unresolved(.corrupt(problem)) }
        if let refusal = debug?.refusal { return .unresolved(.unusedObject(refusal)) }
        if let tableProblem { return .unresolved(.corrupt(tableProblem)) }
        if case .unresolved(let reason) = table {
            if let missing = object.description.missingNames { return .unresolved(.missingNames(missing)) }
            return .unresolved(object.description.sectionsAreSegments ? .noSectionHeaders : reason)
        }
        return .unresolved(.noSymbol)
    }

    /// Reason for a symbol whose name is not in the file, because the file was cut off.
    private static let missingName = "the name of the symbol at the address is missing: its offset is outside of the table of names"

    /// Converts functions of the debug information, which have their call sites, into frames, which have their
    /// own locations.
    private func frames(_ debug: DWARFResult, _ symbol: SymbolNames.Found?, _ note: String?) -> [SourceFrame] {
        var frames: [SourceFrame] = []
        var location = debug.location
        for function in debug.functions {
            frames.append(
                SourceFrame(
                    name: function.name ?? "", entry: function.isInlined ? nil : object.offset(of: function.entry),
                    isInlined: function.isInlined,
                    location: location, origin: .debugInformation))
            location = function.callSite
        }
        // A chain that ends in an inlined call has lost its function; so has a line without any.
        if frames.last.map(\.isInlined) ?? true {
            frames.append(SourceFrame(name: "", entry: nil, isInlined: false, location: location, origin: .debugInformation))
        }
        if let symbol { name(&frames[frames.count - 1], symbol, function: debug.functions.last) }
        frames[frames.count - 1].note = note
        return frames
    }

    /// Names a frame after its symbol, because the symbol table has the linker's names: gcc's parts of
    /// functions (`f.cold`, `f.isra.0`, `f.part.1`) are symbols of their own, which debug information gives the
    /// name of the whole; and the offset counts from the symbol's start. If several functions begin there, the
    /// name of the one whose lines are given is used.
    private func name(_ frame: inout SourceFrame, _ symbol: SymbolNames.Found, function: DWARFFunction?) {
        var chosen: Symbol? = symbol.symbol
        if !symbol.rivals.isEmpty, let function, !function.isInlined, function.entry == symbol.symbol.address, let name = function.name {
            chosen = symbol.symbol(named: name)
        }
        if let chosen, case let name = symbol.name(of: chosen), !name.isEmpty {
            frame.name = name
            frame.entry = object.offset(of: chosen.address)
        }
        frame.alsoAt = symbol.others(than: frame.name)
    }

    /// A function of which only the name is known.
    private func frame(_ name: String, at address: LinkAddress, _ note: String?) -> SourceFrame {
        SourceFrame(name: name, entry: object.offset(of: address), isInlined: false, location: nil, origin: .symbolTable, note: note)
    }
}

extension ObjectFile {
    /// A name of the file's tables without the underscore that compilers of Mach-O, and of 32-bit
    /// Windows, put before every name of the source.
    package func sourceName(_ text: String) -> String {
        description.namesHaveUnderscores && text.hasPrefix("_") ? String(text.dropFirst()) : text
    }
}
