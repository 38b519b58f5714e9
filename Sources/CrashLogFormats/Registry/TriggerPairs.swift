internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the lines of a long log that contain one of many literal texts, several times faster than the automaton (`TriggerSearch`).
///
/// The automaton's step for a byte needs the result of the step before. Here, each pair of neighboring bytes is one look-up in a table,
/// independent of the others. A text is found by its four rarest bytes, `Exception` by `Exce`. The texts are divided into fifteen groups.
/// The table has, for each pair, the groups with a text whose four bytes begin with it, and those with a text whose bytes end with it:
///
///     E x c e p t i o n
///     ───                  groups 3 and 7 have bytes that begin with `Ex`
///         ───              groups 1 and 3 have bytes that end with `ce`: group 3 may have a text at this position
///
/// At such a position, which is rare, the texts are compared. The automaton then searches the line for the formats.
package final class TriggerPairs: Sendable {
    /// The groups of each pair of bytes, the first byte the lower one. Bits 0 to 14: groups with a text whose four bytes begin with the
    /// pair. Bit 15: `short`. Bits 16 to 30: groups with a text whose bytes end with the pair.
    private let groups: [UInt32]
    /// The index of the first entry of each hash value, and the end of the last one's.
    private let starts: [UInt16]
    private let entries: [Entry]
    private let texts: [UInt8]

    private struct Entry: Sendable {
        var text: Range<Int>
        /// Position in the text of the bytes by which it is found.
        var position: Int
    }

    /// The group of the texts with fewer than four bytes, which are found by one pair.
    private static let short: UInt32 = 1 << 15
    private static let groupCount = 15
    private static let hashBits: UInt32 = 11
    private static let maxTexts = 1 << 15

    /// - Returns: `nil` if a text has fewer than two bytes, or a line feed that is not its first byte.
    init?(_ tree: TriggerTree) {
        let texts = tree.texts
        guard texts.count <= Self.maxTexts, texts.allSatisfy({ $0.count >= 2 && !$0.dropFirst().contains(UInt8(ascii: "\n")) }) else {
            return nil
        }
        var groups = [UInt32](repeating: 0, count: 1 << 16)
        // Texts whose bytes begin alike are in one group: it then has fewer pairs.
        let found = texts.map { text in
            let (position, count) = (Self.rarest(in: text), text.count < 4 ? 2 : 4)
            return (text: text, position: position, bytes: Self.value(text, position, count), count: count)
        }.sorted { $0.bytes.byteSwapped < $1.bytes.byteSwapped }
        var byHash: [[Entry]] = Array(repeating: [], count: 1 << Self.hashBits)
        var bytes: [UInt8] = []
        for (index, own) in found.enumerated() {
            if own.count == 4 {
                let group = UInt32(1) << UInt32(index * Self.groupCount / found.count)
                groups[Int(own.bytes & 0xffff)] |= group
                groups[Int(own.bytes >> 16)] |= group << 16
            } else {
                groups[Int(own.bytes)] |= Self.short
            }
            byHash[Self.hash(own.bytes)].append(Entry(text: bytes.count..<bytes.count + own.text.count, position: own.position))
            bytes += own.text
        }
        var (starts, entries): ([UInt16], [Entry]) = ([], [])
        for list in byHash {
            starts.append(UInt16(entries.count))
            entries += list
        }
        self.groups = groups
        self.starts = starts + [UInt16(entries.count)]
        self.entries = entries
        self.texts = bytes
    }

    private static func value(_ text: [UInt8], _ position: Int, _ count: Int) -> UInt32 {
        (0..<count).reduce(0) { $0 | UInt32(text[position + $1]) << UInt32(8 * $1) }
    }

    private static func hash(_ bytes: UInt32) -> Int { Int(truncatingIfNeeded: (bytes &* 0x9e37_79b1) >> (32 - hashBits)) }

    /// Number of positions that are looked up before their results are checked.
    private static let step = 16

    /// Finds the first line that has one of the texts.
    /// - Parameters:
    ///   - start: a line's beginning. The line feed before it may begin a text: a line before which there is no byte counts as one that
    ///     has a text.
    ///   - end: the texts end before it.
    /// - Returns: the line's beginning; `nil` if there is none.
    package func firstLine(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        guard start > 0 else { return 0 }
        var index = start - 1
        let end = min(end, bytes.count)
        let found: Int? = unsafe bytes.withUnsafeBytes { bytes in
            unsafe groups.withUnsafeBufferPointer { groups in
                while index &+ Self.step &+ 3 <= end {
                    var found: UInt32 = 0
                    var first = unsafe groups[Self.pair(bytes, index)]
                    var second = unsafe groups[Self.pair(bytes, index &+ 1)]
                    for offset in 0..<Self.step {
                        let third = unsafe groups[Self.pair(bytes, index &+ offset &+ 2)]
                        found |= first & (third &>> 16 | Self.short)
                        (first, second) = (second, third)
                    }
                    if found != 0, let text = unsafe firstText(bytes, index..<index + Self.step, end, groups) { return text }
                    index &+= Self.step
                }
                return unsafe index < end ? firstText(bytes, index..<end - 1, end, groups) : nil
            }
        }
        guard let found else { return nil }
        return bytes.lastIndex(of: UInt8(ascii: "\n"), before: found, from: start).map { $0 + 1 } ?? start
    }

    @inline(__always)
    private static func pair(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
        unsafe Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self)))
    }

    /// The position of the first text whose rarest bytes are at one of some positions. If the text begins with a line feed, the position
    /// is the next byte's.
    /// - Parameter positions: each has a pair before `end`.
    private func firstText(
        _ bytes: UnsafeRawBufferPointer, _ positions: Range<Int>, _ end: Int, _ groups: UnsafeBufferPointer<UInt32>
    ) -> Int? {
        for position in positions {
            let pair = unsafe Self.pair(bytes, position)
            let next = unsafe position + 4 <= end ? Self.pair(bytes, position + 2) : 0
            let found = unsafe groups[pair] & (groups[next] &>> 16 | Self.short)
            guard found != 0 else { continue }
            if found & Self.short != 0, let text = unsafe text(at: position, UInt32(pair), bytes, end) { return text }
            if let text = unsafe text(at: position, UInt32(pair | next << 16), bytes, end) { return text }
        }
        return nil
    }

    private func text(at position: Int, _ value: UInt32, _ bytes: UnsafeRawBufferPointer, _ end: Int) -> Int? {
        let hash = Self.hash(value)
        for index in Int(starts[hash])..<Int(starts[hash + 1]) {
            let entry = entries[index]
            let start = position - entry.position
            guard start >= 0, start + entry.text.count <= end else { continue }
            var length = 0
            while length < entry.text.count, unsafe bytes[start + length] == texts[entry.text.lowerBound + length] { length += 1 }
            guard length == entry.text.count else { continue }
            return unsafe bytes[start] == UInt8(ascii: "\n") ? start + 1 : start
        }
        return nil
    }

    /// Position of the rarest four bytes; of the rarest pair if there are fewer.
    private static func rarest(in text: [UInt8]) -> Int {
        let count = text.count < 4 ? 2 : 4
        return (0...text.count - count).max { rarity(text[$0..<$0 + count]) < rarity(text[$1..<$1 + count]) } ?? 0
    }

    private static func rarity(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 + rarity($1) } }

    /// Rarity of a byte in what builds and tests print.
    private static func rarity(_ byte: UInt8) -> Int {
        switch byte {
        case _ where isOne(byte, of: " etaoinsr"): 0
        case _ where isOne(byte, of: "lcdupmgf.-/:1023"): 1
        case _ where isOne(byte, of: "bhyvkw_456789\n,()'"): 2
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "="): 3
        default: 4
        }
    }
}
