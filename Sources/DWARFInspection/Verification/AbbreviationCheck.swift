internal import DWARF

/// Checks abbreviations (DWARF 5, section 7.5.3).
enum AbbreviationCheck {
    /// The first table of a section: as LLVM, the others only when a unit refers to them.
    /// - Returns: whether it is sound.
    static func run(_ section: SectionBytes, _ report: VerifierReport) -> Bool {
        if let problem = problem(of: section, at: 0) {
            report.add("Abbreviation Declaration error", problem)
            return false
        }
        var isSound = true
        for abbreviation in (try? Abbreviations(at: 0, of: section))?.all ?? [] {
            var seen: Set<UInt16> = []
            for specification in abbreviation.specifications where !seen.insert(specification.name).inserted {
                isSound = false
                report.add("Abbreviation declartion contains multiple attributes") {
                    report.error(
                        "Abbreviation declaration contains multiple "
                            + "\(DWARFNames.attributes.text(UInt64(specification.name))) attributes.")
                    AbbreviationText.write(abbreviation, to: report.output)
                }
            }
        }
        return isSound
    }

    /// Why a table cannot be read, in LLVM's words; `nil` if it can be.
    static func problem(of section: SectionBytes, at offset: UInt64) -> String? {
        guard offset < UInt64(section.count) else { return "the abbreviation offset into the .debug_abbrev section is not valid" }
        var cursor = section.cursor(at: Int(offset))
        func cut(_ start: Int) -> String {
            "unable to decode LEB128 at offset \(VerifierText.hex(UInt64(start), 8)): malformed uleb128, extends past end"
        }
        while true {
            var start = cursor.position
            let code = cursor.uleb()
            if cursor.isPastEnd { return cut(start) }
            if code == 0 { return nil }
            start = cursor.position
            let tag = UInt16(truncatingIfNeeded: cursor.uleb())
            if cursor.isPastEnd { return cut(start) }
            if tag == 0 { return "abbreviation declaration requires a non-null tag" }
            start = cursor.position
            cursor.skip(1)
            if cursor.isPastEnd { return VerifierText.endOfData(UInt64(start), 1, of: section.count) }
            var isEnded = false
            while !isEnded, cursor.position < section.count {
                start = cursor.position
                let attribute = cursor.uleb()
                if cursor.isPastEnd { return cut(start) }
                start = cursor.position
                let form = cursor.uleb()
                if cursor.isPastEnd { return cut(start) }
                isEnded = attribute == 0 && form == 0
                if !isEnded, attribute == 0 || form == 0 {
                    return
                        "malformed abbreviation declaration attribute. Either the attribute or the form is zero while the other is not"
                }
                if form == UInt64(Form.implicitConst) { _ = cursor.sleb() }
            }
            if !isEnded { return "abbreviation declaration attribute list was not terminated with a null entry" }
        }
    }
}
