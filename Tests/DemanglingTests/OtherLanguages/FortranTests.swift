import Demangling
import TestSupport
import Testing

struct FortranTests {
    /// Symbols of gfortran 12; the names are those of gdb 13 in `info functions` of the same file.
    @Test(arguments: [
        ("__stock_MOD_price", "stock::price"), ("__stock_MOD_item_add", "stock::item_add"),
        ("__stock_MOD___copy_stock_Item", "stock::__copy_stock_Item"),
        ("__outer_mod.inner_sub_MOD_private_one", "outer_mod.inner_sub::private_one"),
        ("__outer_mod.deepest_MOD_bottom", "outer_mod.deepest::bottom"),
    ])
    func `gfortran's procedures of modules are shown as by gdb`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
        #expect(Demangler().demangle("_" + name) == expected, "with Mach-O's underscore")
        #expect(Demangler().read(name).scheme == .gfortran)
    }

    /// Symbols of flang 19 for the same sources, and those of its documentation, “Bijective
    /// Internal Name Uniquing”. A submodule is named after the module and itself, as by gfortran.
    @Test(arguments: [
        ("_QMstockPprice", "stock::price"), ("_QMstockFitem_addPlog_it", "stock::item_add::log_it"), ("_QMstockEtotal", "stock::total"),
        ("_QMouter_modSinner_subFsub_aPb", "outer_mod.inner_sub::sub_a::b"),
        ("_QMouter_modSinner_subSdeepestPbottom", "outer_mod.deepest::bottom"), ("_QMmodSs1modSs2modFsubPfun", "mod.s2mod::sub::fun"),
        ("_QMmodECpi", "mod::pi"), ("_QPoutside", "outside"), ("_QFhostPinner", "host::inner"), ("_QFPhelper", "helper"),
    ])
    func `flang's procedures and variables have their scopes`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
        #expect(Demangler().demangle("_" + name) == expected, "with Mach-O's underscore")
        #expect(Demangler().read(name).scheme == .flang)
    }

    @Test func `a compiler's suffix follows the name`() {
        #expect(Demangler().demangle("__stock_MOD_price.constprop.0") == "stock::price (.constprop.0)")
        #expect(Demangler().demangle("_QMstockPprice.cold") == "stock::price (.cold)")
    }

    @Test(arguments: [
        "__libc_start_main", "__foo_MOD", "__NR_MOD_x", "___foo", "_Q", "_QM", "_Quit", "_QPROC", "_QQmain", "_QBc", "log_it.0",
    ])
    func `other names are plain`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    @Test(arguments: [
        ("__foo_MOD_", ManglingScheme.gfortran), ("__foo_MOD_a-b", .gfortran), ("_QMa", .flang), ("_QMmTitem", .flang),
        ("_QMstockE.dt.item", .flang), ("_QMstockE.n.count", .flang), ("_QPaPb", .flang), ("_QMaMbPc", .flang), ("_QMaPB", .flang),
    ])
    func `tables of types and what is not well-formed stay as they are`(name: String, scheme: ManglingScheme) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: scheme, staysMangled: true))
    }

    private static let program = """
        module stock
        contains
          function price(n) result(r)
            integer, intent(in) :: n
            integer :: r
            r = n + 1
          end function
          subroutine refill(n)
            integer, intent(in) :: n
            print *, price(n)
          end subroutine
        end module
        program shop
          use stock
          call refill(3)
        end program
        """

    @Test(.enabled(if: Installed.has("gfortran", "gdb", "nm"), "gfortran, gdb or nm is missing"))
    func `the procedures of a program have the names that gdb shows`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/shop.f90", Array(Self.program.utf8))
            try run("gfortran", ["-g", "shop.f90", "-o", "shop"], directory: folder).requireSuccess()
            // `3:	integer(kind=4) stock::price(integer(kind=4));`
            let rows = try run("gdb", ["-batch", "-nx", "-ex", "info functions", folder + "/shop"]).requireSuccess().lines
            let shown = rows.filter { $0.contains("::") && $0.hasSuffix(";") }.compactMap { row in
                row.split(separator: "(").first { $0.contains("::") }?.split(separator: " ").last.map(String.init)
            }
            let symbols = try run("nm", ["--format=just-symbols", folder + "/shop"]).lines.filter { $0.contains("_MOD_") }
            #expect(symbols.map { Demangler().demangle($0) }.sorted() == shown.sorted())
            #expect(shown.count == 2, "\(rows)")
        }
    }
}
