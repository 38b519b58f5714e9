import BinaryPrimitives
import Demangling
import TestSupport
import Testing

/// Expected names come from the field's own demanglers, run here beside ours.
struct DemanglerTests {
    /// Names of the kinds that the Swift compiler emits: methods, closures, merged and outlined functions, async parts, macros, embedded Swift.
    static let swiftNames = [
        "$s4main3FooC3bar_3bazSiSi_SStF", "_$s4main3FooC3bar_3bazSiSi_SStF", "$S4main3fooyyF", "_T04main3fooyyF", "$s4main3fooyyFyycfU_",
        "$s4main3fooyyFTm", "$s4main3fooyyF.resume.0", "$s4main3fooyyYaFTY0_", "$s4main3fooyyF.cold.1", "@__swiftmacro_4main3fooyyF",
        "$e4main3fooyyF", "$ss5print_9separator10terminatoryypd_S2StF", "$s4main5ThingVySiGACycfC",
        "$sSD8_VariantV8setValue_6forKeyyq_n_xtF",
    ]

    static let peer = swiftDemangler()

    @Test(arguments: swiftNames)
    func `Swift names in the simplified form are swift-demangle's`(name: String) throws {
        let expected = try run(try #require(Self.peer), ["-compact", "-simplified", name]).lines
        #expect([Demangler().demangle(name)] == expected)
    }

    @Test(arguments: swiftNames)
    func `Swift names in the full form are swift-demangle's`(name: String) throws {
        let expected = try run(try #require(Self.peer), ["-compact", name]).lines
        #expect([Demangler(style: .full).demangle(name)] == expected)
    }

    /// `sample` of macOS prints `DYLD-STUB$$operator new(unsigned long)`; llvm-cxxfilt reads `_Znwm` so.
    @Test func `the name after the prefix of a stub is read`() {
        #expect(Demangler().demangle("DYLD-STUB$$_Znwm") == "DYLD-STUB$$operator new(unsigned long)")
        #expect(Demangler().demangle("DYLD-STUB$$printf") == "DYLD-STUB$$printf")
        #expect(Demangler(style: .none).demangle("DYLD-STUB$$_Znwm") == "DYLD-STUB$$_Znwm")
        let twice = "DYLD-STUB$$DYLD-STUB$$_Znwm"
        #expect(Demangler().demangle(twice) == twice)
    }

    @Test(arguments: [
        "_Z3foov", "_ZN2ns4leafIiEEvT_", "_ZNK2ns5Klass6methodERKS0_i", "_ZN12_GLOBAL__N_13barEv", "_Z3foov.cold", "_Z3foov.isra.0",
        "_Z3foov.part.1",
        "_Z3foov.lto_priv.0", "_Z3foov.isra.0.cold", "_Z3foov.cold.1", "_Z3foov.llvm.123", "_ZGVZ3foovE1x.1", "___Z3foov_block_invoke",
        "___Z3foov_block_invoke_2", "___Z3foov_block_invoke.7", "_ZN1AC2Ev", "_ZN1AD0Ev", "_ZTV1A", "_ZThn16_N1B1fEv", "_Zgarbage",
        "bar.cold", "main", "-[CrashExampleAppDelegate performTransition]", "+[Foo(Category) bar:baz:]", "__libc_start_main", "_", "", "_R",
        "_T", "__foo_block_invoke",
    ])
    func `C++ names are llvm-cxxfilt's, suffixes included, and others pass unchanged`(name: String) throws {
        // llvm-cxxfilt splits its input lines into words; names with spaces are no C++ names and must come back as they are.
        let expected = name.contains(" ") ? [name] : try run("llvm-cxxfilt-19", input: Array((name + "\n").utf8)).lines
        #expect([Demangler().demangle(name)] == expected)
    }

    @Test(arguments: [
        "_ZN3std2io5stdio6_print17h0123456789abcdefE",
        "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure$u7d$$u7d$$GT$17h0123456789abcdefE",
        "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
        "_ZN49_$LT$$RF$$u27$a$u20$mut$u20$T$u20$as$u20$a..B$GT$4next17h0123456789abcdefE",
    ])
    func `legacy Rust names are c++filt's without the hash, and with it in the full form`(name: String) throws {
        let expected = try #require(try run("c++filt", ["--format=rust"], input: Array((name + "\n").utf8)).lines.first)
        #expect(Demangler(style: .full).demangle(name) == expected)
        #expect(Demangler().demangle(name) == String(expected.dropLast("::h0123456789abcdef".count)))
    }

    @Test func `where a Rust function came from does not belong to its name`() {
        #expect(Demangler().demangle("_ZN1a1b17h0123456789abcdefE.llvm.77") == "a::b")
        #expect(Demangler().demangle("_ZN1a1b17h0123456789abcdefE.cold") == "a::b (.cold)")
    }

    @Test func `a C++ name that only looks like Rust's is read as C++`() {
        #expect(Demangler().demangle("_ZN1a16h123456789abcdefEv") == "a::h123456789abcdef()")
    }

    @Test(arguments: [("_RNvC6_123foo3bar", ManglingScheme.rustV0), ("_TF4main3fooFT_T_", .swiftBefore4)])
    func `schemes that are not read stay mangled and say so`(name: String, scheme: ManglingScheme) {
        #expect(ManglingScheme(of: name) == scheme)
        #expect(ManglingScheme(of: name).staysMangled)
        #expect(Demangler().demangle(name) == name)
    }

    @Test func `Mach-O's extra underscore is allowed for`() {
        #expect(Demangler().demangle("__Z3foov") == "foo()")
        #expect(Demangler().demangle("____Z3foov_block_invoke") == "invocation function for block in foo()")
        #expect(Demangler().demangle("__T04main3fooyyF") == "foo()")
    }

    @Test func `no style, no change`() {
        #expect(Demangler(style: .none).demangle("_Z3foov") == "_Z3foov")
        #expect(Demangler(style: .none).demangle("$s4main3fooyyF") == "$s4main3fooyyF")
    }

    @Test func `a name above the limit stays as it is`() {
        var limits = Limits()
        limits.mangledNameLength = 7
        #expect(Demangler(limits: limits).demangle("_Z3foov") == "foo()")
        #expect(Demangler(limits: limits).demangle("_Z3foovi") == "_Z3foovi")
    }

    @Test(arguments: [
        "_Z3fo", "_ZN", "_ZN99999999999999999999aE", "$s", "_Z.", "_Z3foov" + String(repeating: ".", count: 60_000), "_ZN1a17hE",
        "___Z_block_invoke",
    ])
    func `malformed names pass unchanged or keep their tail`(name: String) {
        let plain = Demangler().demangle(name)
        #expect(plain == name || plain.hasPrefix("foo() ("))
    }
}

/// `swift-demangle` stands beside the compiler that runs this test.
private func swiftDemangler() -> String? {
    let command = "command -v swift-demangle || ls \"$(dirname \"$(readlink -f \"$(command -v swift)\")\")/swift-demangle\""
    guard let found = try? run("sh", ["-c", command]) else { return nil }
    return found.status == 0 ? found.lines.first : nil
}
