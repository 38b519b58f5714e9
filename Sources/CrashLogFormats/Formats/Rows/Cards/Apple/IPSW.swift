internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crash reports and panics, as blacktop's `ipsw symbolicate` prints them:
    ///
    ///     Thread 45 Crashed:
    ///       0: libobjc.A.dylib         (slide=0x27010000) 0x1c18b61e0 _objc_msgSend + 32
    ///       1: Demo                    (slide=0x27010000) 0x12d0103f8
    ///
    ///     Process: demo [308] (Panicked)
    ///       Thread: 4293       (Panicked)
    ///         User Frames:
    ///           00: image_355 0x43c
    ///
    /// The address minus the slide is the address as linked. Without the files of the system, `ipsw` prints a panic's
    /// frames only as offsets in an image that has a number and no name (`cmd/ipsw/cmd/symbolicate.go`;
    /// `pkg/crashlog/ips.go`). The first row of a thread was executing, as in the reports that it reads.
    static let ipsw = StackCard(
        name: "ipsw",
        summary: "ipsw symbolicate: “0: libobjc.A.dylib (slide=0x…) 0x… _objc_msgSend + 32”",
        openings: [
            .inLine("(slide=0x") { IPSWText.row($0) != nil }, .inLine(" image_") { IPSWText.row($0) != nil }, .start("User Frames:"),
            .start("Kernel Frames:"),
        ],
        rule: .firstIsProgramCounter,
        maxUnrecognizedLines: 8,
        hasOwnRows: true,
        read: { IPSWText.read($0.trimmed()) },
        readRow: { IPSWText.row($0) })
}

enum IPSWText {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        if rest.equals("User Frames:") || rest.equals("Kernel Frames:") {
            return .thread(number: nil, name: rest.upTo(rest.count - 1).text, isCrashed: false)
        }
        // Lines between two stacks: `State:`, `Base Priority:`, `Thread: 4293       (Panicked)`.
        if rest.consume("Thread: ") || rest.consume("Process: ") { return .skipped }
        guard rest.consume("Thread "), let number = rest.readDecimal().flatMap({ Int(exactly: $0) }) else { return nil }
        return rest.equals(" Crashed:") ? .thread(number: number, name: nil, isCrashed: true) : nil
    }

    /// Reads a row: `1: Demo   (slide=0x27010000) 0x12d0103f8 main + 16`. In panics the slide comes after the address.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .colon else { return nil }
        var rest = line.from(number.end)
        guard let blank = rest.firstRange(of: " (slide=0x")?.lowerBound ?? rest.firstRange(of: " 0x")?.lowerBound else { return nil }
        let module = rest.upTo(blank).trimmed()
        guard module.count > 0 else { return nil }
        rest = rest.from(blank)
        rest.skipBlanks()
        var slide = slide(&rest)
        let start = line.count - rest.count
        guard let address = rest.readAddress(), rest.at(0).map(isBlank) ?? true else { return nil }
        var row = StackRow(number: number.value, style: .colon, in: line.indent..<line.count, address: address)
        row.addressRange = start..<line.count - rest.count
        row.module = number.end..<number.end + module.count
        rest.skipBlanks()
        slide = slide ?? self.slide(&rest)
        if let slide {
            guard slide <= address else { return nil }
            // The slide is not a load address.
            row.linkAddress = address - slide
            row.address = nil
            row.addressRange = nil
        } else {
            guard module.hasPrefix("image_") else { return nil }
            row.address = nil
            row.addressRange = nil
            row.moduleOffset = address
            row.isFromModuleStart = true
        }
        readSymbol(&row, line, rest)
        return row
    }

    private static func slide(_ rest: inout Span<UInt8>) -> UInt64? {
        guard rest.consume("(slide=") else { return nil }
        let value = rest.readAddress()
        _ = rest.consume(")")
        rest.skipBlanks()
        return value
    }

    /// Reads the function: `_objc_msgSend + 32`. Names are spelled as in the symbol table.
    private static func readSymbol(_ row: inout StackRow, _ line: Span<UInt8>, _ rest: Span<UInt8>) {
        var end = line.count
        let start = end - rest.count
        row.readResult(in: line, end: &end)
        var name = line.clamped(to: start..<max(start, end)).trimmed()
        guard name.count > 0 else { return }
        if let plus = name.lastRange(of: " + ") {
            var digits = name.from(plus.upperBound)
            if let offset = digits.readAddress() ?? digits.readDecimal(), digits.count == 0 {
                row.symbol.offset = offset
                name = name.upTo(plus.lowerBound)
            }
        }
        row.symbol.name = start..<start + name.count
    }
}
