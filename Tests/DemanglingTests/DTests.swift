import Demangling
import TestSupport
import Testing

struct DTests {
    /// Names of `Point`, `Shape` and others in a program that ldc 1.30 and gdc 12 compiled; expected
    /// names are those of `core.demangle` in their runtime.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String)] = [
        ("_D6shapes5outerFiZi", "int shapes.outer(int)"),
        ("_D6shapes5outerFiZ5innerMFNaNbNiNfiZi", "pure nothrow @nogc @safe int shapes.outer(int).inner(int)"),
        ("_D6shapes5Shape4areaMxFNdZi", "const @property int shapes.Shape.area()"),
        (
            "_D6shapes5Shape5scaleMOFKSQy5PointLiJlMAxaZv",
            "shared void shapes.Shape.scale(ref shapes.Point, lazy int, out long, scope const(char)[])"
        ),
        ("_D6shapes5Shape6__ctorMFiZCQzQu", "shapes.Shape shapes.Shape.__ctor(int)"),
        ("_D6shapes5Shape6__dtorMFZv", "void shapes.Shape.__dtor()"),
        ("_D6shapes5Shape6__initZ", "shapes.Shape.__init"),
        ("_D6shapes12__ModuleInfoZ", "shapes.__ModuleInfo"),
        ("_D6shapes5Shape6opCallFHiAyaG3dZi", "int shapes.Shape.opCall(immutable(char)[][int], double[3])"),
        ("_D6shapes4passFNaNbNiNfANgiZQf", "pure nothrow @nogc @safe inout(int)[] shapes.pass(inout(int)[])"),
        ("_D6shapes4stopFZNn", "noreturn shapes.stop()"),
        ("_D6shapes5modµFZv", "void shapes.modµ()"),
        ("_D6shapes5referFNcNkKiZi", "ref int shapes.refer(return ref int)"),
        ("_D6shapes6takesCFPUiZvPRZiZv", "void shapes.takesC(extern (C) void function(int)*, extern (C++) int function()*)"),
        ("_D6shapes6varargFiYv", "void shapes.vararg(int, ...)"),
        ("_D6shapes8typesafeFAiXv", "void shapes.typesafe(int[]...)"),
        ("_D6shapes7counteri", "int shapes.counter"),
        ("_D6shapes8greetingyAa", "immutable(char[]) shapes.greeting"),
        ("_D6shapes__T3addTiZQhFNaNbNiNfiiZi", "pure nothrow @nogc @safe int shapes.add!(int).add(int, int)"),
        (
            "_D6shapes__T4textVAyuw3_616263VAywd3_646566ZQBgFNaNbNiNfZv",
            "pure nothrow @nogc @safe void shapes.text!(\"abc\"w, \"def\"d).text()"
        ),
        ("_D6shapes__T5tableVHiiA2i1i2i3i4ZQvFNaNbNiNfZv", "pure nothrow @nogc @safe void shapes.table!([1:2, 3:4]).table()"),
        (
            "_D6shapes__T6higherSQs5outerFiZ9__lambda3ZQBeMFNaNbNiNfiZi",
            "pure nothrow @nogc @safe int shapes.higher!(shapes.outer(int).__lambda3).higher(int)"
        ),
        (
            "_D6shapes__T6numberVeeINFVai9Vui39Vwi92VAyaa0_Vli5Vbi0VSQCc5PointS2N1i2VAiA0ZQCnFNaNbNiNfZv",
            "pure nothrow @nogc @safe void shapes.number!(real.infinity, '\\t', '\\'', '\\\\', \"\", 5L, false, shapes.Point(-1, "
                + "2), []).number()"
        ),
        (
            "_D6shapes__T6numberVeeNANVai0Vui120Vwi121VAyaa5_706c61696eVli7Vbi0VSQCo5PointS2N1i2VAiA1i9ZQDbFNaNbNiNfZv",
            "pure nothrow @nogc @safe void shapes.number!(real.nan, \\x00, '\\u0078', '\\U00000079', \"plain\", 7L, false, "
                + "shapes.Point(-1, 2), [9]).number()"
        ),
    ]

    @Test(arguments: names)
    func `D names are spelled as in D's own backtraces`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().demangle("_" + name.mangled) == name.plain, "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled).scheme == .d)
    }

    /// `core.demangle` leaves digits of the mangled name after such numbers; these are the texts
    /// of C's `printf("%#Lg")`, with which it begins.
    @Test(arguments: [
        ("0CP1", "1.50000"), ("18P0", "1.50000"), ("00P0", "0.00000"), ("N0C90FDAA2216887DEP2", "-3.14159"), ("0F424P20", "1.00000e+06"),
        ("0D1B71758E219652CPN13", "0.000100000"), ("0FF0C2E52BE28B98CP79", "6.02214e+23"), ("0D1BA8323FE558C61P13288", "1.00000e+4000"),
        ("00000000CC64F1CC4PN16382", "1.00000e-4940"), ("1FFFFFP3", "16.0000"), ("1999999AP0", "1.60000"),
    ])
    func `floating-point values have six digits`(value: String, expected: String) {
        #expect(Demangler().demangle("_D1a__T1bVee\(value)Z1bFZv") == "void a.b!(\(expected)).b()")
    }

    @Test func `what a program calls main is called D main`() {
        #expect(Demangler().demangle("_Dmain") == "D main")
        #expect(Demangler().demangle("__Dmain") == "D main")
        #expect(Demangler().demangle("_Dmain2") == "_Dmain2")
    }

    @Test func `a compiler's suffix follows the name`() {
        #expect(Demangler().demangle("_D6shapes5outerFiZi.cold") == "int shapes.outer(int) (.cold)")
        #expect(Demangler().demangle("_D6shapes5outerFiZi.part.0") == "int shapes.outer(int) (.part.0)")
    }

    @Test func `back-references to a type that holds them, and endless ones, leave the name as it is`() {
        // The type at `A` is an array of itself.
        #expect(Demangler().demangle("_D1a1bFAQbZv") == "_D1a1bFAQbZv")
        #expect(Demangler().demangle("_D1a1bFAQzZv") == "_D1a1bFAQzZv")
        #expect(Demangler().demangle("_D1a1bFAQaZv") == "_D1a1bFAQaZv")
        // Each parameter is a function of two of the one before it: 2⁴⁰ times `int`.
        #expect(Demangler().demangle(doubled(1)) == "void a.b(int, void function(int, int)*)")
        #expect(Demangler().demangle(doubled(40)) == doubled(40))
    }

    private func doubled(_ count: Int) -> String {
        var name = "_D1a1bFi"
        var length = 1
        for _ in 0..<count {
            let first = reference(length + 2)
            let second = reference(length + 2 + first.utf8.count)
            name += "PF" + first + second + "Zv"
            length = 4 + first.utf8.count + second.utf8.count
        }
        return name + "Zv"
    }

    @Test func `parts that nest deeper than the limit leave the name as it is`() {
        let name = "_D1a1bF" + String(repeating: "P", count: 50_000) + "iZv"
        #expect(Demangler().demangle(name) == name)
    }

    @Test(arguments: [
        "_D88", "_D3foo", "_D3fo", "_D1a1bFiZ", "_D1a1bFiZi3", "_D1a__T1bTiZQzi", "_D1a1bFiZNq", "_D4a-cdFZv", "_D1a1bFZvT",
        "_D99999999999999999999aFZv",
    ])
    func `a name that is not well-formed stays as it is, and says so`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .d, staysMangled: true))
    }

    /// A program that reads a name a line and writes what `core.demangle` makes of it.
    private static let judge = """
        import std.stdio, core.demangle;
        void main() { foreach (line; stdin.byLine) writeln(demangle(line)); }
        """

    @Test(.enabled(if: Installed.has("gdc", "nm"), "gdc (package gdc) or nm is missing"))
    func `every symbol of D's library is spelled as core.demangle spells it`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/judge.d", Array(Self.judge.utf8))
            try run("gdc", ["-O", folder + "/judge.d", "-o", folder + "/judge"]).requireSuccess()
            let library = try run("gdc", ["-print-file-name=libgphobos.a"]).lines.first ?? ""
            let symbols = try run("nm", ["--format=just-symbols", library]).lines.map { String($0.prefix { $0 != "." }) }
            let names = Array(Set(symbols.filter { $0.hasPrefix("_D") })).sorted()
            #expect(!names.isEmpty)
            let expected = try Peers.filter(names, folder + "/judge")
            #expect(expected.count == names.count)
            let demangler = Demangler()
            // `__U` marks a template as `__T` does; `core.demangle` reads only `__T`.
            let different = zip(names, expected).filter { demangler.demangle($0) != $1 && !$0.contains("__U") }
            #expect(different.isEmpty, "\(different.count) of \(names.count): \(different.prefix(5))")
        }
    }

    private func reference(_ distance: Int) -> String {
        var text = ""
        var rest = distance / 26
        while rest > 0 {
            text = String(Unicode.Scalar(UInt8(65 + rest % 26))) + text
            rest /= 26
        }
        return "Q" + text + String(Unicode.Scalar(UInt8(97 + distance % 26)))
    }
}
