internal import DWARF

/// Checks the abbreviations of a name index: which attributes they have, and of which forms.
struct NameAbbreviationsCheck {
    private let index: NameIndex
    private let report: VerifierReport
    private let start: String

    init(_ index: NameIndex, _ report: VerifierReport) {
        self.index = index
        self.report = report
        start = VerifierText.hex(UInt64(index.start))
    }

    /// - Returns: whether nothing is wrong.
    func run() -> Bool {
        if index.typeCount > 0 {
            report.warn("Name Index @ \(start): Verifying indexes of type units is not currently supported.")
            return true
        }
        var isSound = true
        for abbreviation in index.abbreviations {
            let code = VerifierText.hex(abbreviation.code)
            let label = "NameIndex @ \(start): Abbreviation \(code)"
            if DWARFNames.tags.name(abbreviation.tag) == nil {
                report.warn("\(label) references an unknown tag: \(DWARFNames.tags.text(abbreviation.tag)).")
            }
            var seen: Set<UInt64> = []
            for attribute in abbreviation.attributes {
                if seen.insert(attribute.index).inserted {
                    isSound = check(attribute, label) && isSound
                    continue
                }
                isSound = false
                report.add(
                    "NameIndex Abbreviateion contains multiple attributes",
                    "\(label) contains multiple \(DWARFNames.indexes.text(attribute.index)) attributes.")
            }
            if index.counts.units > 1, !seen.contains(1) {
                isSound = false
                report.add(
                    "Abbreviation contains no attribute",
                    "NameIndex @ \(start): Indexing multiple compile units and abbreviation \(code) has no DW_IDX_compile_unit attribute."
                )
            }
            if !seen.contains(3) {
                isSound = false
                report.add("Abbreviate in NameIndex missing attribute", "\(label) has no DW_IDX_die_offset attribute.")
            }
        }
        return isSound
    }

    private func check(_ attribute: (index: UInt64, form: UInt16), _ label: String) -> Bool {
        let form = DWARFNames.forms.text(UInt64(attribute.form))
        guard DWARFNames.forms.name(UInt64(attribute.form)) != nil else {
            report.add(
                "Unknown NameIndex Abbreviation",
                "\(label): \(DWARFNames.indexes.text(attribute.index)) uses an unknown form: \(form).")
            return false
        }
        func fail(_ message: String) -> Bool {
            report.add(
                "Unexpected NameIndex Abbreviation",
                "\(label): \(DWARFNames.indexes.text(attribute.index)) uses an unexpected form \(form) \(message).")
            return false
        }
        switch attribute.index {
        case 5: return attribute.form == Form.data8 || fail("(should be DW_FORM_data8)")
        case 4:
            return [Form.flagPresent, Form.ref4].contains(attribute.form) || fail("(should be DW_FORM_ref4 or DW_FORM_flag_present)")
        case 1, 2:
            let constants: Set<UInt16> = [
                Form.data1, Form.data2, Form.data4, Form.data8, Form.data16, Form.sdata, Form.udata, Form.implicitConst,
            ]
            return constants.contains(attribute.form) || fail("(expected form class constant)")
        case 3:
            let references: Set<UInt16> = [
                Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata, Form.refAddr, Form.refSig8, Form.refSup4, Form.refSup8,
                Form.gnuRefAlt,
            ]
            return references.contains(attribute.form) || fail("(expected form class reference)")
        default:
            report.warn("\(label) contains an unknown index attribute: \(DWARFNames.indexes.text(attribute.index)).")
            return true
        }
    }
}
