import Demangling
import TestSupport
import Testing

struct RustLegacyTests {
    /// Expected names are those of the demangler in Rust 1.95's standard library, its `{}`.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, full: String)] = [
        ("_ZN3std2io5stdio6_print17h0123456789abcdefE", "std::io::stdio::_print::h0123456789abcdef"),
        (
            "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure$u7d$$u7d$$GT$17h0123456789abcdefE",
            "core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>::h0123456789abcdef"
        ),
        (
            "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
            "<Test + 'static as foo::Bar<Test>>::bar::h930b740aa94f1d3a"
        ),
        ("_ZN49_$LT$$RF$$u27$a$u20$mut$u20$T$u20$as$u20$a..B$GT$4next17h0123456789abcdefE", "<&'a mut T as a::B>::next::h0123456789abcdef"),
        ("_ZN33_$LT$$BP$const$u20$u8$C$$SP$x$GT$3get17h0123456789abcdefE", "<*const u8,@x>::get::h0123456789abcdef"),
        ("_ZN4core3ptr33drop_in_place$LT$$u5b$u8$u5d$$GT$17h0123456789abcdefE", "core::ptr::drop_in_place<[u8]>::h0123456789abcdef"),
        ("_ZN5hello4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "hello::main::{{closure}}::h0123456789abcdef"),
        ("_ZN5hello13foo$u22$bar$x17h0123456789abcdefE", "hello::foo\"bar$x::h0123456789abcdef"),
        ("_ZN5hello10foo$u0$bar17h0123456789abcdefE", "hello::foo$u0$bar::h0123456789abcdef"),
        ("_ZN5hello9foo.bar.x17h0123456789abcdefE", "hello::foo.bar.x::h0123456789abcdef"),
        ("_ZN5hello11foo.llvm.7x17h0123456789abcdefE", "hello::foo.llvm.7x::h0123456789abcdef"),
        ("_ZN5hello5$LT$a17h0123456789abcdefE", "hello::<a::h0123456789abcdef"),
        ("_ZN5hello7foo$LTx17h0123456789abcdefE", "hello::foo$LTx::h0123456789abcdef"),
    ]

    @Test(arguments: names)
    func `legacy Rust names are Rust's own with the hash in the full form, and without it else`(name: (mangled: String, full: String)) {
        #expect(Demangler(style: .full).demangle(name.mangled) == name.full)
        #expect(Demangler().demangle(name.mangled) == String(name.full.dropLast("::h0123456789abcdef".count)))
        #expect(Demangler().demangle("_" + name.mangled) == Demangler().demangle(name.mangled), "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled).scheme == .rustLegacy)
    }

    @Test func `where ThinLTO found a function does not belong to its name`() {
        #expect(Demangler().demangle("_ZN1a1b17h0123456789abcdefE.llvm.77") == "a::b")
        #expect(Demangler().demangle("_ZN1a1b17h0123456789abcdefE.cold") == "a::b (.cold)")
        #expect(Demangler().demangle("_ZN1a1b17h0123456789abcdefE.llvm.77.cold") == "a::b (.cold)")
    }

    @Test func `a C++ name that only looks like Rust's is read as C++`() {
        #expect(Demangler().demangle("_ZN1a16h123456789abcdefEv") == "a::h123456789abcdef()")
        #expect(Demangler().demangle("_ZN1a17h0123456789abcdefEv") == "a::h0123456789abcdef()")
        #expect(Demangler().demangle("_ZN1a17h0123456789abcdegE") == "a::h0123456789abcdeg")
    }
}
