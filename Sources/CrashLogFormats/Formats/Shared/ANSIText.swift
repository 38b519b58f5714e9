internal import BinaryPrimitives
internal import CrashLogModel

/// A line without its terminal colours (ECMA-48 control sequences, `ESC [ … letter`), which also
/// records where each byte was.
struct ANSIText {
    private(set) var bytes: [UInt8] = []
    /// For each byte of `bytes`, where it was in the line; one more entry for the line's end.
    private var positions: [Int] = []
    let isColored: Bool

    init(_ line: Span<UInt8>) {
        isColored = line.firstIndex(of: 0x1B) != nil
        bytes.reserveCapacity(line.count)
        guard isColored else {
            bytes = line.copied()
            return
        }
        var index = 0
        while index < line.count {
            if let end = ANSIText.sequenceEnd(line, at: index) {
                index = end
            } else {
                bytes.append(line[index])
                positions.append(index)
                index += 1
            }
        }
        positions.append(line.count)
    }

    /// Position in the line of byte `offset` of the plain text; for its end, the line's end.
    func position(of offset: Int) -> Int {
        guard isColored else { return offset }
        return offset < positions.count ? positions[max(0, offset)] : positions.last ?? 0
    }

    /// Just after the byte before `offset` and the sequences that follow it: where text can be put
    /// without taking on its colour.
    func positionBehind(_ offset: Int, in line: Span<UInt8>) -> Int {
        guard isColored, offset > 0 else { return offset }
        var index = position(of: offset - 1) + 1
        while let end = ANSIText.sequenceEnd(line, at: index) { index = end }
        return index
    }

    /// Just after the byte before `offset`, in front of the sequences that follow it.
    func positionAfter(_ offset: Int) -> Int { isColored && offset > 0 ? position(of: offset - 1) + 1 : offset }

    private static func sequenceEnd(_ line: Span<UInt8>, at start: Int) -> Int? {
        guard line.at(start) == 0x1B, line.at(start + 1) == UInt8(ascii: "[") else { return nil }
        var index = start + 2
        // Parameter and intermediate bytes, then one final byte (ECMA-48, section 5.4).
        while let byte = line.at(index), (0x20...0x3F).contains(byte) { index += 1 }
        guard let final = line.at(index), (0x40...0x7E).contains(final) else { return nil }
        return index + 1
    }
}
