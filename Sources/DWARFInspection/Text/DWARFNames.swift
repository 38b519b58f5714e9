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
    private nonisolated(unsafe) let places: UnsafeMutableBufferPointer<Range<Int>>
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
        var places = [Range<Int>](repeating: 0..<0, count: (pairs.map(\.0).max() ?? 0) + 1)
        var text: [UInt8] = []
        for (number, name) in pairs {
            let start = text.count
            text += Array(prefix.description.utf8) + Array(name.utf8)
            places[number] = start..<text.count
        }
        unsafe self.places = .allocate(capacity: places.count)
        unsafe _ = self.places.initialize(from: places)
        unsafe self.text = .allocate(byteCount: text.count, alignment: 1)
        unsafe self.text.copyBytes(from: text)
        longest = places.map(\.count).max() ?? 0
    }

    /// Its place in `text`; empty if the number has no name.
    private func place(_ number: UInt64) -> Range<Int> {
        guard unsafe number < UInt64(places.count) else { return 0..<0 }
        return unsafe places[Int(number)]
    }

    /// Whether the number has a name.
    func knows(_ number: UInt64) -> Bool { !place(number).isEmpty }

    /// With its prefix; `nil` if the number has no name.
    func name(_ number: UInt64) -> [UInt8]? {
        let place = place(number)
        return place.isEmpty ? nil : unsafe Array(text[place])
    }

    /// As LLVM writes it, also where it has none: `DW_TAG_unknown_4109`.
    func text(_ number: UInt64) -> String {
        if let name = name(number) { return String(decoding: name, as: UTF8.self) }
        return prefix.description + "unknown_" + String(number, radix: 16)
    }

    /// Writes the same.
    fileprivate func write(_ number: UInt64, to output: DumpOutput) {
        let place = place(number)
        if !place.isEmpty { return unsafe output.copy(UnsafeRawBufferPointer(rebasing: text[place])) }
        output.text(prefix)
        output.text("unknown_")
        output.plainHex(number, 1)
    }
}

extension DumpOutput {
    /// A number's name; `DW_TAG_unknown_4109` where it has none.
    func name(_ names: DWARFNames, _ number: UInt64) { names.write(number, to: self) }
}
