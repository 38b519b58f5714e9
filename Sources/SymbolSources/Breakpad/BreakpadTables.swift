internal import BinaryPrimitives

/// Positions of the records of a Breakpad file: a few machine words for each function and symbol. Lines and
/// calls are not listed: they are read from the text when their function is looked up.
struct BreakpadTables: Sendable {
    struct Function: Sendable {
        var address: UInt64
        var size: UInt64
        /// Position of the name, in bytes from the file's first. Lines and calls follow on the lines after it.
        var name: Int
    }

    struct PublicSymbol: Sendable {
        var address: UInt64
        var name: Int
    }

    /// Ascending by address; of several at one address only the first in the file.
    private(set) var functions: [Function] = []
    /// For each function the highest end of it and of the functions before it: functions may be nested.
    private var ends: [UInt64] = []
    private var symbols: [PublicSymbol] = []
    /// Ranges that the unwinder treats as functions, ascending.
    private var frames: [Range<UInt64>] = []
    private var files = NumberedTexts()
    private var origins = NumberedTexts()

    /// Reads the whole file once, byte by byte; a record that cannot be read is skipped.
    init(_ text: Span<UInt8>) {
        var rest = text
        while rest.count > 0 {
            let start = text.count - rest.count
            guard let line = rest.readLine() else { break }
            readRecord(line, at: start)
        }
        sort()
    }

    private mutating func readRecord(_ line: Span<UInt8>, at start: Int) {
        var fields = line
        switch line.at(0) {
        case UInt8(ascii: "F"):
            if fields.consume("FUNC ") {
                guard let (address, size, name) = BreakpadRecord.function(fields), size > 0 else { return }
                functions.append(Function(address: address, size: size, name: start + 5 + name))
            } else if fields.consume("FILE ") {
                if let (number, position) = BreakpadRecord.numbered(fields) { files.add(number, start + 5 + position) }
            }
        case UInt8(ascii: "P"):
            guard fields.consume("PUBLIC "), let (address, name) = BreakpadRecord.symbol(fields) else { return }
            symbols.append(PublicSymbol(address: address, name: start + 7 + name))
        case UInt8(ascii: "I"):
            guard fields.consume("INLINE_ORIGIN "), let (number, position) = BreakpadRecord.numbered(fields) else { return }
            origins.add(number, start + 14 + position)
        case UInt8(ascii: "S"):
            guard fields.consume("STACK CFI INIT "), let (address, size) = BreakpadRecord.frame(fields) else { return }
            let (end, overflow) = address.addingReportingOverflow(size)
            if !overflow, size > 0 { frames.append(address..<end) }
        default: break
        }
    }

    private mutating func sort() {
        functions.sort { ($0.address, $0.name) < ($1.address, $1.name) }
        symbols.sort { ($0.address, $0.name) < ($1.address, $1.name) }
        frames.sort { $0.lowerBound < $1.lowerBound }
        files.sort()
        origins.sort()
        var end: UInt64 = 0
        ends.reserveCapacity(functions.count)
        for function in functions {
            let (own, overflow) = function.address.addingReportingOverflow(function.size)
            end = max(end, overflow ? .max : own)
            ends.append(end)
        }
    }

    /// The function that holds an address: of several the one that begins last.
    func function(containing address: UInt64) -> Function? {
        var index = functions.count(beginningAtOrBefore: address, \.address)
        var found: Function?
        while index > 0, ends[index - 1] > address {
            index -= 1
            let function = functions[index]
            if let found, function.address < found.address { return found }
            // The first function in the file wins at one address.
            if address - function.address < function.size { found = function }
        }
        return found
    }

    enum SymbolResult: Hashable {
        case found(name: Int, address: UInt64)
        case unresolved(Unresolved)
    }

    /// Returns the `PUBLIC` symbol of an address outside all functions.
    ///
    /// Such a symbol has no size. Where the unwinder's records hold the address, they bound it: the
    /// symbol must begin in the same one. Without them it reaches to the next function or symbol,
    /// as Breakpad has it, but only in a file that has functions: then they and the symbols
    /// together are all that the binary named. In a file of symbols alone, as it is dumped from a
    /// stripped binary, a function without a name may be between any two of them. Nothing is known
    /// past the last address that the file mentions. The first byte of a symbol is always its own.
    func symbol(at address: UInt64) -> SymbolResult {
        let index = symbols.count(beginningAtOrBefore: address, \.address)
        guard index > 0 else { return .unresolved(.noSymbol) }
        // The first symbol of several at one address.
        var first = index - 1
        while first > 0, symbols[first - 1].address == symbols[index - 1].address { first -= 1 }
        let symbol = symbols[first]
        // At its first byte it needs no end: the address is the symbol's own.
        if symbol.address == address { return .found(name: symbol.name, address: address) }
        let position = frames.count(beginningAtOrBefore: address, \.lowerBound)
        if position > 0, frames[position - 1].contains(address) {
            guard frames[position - 1].contains(symbol.address) else { return .unresolved(.betweenSymbols) }
            return .found(name: symbol.name, address: symbol.address)
        }
        let before = functions.count(beginningAtOrBefore: address, \.address)
        // A function that ends before the address, and that comes after the symbol.
        if before > 0, functions[before - 1].address >= symbol.address { return .unresolved(.betweenSymbols) }
        guard !functions.isEmpty, index < symbols.count || before < functions.count else { return .unresolved(.unboundedSymbol) }
        return .found(name: symbol.name, address: symbol.address)
    }

    /// Position of a file's path, in bytes from the first.
    func file(_ number: UInt64) -> Int? { files.position(of: number) }

    /// Position of an inlined function's name.
    func origin(_ number: UInt64) -> Int? { origins.position(of: number) }
}

/// Texts that other records refer to by numbers, which count up from zero in every real file.
private struct NumberedTexts: Sendable {
    private var entries: [(number: UInt64, position: Int)] = []

    mutating func add(_ number: UInt64, _ position: Int) { entries.append((number, position)) }

    mutating func sort() { entries.sort { ($0.number, $0.position) < ($1.number, $1.position) } }

    func position(of number: UInt64) -> Int? {
        let index = entries.count(beginningAtOrBefore: number, \.number)
        return index > 0 && entries[index - 1].number == number ? entries[index - 1].position : nil
    }
}

extension Array {
    /// How many elements of an ascending array begin at or before a value.
    fileprivate func count(beginningAtOrBefore value: UInt64, _ start: (Element) -> UInt64) -> Int {
        (0..<count).partitionPoint { start(self[$0]) > value }
    }
}
