import BinaryPrimitives
import Demangling
import TestSupport
import Testing

struct DemanglerTests {
    @Test(arguments: [
        ("_Z3foov", ManglingScheme.itanium), ("__Z3foov", .itanium), ("___Z3foov_block_invoke", .itanium),
        ("____Z3foov_block_invoke", .itanium),
        ("._Z3foov", .itanium), ("_ZN1a1b17h0123456789abcdefE", .rustLegacy), ("_RNvC5hello4main", .rustV0), ("__RNvC5hello4main", .rustV0),
        ("$s4main3fooyyF", .swift), ("_$s4main3fooyyF", .swift), ("$S4main3fooyyF", .swift), ("$e4main3fooyyF", .swift),
        ("_T04main3fooyyF", .swift),
        ("__T04main3fooyyF", .swift), ("@__swiftmacro_4main3fooyyF", .swift), ("_TF4main3fooFT_T_", .swiftBefore4),
        ("__TF4main3fooFT_T_", .swiftBefore4), ("_D3foo3barFZv", .d), ("__D3foo3barFZv", .d), ("_D__T1aZi", .d), ("_Dmain", .d),
    ])
    func `the scheme of a name is told by its first characters`(name: String, scheme: ManglingScheme) {
        #expect(ManglingScheme(of: name) == scheme)
    }

    @Test(arguments: [
        "main", "-[CrashExampleAppDelegate performTransition]", "+[Foo(Category) bar:baz:]", "__libc_start_main", "_", "__", "_____", "",
        "_R", "_T", "_Rx",
        "_Tx", "$", "$x", "_$", "@", ".", "..", "__foo_block_invoke", "bar.cold", "OBJC_CLASS_$_Order", "____Y", "_____Z3foov",
        "_D", "_Dx", "_D0", "_D_", "_D__", "_D__X", "_DYNAMIC", "_Dmain_", "D3foo",
    ])
    func `names of C, Objective-C and assembly pass unchanged`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    /// Crystal, Zig and Kotlin/Native have readable names in their symbols, which their own traces
    /// print as well. Names of Nim and most of Ada's look like those of C.
    @Test(arguments: [
        "*Foo#bar<Int32>:Nil", "*Array(Int32)@Indexable(T)#first:Int32", "~procProc(Nil)@file.cr:3", "main.add", "fmt.format__anon_1234",
        "kfun:pkg.Class#method(kotlin.Int){}kotlin.String", "kfun:#main(){}", "between__faults_u13", "shop__sell", "shop__price__2",
    ])
    func `names of other languages that are readable or look like C's pass unchanged`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    @Test func `a stub's prefix stays before the function's own name`() {
        #expect(Demangler().demangle("DYLD-STUB$$__Znwm") == "DYLD-STUB$$operator new(unsigned long)")
        #expect(Demangler().demangle("DYLD-STUB$$DYLD-STUB$$__Znwm") == "DYLD-STUB$$DYLD-STUB$$__Znwm")
        #expect(Demangler().demangle("DYLD-STUB$$puts") == "DYLD-STUB$$puts")
    }

    @Test func `no style, no change`() {
        #expect(Demangler(style: .none).demangle("_Z3foov") == "_Z3foov")
        #expect(Demangler(style: .none).demangle("$s4main3fooyyF") == "$s4main3fooyyF")
    }

    @Test func `a name above the limit stays as it is, and says so`() {
        var limits = Limits()
        limits.mangledNameLength = 7
        #expect(Demangler(limits: limits).demangle("_Z3foov") == "foo()")
        #expect(Demangler(limits: limits).read("_Z3foovi") == DemangledName(text: "_Z3foovi", scheme: .itanium, staysMangled: true))
    }

    @Test(arguments: ["_Z3foov" + String(repeating: ".", count: 60_000), "_Z" + String(repeating: "9", count: 60_000)])
    func `endless names come to an end`(name: String) {
        let plain = Demangler().demangle(name)
        #expect(plain == name || plain.hasPrefix("foo() ("))
    }
}
