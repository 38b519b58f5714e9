import Demangling
import TestSupport
import Testing

struct HaskellTests {
    /// Symbols of GHC 9.0's libraries and of a program; the parts are those of GHC's own
    /// `zDecodeString`.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String)] = [
        ("base_GHCziBase_zpzp_info", "base:GHC.Base.++"),
        ("base_GHCziBase_zzipWithM_info", "base:GHC.Base.zipWithM"),
        ("ghczmprim_GHCziTypes_ZMZN_closure", "ghc-prim:GHC.Types.[]"),
        ("ghczmprim_GHCziTuple_Z2T_con_info", "ghc-prim:GHC.Tuple.(,)"),
        ("ghczmprim_GHCziTuple_Z0T_closure", "ghc-prim:GHC.Tuple.()"),
        ("base_GHCziIx_zdfIxZLz2cUz2cUz2cUz2cUZRzuzdcrange_info", "base:GHC.Ix.$fIx(,,,,)_$crange"),
        ("containerszm0zi6zi5zi1_DataziMapziInternal_zdwinsert_info", "containers-0.6.5.1:Data.Map.Internal.$winsert"),
        ("ShopziStock_primezq_info", "Shop.Stock.prime'"),
        ("ShopziStock_ZCzpZC_con_info", "Shop.Stock.:+:"),
        ("ShopziStock_CZCCls_con_info", "Shop.Stock.C:Cls"),
        ("ShopziStock_zdfEqItemzuzdczeze_info", "Shop.Stock.$fEqItem_$c=="),
        ("Main_zdwhelperzuzz_closure", "Main.$whelper_z"),
        ("base_GHCziReal_zczuzdszc1_info", "base:GHC.Real.^_$s^1"),
        ("ShopziStock_zlzpzg_slow", "Shop.Stock.<+>"),
    ]

    @Test(arguments: names)
    func `package, module and name are as in Haskell's sources`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().demangle("_" + name.mangled) == name.plain, "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled).scheme == .haskell)
    }

    /// Words with z, and escapes that make no name of Haskell.
    @Test(arguments: [
        "ziplist_info", "Gzip_zip_info", "Azure_size_info", "Puzzle_solve_info", "Resize_window_info", "ZLIB_get_info", "Foo_ZCAT_info",
        "Foo_xz_info", "Foo_azimuth_info", "Horizon_get_info", "XGetWindowInfo_info", "Main_main_info", "base_zpzp_info", "GHCziBase_zpzp",
        "GHCziBase_zpzp_size", "base_GHCziBase_zpzp_x_info", "stg_unmaskAsyncExceptionszh_ret_info", "GHCziBase__info", "ziBase_zpzp_info",
        "GHCziBase_zpx_info", "GHCziBase_z_info", "GHCziBase_z2c_info", "GHCziBase_Z1T_info", "GHCziBase_Z99999999T_info", "_info",
        "z_info", "GHCziBase_zpzp_info.cold",
    ])
    func `what may be a function of C stays as it is`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    private static let judge = """
        import GHC.Utils.Encoding (zDecodeString)
        main = interact (unlines . map zDecodeString . lines)
        """

    @Test(.enabled(if: Installed.has("ghc", "ghc-pkg", "nm", "sh"), "ghc (package ghc), ghc-pkg or nm is missing"))
    func `every symbol of the base library has the parts that GHC decodes`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/Judge.hs", Array(Self.judge.utf8))
            try run("ghc", ["-package", "ghc", "Judge.hs", "-o", "judge"], directory: folder).requireSuccess()
            let libraries = try run("sh", ["-c", "ls \"$(ghc-pkg field base library-dirs --simple-output)\"/libHSbase*.a"]).lines
            let library = try #require(libraries.first { !$0.hasSuffix("_p.a") })
            let symbols = Set(try run("nm", ["--format=just-symbols", library]).lines).sorted()
            let read = symbols.map { ($0, Demangler().read($0)) }.filter { $0.1.scheme == .haskell }
            #expect(!read.isEmpty)
            // `base_GHCziBase_zpzp`: an underscore is only between the parts.
            let parts = read.map { Array($0.0.split(separator: "_").prefix(3)).map(String.init) }
            let decoded = try Peers.filter(parts.flatMap { $0 }, folder + "/judge")
            #expect(decoded.count == 3 * parts.count)
            for (index, result) in read.enumerated() {
                let of = decoded[3 * index..<3 * index + 3]
                guard result.1.text != "\(of[of.startIndex]):\(of[of.startIndex + 1]).\(of[of.startIndex + 2])" else { continue }
                Issue.record("\(result.0) is \(result.1.text), not \(of)")
            }
        }
    }
}
