internal import BinaryPrimitives
package import CrashLogModel

/// A bare list of addresses, as people copy it from a debugger, a ticket or a program of their own,
/// and as `atos` and `addr2line` take it: decimal or hexadecimal, one in a line or several, and
/// places by name (`libqueue.so.1+0x10a0`, `main+0x1a`, `vfs_read+0x9d/0x1a0`).
///
/// Every line of the log must be such a row. Numbers without `0x` are hexadecimal if any of the
/// list's has a letter in it or begins with several zeros, as padded addresses do; otherwise
/// decimal.
package struct AddressList: LineFormat {
    package static let name = "address-list"
    package static let summary = "a bare list of addresses, module+offset and function+offset, decimal or hexadecimal"
    package static let triggers: [String] = []
    package static let standsAlone = true

    private var rows: [(row: AddressListRow, start: Int)] = []
    private var frames = 0
    private var hasHexadecimal = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let row = AddressListRow(line), !row.entries.isEmpty else { return .none }
        return row.entries.contains { $0.isPlausible } ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        guard let row = AddressListRow(line), frames + row.entries.count <= Limits.standard.framesPerThread else { return .rejected }
        guard !row.entries.isEmpty else { return .more }
        frames += row.entries.count
        for entry in row.entries {
            guard case .number(let number) = entry.place, !number.hasPrefix else { continue }
            let digits = line.clamped(to: entry.range)
            if number.decimal == nil || digits.hasPrefix("000") { hasHexadecimal = true }
        }
        rows.append((row, place.lowerBound))
        return .more
    }

    package mutating func finish() -> [CrashReport] {
        guard !rows.isEmpty else { return [] }
        var report = CrashReport(format: AddressList.name)
        var frames: [Frame] = []
        var count = 0
        var images = ImageTable()
        for (row, start) in rows {
            for (position, entry) in row.entries.enumerated() {
                let range = start + entry.range.lowerBound..<start + entry.range.upperBound
                var frame = AddressList.frame(
                    entry.place, index: row.index ?? count, at: range, isHexadecimal: hasHexadecimal, &images)
                if position == row.entries.count - 1 {
                    frame.printed = row.printed
                    frame.isInlined = row.isInlined
                }
                if !frame.isInlined { count += 1 }
                frames.append(frame)
            }
        }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        report.images = images.images
        return [report]
    }

    /// What each address is, nobody says: it is looked up as it is. With `--adjust always` they are
    /// return addresses.
    private static func frame(
        _ value: AddressListRow.Value, index: Int, at place: Range<Int>, isHexadecimal: Bool, _ images: inout ImageTable
    ) -> Frame {
        var frame = Frame(index: index, kind: .exact, address: nil, place: place)
        switch value {
        case .number(let number):
            let value = number.hasPrefix || isHexadecimal ? number.hexadecimal : number.decimal ?? number.hexadecimal
            frame.address = RuntimeAddress(value)
        case .sum(let name, let offset, let size):
            if size == nil, isFileName(name) {
                frame.imageName = Path.foreignName(of: name)
                frame.image = images.index(ofImageNamed: Path.foreignName(of: name), id: nil)
                frame.imagePlace = .offset(ImageOffset(offset))
            } else {
                frame.imagePlace = .symbol(SymbolPlace(name: name, offset: offset, size: size))
            }
        }
        return frame
    }

    /// A path, or a library's or module's name. Any other name may be a function's (`slot.isra.0`)
    /// or a program's: the given files decide.
    private static func isFileName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.contains(UInt8(ascii: "/")) || bytes.span.contains(".so.")
            || [".so", ".dylib", ".ko", ".node", ".exe", ".dll"].contains { name.hasSuffix($0) }
    }

    /// The result follows its address, in atos' words: `0x401136 main + 26 (main.c:12)`. Each
    /// resolved address ends its line, so that what follows it in a list of several moves to a line
    /// of its own; inlined calls become lines above it, with the same address.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let line = LogLine(around: frame.place, in: log)
        let entry = log.clamped(to: frame.place).copied()
        var trailing = log.clamped(to: frame.place.upperBound..<max(frame.place.upperBound, line.range.upperBound))
        let isLast = trailing.trimmed().count == 0 || frame.printed != nil
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += line.ending + entry }
            replacement += Array(("  " + SymbolText.text(for: function)).utf8)
        }
        guard !isLast else { return TextEdit(range: frame.place.upperBound..<line.range.upperBound, replacement: replacement) }
        // The comma or the blanks between this address and the next give way to the line's end.
        var length = 0
        while let byte = trailing.at(0), isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
            trailing = trailing.from(1)
            length += 1
        }
        return TextEdit(
            range: frame.place.upperBound..<frame.place.upperBound + length,
            replacement: replacement + (trailing.count > 0 ? line.ending : []))
    }
}

extension AddressListRow.Entry {
    /// Whether it can be an address and is no small number.
    fileprivate var isPlausible: Bool {
        guard case .number(let number) = place else { return true }
        return number.hasPrefix || number.hexadecimal >= 0x400 || (number.decimal ?? 0) >= 0x400
    }
}
