/// The names of one kind of DWARF's numbers, as LLVM spells them.
///
/// The tables of `DWARFNames+….swift` are pairs of a number in hexadecimal and a name without the
/// kind's prefix.
struct DWARFNames: Sendable {
    /// `DW_TAG_`.
    let prefix: [UInt8]
    /// For each number below its count, where its name is in `text`.
    private let places: [Range<UInt32>]
    private let text: [UInt8]
    /// The length of the longest name.
    let longest: Int

    init(_ prefix: StaticString, _ table: String) {
        self.prefix = Array(prefix.description.utf8)
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
        var places = [Range<UInt32>](repeating: 0..<0, count: (pairs.map(\.0).max() ?? 0) + 1)
        var text: [UInt8] = []
        for (number, name) in pairs {
            let start = UInt32(text.count)
            text += self.prefix + Array(name.utf8)
            places[number] = start..<UInt32(text.count)
        }
        self.places = places
        self.text = text
        longest = places.map(\.count).max() ?? 0
    }

    /// With its prefix; `nil` if the number has no name.
    func name(_ number: UInt64) -> ArraySlice<UInt8>? {
        guard number < UInt64(places.count) else { return nil }
        let place = places[Int(number)]
        return place.isEmpty ? nil : text[Int(place.lowerBound)..<Int(place.upperBound)]
    }

    /// As LLVM writes it, also where it has none: `DW_TAG_unknown_4109`.
    func text(_ number: UInt64) -> String {
        if let name = name(number) { return String(decoding: name, as: UTF8.self) }
        return String(decoding: prefix, as: UTF8.self) + "unknown_" + String(number, radix: 16)
    }
}

extension DumpOutput {
    func slice(_ bytes: ArraySlice<UInt8>) { unsafe bytes.withUnsafeBytes { unsafe copy($0) } }

    /// A number's name; `DW_TAG_unknown_4109` where it has none.
    func name(_ names: DWARFNames, _ number: UInt64) {
        if let known = names.name(number) {
            slice(known)
        } else {
            bytes(names.prefix)
            text("unknown_")
            plainHex(number, 1)
        }
    }
}
