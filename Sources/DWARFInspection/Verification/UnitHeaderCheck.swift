internal import DWARF

/// Checks the headers of units, one after the other as their lengths lead (DWARF 5, section 7.5.1).
struct UnitHeaderCheck {
    let section: SectionBytes
    let abbreviations: SectionBytes
    let report: VerifierReport
    /// Many units share a table.
    private var known: [UInt64: Bool] = [:]

    init(_ section: SectionBytes, abbreviations: SectionBytes, _ report: VerifierReport) {
        self.section = section
        self.abbreviations = abbreviations
        self.report = report
    }

    /// - Returns: whether all are sound.
    mutating func run() -> Bool {
        var offset = 0
        var index = 0
        var isValid = true
        while offset < section.count {
            let (end, isSound, isLong) = check(offset, index)
            if !isSound {
                isValid = false
                // The position of the next one cannot be determined.
                if isLong { break }
            }
            index += 1
            guard end > offset else { break }
            offset = end
        }
        if index == 0 { report.warn("Section is empty.") }
        return isValid
    }

    private mutating func check(_ offset: Int, _ index: Int) -> (end: Int, isSound: Bool, isLong: Bool) {
        var cursor = section.cursor(at: offset)
        var length = UInt64(cursor.u32())
        var isLong = false
        if length == 0xffff_ffff {
            length = cursor.u64()
            isLong = true
        } else if length >= 0xffff_fff0 {
            // Reserved: LLVM takes the length for 0 then.
            length = 0
            cursor.move(to: offset)
        }
        let version = cursor.u16()
        var (type, addressSize): (UInt8, UInt8) = (0, 0)
        let table: UInt64
        if version >= 5 {
            (type, addressSize) = (cursor.u8(), cursor.u8())
            table = cursor.number(isLong ? 8 : 4)
        } else {
            table = cursor.number(isLong ? 8 : 4)
            addressSize = cursor.u8()
        }
        let last = UInt64(offset) &+ length &+ 3
        let problems = [
            (
                last >= UInt64(section.count), "Unit too large for .debug_info provided",
                "The length for this unit is too large for the .debug_info provided."
            ),
            (!(2...5).contains(version), "16 bit unit header version is not valid", "The 16 bit unit header version is not valid."),
            (version >= 5 && !(1...6).contains(type), "Unit type encoding is not valid", "The unit type encoding is not valid."),
            (
                !isReadable(table), "Offset into the .debug_abbrev section is not valid",
                "The offset into the .debug_abbrev section is not valid."
            ),
            (![2, 4, 8].contains(addressSize), "Address size is unsupported", "The address size is unsupported."),
        ].filter(\.0)
        var isShown = false
        for (_, category, message) in problems {
            report.add("Unit Header Length: " + category) {
                if !isShown { report.error("Units[\(index)] - start offset: \(VerifierText.hex(UInt64(offset), 8)) ") }
                isShown = true
                report.note(message)
            }
        }
        let end = UInt64(offset).addingReportingOverflow(length &+ (isLong ? 12 : 4))
        return (end.overflow ? section.count : Int(clamping: end.partialValue), problems.isEmpty, isLong)
    }

    private mutating func isReadable(_ table: UInt64) -> Bool {
        if let isReadable = known[table] { return isReadable }
        let isReadable = AbbreviationCheck.problem(of: abbreviations, at: table) == nil
        if known.count < 1 << 16 { known[table] = isReadable }
        return isReadable
    }
}
