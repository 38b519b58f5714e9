internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolSources

/// Finds an image's load bias from rows with an address and the function's name
/// (`23: 0x55d31c926b7b - tank::main`), if the image's symbol file has that function: the address
/// less the link address of the function is the load bias. So rows without a name in the same
/// image are resolved, and rows with one get their lines.
///
/// A bias is a multiple of the page size, and code of a few hundred bytes agrees with one by chance
/// in one case of twenty or so; that a second function of the file has the very same bias is no
/// chance.
struct NamedNeighbours {
    /// A row of the log.
    struct Row {
        var address: RuntimeAddress
        /// The function contains the byte before the address.
        var isReturnAddress: Bool
        /// Demangled or not.
        var name: String
        /// From the function's first byte, where the log gives it.
        var offset: UInt64?
    }

    /// The bias that follows from the rows.
    struct Finding: Equatable {
        /// An address in memory less the address as linked.
        var bias: UInt64
        /// Number of functions that agree.
        var functions: Int
    }

    private static let page: UInt64 = 4096
    /// Maximum number of functions of one name in a file; a more frequent name is not evidence.
    private static let maxFunctions = 64
    /// Maximum number of pages of a function; a longer one has too many biases.
    private static let maxPages: UInt64 = 16

    private var rows: [String: [Row]] = [:]
    private let simplified = Demangler(style: .simplified)
    private let full = Demangler(style: .full)

    init(_ rows: [Row]) {
        for row in rows {
            for key in keys(of: row.name) { self.rows[key, default: []].append(row) }
        }
    }

    /// A name has one key, or two if its demangled forms differ in more than parameters (Swift's
    /// module).
    private func keys(of name: String) -> Set<String> {
        let plain = simplified.read(name)
        guard plain.scheme != .plain else { return [FunctionNameKey.key(name)] }
        return [FunctionNameKey.key(plain.text), FunctionNameKey.key(full.read(name).text)]
    }

    /// The bias that the functions of a file agree on.
    /// - Returns: `nil` where fewer than two functions agree (one is enough if the log gives the
    ///   offset in it), where other functions of the log that the file has contradict, or where
    ///   another bias has as many.
    func finding(in source: any SymbolSource) -> Finding? {
        guard !rows.isEmpty else { return nil }
        var extents: [String: Set<Range<LinkAddress>>] = [:]
        source.forEachFunction { name, extent in
            for key in keys(of: name) where rows[key] != nil { extents[key, default: []].insert(extent) }
        }
        // By their first bytes: one function may have several names.
        var votes: [UInt64: (functions: Set<LinkAddress>, hasOffset: Bool)] = [:]
        var known: Set<RuntimeAddress> = []
        var agreeing: [UInt64: Set<RuntimeAddress>] = [:]
        for (key, extents) in extents where extents.count <= Self.maxFunctions {
            for row in rows[key] ?? [] {
                known.insert(row.address)
                for extent in extents {
                    for bias in Self.biases(row, extent) {
                        votes[bias, default: ([], false)].functions.insert(extent.lowerBound)
                        if row.offset != nil { votes[bias]?.hasOffset = true }
                        agreeing[bias, default: []].insert(row.address)
                    }
                }
            }
        }
        let ordered = agreeing.sorted { $0.value.count > $1.value.count }
        guard let best = ordered.first, let vote = votes[best.key], ordered.dropFirst().first?.value.count != best.value.count else {
            return nil
        }
        let isProven = vote.hasOffset || (vote.functions.count >= 2 && best.value.count >= 2)
        guard isProven, best.value.count * 2 > known.count else { return nil }
        return Finding(bias: best.key, functions: vote.functions.count)
    }

    /// The biases with which the row is in the function, or at exactly the offset that the log gives.
    private static func biases(_ row: Row, _ extent: Range<LinkAddress>) -> [UInt64] {
        let start = extent.lowerBound.value
        if let offset = row.offset {
            // Most writers count to the address, and Swift's backtracer to the byte before a return
            // address; a page's boundary fits one of them alone.
            return [offset, row.isReturnAddress ? offset &+ 1 : offset].compactMap { distance in
                let linked = start &+ distance
                return row.address.value >= linked && (row.address.value - linked) % page == 0 ? row.address.value - linked : nil
            }.uniqued()
        }
        let address = row.isReturnAddress ? ReturnAddress.call(before: row.address.value) : row.address.value
        let length = extent.upperBound.value - start
        guard address >= start, length <= page * maxPages else { return [] }
        var bias = (address - start) / page * page
        var found: [UInt64] = []
        while address - start - bias < length {
            found.append(bias)
            guard bias >= page else { break }
            bias -= page
        }
        return found
    }
}

extension [UInt64] {
    fileprivate func uniqued() -> [UInt64] { count == 2 && self[0] == self[1] ? [self[0]] : self }
}

/// The part that all spellings of a function's name share: a log's, a symbol table's, a demangler's. Two
/// functions may have one key (overloads).
enum FunctionNameKey {
    /// - Parameter name: demangled, if it was mangled.
    static func key(_ name: String) -> String {
        var text = name[...]
        // Parameters, results and qualifiers: `Tank.fill(_:)`, `fill(int) const`. `operator()` and
        // `(anonymous namespace)::f` have parentheses in the name.
        if let open = firstParenthesis(in: text) { text = text[..<open] }
        // `sail.constprop.0`, `pour.cold`, `f [clone .isra.0]`: parts and copies of a function that
        // debuggers call by its own name.
        if let clone = text.firstRange(of: " [clone ") { text = text[..<clone.lowerBound] }
        if !text.contains(" "), !text.contains(":"), let dot = text.firstIndex(of: "."), dot > text.startIndex, isSuffix(text[dot...]) {
            text = text[..<dot]
        }
        return withoutHashes(text.drop { $0 == " " })
    }

    private static func firstParenthesis(in text: Substring) -> Substring.Index? {
        var start = text.startIndex
        while let open = text[start...].firstIndex(of: "(") {
            let isPart = text[open...].hasPrefix("(anonymous namespace)") || text[..<open].hasSuffix("operator") || open == text.startIndex
            guard isPart else { return open }
            guard let close = text[open...].firstIndex(of: ")") else { return nil }
            start = text.index(after: close)
        }
        return nil
    }

    private static func isSuffix(_ text: Substring) -> Bool {
        [".constprop.", ".isra.", ".part.", ".cold", ".llvm.", ".lto_priv."].contains { text.hasPrefix($0) }
    }

    /// Rust's: `main::fill::h17d3b5a2c0ffee01`, `std[e28293b1aa0f68bd]::rt`.
    private static func withoutHashes(_ text: Substring) -> String {
        var text = String(text)
        if text.utf8.count > 19, text.suffix(19).hasPrefix("::h"), text.suffix(16).allSatisfy(\.isHexDigit) { text.removeLast(19) }
        while let open = text.firstRange(of: "["), text[open.upperBound...].prefix(17).last == "]",
            text[open.upperBound...].prefix(16).allSatisfy(\.isHexDigit)
        {
            text.removeSubrange(open.lowerBound..<text.index(open.upperBound, offsetBy: 17))
        }
        return text
    }
}
