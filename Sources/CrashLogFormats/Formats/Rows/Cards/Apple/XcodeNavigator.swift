internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks copied from Xcode's debug navigator: lldb's frames in Xcode's own format, with tabs or blanks between the
    /// columns.
    ///
    ///     Thread 1 Queue : com.apple.main-thread (serial)
    ///     #0	0x0000000104a383d4 in boom ()
    ///     #1	0x0000000104a383f8 in outer ()
    ///     Thread 2
    ///     #0	0x00000001c1dd8000 in start_wqthread ()
    ///
    /// The rows have no images. The addresses are those of lldb's `SBFrame.GetPC` (`source/API/SBFrame.cpp`): frame 0
    /// was executing, the others are return addresses.
    static let xcodeNavigator = StackCard(
        name: "xcode-navigator",
        summary: "Xcode’s debug navigator, copied as text",
        openings: [.anywhere(" (serial)"), .anywhere(" (concurrent)")],
        rule: .firstIsProgramCounter,
        maxUnrecognizedLines: 1,
        read: { XcodeText.thread($0.trimmed()) },
        readRow: { XcodeText.row($0) })
}

/// Reads rows of the form `#N 0xADDRESS in TEXT`, as Xcode prints them.
enum XcodeText {
    /// Reads the heading of a thread: `Thread 1 Queue : com.apple.main-thread (serial)`, `Thread 2`,
    /// `worker (5) Queue : x (concurrent)`.
    static func thread(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        let queue = text.firstRange(of: " Queue : ")
        var name: String?
        if let queue {
            rest = text.upTo(queue.lowerBound)
            let label = text.from(queue.upperBound)
            name = label.upTo(label.lastRange(of: " (")?.lowerBound ?? label.count).text
        }
        guard rest.consume("Thread "), let number = rest.readDecimal(), rest.count == 0 || queue != nil else {
            return queue == nil ? nil : .thread(number: nil, name: name, isCrashed: false)
        }
        return .thread(number: Int(exactly: number), name: name, isCrashed: false)
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .hash else { return nil }
        var row = StackRow(number: number.value, style: .hash, in: line.indent..<line.count)
        var end = line.count
        row.readResult(in: line, end: &end)
        var rest = line.from(number.end).upTo(end - number.end)
        guard let address = rest.readAddress() else { return nil }
        row.address = address
        row.addressRange = number.end..<end - rest.count
        rest.skipBlanks()
        guard rest.consume("in ") else { return rest.count == 0 ? row : nil }
        rest.skipBlanks()
        let start = end - rest.count
        let name = rest.trimmed()
        guard name.count > 0, !name.equals("(Unknown)"), !name.equals("?? ()"), !name.equals("??") else {
            row.hasUnknownName = true
            return row
        }
        row.symbol.name = start..<start + name.count
        return row
    }
}
