/// Checks tables of string offsets (DWARF 5, section 7.26): their headers, and that each offset is
/// the start of a string.
struct StringOffsetsCheck {
    let name: String
    let section: SectionBytes
    let strings: SectionBytes
    /// Bytes of an offset where the section is GNU's, without headers.
    let oldOffsetSize: Int?
    let report: VerifierReport

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        var isSound = true
        var next = 0
        while next < section.count {
            let start = next
            var (size, length): (Int, UInt64) = (oldOffsetSize ?? 4, UInt64(section.count))
            var cursor = section.cursor(at: start)
            if oldOffsetSize == nil {
                (length, size) = cursor.initialLength()
                guard !cursor.isPastEnd else {
                    let label = UInt64(start)
                    report.add("String offset error", "\(name): " + VerifierText.endOfData(label, 4, of: section.count))
                    break
                }
                let content = cursor.position
                guard length <= UInt64(section.count - content) else {
                    report.add("Section contribution length exceeds available space") {
                        let hex = { (value: UInt64) in VerifierText.capitalHex(value) }
                        report.error(
                            "\(name): contribution \(hex(UInt64(start))): length exceeds available space "
                                + "(contribution offset (\(hex(UInt64(start)))) + length field space (\(hex(UInt64(content - start)))) "
                                + "+ length (\(hex(length))) == \(hex(UInt64(content) &+ length)) > section size "
                                + "\(hex(UInt64(section.count))))")
                    }
                    return false
                }
                next = content + Int(length)
                let version = cursor.u16()
                if version != 5, !cursor.isPastEnd {
                    isSound = false
                    report.add(
                        "Invalid Section version",
                        "\(name): contribution \(VerifierText.capitalHex(UInt64(start))): invalid version \(UInt8(truncatingIfNeeded: version))"
                    )
                    continue
                }
                _ = cursor.u16()
            } else {
                next = section.count
            }
            isSound = check(start, length, size, &cursor, end: next) && isSound
        }
        return isSound
    }

    private func check(_ start: Int, _ length: UInt64, _ size: Int, _ cursor: inout SectionCursor, end: Int) -> Bool {
        let hex = { (value: UInt64) in VerifierText.capitalHex(value) }
        let label = "\(name): contribution \(hex(UInt64(start)))"
        var isSound = true
        let rest = (length &- 4) % UInt64(size)
        if rest != 0 {
            isSound = false
            report.add(
                "Invalid section contribution length",
                "\(label): invalid length ((length (\(hex(length))) - header (0x4)) % offset size \(hex(UInt64(size))) == \(hex(rest)) != 0)"
            )
        }
        var index: UInt64 = 0
        while !cursor.isPastEnd, cursor.position + size <= end {
            let position = UInt64(cursor.position)
            let offset = cursor.number(size)
            defer { index += 1 }
            if offset == 0 { continue }
            let found = "\(label): index \(hex(index)): invalid string offset *\(hex(position)) == \(hex(offset)), is "
            if offset >= UInt64(strings.count) {
                report.add(
                    "String offset out of bounds of string section",
                    found + "beyond the bounds of the string section of length \(hex(UInt64(strings.count)))")
            } else if strings[Int(offset) - 1] != 0 {
                isSound = false
                report.add(
                    "Section contribution contains invalid string offset",
                    found + "neither zero nor immediately following a null character")
            }
        }
        return isSound
    }
}
