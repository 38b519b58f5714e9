import BinaryPrimitives
import Demangling
import TestSupport
import Testing

struct RustV0Tests {
    /// Expected names are those of the demangler in Rust 1.95's standard library, which prints
    /// backtraces: its `{:#}`, and its `{}` for the full form. LLVM's agrees where it reads the
    /// name; `llvmDoesNotRead` says where not. The constants are in the form that rustc 1.97 gives
    /// them.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String, full: String)] = [
        // Paths.
        ("_RNvC5hello4main", "hello::main", "hello::main"),
        ("_RNvNtNtCs3e2D_3std2io5write5flush", "std::io::write::flush", "std[bbbc5]::io::write::flush"),
        ("_RNvC5hello0", "hello", "hello"),
        ("_RNCNvC5hello4main0", "hello::main::{closure#0}", "hello::main::{closure#0}"),
        ("_RNCNvC5hello4mains_0", "hello::main::{closure#1}", "hello::main::{closure#1}"),
        ("_RNCNCNvC5hello4mains1_00", "hello::main::{closure#3}::{closure#0}", "hello::main::{closure#3}::{closure#0}"),
        ("_RNSNvC5hello4mains_6vtable", "hello::main::{shim:vtable#1}", "hello::main::{shim:vtable#1}"),
        ("_RNvMC5helloNtB2_5Order5total", "<hello::Order>::total", "<hello::Order>::total"),
        ("_RNvMs_C5helloNtB4_5Order5total", "<hello::Order>::total", "<hello::Order>::total"),
        ("_RNvXC5helloNtB2_5OrderNtB2_5Price3get", "<hello::Order as hello::Price>::get", "<hello::Order as hello::Price>::get"),
        ("_RNvYNtC5hello5OrderNtB4_5Price3get", "<hello::Order as hello::Price>::get", "<hello::Order as hello::Price>::get"),
        ("_RINvC5hello3mapjE", "hello::map::<usize>", "hello::map::<usize>"),
        ("_RINvC5hello3mapNtB2_5OrderEB2_", "hello::map::<hello::Order>", "hello::map::<hello::Order>"),
        ("_RNvMC5helloINtB2_3BoxhE3get", "<hello::Box<u8>>::get", "<hello::Box<u8>>::get"),
        ("_RNvC5hello4mainC5other", "hello::main", "hello::main"),
        // Identifiers: with an underscore first, and in Punycode.
        ("_RNvC6__hello4main", "_hello::main", "_hello::main"),
        ("_RNvC5hello2__x", "hello::_x", "hello::_x"),
        ("_RNvC5hellou8gdel_5qa", "hello::gödel", "hello::gödel"),
        ("_RNvC5hellou9maana_pta", "hello::mañana", "hello::mañana"),
        // Types.
        (
            "_RINvC5hello1fabcdefhijlmnopstuvxyzE",
            "hello::f::<i8, bool, char, f64, str, f32, u8, isize, usize, i32, u32, i128, u128, _, i16, u16, (), ..., i64, u64, !>",
            "hello::f::<i8, bool, char, f64, str, f32, u8, isize, usize, i32, u32, i128, u128, _, i16, u16, (), ..., i64, u64, !>"
        ),
        ("_RINvC5hello1fTETlETlmEE", "hello::f::<(), (i32,), (i32, u32)>", "hello::f::<(), (i32,), (i32, u32)>"),
        ("_RINvC5hello1fRhQhPhOhE", "hello::f::<&u8, &mut u8, *const u8, *mut u8>", "hello::f::<&u8, &mut u8, *const u8, *mut u8>"),
        ("_RINvC5hello1fRL_hQL_hE", "hello::f::<&u8, &mut u8>", "hello::f::<&u8, &mut u8>"),
        ("_RINvC5hello1fL_E", "hello::f::<'_>", "hello::f::<'_>"),
        ("_RINvC5hello1fAhj10_SeE", "hello::f::<[u8; 16], [str]>", "hello::f::<[u8; 16usize], [str]>"),
        ("_RINvC5hello1fFEuFhEhFhEzE", "hello::f::<fn(), fn(u8) -> u8, fn(u8) -> !>", "hello::f::<fn(), fn(u8) -> u8, fn(u8) -> !>"),
        (
            "_RINvC5hello1fFUEuFKCEuFUKCvEuFK6sysv64EuE",
            "hello::f::<unsafe fn(), extern \"C\" fn(), unsafe extern \"C\" fn(...), extern \"sysv64\" fn()>",
            "hello::f::<unsafe fn(), extern \"C\" fn(), unsafe extern \"C\" fn(...), extern \"sysv64\" fn()>"
        ),
        (
            "_RINvC5hello1fFK18C_cmse_nonsecure_xEuE", "hello::f::<extern \"C-cmse-nonsecure-x\" fn()>",
            "hello::f::<extern \"C-cmse-nonsecure-x\" fn()>"
        ),
        ("_RINvC5hello1fFG_RL0_hERL0_hE", "hello::f::<for<'a> fn(&'a u8) -> &'a u8>", "hello::f::<for<'a> fn(&'a u8) -> &'a u8>"),
        ("_RINvC5hello1fFG0_RL0_hRL1_tEuE", "hello::f::<for<'a, 'b> fn(&'b u8, &'a u16)>", "hello::f::<for<'a, 'b> fn(&'b u8, &'a u16)>"),
        (
            "_RINvC5hello1fFG_FG_RL1_RL0_hEuEuE", "hello::f::<for<'a> fn(for<'b> fn(&'a &'b u8))>",
            "hello::f::<for<'a> fn(for<'b> fn(&'a &'b u8))>"
        ),
        ("_RINvC5hello1fDNtC5hello4SendEL_E", "hello::f::<dyn hello::Send>", "hello::f::<dyn hello::Send>"),
        (
            "_RINvC5hello1fDNtC5hello4SendNtC5hello4SyncEL_E", "hello::f::<dyn hello::Send + hello::Sync>",
            "hello::f::<dyn hello::Send + hello::Sync>"
        ),
        (
            "_RINvC5hello1fDINtC5hello2FnThEEp6OutputhEL_E", "hello::f::<dyn hello::Fn<(u8,), Output = u8>>",
            "hello::f::<dyn hello::Fn<(u8,), Output = u8>>"
        ),
        ("_RINvC5hello1fDNtC5hello4Iterp4ItemhEL_E", "hello::f::<dyn hello::Iter<Item = u8>>", "hello::f::<dyn hello::Iter<Item = u8>>"),
        (
            "_RINvC5hello1fDNtC5hello4Iterp4Itemhp3KeytEL_E", "hello::f::<dyn hello::Iter<Item = u8, Key = u16>>",
            "hello::f::<dyn hello::Iter<Item = u8, Key = u16>>"
        ),
        (
            "_RINvC5hello1fDG_INtC5hello2FnTRL0_eEEp6OutputRL0_eEL_E", "hello::f::<dyn for<'a> hello::Fn<(&'a str,), Output = &'a str>>",
            "hello::f::<dyn for<'a> hello::Fn<(&'a str,), Output = &'a str>>"
        ),
        ("_RINvC5hello1fNtC5hello5OrderBa_E", "hello::f::<hello::Order, f32>", "hello::f::<hello::Order, f32>"),
        ("_RINvC5hello1fWhRh1_h9_E", "hello::f::<u8 is 1..=9>", "hello::f::<u8 is 1u8..=9u8>"),
        (
            "_RINvC5hello1fWjORj1_j2_Rj5_j9_EE", "hello::f::<usize is 1..=2 | 5..=9>",
            "hello::f::<usize is 1usize..=2usize | 5usize..=9usize>"
        ),
        ("_RINvC5hello1fWPhNE", "hello::f::<*const u8 is !null>", "hello::f::<*const u8 is !null>"),
        // Constants.
        ("_RINvC5hello1fKj0_Kj_Kj1f_E", "hello::f::<0, 0, 31>", "hello::f::<0usize, 0usize, 31usize>"),
        ("_RINvC5hello1fKhff_Kan80_Klna_E", "hello::f::<255, -128, -10>", "hello::f::<255u8, -128i8, -10i32>"),
        ("_RINvC5hello1fKyffffffffffffffff_E", "hello::f::<18446744073709551615>", "hello::f::<18446744073709551615u64>"),
        (
            "_RINvC5hello1fKo10000000000000000_Knn80000000000000000000000000000000_E",
            "hello::f::<0x10000000000000000, -0x80000000000000000000000000000000>",
            "hello::f::<0x10000000000000000u128, -0x80000000000000000000000000000000i128>"
        ),
        ("_RINvC5hello1fKb0_Kb1_E", "hello::f::<false, true>", "hello::f::<false, true>"),
        (
            "_RINvC5hello1fKc41_Kc27_Kc22_Kca_Kce9_Kc301_Kc200b_Kc1f600_E",
            "hello::f::<'A', '\\'', '\"', '\\n', 'é', '\\u{301}', '\\u{200b}', '😀'>",
            "hello::f::<'A', '\\'', '\"', '\\n', 'é', '\\u{301}', '\\u{200b}', '😀'>"
        ),
        ("_RINvC5hello1fKpE", "hello::f::<_>", "hello::f::<_>"),
        ("_RINvC5hello1fKRe68690a22275c_E", "hello::f::<\"hi\\n\\\"'\\\\\">", "hello::f::<\"hi\\n\\\"'\\\\\">"),
        ("_RINvC5hello1fKRe_Ke616263_E", "hello::f::<\"\", {*\"abc\"}>", "hello::f::<\"\", {*\"abc\"}>"),
        (
            "_RINvC5hello1fKRj1_KQj1_KAj1_j2_EKTj1_EKTj1_b0_EE", "hello::f::<{&1}, {&mut 1}, {[1, 2]}, {(1,)}, {(1, false)}>",
            "hello::f::<{&1usize}, {&mut 1usize}, {[1usize, 2usize]}, {(1usize,)}, {(1usize, false)}>"
        ),
        ("_RINvC5hello1fKVNtB2_4UnitUE", "hello::f::<{hello::Unit}>", "hello::f::<{hello::Unit}>"),
        ("_RINvC5hello1fKVNtB2_5PointTl1_ln2_EE", "hello::f::<{hello::Point(1, -2)}>", "hello::f::<{hello::Point(1i32, -2i32)}>"),
        (
            "_RINvC5hello1fKVNtB2_5PointS1xl1_1yl2_EE", "hello::f::<{hello::Point { x: 1, y: 2 }}>",
            "hello::f::<{hello::Point { x: 1i32, y: 2i32 }}>"
        ),
        (
            "_RINvC5hello1fKRVNtNtC4core6option4SomeTRe61_EE", "hello::f::<{&core::option::Some(\"a\")}>",
            "hello::f::<{&core::option::Some(\"a\")}>"
        ),
        ("_RINvC5hello1fAhj4_KBd_E", "hello::f::<[u8; 4], 4>", "hello::f::<[u8; 4usize], 4usize>"),
        // Suffixes: as LLVM shows them, without where ThinLTO found the function.
        ("_RNvC5hello4main.llvm.9A6B3F", "hello::main", "hello::main"),
        ("_RNvC5hello4main.cold", "hello::main (.cold)", "hello::main (.cold)"),
        ("_RNvC5hello4main.llvm.123.cold", "hello::main (.cold)", "hello::main (.cold)"),
        ("_RNvC5hello4main.0.llvm.77", "hello::main (.0)", "hello::main (.0)"),
    ]

    @Test(arguments: names)
    func `Rust names are spelled as Rust's own backtraces spell them`(name: (mangled: String, plain: String, full: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler(style: .full).demangle(name.mangled) == name.full)
        #expect(Demangler().demangle("_" + name.mangled) == name.plain, "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled).scheme == .rustV0)
    }

    /// LLVM leaves strings, structures, references and patterns in constants alone, and `Kj_` for
    /// 0; it escapes every character above ASCII.
    private static func llvmReads(_ name: String) -> Bool {
        !["W", "KR", "KVN", "Kj_", "Kce9_"].contains { name.contains($0) } && !name.contains(".llvm.")
    }

    @Test(.enabled(if: Peers.hasCxxfilt, "llvm-cxxfilt-19 (package llvm-19) is not installed"))
    func `LLVM spells the same`() throws {
        let names = Self.names.filter { Self.llvmReads($0.mangled) }
        #expect(names.count > 40)
        #expect(try Peers.filter(names.map(\.mangled), Peers.cxxfilt) == names.map(\.plain))
    }

    /// A large library of Rust's, where Rust is installed.
    static let library: String? = {
        guard let found = try? run("sh", ["-c", "ls \"$(rustc --print sysroot)\"/lib/librustc_driver-*.so"]), found.status == 0 else {
            return nil
        }
        return found.lines.first
    }()

    @Test(
        .enabled(if: library != nil && Peers.nm != nil && Peers.hasCxxfilt, "there is no Rust compiler, no llvm-nm or no llvm-cxxfilt-19"))
    func `every symbol of the Rust compiler is spelled as llvm-cxxfilt spells it`() throws {
        let names = try Peers.symbols(of: try #require(Self.library), try #require(Peers.nm)).filter {
            $0.hasPrefix("_R") && !$0.contains(".llvm.")
        }
        #expect(names.count > 10_000)
        let expected = try Peers.filter(names, Peers.cxxfilt)
        let demangler = Demangler()
        let different = zip(names, expected).filter { demangler.demangle($0) != $1 }
        #expect(different.isEmpty, "\(different.count) of \(names.count): \(different.prefix(5))")
    }

    @Test(arguments: [
        "_R", "_RNv", "_RNvC5hello", "_RNvC5hello9main", "_RNvB_4main", "_RNvC5hello4mainx", "_RNvC5hello4main$x", "_RINvC5hello1fh",
        "_RINvC5hello1fRL0_hE",
        "_RINvC5hello1fKhg_E", "_RINvC5hello1fKb2_E", "_RINvC5hello1fKcd800_E", "_RINvC5hello1fKc110000_E", "_RINvC5hello1fKRe6_E",
        "_RINvC5hello1fKReff_E",
        "_RNvC5hellou9999999999a_a", "_RNvCszzzzzzzzzzzzzzzz_5hello4main", "_RINvC5hello1fDNtC5hello4SendEE",
    ])
    func `a name that is not well-formed stays as it is`(name: String) {
        #expect(Demangler().demangle(name) == name)
    }

    @Test func `back-references that grow beyond the limit leave the name as it is`() {
        // A pair of two pairs of two pairs…: 2⁴⁰ numbers. `position` points to the last tuple,
        // counted from after `_R` in base 62.
        var name = "_RINvC1a1bTuuE"
        var position = 8
        for _ in 0..<40 {
            let reference = "B" + base62(position)
            position = name.utf8.count - 2
            name += "T" + reference + reference + "E"
        }
        #expect(Demangler().demangle(name + "E") == name + "E")
    }

    @Test func `parts that nest deeper than the limit leave the name as it is`() {
        let name = "_RINvC1a1b" + String(repeating: "R", count: 50_000) + "uE"
        #expect(Demangler().demangle(name) == name)
    }

    private func base62(_ number: Int) -> String {
        guard number > 0 else { return "_" }
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var rest = number - 1
        var text = ""
        repeat {
            text = String(digits[rest % 62]) + text
            rest /= 62
        } while rest > 0
        return text + "_"
    }
}
