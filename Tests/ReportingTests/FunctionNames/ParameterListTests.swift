import Testing

@testable import Reporting

/// Overloads are told apart by types that every tool spells alike.
struct ParameterListTests {
    private static func text(_ name: String) -> String { NormalizedName(name, format: "gdb-bt").parameters }

    /// The spellings of the GNU and LLVM demanglers, of DWARF's base types by gcc and clang, and of Microsoft's undname.
    @Test(arguments: [
        ("Handler::handle(int)", "int"), ("Handler::handle(char const*)", "*char"), ("Handler::handle(const char *)", "*char"),
        ("void Handler::handle(char const * __ptr64)", "*char"), ("handle(unsigned long)", "unsigned long"),
        ("handle(long unsigned int)", "unsigned long"), ("handle(unsigned)", "unsigned int"),
        ("handle(short int, unsigned char)", "short,unsigned char"),
        ("handle(Row*, Row<int, char> const&, Row<int>*)", "*,class,*"), ("handle(uint32_t, Row const&)", "?,?"),
        ("handle(void (*)(int), int [4])", "*,*"),
        ("(anonymous namespace)::handle(int) const", "int"), ("handle(int) [clone .cold]", "int"),
        ("Handler::handle(int) (this=0x0)", "int"),
        ("_ZN7Handler6handleEPKc", "*char"), ("operator()(int) const", ""), ("handle", ""), ("handle()", ""), ("handle (row=0x0, n=4)", ""),
        ("-[Handler handle:]", ""), ("handle(int", ""), ("handle)int(", ""), (")", ""), ("(", ""),
    ])
    func `the types of a function's parameters`(name: String, parameters: String) { #expect(Self.text(name) == parameters) }

    @Test func `lists differ by their number and by known types`() {
        func differ(_ left: String, _ right: String) -> Bool { ParameterList.differ(Self.text(left), Self.text(right)) }
        #expect(differ("f(int)", "f(char const*)"))
        #expect(differ("f(int)", "f(int, int)"))
        #expect(differ("f(char*)", "f(wchar_t*)"))
        #expect(differ("f(Row<int> const&)", "f(int)"))
        #expect(!differ("f(unsigned long)", "f(long unsigned int)"))
        // A typedef may be either type, and a name without a list any overload.
        #expect(!differ("f(size_t)", "f(int)"))
        #expect(!differ("f(Row*)", "f(char*)"))
        #expect(!differ("f", "f(int)"))
    }

    @Test func `brackets without end are read in a moment`() {
        let open = String(repeating: "(<[", count: 1000)
        #expect(ParameterList.text(of: "f" + open) == "")
        #expect(ParameterList.text(of: "f(" + String(repeating: "int,", count: 1000) + "int)") == "")
    }
}
