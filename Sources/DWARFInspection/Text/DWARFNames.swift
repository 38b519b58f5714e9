/// The names of one kind of DWARF's numbers, as LLVM spells them.
///
/// The tables of `DWARFNames+….swift` are pairs of a number in hexadecimal and a name without the
/// kind's prefix.
@safe struct DWARFNames: Sendable {
    /// `DW_TAG_`.
    private let prefix: StaticString
    // Never freed: the tables are the program's. Several threads write names all the time, and
    // would count references to arrays against each other.
    /// For each number below its count, where its name is in `text`.
    private nonisolated(unsafe) let ranges: UnsafeMutableBufferPointer<Range<Int>>
    private nonisolated(unsafe) let text: UnsafeMutableRawBufferPointer
    /// The length of the longest name.
    let longest: Int

    /// - Parameters:
    ///   - prefix: of each name.
    ///   - table: as above.
    init(_ prefix: StaticString, _ table: String) {
        self.prefix = prefix
        var pairs: [(Int, Substring)] = []
        var number: Int?
        for word in table.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if let known = number {
                pairs.append((known, word))
                number = nil
            } else {
                number = Int(word, radix: 16)
            }
        }
        var ranges = [Range<Int>](repeating: 0..<0, count: (pairs.map(\.0).max() ?? 0) + 1)
        var text: [UInt8] = []
        for (number, name) in pairs {
            let start = text.count
            text += Array(prefix.description.utf8) + Array(name.utf8)
            ranges[number] = start..<text.count
        }
        unsafe self.ranges = .allocate(capacity: ranges.count)
        unsafe _ = self.ranges.initialize(from: ranges)
        unsafe self.text = .allocate(byteCount: text.count, alignment: 1)
        unsafe self.text.copyBytes(from: text)
        longest = ranges.map(\.count).max() ?? 0
    }

    /// Its range in `text`; empty if the number has no name.
    private func range(_ number: UInt64) -> Range<Int> {
        guard unsafe number < UInt64(ranges.count) else { return 0..<0 }
        return unsafe ranges[Int(number)]
    }

    /// Whether the number has a name.
    func knows(_ number: UInt64) -> Bool { !range(number).isEmpty }

    /// With its prefix; `nil` if the number has no name.
    func name(_ number: UInt64) -> [UInt8]? {
        let range = range(number)
        return range.isEmpty ? nil : unsafe Array(text[range])
    }

    /// As LLVM writes it, also where it has none: `DW_TAG_unknown_4109`.
    func text(_ number: UInt64) -> String {
        if let name = name(number) { return String(decoding: name, as: UTF8.self) }
        return prefix.description + "unknown_" + String(number, radix: 16)
    }

    /// Writes the same.
    fileprivate func write(_ number: UInt64, to output: DumpOutput) {
        let range = range(number)
        if !range.isEmpty { return unsafe output.copy(UnsafeRawBufferPointer(rebasing: text[range])) }
        output.text(prefix)
        output.text("unknown_")
        output.plainHex(number, 1)
    }
}

extension DumpOutput {
    /// A number's name; `DW_TAG_unknown_4109` where it has none.
    func name(_ names: DWARFNames, _ number: UInt64) { names.write(number, to: self) }
}
