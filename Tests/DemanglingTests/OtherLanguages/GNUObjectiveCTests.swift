import Demangling
import TestSupport
import Testing

struct GNUObjectiveCTests {
    /// Symbols of gcc 12; the names are those of gdb 13's `demangle -l objective-c`.
    static let names: [(mangled: String, plain: String)] = [
        ("_i_Boat__go", "-[Boat go]"), ("_c_Boat__build", "+[Boat build]"), ("_i_Boat__sail_with_", "-[Boat sail:with:]"),
        ("_i_Boat_Extra_extra_", "-[Boat(Extra) extra:]"), ("_c_Boat_Extra_more", "+[Boat(Extra) more]"),
        ("_i__Boat_Cat__m_", "-[_Boat(Cat) _m:]"), ("_i_Boat___private", "-[Boat _private]"), ("_i_Boat____x_", "-[Boat __x:]"),
        // The source has my_method:, and do_it: of My_Class: gdb cannot know, either.
        ("_i_Boat__my_method_", "-[Boat my:method:]"), ("_i_My_Class__do_it_", "-[My(Class) _do:it:]"),
    ]

    @Test(arguments: names)
    func `methods are read as gdb reads them`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().read(name.mangled).scheme == .gnuObjectiveC)
    }

    @Test func `a compiler's suffix follows the name`() {
        #expect(Demangler().demangle("_i_Boat__go.part.0") == "-[Boat go] (.part.0)")
    }

    /// gdb reads some of these; a class that begins with a small letter is more often C.
    @Test(arguments: [
        "_i_something", "_c_other_thing", "_i_some_other_thing", "_i_boat__go", "_i_Boat", "_i_Boat_", "_i_Boat__", "_i_Boat_X_",
        "_i_Boat_X",
        "_i_", "_c_", "_i", "_i_Boat__a-b", "__i_Boat__go", "_x_Boat__go", "_i_Boat_____", "i_Boat__go",
    ])
    func `functions of C that begin in the same way are plain`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    @Test(.enabled(if: Installed.has("gdb"), "gdb is missing"), arguments: names)
    func `gdb says the same`(name: (mangled: String, plain: String)) throws {
        let shown = try run("gdb", ["-batch", "-nx", "-ex", "demangle -l objective-c -- " + name.mangled]).requireSuccess().lines
        #expect(shown == [name.plain])
    }
}
