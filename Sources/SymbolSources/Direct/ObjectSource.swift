public import BinaryPrimitives
internal import DWARF
public import ObjectFiles

/// Answers addresses straight from the files of one image: debug information first, the symbol table for what it does not cover.
///
/// Nothing is kept between calls; a batch of addresses is one call.
public struct ObjectSource: SymbolSource {
    let objects: [ObjectFile]

    /// - Parameter objects: the files of one image (a debug companion and the executable, or only one of them), those with debug information first.
    public init(_ objects: [ObjectFile]) { self.objects = objects }

    public func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
        var answers = [SymbolAnswer](repeating: .unresolved(.noSymbol), count: offsets.count)
        var open = Array(offsets.indices)
        // With a dSYM at hand, the object files that it was made of add nothing.
        let hasDebugInformation = objects.contains { DWARFReader($0) != nil }
        for object in objects {
            let wanted = open.map { offsets[$0] }
            let lookup = ObjectLookup(object: object, usesDebugMap: !hasDebugInformation)
            for (index, answer) in zip(open, lookup.frames(at: wanted)) {
                answers[index] = answer.better(than: answers[index])
            }
            open.removeAll { answers[$0].isComplete }
            if open.isEmpty { break }
        }
        return answers
    }
}

extension SymbolAnswer {
    /// With a line: another file could add nothing.
    fileprivate var isComplete: Bool {
        guard case .found(let frames) = self else { return false }
        return frames.contains { $0.origin == .debugInformation }
    }

    fileprivate func better(than other: SymbolAnswer) -> SymbolAnswer {
        switch (self, other) {
        case (.found, .unresolved): self
        case (.unresolved, .found): other
        case (.found, .found): isComplete || !other.isComplete ? self : other
        // What the later file says is no more precise, unless the earlier one said nothing at all.
        case (.unresolved, .unresolved(let reason)): reason == .noSymbol ? self : other
        }
    }
}

/// One file's answers.
private struct ObjectLookup {
    let object: ObjectFile
    let usesDebugMap: Bool

    func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
        var answers = [SymbolAnswer](repeating: .unresolved(.outsideImage), count: offsets.count)
        var indices: [Int] = []
        var wanted: [LinkAddress] = []
        for (index, offset) in offsets.enumerated() {
            guard let address = offset.linkAddress(imageBase: object.baseAddress), isMapped(address) else { continue }
            indices.append(index)
            wanted.append(address)
        }
        guard !wanted.isEmpty else { return answers }
        let debug: [DWARFAnswer?]? =
            DWARFReader(object)?.answers(for: wanted) ?? (usesDebugMap ? DebugMapSource(object)?.answers(for: wanted) : nil)
        var table = SymbolTableLookup(object, wanted: wanted)
        let (symbols, problem) = table.run()
        var linked = LinkedNames(object)
        for (position, index) in indices.enumerated() {
            var symbol = position < symbols.count ? symbols[position] : .unresolved(.noSymbol)
            if case .unresolved = symbol, let name = linked.name(at: wanted[position]) { symbol = .linked(name) }
            answers[index] = answer(debug?[position] ?? nil, symbol, problem)
        }
        return answers
    }

    /// Files without segments (relocatable ones) map their loaded sections.
    private func isMapped(_ address: LinkAddress) -> Bool {
        let segments = object.description.segments
        if segments.isEmpty { return object.section(containing: address) != nil }
        return segments.contains { segment in address.distance(from: segment.address).map { $0 < segment.size } ?? false }
    }

    private func answer(_ debug: DWARFAnswer?, _ table: SymbolTableAnswer, _ tableProblem: String?) -> SymbolAnswer {
        var symbol: Symbol?
        if case .symbol(let found) = table { symbol = found }
        if let debug, debug.isKnown { return .found(frames(debug, symbol)) }
        if let symbol { return .found([frame(name(of: symbol), at: symbol.address)]) }
        if case .linked(let linked) = table { return .found([frame(sourceName(linked.name), at: linked.address)]) }
        if let problem = debug?.problem { return .unresolved(.corrupt(problem.description)) }
        if let tableProblem { return .unresolved(.corrupt(tableProblem)) }
        if case .unresolved(let reason) = table { return .unresolved(reason) }
        return .unresolved(.noSymbol)
    }

    /// Turns the functions of the debug information, each of which knows where it was called, into frames, each of which knows where it is.
    private func frames(_ debug: DWARFAnswer, _ symbol: Symbol?) -> [SourceFrame] {
        var frames: [SourceFrame] = []
        var location = debug.location
        for function in debug.functions {
            frames.append(
                SourceFrame(
                    name: function.name ?? "", entry: function.isInlined ? nil : offset(function.entry), isInlined: function.isInlined,
                    location: location, origin: .debugInformation))
            location = function.callSite
        }
        // A chain that ends in an inlined call has lost its function; so has a line without any.
        if frames.last.map(\.isInlined) ?? true {
            frames.append(SourceFrame(name: "", entry: nil, isInlined: false, location: location, origin: .debugInformation))
        }
        // The symbol table names what the linker has: gcc's parts of functions (`f.cold`, `f.isra.0`, `f.part.1`) are symbols of their own, which debug information
        // calls by the name of the whole; and the offset counts from the symbol's start.
        if let symbol {
            frames[frames.count - 1].name = name(of: symbol)
            frames[frames.count - 1].entry = offset(symbol.address)
        }
        return frames
    }

    private func offset(_ address: LinkAddress) -> ImageOffset? { address.offset(fromImageBase: object.baseAddress) }

    /// A function of which nothing but its name is known.
    private func frame(_ name: String, at address: LinkAddress) -> SourceFrame {
        SourceFrame(name: name, entry: offset(address), isInlined: false, location: nil, origin: .symbolTable)
    }

    private func name(of symbol: Symbol) -> String { sourceName(symbol.name.text(in: object)) }

    /// Mach-O's compilers put an underscore before every name of the source.
    private func sourceName(_ text: String) -> String {
        object.description.container == .machO && text.hasPrefix("_") ? String(text.dropFirst()) : text
    }
}
