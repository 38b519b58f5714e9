import Demangling
import TestSupport
import Testing

struct OCamlTests {
    /// Symbols of `program` by OCaml 4.13, and the names of the same functions in its own backtrace.
    @Test(arguments: [
        ("camlFaults__between_98", "Faults.between"), ("camlFaults__$2b$2b_90", "Faults.(++)"),
        ("camlFaults__$7c$3e$21_94", "Faults.(|>!)"), ("camlFaults__my__name_7_100", "Faults.my__name_7"),
        ("camlFaults__my__Name_103", "Faults.my__Name"),
        ("camlFaults__entry", "Faults"), ("camlStdlib__List__map_233", "Stdlib__List.map"),
        ("camlCamlinternalLazy__force_lazy_block_18", "CamlinternalLazy.force_lazy_block"),
    ])
    func `OCaml names are spelled as in OCaml's own backtraces`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
        #expect(Demangler().demangle("_" + name) == expected, "with Mach-O's underscore")
        #expect(Demangler().read(name).scheme == .ocaml)
    }

    /// The backtrace has `Faults.Inner.Deeper.pit'`, `Faults._ghost.(fun)` and `Faults.boat#sail`:
    /// the symbols have neither the submodule nor the outer function nor the class.
    @Test(arguments: [
        ("camlFaults__pit$27_85", "Faults.pit'"), ("camlFaults__fun_444", "Faults.fun_444"), ("camlFaults___ghost_133", "Faults._ghost"),
        ("camlFaults__Make_207", "Faults.Make"),
    ])
    func `what the symbol does not have is left out`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
    }

    /// OCaml 5 writes a dot, and 5.4 a dollar on macOS (ocaml/ocaml, pull requests 11430, 13050 and
    /// 14143).
    @Test(arguments: [
        ("camlStdlib__List.map_233", "Stdlib__List.map"), ("camlFaults.my__Name_103", "Faults.my__Name"), ("camlMain.entry", "Main"),
        ("camlFaults.$2b$2b_90", "Faults.(++)"), ("camlFaults.fun_348", "Faults.fun_348"), ("camlPack.Sub.f_12", "Pack.Sub.f"),
        ("_camlStdlib__List$map_12", "Stdlib__List.map"), ("_camlPack$Sub$f_12", "Pack.Sub.f"),
        ("camlDune__exe__Main__go_12", "Dune__exe__Main.go"), ("camlDune__exe__Main.go_12", "Dune__exe__Main.go"),
    ])
    func `the separators of all versions are read`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
    }

    @Test(arguments: [
        "camlFaults", "camlFaults__1", "camlFaults__12_3", "camlFaults__code_begin", "camlFaults__frametable", "camlFaults.frametable",
        "camlFaults__between", "camlFaults__between_", "camlFaults___98", "camlFaults__a$2_9", "camlFaults__a$2z_9", "camlFaults__a-b_9",
        "camlFaults.sub.f_9", "camlX__", "camlX.",
    ])
    func `data and what is not well-formed stay as they are`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .ocaml, staysMangled: true))
    }

    @Test(arguments: ["caml_alloc", "caml_curry2", "caml_system__code_begin", "camlp4_1", "caml", "camlF", "_caml_main", "camlidl_x_1"])
    func `the runtime's own functions are C`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    private static let program = """
        let ( ++ ) a b = if a > 1 then 1 + failwith "x" else a + b
        let rec between n = if n = 0 then 1 + (2 ++ 3) else 1 + between (n - 1)
        let my__name_7 n = 1 + between n
        let outer n = 1 + my__name_7 n
        let () =
          Printexc.record_backtrace true;
          try print_int (List.fold_left (fun a x -> a + outer x) 0 [1]) with _ -> Printexc.print_backtrace stdout
        """

    @Test(.enabled(if: Installed.has("ocamlopt", "nm"), "ocamlopt (package ocaml-nox) or nm is missing"))
    func `the functions of a program's own backtrace have their names`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/faults.ml", Array(Self.program.utf8))
            try run("ocamlopt", ["-g", "-inline", "0", "faults.ml", "-o", "faults"], directory: folder).requireSuccess()
            // `Called from Faults.between in file "faults.ml", line 2, characters 38-46`
            let rows = try run(folder + "/faults").requireSuccess().lines
            let called = rows.compactMap { $0.split(separator: " in file ").first?.split(separator: " ").last.map(String.init) }
            let symbols = try run("nm", ["--format=just-symbols", folder + "/faults"]).lines
            let names = Set(symbols.map { Demangler().demangle($0) })
            #expect(Set(called).subtracting(names).sorted() == ["Faults.(fun)"])
            #expect(called.contains("Faults.(++)"))
            #expect(called.contains("Stdlib__List.fold_left"))
        }
    }
}
