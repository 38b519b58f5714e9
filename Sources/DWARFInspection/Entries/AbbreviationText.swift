internal import DWARF

/// Writes abbreviations.
enum AbbreviationText {
    static func write(_ abbreviation: DumpAbbreviation, to output: DumpOutput) {
        output.text("[")
        output.decimal(abbreviation.code)
        output.text("] ")
        output.name(DWARFNames.tags, UInt64(abbreviation.tag))
        output.text(abbreviation.hasChildren ? "\tDW_CHILDREN_yes\n" : "\tDW_CHILDREN_no\n")
        for specification in abbreviation.specifications {
            output.byte(0x09)
            output.name(DWARFNames.attributes, UInt64(specification.name))
            output.byte(0x09)
            output.name(DWARFNames.forms, UInt64(specification.form))
            if specification.form == Form.implicitConst {
                output.byte(0x09)
                output.signed(specification.implicit)
            }
            output.byte(0x0a)
        }
        output.byte(0x0a)
    }
}
