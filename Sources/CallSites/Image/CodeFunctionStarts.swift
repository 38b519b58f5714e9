internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles
internal import Synchronization

/// Start addresses of an image's functions: from frame descriptions or `.pdata`, Mach-O's list, and symbols,
/// of all its files.
///
/// Frame descriptions come first, because one is found with a few reads; symbols are read for the addresses
/// that they do not cover.
final class CodeFunctionStarts: Sendable {
    private struct Function: Sendable {
        var start: UInt64
        /// One past its last byte; its start if that is not known.
        var end: UInt64
    }

    /// The functions' starts as one file of Mach-O lists them.
    private let list: [LinkAddress]
    private let frames: LazyValue<[any FunctionRanges]>
    private let files: [ObjectFile]
    /// Caches for an address the last function of the symbol tables that begins at or before it; `.some(nil)`
    /// if there is none.
    private let found = RecentlyUsed<UInt64, Function?>(count: 1 << 14)
    /// Addresses from `read`: when the first of them is needed, all are searched for.
    private let pending = Mutex<Set<UInt64>>([])
    /// Returns the first bytes of the functions that hold some addresses, as far as these have been looked
    /// up; `nil` elements are not known.
    private let entries: @Sendable ([LinkAddress]) -> [LinkAddress?]
    private let scans = Mutex(0)
    /// Functions of all symbol tables: sorting a large table takes as long as two scans of it.
    private let symbols: LazyValue<[Function]>
    private let all: LazyValue<[UInt64]>

    private static let maxScans = 1
    /// Bytes to whose multiples compilers align functions.
    private static let alignment: UInt64 = 16

    /// - Parameter entries: returns the first bytes of the functions that hold the given addresses, as far as
    ///   they are known.
    init(_ files: [ObjectFile], entries: @escaping @Sendable ([LinkAddress]) -> [LinkAddress?]) {
        self.entries = entries
        let list = files.first { !$0.description.functionStarts.isEmpty }?.description.functionStarts ?? []
        // Mach-O's `__eh_frame` has no table, and few functions.
        let frames = LazyValue { list.isEmpty ? files.compactMap(\.functionRanges) : [] }
        let symbols = LazyValue { Self.symbols(of: files) }
        self.list = list
        self.files = files
        self.frames = frames
        self.symbols = symbols
        all = LazyValue { Self.all(list, frames.get(), symbols.get()) }
    }

    /// The start of the function that holds an address; `nil` if that is not known.
    func start(of address: LinkAddress, in part: Range<LinkAddress>?) -> LinkAddress? {
        if let start = described(address), part.map({ $0.contains(start) }) ?? true { return start }
        guard let function = symbol(startingAtOrBefore: address.value), address.value < function.end else { return nil }
        return part.map { function.start >= $0.lowerBound.value } ?? true ? LinkAddress(function.start) : nil
    }

    /// The function that holds an address, up to where it ends; `nil` if that is not known.
    func range(of address: LinkAddress, in part: Range<LinkAddress>) -> Range<LinkAddress>? {
        var found: Range<LinkAddress>?
        if !list.isEmpty {
            let next = list.partitionPoint { $0 > address }
            if next > 0 { found = list[next - 1]..<(next < list.count ? list[next] : part.upperBound) }
        } else {
            found = frames.get().lazy.compactMap { $0.range(containing: address) }.first
        }
        if found == nil, let function = symbol(startingAtOrBefore: address.value), address.value < function.end {
            found = LinkAddress(function.start)..<LinkAddress(function.end)
        }
        guard let found, part.contains(found.lowerBound) else { return nil }
        return found.clamped(to: part)
    }

    /// Returns the start of an instruction at or before an address: a function's start, or the start of a gap
    /// between functions.
    func nearest(to address: LinkAddress, in part: Range<LinkAddress>) -> UInt64 {
        if let start = described(address), start >= part.lowerBound { return start.value }
        // No frame description covers the address. An instruction begins where the last one before it ends.
        let end = frames.get().compactMap { $0.lastRange(startingAtOrBefore: address)?.upperBound.value }.max() ?? 0
        // The gap up to the next function is padding, mostly.
        let symbol = end == 0 || address.value > end + Self.alignment ? symbol(startingAtOrBefore: address.value)?.start : nil
        return max(end, symbol ?? 0, part.lowerBound.value)
    }

    /// Prepares the other methods for these addresses: those that only symbols cover are searched for together.
    /// - Parameter prepare: called before `entries`, if that is needed.
    func read(_ addresses: [LinkAddress], prepare: () -> Void) {
        guard list.isEmpty else { return }
        let open = addresses.filter { described($0) == nil && found[$0.value] == nil }.sorted()
        guard !open.isEmpty else { return }
        prepare()
        keep(entries(open), of: open)
        pending.withLock { pending in
            for address in open where found[address.value] == nil && pending.count < Self.maxPending { pending.insert(address.value) }
        }
    }

    private static let maxPending = 1 << 14

    /// - Parameter starts: of the functions that hold the addresses.
    private func keep(_ starts: [LinkAddress?], of addresses: [LinkAddress]) {
        for (address, start) in zip(addresses, starts) {
            guard let start, start <= address, let end = address.advanced(by: 1) else { continue }
            found.keep(Function(start: start.value, end: end.value), for: address.value)
        }
    }

    /// Returns all addresses in a range where an instruction is known to begin, ascending.
    func starts(in range: Range<UInt64>) -> ArraySlice<UInt64> {
        let all = all.get()
        return all[all.partitionPoint { $0 >= range.lowerBound }..<all.partitionPoint { $0 >= range.upperBound }]
    }

    private func described(_ address: LinkAddress) -> LinkAddress? {
        if !list.isEmpty {
            let next = list.partitionPoint { $0 > address }
            return next > 0 ? list[next - 1] : nil
        }
        for frames in frames.get() {
            if let range = frames.range(containing: address) { return range.lowerBound }
        }
        return nil
    }

    private func symbol(startingAtOrBefore address: UInt64) -> Function? {
        if let known = found[address] { return known }
        if mayScan {
            let others = pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
            scan(others.union([address]).sorted())
            return found[address] ?? nil
        }
        let functions = symbols.get()
        let next = functions.partitionPoint { $0.start > address }
        return next > 0 ? functions[next - 1] : nil
    }

    private var mayScan: Bool {
        scans.withLock { count in
            count += 1
            return count <= Self.maxScans
        }
    }

    /// Finds the functions at some addresses in the symbol tables, in one pass over each.
    /// - Parameter addresses: ascending.
    private func scan(_ addresses: [UInt64]) {
        var best = [Function?](repeating: nil, count: addresses.count)
        for file in files {
            // For each address, the functions that begin in the gap between the previous address and it: the
            // last one, and the first one after it.
            var own = [Function?](repeating: nil, count: addresses.count)
            var next = [UInt64](repeating: .max, count: addresses.count + 1)
            Self.forEachFunction(of: file) { function in
                let index = addresses.partitionPoint { $0 >= function.start }
                next[index] = min(next[index], function.start)
                guard index < addresses.count else { return }
                if own[index].map({ ($0.start, $0.end) < (function.start, function.end) }) ?? true { own[index] = function }
            }
            for index in own.indices.dropFirst() where own[index] == nil { own[index] = own[index - 1] }
            for index in addresses.indices.reversed() { next[index] = min(next[index], next[index + 1]) }
            let code = Self.code(of: file)
            for index in addresses.indices {
                guard var function = own[index] else { continue }
                if function.end == function.start, file.hasFullSymbolTable {
                    function.end = Self.end(of: function.start, before: next[index + 1], code)
                }
                if best[index].map({ ($0.start, $0.end) < (function.start, function.end) }) ?? true { best[index] = function }
            }
        }
        for (address, function) in zip(addresses, best) { found.keep(function, for: address) }
    }

    // MARK: Reading

    /// The functions of all symbol tables, ascending. One without a size goes up to the next in a
    /// full table, and is of unknown size otherwise.
    private static func symbols(of files: [ObjectFile]) -> [Function] {
        var found: [Function] = []
        for file in files {
            var own: [Function] = []
            forEachFunction(of: file) { own.append($0) }
            own.sort { ($0.start, $0.end) < ($1.start, $1.end) }
            if file.hasFullSymbolTable { close(&own, code(of: file)) }
            found += own
        }
        return files.count > 1 ? found.sorted { ($0.start, $0.end) < ($1.start, $1.end) } : found
    }

    /// Calls `body` with the functions of a symbol table, in its order, without the ends of those that have
    /// no size.
    private static func forEachFunction(of file: ObjectFile, _ body: (Function) -> Void) {
        let sections = file.description.sections
        let first = file.description.firstSectionNumber
        let isCode = sections.map(\.isExecutable)
        try? file.forEachSymbol { symbol in
            let isFunction = symbol.kind == .function || (symbol.kind == .untyped && symbol.binding != .local)
            let index = symbol.section - first
            guard isFunction, isCode.indices.contains(index), isCode[index] else { return true }
            let (end, overflow) = symbol.address.value.addingReportingOverflow(symbol.size)
            body(Function(start: symbol.address.value, end: overflow ? symbol.address.value : end))
            return true
        }
    }

    private static func code(of file: ObjectFile) -> [Section] { file.description.sections.filter { $0.isExecutable && $0.isLoaded } }

    /// The end of a function without a size: the next one's start, or the end of its section.
    private static func end(of start: UInt64, before next: UInt64, _ code: [Section]) -> UInt64 {
        let section = code.last { $0.contains(LinkAddress(start)) }
        return min(next, section.flatMap { $0.address.advanced(by: $0.size) }?.value ?? start)
    }

    /// Sets the end of functions without a size to the next function's start, or the end of the section.
    private static func close(_ functions: inout [Function], _ code: [Section]) {
        var next = UInt64.max
        for index in functions.indices.reversed() {
            let start = functions[index].start
            if functions[index].end == start { functions[index].end = end(of: start, before: next, code) }
            if index > 0, functions[index - 1].start < start { next = start }
        }
    }

    /// Returns the starts of frame descriptions, of the gaps between them, and of symbols in the gaps,
    /// ascending.
    private static func all(_ list: [LinkAddress], _ frames: [any FunctionRanges], _ symbols: [Function]) -> [UInt64] {
        guard list.isEmpty else { return list.map(\.value) }
        var ranges: [Range<LinkAddress>] = []
        for frames in frames { ranges += frames.allRanges() }
        if frames.count > 1 { ranges.sort { $0.lowerBound < $1.lowerBound } }
        var starts: [UInt64] = []
        starts.reserveCapacity(2 * ranges.count + symbols.count)
        var symbol = 0
        var end: UInt64 = 0
        func addSymbols(before limit: UInt64) {
            while symbol < symbols.count, symbols[symbol].start < limit {
                // Symbols inside of a frame description are ignored.
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
