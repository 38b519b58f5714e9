import Testing

@testable import DWARFInspection

/// How types are called: as C++ declares them, whatever the language. All that is written of the
/// object is compared with llvm-dwarfdump 19 too.
struct TypeNamesTests {
    /// Types by what a variable of them is called, and their entries.
    private static let types: [(name: String, entry: MadeEntry)] = [
        ("void *", pointer(to: nil)), ("int *", pointer(to: "int")), ("int &", MadeEntry(0x10, "", [.type("int")])),
        ("int &&", MadeEntry(0x42, "", [.type("int")])), ("const int", MadeEntry(0x26, "const", [.type("int")])),
        ("const int *", pointer(to: "const")), ("int **", pointer(to: "pointer")), ("int *const", MadeEntry(0x26, "", [.type("pointer")])),
        ("const volatile int", MadeEntry(0x35, "", [.type("const")])), ("int[3]", array([.byte(0x37, 3)], label: "array")),
        // An upper bound is the last index.
        ("int[4]", array([.byte(0x2f, 3)])), ("int[]", array([])),
        ("int[2][5]", MadeEntry(0x01, "", [.type("int")], [MadeEntry(0x21, "", [.byte(0x2f, 1)]), MadeEntry(0x21, "", [.byte(0x37, 5)])])),
        ("int[[2, 5)]", array([.byte(0x22, 2), .byte(0x2f, 4)])), ("int (*)[3]", pointer(to: "array")),
        ("const int *[3]", MadeEntry(0x01, "", [.type("to const")], [MadeEntry(0x21, "", [.byte(0x37, 3)])])),
        ("int (char, ...)", MadeEntry(0x15, "function", [.type("int")], [MadeEntry(0x05, "", [.type("char")]), MadeEntry(0x18)])),
        ("int (*)(char, ...)", pointer(to: "function", label: "to function")), ("void ()", MadeEntry(0x15)),
        ("int (**)(char, ...)", pointer(to: "to function")),
        ("int ns::S::*", MadeEntry(0x1f, "", [.type("int"), .init(name: 0x1d, form: 0x13, value: .entry("S"))])),
        ("std::nullptr_t", MadeEntry(0x3b, "", [.name("decltype(nullptr)")])),
        ("ns::S *", pointer(to: "S")), ("ns::S::Inner &", MadeEntry(0x10, "", [.type("Inner")])),
        ("(anonymous namespace)::Hidden *", pointer(to: "Hidden")),
        // A name without its arguments (clang's -gsimple-template-names) gets them from its
        // children.
        (
            "Box<int *, 3>",
            MadeEntry(
                0x13, "", [.name("Box")],
                [
                    MadeEntry(0x2f, "", [.type("pointer"), .name("T")]),
                    MadeEntry(0x30, "", [.type("int"), .name("N"), .init(name: 0x1c, form: 0x0d, value: .sleb(3))]),
                ])
        ),
        ("Full<int>", MadeEntry(0x13, "", [.name("Full<int>")], [MadeEntry(0x2f, "", [.type("int"), .name("T")])])),
        ("count_t", MadeEntry(0x16, "", [.name("count_t"), .type("int")])),
    ]

    private static func pointer(to label: String?, label own: String = "") -> MadeEntry {
        MadeEntry(0x0f, own, label.map { [.type($0)] } ?? [])
    }

    private static func array(_ bounds: [MadeEntry.Attribute], label: String = "") -> MadeEntry {
        MadeEntry(0x01, label, [.type("int")], [MadeEntry(0x21, "", bounds)])
    }

    /// A unit of C++14 (`DW_LANG_C_plus_plus_14`, 0x21), where arrays begin at 0, and a variable of
    /// each type.
    private static let object: MadeObject = {
        let named = [
            MadeEntry(0x24, "int", [.name("int"), .byte(0x3e, 5), .byte(0x0b, 4)]),
            MadeEntry(0x24, "char", [.name("char"), .byte(0x3e, 6), .byte(0x0b, 1)]),
            MadeEntry(0x0f, "pointer", [.type("int")]), MadeEntry(0x0f, "to const", [.type("const")]),
            MadeEntry(0x39, "", [.name("ns")], [MadeEntry(0x13, "S", [.name("S")], [MadeEntry(0x13, "Inner", [.name("Inner")])])]),
            MadeEntry(0x39, "", [], [MadeEntry(0x13, "Hidden", [.name("Hidden")])]),
        ]
        var (entries, variables): ([MadeEntry], [MadeEntry]) = ([], [])
        for (number, type) in types.enumerated() {
            var entry = type.entry
            if entry.label.isEmpty { entry.label = "type \(number)" }
            entries.append(entry)
            variables.append(MadeEntry(0x34, "", [.name("variable \(number)"), .type(entry.label)]))
        }
        return MadeObject([MadeEntry(0x11, "", [.byte(0x13, 0x21)], named + entries + variables)])
    }()

    @Test(arguments: types.indices) func `a type is named as C++ declares it`(number: Int) throws {
        let lines = try Self.object.dump { $0.sections = [.info] }.text.split(separator: "\n")
        let variable = try #require(lines.firstIndex { $0.hasSuffix("DW_AT_name\t(\"variable \(number)\")") })
        #expect(lines[variable + 1].hasSuffix(" \"\(Self.types[number].name)\")"), "\(lines[variable + 1])")
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence)) func `LLVM names them the same`() throws {
        #expect(try Self.object.dump { $0.sections = [.info] }.text == Self.object.peer(["--debug-info"]))
    }

    /// A pointer to itself, which no compiler writes: names come to an end.
    @Test func `a type that refers to itself has a name that ends`() throws {
        let unit = MadeEntry(0x11, "", [], [MadeEntry(0x0f, "self", [.type("self")])])
        let (text, _) = try MadeObject([unit]).dump { $0.sections = [.info] }
        #expect(text.contains("DW_TAG_pointer_type") && text.utf8.count < 1 << 21)
    }
}
