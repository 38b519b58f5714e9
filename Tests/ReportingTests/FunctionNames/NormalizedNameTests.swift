import Testing

@testable import Reporting

/// Names of each language in the spellings of its tools, and their normalised form. The expected
/// names are written by hand: the names that a programmer would use.
struct NormalizedNameTests {
    private static func check(_ rows: [(name: String, expected: String)], file: String? = nil, format: String = "") {
        for row in rows {
            let made = NormalizedName(row.name, file: file, format: format)
            #expect(made.text == row.expected, "of \(row.name)")
            #expect(!made.isHidden, "of \(row.name)")
            // A normalised name stays the same. (A file's name comes before Python's functions;
            // once is enough.)
            if format != "python-trace" {
                #expect(NormalizedName(made.text, file: file, format: format).text == row.expected, "again, of \(row.name)")
            }
        }
    }

    @Test func cPlusPlus() {
        Self.check([
            ("pour", "pour"),
            ("Mold::pour(long*)", "Mold::pour"),
            ("Mold::pour (this=0x0, target=0x10)", "Mold::pour"),
            ("(anonymous namespace)::Mold::pour(long*) const", "Mold::pour"),
            ("int average<int>(std::vector<int, std::allocator<int>> const&, int)", "average"),
            ("std::__cxx11::basic_string<char, std::char_traits<char>>::size() const", "std::basic_string::size"),
            ("std::vector<int>::operator[](unsigned long)", "std::vector::operator[]"),
            ("operator new(unsigned long)", "operator new"),
            ("operator new[](unsigned long)", "operator new[]"),
            ("bool operator< <int>(Ore<int> const&, Ore<int> const&)", "operator<"),
            ("Ore::operator bool() const", "Ore::operator bool"),
            ("Tank::operator()(int) const", "Tank::operator()"),
            ("name[abi:cxx11](int)", "name"),
            ("non-virtual thunk to Mill::spin()", "Mill::spin"),
            ("do_work.isra.0.constprop.1.cold", "do_work"),
            ("sail.part.0", "sail"),
            ("Vein::walk(long) [clone .cold]", "Vein::walk"),
            ("puts@plt", "puts"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("outer(int)::Local::run(long)", "outer::Local::run"),
            ("_ZN4Mold4pourEPl", "Mold::pour"),
        ])
    }

    @Test func `D has neither attributes nor results`() {
        for (mangled, expected) in [
            ("_D6shapes5outerFiZi", "shapes.outer"), ("_D6shapes__T3addTiZQhFNaNbNiNfiiZi", "shapes.add.add"),
            ("_D6shapes4passFNaNbNiNfANgiZQf", "shapes.pass"), ("_D6shapes5outerFiZi.cold", "shapes.outer"), ("_Dmain", "D main"),
        ] { #expect(NormalizedName(mangled).text == expected, "of \(mangled)") }
        let literal = NormalizedName("_D6shapes5outerFiZ__T9__lambda3TiZQnMFNaNbNiNfiZi")
        #expect(literal.text == "shapes.outer")
        #expect(literal.isClosure)
    }

    @Test func `names without arguments and types stay as they are`() {
        for (mangled, expected) in [
            ("camlFaults__$2b$2b_90", "Faults.(++)"), ("base_GHCziBase_zlzd_info", "base:GHC.Base.<$"),
            ("__stock_MOD_price", "stock::price"),
            ("STOCK_$$_PRICE$LONGINT$$LONGINT", "STOCK.PRICE"), ("_i_Boat__sail_with_", "-[Boat sail:with:]"), ("_ada_ferry", "ferry"),
        ] { #expect(NormalizedName(mangled).text == expected, "of \(mangled)") }
    }

    /// The same lambda by GNU, LLVM and clang's symbol, and through the `std::function` that calls
    /// it.
    @Test func lambdas() {
        for (name, number) in [
            ("add_jobs(Jobs&)::{lambda(Job&)#3}::operator()(Job&) const", "3"),
            ("add_jobs(Jobs&)::'lambda1'(Job&)::operator()(Job&) const", "3"),
            ("add_jobs(Jobs&)::$_2::operator()(Job&) const", "3"), ("add_jobs(Jobs&)::'lambda'(Job&)::operator()(Job&) const", "1"),
            ("std::_Function_handler<void (Job&), add_jobs(Jobs&)::{lambda(Job&)#3}>::_M_invoke(std::_Any_data const&, Job&)", "3"),
            ("add_jobs(Jobs&)::<lambda(Job&)>", ""),
        ] {
            let made = NormalizedName(name)
            #expect(made.text == "add_jobs", "of \(name)")
            #expect(made.isClosure, "of \(name)")
            #expect(made.closure == number, "of \(name)")
        }
        // A debugger's, without what it is in: only that it was a lambda.
        let bare = NormalizedName("operator()")
        #expect(bare.text.isEmpty && bare.isClosure && !bare.isHidden)
    }

    @Test func rust() {
        Self.check(
            [
                ("ledger::Account::entry::h17d3b5a2c0ffee01", "ledger::Account::entry"),
                ("<ledger::Rate<i64>>::share", "ledger::Rate::share"),
                ("ledger::Rate<T>::share", "ledger::Rate::share"),
                ("ledger::Rate<i64>::share<i64>", "ledger::Rate::share"),
                ("<ledger::Copper as ledger::Wire<T>>::send", "<ledger::Copper as ledger::Wire>::send"),
                ("ledger::wires::<impl ledger::Wire for ledger::Copper>::send", "<ledger::Copper as ledger::Wire>::send"),
                ("ledger::add_handlers::{{closure}}::h0123456789abcdef", "ledger::add_handlers"),
                ("ledger::add_handlers::{closure#4}", "ledger::add_handlers"),
                ("std[e28293b1aa0f68bd]::panicking::panic_with_hook", "std::panicking::panic_with_hook"),
                ("core::ptr::const_ptr::<impl *const T>::read_volatile", "core::*const T::read_volatile"),
            ], file: "src/ledger.rs")
        #expect(NormalizedName("ledger::add_handlers::{closure#4}").closure == "4")
        // The mangled names that rustc 1.95 gave, with what its own backtraces print.
        #expect(NormalizedName("_RNvCsiXjLT15hlpI_6ledger4main").text == "ledger::main")
    }

    @Test func swift() {
        Self.check(
            [
                ("Silo.take(_:)", "Silo.take(_:)"),
                ("granary.Silo.take(_: Swift.Int) -> Swift.Int", "Silo.take(_:)"),
                ("granary.Silo.move(_: Swift.Int, to: Swift.String) throws -> ()", "Silo.move(_:to:)"),
                ("specialized Silo.take(_:)", "Silo.take(_:)"),
                ("closure #1 in Inventory.heaviest(limit:)", "Inventory.heaviest(limit:)"),
                ("partial apply for closure #2 in closure #1 in addJobs(_:)", "addJobs(_:)"),
                ("(2) suspend resume partial function for Courier.deliver(_:)", "Courier.deliver(_:)"),
                ("(1) await resume partial function for closure #1 in addJobs(_:)", "addJobs(_:)"),
                ("generic specialization <Swift.Int> of granary.Scale.weigh(_: A) -> A", "Scale.weigh(_:)"),
                ("function signature specialization <Arg[0] = Dead> of granary.Silo.take(_: Swift.Int) -> Swift.Int", "Silo.take(_:)"),
                ("protocol witness for Wire.send(_:) in conformance Copper", "Wire.send(_:)"),
                ("implicit closure #1 in Silo.label.getter", "Silo.label.getter"),
                ("static Main.main()", "Main.main()"),
                ("merged Silo.take(_:)", "Silo.take(_:)"),
                // As Xcode 8's symbols are spelled in logs: the first part counts as the module's,
                // which it is where everything is given.
                ("Boiler.heat() -> ()", "heat()"), ("@objc Boiler.heat() -> ()", "heat()"),
                ("(pour in _4A1B2C3D4E5F60718293A4B5C6D7E8F9)(_:)", "pour(_:)"),
            ], file: "granary.swift")
        #expect(NormalizedName("partial apply for closure #2 in closure #1 in addJobs(_:)").closure == "2.1")
        // Spelled as by `swift demangle -simplified`.
        #expect(NormalizedName("$s7granary4SiloC4takeyS2iF").text == "Silo.take(_:)")
        #expect(NormalizedName("$s7granary7CourierC7deliveryS2iYaFTY0_").text == "Courier.deliver(_:)")
    }

    @Test func objectiveC() {
        Self.check([
            ("-[Tank empty:]", "-[Tank empty:]"), ("-[Tank(Draining) empty:]", "-[Tank empty:]"),
            ("__25-[Tank(Draining) empty:]_block_invoke_2", "-[Tank empty:]"), ("__drain_block_invoke.12", "drain"),
            ("+[Tank make]", "+[Tank make]"),
        ])
    }

    @Test func go() {
        Self.check(
            [
                ("main.(*Dispatcher).add.func1.2", "main.(*Dispatcher).add"), ("main.(*Dispatcher).add", "main.(*Dispatcher).add"),
                ("main.share[...]", "main.share"), ("main.(*T).Run-fm", "main.(*T).Run"), ("main.background.func1", "main.background"),
                ("main.(*Queue).Take(...)", "main.(*Queue).Take"),
                ("golang.org/x/net/http2.(*Framer).ReadFrame", "golang.org/x/net/http2.(*Framer).ReadFrame"),
            ], format: "go-panic")
        #expect(NormalizedName("main.(*Dispatcher).add.func10.1", format: "go-panic").closure == "10.1")
    }

    @Test func java() {
        Self.check(
            [
                ("com.mill.Sieve.lambda$sift$0", "com.mill.Sieve.sift"), ("com.mill.Sieve$sift$1.invoke", "com.mill.Sieve.sift"),
                ("java.base@21/java.lang.Thread.run", "java.lang.Thread.run"), ("com.mill.Sieve$1.run", "com.mill.Sieve$.run"),
                ("jdk.internal.reflect.GeneratedMethodAccessor12.invoke", "jdk.internal.reflect.GeneratedMethodAccessor.invoke"),
                ("com.mill.Sieve$$Lambda/0x00007f0123.run", "com.mill.Sieve$$Lambda"),
                ("com.mill.Sieve$$Lambda$14/0x01.run", "com.mill.Sieve$$Lambda"),
            ], format: "java-trace")
        #expect(NormalizedName("CrashTest.main([Ljava/lang/String;)V", format: "jvm-hserr").text == "CrashTest.main")
    }

    @Test func scripts() {
        Self.check([("run", "pump.py:run"), ("fill.<locals>.<lambda>", "pump.py:fill")], file: "tank/pump.py", format: "python-trace")
        Self.check([("async Object.load [as handler]", "Object.load"), ("Tank.fill.<anonymous>", "Tank.fill")], file: "tank.js")
    }

    @Test(arguments: [
        "<redacted>", "<hidden>", "__hidden#123_", "___lldb_unnamed_symbol12", "sub_401000", "FUN_00401000", "???", "",
        "<deduplicated_symbol>",
    ])
    func hidden(_ name: String) {
        let made = NormalizedName(name)
        #expect(made.isHidden && made.text.isEmpty)
    }

    /// Shrunk names belong to one build; `a.run` of a real class does not look like one.
    @Test func shrunk() {
        #expect(NormalizedName("a.b.c", format: "java-trace").isHidden)
        #expect(!NormalizedName("a.b.run", format: "java-trace").isHidden)
    }

    @Test func longNames() {
        let made = NormalizedName(String(repeating: "f<", count: 100_000))
        #expect(made.text.utf8.count <= NormalizedName.maxBytes)
    }
}
