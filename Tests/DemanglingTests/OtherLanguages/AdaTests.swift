import Demangling
import TestSupport
import Testing

struct AdaTests {
    /// Symbols as GNAT 12 writes them; the names are those of gdb 13's `demangle -l ada`.
    static let names: [(mangled: String, plain: String)] = [
        ("_ada_main_prog", "main_prog"), ("_ada_main_prog__2", "main_prog"), ("_ada_foo__bar", "foo.bar"), ("_ada_x__bar__3", "x.bar"),
    ]

    @Test(arguments: names)
    func `library procedures are shown as by gdb`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().read(name.mangled).scheme == .ada)
    }

    @Test func `a compiler's suffix follows the name`() {
        #expect(Demangler().demangle("_ada_main_prog.cold") == "main_prog (.cold)")
    }

    @Test(arguments: [
        "shop__price", "shop__price__2", "shop__inner__deep", "shop___elabb", "shop__Oadd", "__ada_x", "_ada_", "_ada_Foo", "_ada_foo_",
        "_adafoo", "ada_main", "_ada_foo-bar", "_ada_foo___bar", "_ada_2x",
    ])
    func `names that C may have stay as they are`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    @Test(.enabled(if: Installed.has("gdb"), "gdb is missing"), arguments: names)
    func `gdb says the same`(name: (mangled: String, plain: String)) throws {
        let shown = try run("gdb", ["-batch", "-nx", "-ex", "demangle -l ada -- " + name.mangled]).requireSuccess().lines
        #expect(shown == [name.plain])
    }
}
