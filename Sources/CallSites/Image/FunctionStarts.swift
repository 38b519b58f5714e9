internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles

/// Where the functions of an image begin: by frame descriptions, Mach-O's list, and symbols, of all
/// its files.
///
/// Frame descriptions come first, because one is found by some reads; symbols are read for what
/// they do not cover.
final class FunctionStarts: Sendable {
    private struct Function: Sendable {
        var start: UInt64
        /// One past its last byte; its start if that is not known.
        var end: UInt64
    }

    /// The functions' starts as one file of Mach-O lists them.
    private let list: [LinkAddress]
    private let frames: Lazily<[ExceptionFrames]>
    private let symbols: Lazily<[Function]>
    private let all: Lazily<[UInt64]>

    init(_ files: [ObjectFile]) {
        let list = files.first { !$0.description.functionStarts.isEmpty }?.description.functionStarts ?? []
        // Mach-O's `__eh_frame` has no table, and few functions.
        let frames = Lazily { list.isEmpty ? files.compactMap { ExceptionFrames($0) } : [] }
        let symbols = Lazily { Self.symbols(of: files) }
        self.list = list
        self.frames = frames
        self.symbols = symbols
        all = Lazily { Self.all(list, frames.get(), symbols.get()) }
    }

    /// The start of the function that holds an address; `nil` if that is not known.
    func start(of address: LinkAddress, in part: Range<LinkAddress>?) -> LinkAddress? {
        if let start = described(address), part.map({ $0.contains(start) }) ?? true { return start }
        let function = last(symbols.get(), startingAtOrBefore: address.value)
        guard let function, address.value < function.end else { return nil }
        return part.map { function.start >= $0.lowerBound.value } ?? true ? LinkAddress(function.start) : nil
    }

    /// Where an instruction begins, at or before an address: a function's start, or that of what is
    /// between functions.
    func nearest(to address: LinkAddress, in part: Range<LinkAddress>) -> UInt64 {
        if let start = described(address), start >= part.lowerBound { return start.value }
        let all = all.get()
        var low = 0
        var high = all.count
        while low < high {
            let middle = low + (high - low) / 2
            if all[middle] <= address.value { low = middle + 1 } else { high = middle }
        }
        return max(low > 0 ? all[low - 1] : 0, part.lowerBound.value)
    }

    /// All places in a range where an instruction is known to begin, ascending.
    func starts(in range: Range<UInt64>) -> ArraySlice<UInt64> {
        let all = all.get()
        func index(notBelow value: UInt64) -> Int {
            var low = 0
            var high = all.count
            while low < high {
                let middle = low + (high - low) / 2
                if all[middle] < value { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return all[index(notBelow: range.lowerBound)..<index(notBelow: range.upperBound)]
    }

    private func described(_ address: LinkAddress) -> LinkAddress? {
        if !list.isEmpty {
            var low = 0
            var high = list.count
            while low < high {
                let middle = low + (high - low) / 2
                if list[middle] <= address { low = middle + 1 } else { high = middle }
            }
            return low > 0 ? list[low - 1] : nil
        }
        for frames in frames.get() {
            if let range = frames.range(containing: address) { return range.lowerBound }
        }
        return nil
    }

    private func last(_ functions: [Function], startingAtOrBefore address: UInt64) -> Function? {
        var low = 0
        var high = functions.count
        while low < high {
            let middle = low + (high - low) / 2
            if functions[middle].start <= address { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? functions[low - 1] : nil
    }

    // MARK: Reading

    /// The functions of all symbol tables, ascending. One without a size goes up to the next in a
    /// full table, and is of unknown size otherwise.
    private static func symbols(of files: [ObjectFile]) -> [Function] {
        var found: [Function] = []
        for file in files {
            let sections = file.description.sections
            var own: [Function] = []
            try? file.forEachSymbol { symbol in
                let isFunction = symbol.kind == .function || (symbol.kind == .untyped && symbol.binding != .local)
                // Section numbers count from 0 in ELF, from 1 in Mach-O.
                let index = file.description.container == .machO ? symbol.section - 1 : symbol.section
                guard isFunction, sections.indices.contains(index), sections[index].isExecutable else { return true }
                let (end, overflow) = symbol.address.value.addingReportingOverflow(symbol.size)
                own.append(Function(start: symbol.address.value, end: overflow ? symbol.address.value : end))
                return true
            }
            own.sort { ($0.start, $0.end) < ($1.start, $1.end) }
            if file.hasFullSymbolTable { close(&own, sections) }
            found += own
        }
        return files.count > 1 ? found.sorted { ($0.start, $0.end) < ($1.start, $1.end) } : found
    }

    /// Gives functions without a size the end of what they can be.
    private static func close(_ functions: inout [Function], _ sections: [Section]) {
        let code = sections.filter { $0.isExecutable && $0.isLoaded }.sorted { $0.address < $1.address }
        var section = code.count - 1
        var next = UInt64.max
        for index in functions.indices.reversed() {
            let start = functions[index].start
            if functions[index].end == start {
                while section >= 0, code[section].address.value > start { section -= 1 }
                let isInside = section >= 0 && code[section].contains(LinkAddress(start))
                let end = isInside ? code[section].address.advanced(by: code[section].size)?.value ?? start : start
                functions[index].end = min(next, end)
            }
            if index > 0, functions[index - 1].start < start { next = start }
        }
    }

    /// Frame descriptions, the places between them, and what begins there.
    private static func all(_ list: [LinkAddress], _ frames: [ExceptionFrames], _ symbols: [Function]) -> [UInt64] {
        guard list.isEmpty else { return list.map(\.value) }
        var ranges: [Range<LinkAddress>] = []
        for frames in frames { ranges += frames.everyRange() }
        if frames.count > 1 { ranges.sort { $0.lowerBound < $1.lowerBound } }
        var starts: [UInt64] = []
        starts.reserveCapacity(2 * ranges.count + symbols.count)
        var symbol = 0
        var end: UInt64 = 0
        func addSymbols(before limit: UInt64) {
            while symbol < symbols.count, symbols[symbol].start < limit {
                // What frame descriptions cover is as they say.
                if symbols[symbol].start >= end { starts.append(symbols[symbol].start) }
                symbol += 1
            }
        }
        for range in ranges {
            addSymbols(before: range.lowerBound.value)
            starts.append(range.lowerBound.value)
            if range.upperBound.value > end {
                end = range.upperBound.value
                // The next one begins there, or something without a frame description.
                starts.append(end)
            }
        }
        addSymbols(before: .max)
        starts.sort()
        return starts
    }
}
