import TestSupport
import Testing

@testable import DWARFInspection

/// An entry as text and as JSON: a value of each form of DWARF 5 (section 7.5.6) that needs no
/// other section, and of those that do.
struct EntryTextTests {
    /// Attributes with their forms and values, how the text has them, and how the JSON has them.
    /// The attributes' own meaning goes first: a language has a name.
    private static let values: [(attribute: MadeEntry.Attribute, text: String, json: String)] = [
        (.byte(0x13, 0x21), "DW_AT_language\t(DW_LANG_C_plus_plus_14)", #""value":33,"text":"DW_LANG_C_plus_plus_14""#),
        (.byte(0x3e, 7), "DW_AT_encoding\t(DW_ATE_unsigned)", #""value":7,"text":"DW_ATE_unsigned""#),
        (.byte(0x20, 3), "DW_AT_inline\t(DW_INL_declared_inlined)", #""value":3,"text":"DW_INL_declared_inlined""#),
        (.byte(0x0b, 200), "DW_AT_byte_size\t(0xc8)", #""value":200,"text":"0xc8""#),
        (.init(name: 0x0b, form: 0x05, value: .number(0xfffe, size: 2)), "DW_AT_byte_size\t(0xfffe)", #""value":65534,"text":"0xfffe""#),
        (.init(name: 0x1c, form: 0x0d, value: .sleb(-5)), "DW_AT_const_value\t(-5)", #""value":-5,"text":"-5""#),
        (.init(name: 0x1c, form: 0x0f, value: .uleb(300)), "DW_AT_const_value\t(300)", #""value":300,"text":"300""#),
        (.byte(0x3b, 12), "DW_AT_decl_line\t(12)", #""value":12,"text":"12""#),
        (.init(name: 0x3f, form: 0x19, value: .none), "DW_AT_external\t(true)", #""value":true,"text":"true""#),
        (.init(name: 0x3c, form: 0x0c, value: .number(0, size: 1)), "DW_AT_declaration\t(0x00)", #""value":false,"text":"0x00""#),
        (.name("a \"quoted\" name"), "DW_AT_name\t(\"a \\\"quoted\\\" name\")", #""value":"a \"quoted\" name""#),
        (.init(name: 0x03, form: 0x0e, value: .number(4, size: 4)), "DW_AT_name\t(\"two\")", #""value":"two""#),
        (.init(name: 0x1b, form: 0x1f, value: .number(0, size: 4)), "DW_AT_comp_dir\t(\"/src\")", #""value":"/src""#),
        (
            .init(name: 0x11, form: 0x01, value: .number(0x1000, size: 8)), "DW_AT_low_pc\t(0x0000000000001000)",
            #""value":"0x0000000000001000""#
        ),
        (.init(name: 0x12, form: 0x06, value: .number(0x20, size: 4)), "DW_AT_high_pc\t(0x0000000000001020)", #""value":32"#),
        (.location([0x50]), "DW_AT_location\t(DW_OP_reg0 RAX)", #""text":"DW_OP_reg0 RAX""#),
        (.type("int"), "DW_AT_type\t(INT \"int\")", #""entry":"INT""#),
    ]

    /// A unit, `int`, and the entry with all values.
    private static let object = MadeObject(
        [MadeEntry(0x11, "", [], [MadeEntry(0x24, "int", [.name("int")]), MadeEntry(0x34, "", values.map(\.attribute))])],
        sections: [(".debug_str", Array("one\0two\0".utf8)), (".debug_line_str", Array("/src\0".utf8))])

    /// A header of 12 bytes, and one byte of the unit's entry.
    private static let offsetOfInt = "0x0000000d"

    @Test(arguments: values.indices) func `a value is written by its form and its attribute`(number: Int) throws {
        let text = try Self.object.dump { $0.sections = [.info] }.text
        let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        let start = try #require(lines.firstIndex { $0.hasSuffix("DW_TAG_variable") })
        #expect(lines[start + 1 + number] == Self.values[number].text.replacing("INT", with: Self.offsetOfInt))
    }

    @Test(
        .enabled(if: MadeObject.isPeerThere, MadeObject.absence),
        arguments: [["--debug-info"], ["--debug-info", "-v"], ["--debug-info", "-F"]])
    func `LLVM writes the same text`(arguments: [String]) throws {
        let ours = try Self.object.dump {
            $0.sections = [.info]
            ($0.isVerbose, $0.showsForms) = (arguments.contains("-v"), arguments.contains("-F"))
        }
        #expect(try ours.text == Self.object.peer(arguments))
    }

    /// Documentation/debug-information.md: a line for each unit and entry; the header's length is
    /// that of the unit without the length itself.
    @Test func `JSON has a line for each unit and entry, with offsets, depths and values`() throws {
        let lines = try Self.object.dump { ($0.sections, $0.isJSON) = ([.info], true) }.text.split(separator: "\n").map(String.init)
        let size = Self.object.sections[0].bytes.count
        #expect(lines.count == 5)
        let end = "0x" + String(repeating: "0", count: 8 - String(size, radix: 16).count) + String(size, radix: 16)
        #expect(
            lines[1] == #"{"unit":{"offset":"0x00000000","length":\#(size - 4),"format":"DWARF32","version":5,"type":"DW_UT_compile","#
                + #""abbreviations":"0x00000000","addressSize":8,"next":"\#(end)"}}"#)
        #expect(lines[2] == #"{"entry":{"offset":"0x0000000c","depth":0,"tag":"DW_TAG_compile_unit","attributes":[]}}"#)
        #expect(
            lines[3] == #"{"entry":{"offset":"\#(Self.offsetOfInt)","depth":1,"tag":"DW_TAG_base_type","attributes":[{"name":"DW_AT_name","#
                + #""form":"DW_FORM_string","value":"int"}]}}"#)
        // The name of `int` is four bytes after its code.
        #expect(lines[4].hasPrefix(#"{"entry":{"offset":"0x00000012","depth":1,"tag":"DW_TAG_variable","attributes":["#))
        for value in Self.values { #expect(lines[4].contains(value.json.replacing("INT", with: Self.offsetOfInt)), "\(value.json)") }
    }

    /// One of the abbreviation's values is not in the section any more.
    @Test func `an entry that is cut short is a problem`() throws {
        var sections = Self.object.sections
        sections[0].bytes.removeLast(6)
        sections[0].bytes.replaceSubrange(0..<4, with: [UInt8(sections[0].bytes.count - 4), 0, 0, 0])
        let (text, problems) = try MadeObject(sections: sections).dump { $0.sections = [.info] }
        #expect(text.contains("DW_TAG_base_type") && !problems.isEmpty)
    }
}
