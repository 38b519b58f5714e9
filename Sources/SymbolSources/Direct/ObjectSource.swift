package import BinaryPrimitives
package import DWARF
package import ObjectFiles

/// Resolves addresses straight from the files of one image: debug information first, the symbol
/// table for what it does not cover.
///
/// By default nothing is kept between calls. A batch of addresses is one call.
package struct ObjectSource: SymbolSource {
    let objects: [ObjectFile]
    let options: SourceOptions
    /// The objects' debug information, where it is kept between calls; else empty.
    private let kept: [CachedReader]

    /// - Parameters:
    ///   - objects: the files of one image (a debug companion and the executable, or only one of
    ///     them), those with debug information first.
    ///   - options: further inputs.
    ///   - keepsSections: compressed sections of debug information stay inflated between calls.
    package init(_ objects: [ObjectFile], _ options: SourceOptions = SourceOptions(), keepsSections: Bool = false) {
        self.objects = objects
        self.options = options
        kept = keepsSections ? objects.map { _ in CachedReader() } : []
    }

    func lookup(_ number: Int, usesDebugMap: Bool) -> ObjectLookup {
        ObjectLookup(object: objects[number], usesDebugMap: usesDebugMap, options: options, kept: kept.isEmpty ? nil : kept[number])
    }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        results(addresses) { $0.frames(at: $1.map { .address($0) }, calls: calls) }
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        results(offsets) { $0.frames(at: $1) }
    }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        results(addresses) { $0.frames(at: $1.map { .address($0) }) }
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { objects.first?.offset(of: address) }

    private func results<Key>(_ keys: [Key], _ lookUp: (ObjectLookup, [Key]) -> [SymbolResult]) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.noSymbol), count: keys.count)
        var open = Array(keys.indices)
        // With a dSYM at hand, the object files that it was made of add nothing.
        let hasDebugInformation = objects.contains { $0.hasDebugInformation }
        for number in objects.indices {
            let wanted = open.map { keys[$0] }
            let lookup = lookup(number, usesDebugMap: !hasDebugInformation)
            for (index, result) in zip(open, lookUp(lookup, wanted)) {
                results[index] = result.better(than: results[index])
            }
            open.removeAll { results[$0].isComplete }
            if open.isEmpty { break }
        }
        if let change { return results.map { _ in .unresolved(.changedFile(change)) } }
        return results
    }

    /// Change of one of the files since it was opened. Checked after the lookups and before the results are
    /// returned.
    package var change: FileChange? {
        for object in objects { if let change = object.file.change { return change } }
        return nil
    }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        var symbols = SymbolLocator(
            locations.compactMap { location in
                guard case .symbol(let symbol) = location else { return nil }
                return symbol
            })
        // Every file of the image is searched: the binary's table may be stripped, and a debug file may have no
        // table.
        for object in objects where symbols.hasUnknown {
            symbols.look(in: object)
            if !object.hasFullSymbolTable, let packed = (try? object.miniDebugInformation()) ?? nil { symbols.look(in: packed) }
        }
        if let change { return locations.map { _ in .unresolved(.changedFile(change)) } }
        return locations.map { locate($0, symbols) }
    }

    private func locate(_ location: ImageLocation, _ symbols: SymbolLocator) -> LocateResult {
        switch location {
        case .offset(let offset):
            guard case .address(let address)? = objects.first?.resolve(offset) else { return .unresolved(.outsideImage) }
            return .found([address])
        case .linkAddress(let address): return .found([address])
        case .fileOffset(let offset):
            return objects.linkAddress(ofFileOffset: offset).map { .found([$0]) } ?? .unresolved(.fileOffsetNotMapped)
        case .relativePC(let value):
            guard let beginsWithCode = objects.lazy.compactMap({ $0.beginsWithCode }).first else {
                return .unresolved(.fileOffsetNotMapped)
            }
            return beginsWithCode ? .found([LinkAddress(value)]) : locate(.fileOffset(value), symbols)
        case .textOffset(let distance):
            let text = objects.lazy.compactMap { $0.section(named: ".text") ?? $0.section(named: "__text") }.first
            guard let text else { return .unresolved(.noTextSection) }
            return .found([LinkAddress(text.address.value &+ UInt64(bitPattern: distance))])
        case .symbol(let symbol): return symbols.locate(symbol)
        case .mapping(let mapping): return locate(mapping)
        }
    }

    /// The kernel maps a segment from the page on that it begins in to the page's end that it ends
    /// in (`elf_map` of `fs/binfmt_elf.c`, `_dl_map_segments` of glibc): of the segments with code,
    /// the one whose pages are as many as the log's mapping has.
    private func locate(_ mapping: MappingLocation) -> LocateResult {
        var sizes: [UInt64] = []
        for object in objects {
            let segments = object.description.segments.filter {
                $0.isExecutable && $0.size > 0 && $0.address.value.addingReportingOverflow($0.size).overflow == false
            }
            // x86's pages, and the larger ones of arm64 and PowerPC.
            for page: UInt64 in [4096, 16384, 65536] {
                let found = segments.filter { $0.pages(of: page).size == mapping.size }
                if found.count == 1 { return .found([LinkAddress(found[0].pages(of: page).start &+ mapping.offset)]) }
            }
            sizes += segments.map { $0.pages(of: 4096).size }
        }
        return .unresolved(.mappingSizeDiffers(log: mapping.size, file: sizes))
    }

    /// Each table is read; a function that several of them have comes several times. If the table
    /// does not give its size, it is as long as the file bounds it, or else one byte.
    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        for object in objects {
            visit(object, bounds: object, body)
            if !object.hasFullSymbolTable, let packed = (try? object.miniDebugInformation()) ?? nil { visit(packed, bounds: object, body) }
        }
    }

    private func visit(_ object: ObjectFile, bounds: ObjectFile, _ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        var extents = FunctionExtents(bounds)
        try? object.forEachSymbol { symbol in
            guard symbol.kind == .function else { return true }
            var extent: Range<LinkAddress>?
            if symbol.size > 0, let end = symbol.address.advanced(by: symbol.size) { extent = symbol.address..<end }
            if symbol.size == 0 {
                extent = extents.extent(containing: symbol.address) ?? symbol.address.advanced(by: 1).map { symbol.address..<$0 }
            }
            if let extent { body(object.sourceName(symbol.name.text(in: object)), extent) }
            return true
        }
    }

    /// The variable that holds an address, if the debug information has the file that declares it.
    package func variable(at address: LinkAddress) -> StaticVariable? {
        for object in objects {
            if let variable = DWARFReader(object, options.split)?.staticVariables(at: [address.value]).first ?? nil, variable.file != nil {
                return variable
            }
        }
        return nil
    }

    /// Flaws of the files' address tables; results do not depend on them.
    package func addressTableFlaws() -> [String] { objects.flatMap { DWARFReader.addressTableFlaws(of: $0) } }

    /// The variables of the innermost function at an address, with those of functions inlined into
    /// it. Empty where the debug information has none.
    package func locals(at address: LinkAddress) -> [LocalVariable] {
        for object in objects {
            let locals = DWARFReader(object, options.split)?.locals(at: address.value) ?? []
            if !locals.isEmpty { return locals }
        }
        return []
    }
}

extension SymbolResult {
    /// Whether the result has debug information, so that another file cannot add anything.
    var isComplete: Bool {
        guard case .found(let frames) = self else { return false }
        return frames.contains { $0.origin == .debugInformation }
    }

    func better(than other: SymbolResult) -> SymbolResult {
        switch (self, other) {
        case (.found, .unresolved): self
        case (.unresolved, .found): other
        case (.found, .found): isComplete || !other.isComplete ? self : other
        // The later file's reason is not more precise, unless the earlier file had no symbol at all.
        case (.unresolved, .unresolved(let reason)): reason == .noSymbol ? self : other
        }
    }
}

extension Segment {
    /// The pages that hold the segment.
    fileprivate func pages(of page: UInt64) -> (start: UInt64, size: UInt64) {
        let start = address.value & ~(page - 1)
        let (end, overflow) = (address.value + size).addingReportingOverflow(page - 1)
        return (start, overflow ? 0 : (end & ~(page - 1)) - start)
    }
}

extension ObjectFile {
    /// The DWARF versions of its units, ascending. Empty if it has no units, or their headers are damaged.
    package var unitVersions: [Int] { DWARFReader(self)?.versions() ?? [] }

    /// Whether the first executable segment holds the file's first byte; `nil` where the file does
    /// not show it: debug files have lost their segments' file offsets. Theirs begins with code
    /// where no segment is linked below the code.
    fileprivate var beginsWithCode: Bool? {
        guard let code = description.segments.first(where: \.isExecutable) else { return nil }
        if !code.fileRange.isEmpty { return code.fileRange.lowerBound == slice.lowerBound }
        return description.segments.contains { $0.address < code.address } ? nil : true
    }
}

/// Further inputs of a source in addition to its files.
package struct SourceOptions: Sendable {
    /// Locations that are searched for split units.
    package var split: SplitLocations
    /// Debug information is also searched for addresses that the file does not map: an assembler's
    /// object may describe code that it does not hold.
    package var searchesUnmapped: Bool

    /// How one of several symbols at an address is chosen.
    package var symbols: SymbolOrder

    /// The package of split units; `nil` for the one beside each file.
    package var splitPackage: String? { split.package }

    /// - Parameters:
    ///   - splitPackage: the package of split units (`.dwp`); `nil` for the one beside each file.
    ///   - besideProgram: whether files of split units are also searched for beside each file.
    package init(
        splitPackage: String? = nil, besideProgram: Bool = true, searchesUnmapped: Bool = false, symbols: SymbolOrder = .preferred
    ) {
        split = SplitLocations(package: splitPackage, besideProgram: besideProgram)
        self.searchesUnmapped = searchesUnmapped
        self.symbols = symbols
    }
}
