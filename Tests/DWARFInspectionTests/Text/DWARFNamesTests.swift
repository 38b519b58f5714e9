import Testing

@testable import DWARFInspection

/// Names of DWARF's numbers: first and last ones, and odd ones, of the standard's tables (DWARF 5,
/// section 7).
struct DWARFNamesTests {
    private static let kinds: [String: DWARFNames] = [
        "accessibilities": .accessibilities, "attributes": .attributes, "contents": .contents, "conventions": .conventions,
        "defaulted": .defaulted, "encodings": .encodings, "forms": .forms, "frameInstructions": .frameInstructions, "indexes": .indexes,
        "languages": .languages, "lineExtended": .lineExtended, "lineStandard": .lineStandard, "locationEntries": .locationEntries,
        "macros": .macros, "operations": .operations, "orderings": .orderings, "rangeEntries": .rangeEntries, "tags": .tags,
        "unitTypes": .unitTypes, "virtualities": .virtualities,
    ]

    @Test(
        arguments: [
            // Tables 7.3, 7.5, 7.6.
            ("tags", 0x01, "DW_TAG_array_type"), ("tags", 0x11, "DW_TAG_compile_unit"), ("tags", 0x2e, "DW_TAG_subprogram"),
            ("tags", 0x4a, "DW_TAG_skeleton_unit"), ("tags", 0x4b, "DW_TAG_immutable_type"), ("attributes", 0x01, "DW_AT_sibling"),
            ("attributes", 0x42, "DW_AT_identifier_case"), ("attributes", 0x55, "DW_AT_ranges"),
            ("attributes", 0x8c, "DW_AT_loclists_base"),
            ("forms", 0x01, "DW_FORM_addr"), ("forms", 0x1e, "DW_FORM_data16"), ("forms", 0x2c, "DW_FORM_addrx4"),
            // Tables 7.2, 7.9, 7.10, 7.25.
            ("unitTypes", 0x06, "DW_UT_split_type"), ("operations", 0x03, "DW_OP_addr"), ("operations", 0x4f, "DW_OP_lit31"),
            ("operations", 0xa9, "DW_OP_reinterpret"), ("locationEntries", 0x08, "DW_LLE_start_length"),
            ("rangeEntries", 0x07, "DW_RLE_start_length"),
            // Tables 7.11 to 7.22.
            ("encodings", 0x01, "DW_ATE_address"), ("encodings", 0x12, "DW_ATE_ASCII"), ("languages", 0x01, "DW_LANG_C89"),
            ("languages", 0x25, "DW_LANG_BLISS"), ("conventions", 0x05, "DW_CC_pass_by_value"),
            ("virtualities", 0x02, "DW_VIRTUALITY_pure_virtual"),
            ("orderings", 0x01, "DW_ORD_col_major"), ("defaulted", 0x02, "DW_DEFAULTED_out_of_class"),
            ("accessibilities", 0x03, "DW_ACCESS_private"),
            // Tables 7.25 to 7.30.
            ("lineStandard", 0x0c, "DW_LNS_set_isa"), ("lineExtended", 0x04, "DW_LNE_set_discriminator"), ("contents", 0x05, "DW_LNCT_MD5"),
            ("macros", 0x0c, "DW_MACRO_undef_strx"), ("indexes", 0x05, "DW_IDX_type_hash"),
            ("frameInstructions", 0x16, "DW_CFA_val_expression"),
        ] as [(String, UInt64, String)])
    func `a number has its name`(kind: String, number: UInt64, name: String) throws {
        #expect(try #require(Self.kinds[kind]).text(number) == name)
    }

    /// Texts that llvm-dwarfdump 19 writes in their place.
    @Test(
        arguments: [
            ("tags", 0x7ffe, "DW_TAG_unknown_7ffe"), ("attributes", 0x3ffe, "DW_AT_unknown_3ffe"),
            ("forms", 0x7f, "DW_FORM_unknown_7f"),
            ("tags", .max, "DW_TAG_unknown_ffffffffffffffff"), ("encodings", 0, "DW_ATE_unknown_0"),
        ] as [(String, UInt64, String)])
    func `a number without a name is written as it is`(kind: String, number: UInt64, text: String) throws {
        let names = try #require(Self.kinds[kind])
        #expect(names.name(number) == nil && names.text(number) == text)
    }
}

/// How names out of files are written: as they are, except for what would command a terminal or
/// turn its text round, which is written in octal, byte by byte.
struct DumpOutputTests {
    @Test(arguments: [
        ("main".utf8.map { $0 }, "main"), ("a\u{1b}[31m".utf8.map { $0 }, #"a\033[31m"#), ("größe".utf8.map { $0 }, "größe"),
        // U+009B is C2 9B in UTF-8, octal 302 233; U+202E is E2 80 AE, octal 342 200 256; and bytes
        // that are no UTF-8.
        ("a\u{9b}31m".utf8.map { $0 }, #"a\302\23331m"#), ("a\u{202e}b".utf8.map { $0 }, #"a\342\200\256b"#),
        ([0x61, 0x9b, 0x33, 0xff], #"a\2333\377"#),
    ])
    func `a name commands nothing`(bytes: [UInt8], text: String) {
        var written: [UInt8] = []
        let output = DumpOutput { written += $0 }
        output.name(bytes)
        output.flush()
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    /// A reader of JSON gets the name.
    @Test func `a name in JSON is escaped by numbers`() {
        var written: [UInt8] = []
        let output = DumpOutput { written += $0 }
        JSONText.write("a\u{9b}\"\u{202e}é", to: output)
        output.flush()
        #expect(String(decoding: written, as: UTF8.self) == #""a\u009b\"\u202eé""#)
    }
}
