import Demangling
import TestSupport
import Testing

struct PascalTests {
    /// Symbols of Free Pascal 3.2; the names are those of the sources, in capital letters as the
    /// compiler's own backtraces print them (`EXPLODE, line 33 of stock.pas`).
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String)] = [
        ("STOCK_$$_PRICE$LONGINT$$LONGINT", "STOCK.PRICE"),
        ("STOCK_$$_PRICE$ANSISTRING$$LONGINT", "STOCK.PRICE"),
        ("STOCK_$$_OUTER_NAME$LONGINT", "STOCK.OUTER_NAME"),
        ("STOCK$_$OUTER_NAME$LONGINT_$$_NESTED", "STOCK.OUTER_NAME.NESTED"),
        ("STOCK$_$TSTOCK_$__$$_CREATE$LONGINT$$TSTOCK", "STOCK.TSTOCK.CREATE"),
        ("STOCK$_$TSTOCK_$__$$_DESTROY", "STOCK.TSTOCK.DESTROY"),
        ("STOCK$_$TSTOCK_$__$$_SELL$LONGINT$ANSISTRING", "STOCK.TSTOCK.SELL"),
        ("STOCK$_$TSTOCK_$__$$_TOTAL$$INT64", "STOCK.TSTOCK.TOTAL"),
        ("STOCK$_$TLIST$1$CRC9F312717_$__$$_ADD$LONGINT", "STOCK.TLIST.ADD"),
        ("DEEP$_$TOUTER_$_TINNER_$__$$_GO$LONGINT", "DEEP.TOUTER.TINNER.GO"),
        ("DEEP$_$TOUTER_$_TINNER_$_GO$LONGINT_$$_SUB", "DEEP.TOUTER.TINNER.GO.SUB"),
        ("DEEP$_$TOUTER_$_WALK$LONGINT_$$_NESTED$LONGINT$$LONGINT", "DEEP.TOUTER.WALK.NESTED"),
        ("DEEP_$$_MY_UNDER_SCORE$TOUTER$TPROC$DOUBLE$SHORTSTRING$WIDESTRING$array_of_const", "DEEP.MY_UNDER_SCORE"),
        ("P$SHOP_$$_HELPER$LONGINT", "SHOP.HELPER"),
        ("P$SHOP$_$HELPER$LONGINT_$$_INNER$LONGINT", "SHOP.HELPER.INNER"),
    ]

    @Test(arguments: names)
    func `Pascal's names have the unit, the classes and the procedure`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().demangle("_" + name.mangled) == name.plain, "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled).scheme == .pascal)
    }

    /// Operators, data, code that begins and ends a unit, and what is not Pascal's. The names of
    /// three procedures in each other are not separated from the types of the first one's
    /// parameters.
    @Test(arguments: [
        "PASCALMAIN", "STOCK_$$_$star$TBOX$LONGINT$$TBOX", "STOCK$_$TBOX_$__$$_$plus$TBOX$TBOX$$TBOX", "STOCK_$$_init$", "INIT$_$STOCK",
        "VMT_$STOCK_$$_TSTOCK$indirect.1", "DEEP$_$TOUTER_$_TINNER_$_GO$LONGINT_SUB_$$_SUBSUB$LONGINT", "OBJC_CLASS_$_Order",
        "Order_$$_jvst1", "A_$$_", "_$$_A", "A_$$_1", "A_$$_B-C", "A$$_B", "stock_$$_price", "ABC$DEF",
    ])
    func `what is no procedure stays as it is`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    private static let program = """
        program shop;
        {$mode objfpc}
        uses sysutils;
        type TStock = class procedure explode(n: longint); end;
        procedure TStock.explode(n: longint); begin writeln(10 div n); end;
        function price(n: longint): longint; begin price := n + 1; TStock.create.explode(n); end;
        begin writeln(price(0)); end.
        """

    @Test(.enabled(if: Installed.has("fpc", "nm"), "fpc (package fp-compiler) or nm is missing"))
    func `the procedures of a program's own backtrace have their names`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/shop.pas", Array(Self.program.utf8))
            try run("fpc", ["-O-", "-gl", "-Xs-", "shop.pas"], directory: folder).requireSuccess()
            // `  $00000000004010A3  EXPLODE,  line 5 of shop.pas`
            let rows = try run(folder + "/shop").errors.split(separator: "\n").filter { $0.contains(" of shop.pas") }
            let called = rows.compactMap { $0.split(separator: ",").first?.split(separator: " ").last.map(String.init) }
            let names = try run("nm", ["--format=just-symbols", folder + "/shop"]).lines.map { Demangler().demangle($0) }
            #expect(called == ["EXPLODE", "PRICE", "main"])
            #expect(names.contains("SHOP.TSTOCK.EXPLODE"))
            #expect(names.contains("SHOP.PRICE"))
        }
    }
}
