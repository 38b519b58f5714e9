import Demangling
import TestSupport
import Testing

/// Expected names come from the toolchain's own `swift-demangle`, run here beside ours.
@Suite(.enabled(if: Peers.swiftDemangle != nil, "the toolchain's swift-demangle is missing"))
struct SwiftTests {
    /// Names of the kinds that the Swift compiler emits: methods, closures, merged and outlined
    /// functions, async parts, macros, embedded Swift.
    static let names = [
        "$s4main3FooC3bar_3bazSiSi_SStF", "_$s4main3FooC3bar_3bazSiSi_SStF", "$S4main3fooyyF", "_T04main3fooyyF", "$s4main3fooyyFyycfU_",
        "$s4main3fooyyFTm", "$s4main3fooyyF.resume.0", "$s4main3fooyyYaFTY0_", "$s4main3fooyyF.cold.1", "@__swiftmacro_4main3fooyyF",
        "$e4main3fooyyF", "$ss5print_9separator10terminatoryypd_S2StF", "$s4main5ThingVySiGACycfC",
        "$sSD8_VariantV8setValue_6forKeyyq_n_xtF", "$s4main3FooCACycfCTo", "$s4main3fooyyFTA", "$s4main3fooyyFTQ1_", "$s4main3FooCMa",
        "$s4main3fooyyFTfq4n_n", "$sScA_pSg4main3FooCMR",
    ]

    @Test(arguments: names)
    func `names in the simplified form are swift-demangle's`(name: String) throws {
        let expected = try run(try #require(Peers.swiftDemangle), ["-compact", "-simplified", name]).lines
        #expect([Demangler().demangle(name)] == expected)
    }

    @Test(arguments: names)
    func `names in the full form are swift-demangle's`(name: String) throws {
        let expected = try run(try #require(Peers.swiftDemangle), ["-compact", name]).lines
        #expect([Demangler(style: .full).demangle(name)] == expected)
    }

    @Test(arguments: Peers.libraries.filter { $0.hasSuffix("libswiftCore.so") }, [Demangler.Style.simplified, .full])
    func `every symbol of the Swift library is spelled as swift-demangle spells it`(path: String, style: Demangler.Style) throws {
        let names = try Peers.symbols(of: path, try #require(Peers.nm)).filter { $0.hasPrefix("$s") }
        #expect(names.count > 5_000)
        let options = style == .simplified ? ["-compact", "-simplified"] : ["-compact"]
        let expected = try Peers.filter(names, try #require(Peers.swiftDemangle), options)
        let demangler = Demangler(style: style)
        let different = zip(names, expected).filter { demangler.demangle($0) != $1 }
        #expect(different.isEmpty, "\(different.count) of \(names.count): \(different.prefix(5))")
    }

    /// The compiler cuts an async function at each `await`; each part is the function that a person
    /// wrote.
    @Test(arguments: ["$s4main3fooyyYaF", "$s4main3fooyyYaFTY0_", "$s4main3fooyyYaFTQ1_", "_$s4main3fooyyYaFTQ0_"])
    func `the parts of an async function are the function`(name: String) {
        #expect(Demangler().demangle(name) == "foo()")
    }

    @Test func `Mach-O's extra underscore is allowed for`() {
        #expect(Demangler().demangle("__T04main3fooyyF") == "foo()")
        #expect(Demangler().demangle("_$s4main3fooyyF") == "foo()")
    }

    @Test(arguments: ["$s", "$s4", "$s4mai", "_T0", "@__swiftmacro_"])
    func `a name that is not well-formed stays as it is`(name: String) { #expect(Demangler().demangle(name) == name) }
}
