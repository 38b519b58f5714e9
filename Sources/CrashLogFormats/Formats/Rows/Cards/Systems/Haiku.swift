internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Debug reports of Haiku:
    ///
    ///     thread 812: w>berth
    ///         state: Exception (Segment violation)
    ///
    ///         Frame       IP          Function Name
    ///         -----------------------------------------------
    ///         0x72189aa0  0x1c0cc7a   Berth::moor(Berth) + 0x6
    ///         0x72189bc0  0xf50661    /boot/system/lib/librope.so + 0x38167
    ///
    /// `DebugReportGenerator::_DumpDebuggedThreadInfo` (`src/apps/debugger/controllers`) prints the frame's address,
    /// the instruction pointer, and the function with the distance from its first byte, or the image with the distance
    /// from the first byte of its text. The first row of a thread that an exception stopped was executing.
    static let haiku = StackCard(
        name: "haiku",
        summary: "Haiku’s debug reports: “Frame  IP  Function Name” below “state: Exception (…)”",
        openings: [
            .anywhere("state: Exception ("), .inLine("Function Name", isCertain: true) { $0.contains("Frame") && $0.contains("IP") },
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 4,
        hasOwnRows: true,
        read: { line in
            if let state = line.firstRange(of: "state: Exception (") {
                let reason = line.from(state.upperBound)
                return .cause(
                    CrashCause(kind: .other, type: reason.upTo(reason.firstIndex(of: UInt8(ascii: ")")) ?? reason.count).text))
            }
            let text = line.trimmed()
            if text.hasPrefix("Frame"), text.contains("Function Name") { return .rowsFollow }
            return text.hasPrefix("-----") ? .skipped : nil
        },
        readRow: { HaikuRow.read($0) })
}

private enum HaikuRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let start = line.count - rest.count
        guard rest.readAddress() != nil, let gap = rest.at(0), isBlank(gap) else { return nil }
        rest.skipBlanks()
        let addressStart = line.count - rest.count
        guard let address = rest.readAddress(), let behind = rest.at(0), isBlank(behind) else { return nil }
        var row = StackRow(
            number: nil, in: start..<line.count, address: address, addressRange: addressStart..<line.count - rest.count)
        rest.skipBlanks()
        let nameStart = line.count - rest.count
        guard let plus = rest.lastRange(of: " + 0x") else { return row }
        var digits = rest.from(plus.upperBound)
        guard let offset = digits.readHexadecimal() else { return row }
        let name = nameStart..<nameStart + plus.lowerBound
        if rest.at(0) == UInt8(ascii: "/") {
            (row.module, row.moduleOffset) = (name, offset)
        } else {
            row.symbol = StackRow.Symbol(name: name, offset: offset)
        }
        row.end = line.count - digits.count
        return row
    }
}
