import Demangling
import TestSupport
import Testing

struct SwiftBefore4Tests {
    /// Names by the grammar of `docs/ABI/OldMangling.rst`. Expected is what `swift-demangle` of
    /// Swift 6.3 prints with `-compact -simplified` and with `-compact`, except for the names in
    /// `methodsOfSelf`.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, simplified: String, full: String)] = [
        // Functions and their arguments.
        ("_TF4shop4sellFT_T_", "sell()", "shop.sell() -> ()"),
        ("_TF4shop4sellFSiSi", "sell(_:)", "shop.sell(Swift.Int) -> Swift.Int"),
        ("_TF4shop4sellFTSi2toSS_Sb", "sell(_:to:)", "shop.sell(Swift.Int, to: Swift.String) -> Swift.Bool"),
        (
            "_TF4shop4sellFTSi2toSS_T3sumSi6ratingSd_", "sell(_:to:)",
            "shop.sell(Swift.Int, to: Swift.String) -> (sum: Swift.Int, rating: Swift.Double)"
        ),
        ("_TF4shop4sellFzT_T_", "sell()", "shop.sell() throws -> ()"),
        ("_TF4shop4sellFTRSi5extratSS__T_", "sell(_:extra:)", "shop.sell(inout Swift.Int, extra: (Swift.String...)) -> ()"),
        ("_TF4shop4sellFtSi_T_", "sell(_:)", "shop.sell(Swift.Int...) -> ()"),
        ("_TF4shop4sellFT4thenFzSiT__T_", "sell(then:)", "shop.sell(then: (Swift.Int) throws -> ()) -> ()"),
        ("_TF4shop4sellFT4thenKT_Si_T_", "sell(then:)", "shop.sell(then: @autoclosure () -> Swift.Int) -> ()"),
        ("_TF4shop4sellFT4thenbT_T__T_", "sell(then:)", "shop.sell(then: @convention(block) () -> ()) -> ()"),
        ("_TF4shop4sellFT4thencSiSi_T_", "sell(then:)", "shop.sell(then: @convention(c) (Swift.Int) -> Swift.Int) -> ()"),
        ("_TF4shopoi2eeFTVS_5OrderS0__Sb", "== infix(_:_:)", "shop.== infix(shop.Order, shop.Order) -> Swift.Bool"),
        ("_TF4shopop1tFSiSi", "~ prefix(_:)", "shop.~ prefix(Swift.Int) -> Swift.Int"),
        ("_TF4shopoP2ppFSiSi", "++ postfix(_:)", "shop.++ postfix(Swift.Int) -> Swift.Int"),
        ("_TF4shopX9gre_bpFjaFT_T_", "gre釃釃()", "shop.gre釃釃() -> ()"),
        // Methods: of Swift 3, and of Swift 1 and 2 as functions of self.
        ("_TFC4shop5Order3addfT_T_", "Order.add()", "shop.Order.add() -> ()"),
        ("_TFC4shop5Order3addfTSi5priceSd_T_", "Order.add(_:price:)", "shop.Order.add(Swift.Int, price: Swift.Double) -> ()"),
        (
            "_TFC4shop5Order3addfS0_FTSi5priceSd_T_", "Order.add(_:price:)",
            "shop.Order.add(shop.Order) -> (Swift.Int, price: Swift.Double) -> ()"
        ),
        ("_TFC4shop5Order3addfS0_FT_T_", "Order.add()", "shop.Order.add(shop.Order) -> () -> ()"),
        ("_TFV4shop4Item4bumpfRS0_FSiT_", "Item.bump(_:)", "shop.Item.bump(inout shop.Item) -> (Swift.Int) -> ()"),
        (
            "_TZFC4shop5Order4makefMS0_FT5countSi_S0_", "static Order.make(count:)",
            "static shop.Order.make(shop.Order.Type) -> (count: Swift.Int) -> shop.Order"
        ),
        (
            "_TFC4shop5OrdercfMS0_FT5countSi_S0_", "Order.init(count:)",
            "shop.Order.init(shop.Order.Type) -> (count: Swift.Int) -> shop.Order"
        ),
        ("_TFC4shop5OrderCfMS0_FT_S0_", "Order.__allocating_init()", "shop.Order.__allocating_init(shop.Order.Type) -> () -> shop.Order"),
        ("_TFC4shop5Order6mapperfSiFSiSi", "Order.mapper(_:)", "shop.Order.mapper(Swift.Int) -> (Swift.Int) -> Swift.Int"),
        ("_TZFC4shop5Order4makefT_DS0_", "static Order.make()", "static shop.Order.make() -> Self"),
        // Initialisers, accessors, other functions of a declaration.
        (
            "_TFC4shop5OrderCfT5countSi_S0_", "Order.__allocating_init(count:)",
            "shop.Order.__allocating_init(count: Swift.Int) -> shop.Order"
        ),
        ("_TFC4shop5OrdercfT5countSi_S0_", "Order.init(count:)", "shop.Order.init(count: Swift.Int) -> shop.Order"),
        ("_TFV4shop4ItemCfT_S0_", "Item.init()", "shop.Item.init() -> shop.Item"),
        ("_TFC4shop5OrderD", "Order.__deallocating_deinit", "shop.Order.__deallocating_deinit"),
        ("_TFC4shop5Orderd", "Order.deinit", "shop.Order.deinit"),
        ("_TFC4shop5Ordere", "Order.__ivar_initializer", "shop.Order.__ivar_initializer"),
        ("_TFC4shop5OrderE", "Order.__ivar_destroyer", "shop.Order.__ivar_destroyer"),
        ("_TFC4shop5Orderg5countSi", "Order.count.getter", "shop.Order.count.getter : Swift.Int"),
        ("_TFC4shop5Orders5countSi", "Order.count.setter", "shop.Order.count.setter : Swift.Int"),
        ("_TFC4shop5Orderm5countSi", "Order.count.materializeForSet", "shop.Order.count.materializeForSet : Swift.Int"),
        ("_TFC4shop5Orderw5countSi", "Order.count.willset", "shop.Order.count.willset : Swift.Int"),
        ("_TFC4shop5OrderW5countSi", "Order.count.didset", "shop.Order.count.didset : Swift.Int"),
        ("_TFC4shop5Orderg9subscriptFSiSS", "Order.subscript.getter", "shop.Order.subscript.getter : (Swift.Int) -> Swift.String"),
        (
            "_TFC4shop5Orders9subscriptFTSi3keySS_SS", "Order.subscript.setter",
            "shop.Order.subscript.setter : (Swift.Int, key: Swift.String) -> Swift.String"
        ),
        ("_TF4shopau5totalSi", "total.unsafeMutableAddressor", "shop.total.unsafeMutableAddressor : Swift.Int"),
        ("_TF4shoplu5totalSi", "total.unsafeAddressor", "shop.total.unsafeAddressor : Swift.Int"),
        ("_TF4shopao5totalSi", "total.nativeOwningMutableAddressor", "shop.total.nativeOwningMutableAddressor : Swift.Int"),
        ("_TvC4shop5Order5countSi", "Order.count", "shop.Order.count : Swift.Int"),
        (
            "_TIvC4shop5Order5countSii", "variable initialization expression of Order.count",
            "variable initialization expression of shop.Order.count : Swift.Int"
        ),
        (
            "_TIFC4shop5Order3addFTSi5priceSd_T_A0_", "default argument 1 of Order.add(_:price:)",
            "default argument 1 of shop.Order.add(Swift.Int, price: Swift.Double) -> ()"
        ),
        ("_TFF4shop4sellFT_T_U_FT_T_", "closure #1 in sell()", "closure #1 () -> () in shop.sell() -> ()"),
        ("_TFFC4shop5Order3addfT_T_U0_FSiSi", "closure #2 in Order.add()", "closure #2 (Swift.Int) -> Swift.Int in shop.Order.add() -> ()"),
        ("_TFF4shop4sellFT_T_u_FT_T_", "implicit closure #1 in sell()", "implicit closure #1 () -> () in shop.sell() -> ()"),
        ("_TFF4shop4sellFT_T_L_6helperfSiSi", "helper #1 (_:) in sell()", "helper #1 (Swift.Int) -> Swift.Int in shop.sell() -> ()"),
        (
            "_TFC4shop5OrderP33_0123456789ABCDEF0123456789ABCDEF6secretfT_T_", "Order.secret()",
            "shop.Order.(secret in _0123456789ABCDEF0123456789ABCDEF)() -> ()"
        ),
        (
            "_TFV4shopP33_0123456789ABCDEF0123456789ABCDEF5Inner3runfT_T_", "Inner.run()",
            "shop.(Inner in _0123456789ABCDEF0123456789ABCDEF).run() -> ()"
        ),
        ("_TFE4shopVs5Int643runfT_T_", "Int64.run()", "(extension in shop):Swift.Int64.run() -> ()"),
        (
            "_TFe4shopRxs9EquatablerSa5firstfT_x", "Array<A>.first()",
            "(extension in shop):Swift.Array<A where A: Swift.Equatable>.first() -> A"
        ),
        // Generics.
        ("_TF4shop4pickurFxx", "pick<A>(_:)", "shop.pick<A>(A) -> A"),
        ("_TF4shop4picku0_rFTxq__T_", "pick<A, B>(_:_:)", "shop.pick<A, B>(A, B) -> ()"),
        (
            "_TF4shop4pickuRxs9Equatablexs8HashablerFxSb", "pick<A>(_:)",
            "shop.pick<A where A: Swift.Equatable, A: Swift.Hashable>(A) -> Swift.Bool"
        ),
        (
            "_TF4shop4pickuRxs8Sequencewx8Iterators8IteratorrFxT_", "pick<A>(_:)",
            "shop.pick<A where A: Swift.Sequence, A.Iterator: Swift.Iterator>(A) -> ()"
        ),
        (
            "_TF4shop4pickuRxs8SequenceWx8Iterator7Element_zSirFxT_", "pick<A>(_:)",
            "shop.pick<A where A: Swift.Sequence, A.Iterator.Element == Swift.Int>(A) -> ()"
        ),
        ("_TF4shop4pickuRxCSo8NSObjectrFxT_", "pick<A>(_:)", "shop.pick<A where A: __C.NSObject>(A) -> ()"),
        (
            "_TFC4shop3Box3putuRd__s8HashablerfT4itemqd___T_", "Box.put<A>(item:)",
            "shop.Box.put<A where A1: Swift.Hashable>(item: A1) -> ()"
        ),
        ("_TFC4shop3Box3getfT_x", "Box.get()", "shop.Box.get() -> A"),
        ("_TF4shop4pickFGC4shop3BoxSi_T_", "pick(_:)", "shop.pick(shop.Box<Swift.Int>) -> ()"),
        ("_TF4shop4pickFGSaSS_GSqSi_", "pick(_:)", "shop.pick([Swift.String]) -> Swift.Int?"),
        ("_TF4shop4pickFGVs10DictionarySSGSaSi__GSQSi_", "pick(_:)", "shop.pick([Swift.String : [Swift.Int]]) -> Swift.Int!"),
        ("_TF4shop4pickFGVs3SetSS_T_", "pick(_:)", "shop.pick(Swift.Set<Swift.String>) -> ()"),
        ("_TF4shop4pickFGSqFSiT__T_", "pick(_:)", "shop.pick(((Swift.Int) -> ())?) -> ()"),
        // Types.
        ("_TtC4shop5Order", "Order", "shop.Order"),
        ("_TtV4shop4Item", "Item", "shop.Item"),
        ("_TtO4shop4Kind", "Kind", "shop.Kind"),
        ("_TtVC4shop5Order4Line", "Order.Line", "shop.Order.Line"),
        ("_TtP4shop8Sellable_", "Sellable", "shop.Sellable"),
        ("_TtP_", "Any", "Any"),
        ("_TtPs5Errors8Hashable_", "Error & Hashable", "Swift.Error & Swift.Hashable"),
        ("_TtMC4shop5Order", "Order.Type", "shop.Order.Type"),
        ("_TtMP4shop8Sellable_", "Sellable.Protocol", "shop.Sellable.Protocol"),
        ("_TtPMP4shop8Sellable_", "Sellable.Type", "shop.Sellable.Type"),
        ("_TtGSqMSi_", "Int.Type?", "Swift.Int.Type?"),
        ("_TtGSqPs5Errors8Hashable__", "(Error & Hashable)?", "(Swift.Error & Swift.Hashable)?"),
        ("_TtXwGSqC4shop5Order_", "weak Order?", "weak shop.Order?"),
        ("_TtXoC4shop5Order", "unowned Order", "unowned shop.Order"),
        ("_TtXuC4shop5Order", "unowned(unsafe) Order", "unowned(unsafe) shop.Order"),
        ("_TtT1aSi1bSS_", "(a: Int, b: String)", "(a: Swift.Int, b: Swift.String)"),
        ("_TtCSo8NSString", "NSString", "__C.NSString"),
        ("_TtVSC7NSRange", "NSRange", "__C_Synthesized.NSRange"),
        ("_TtBi64_", "Builtin.Int64", "Builtin.Int64"),
        ("_TtBv4Bf32_", "Builtin.Vec4xFPIEEE32", "Builtin.Vec4xFPIEEE32"),
        (
            "_TtXFo_oSSdSi_dSb_", "@callee_owned (@owned String, @unowned Int) -> (@unowned Bool)",
            "@callee_owned (@owned Swift.String, @unowned Swift.Int) -> (@unowned Swift.Bool)"
        ),
        (
            "_TtXFtCb_dSi_iSSzoPs5Error__", "@convention(thin) @convention(block) (@unowned Int) -> (@out String, @error @owned Error)",
            "@convention(thin) @convention(block) (@unowned Swift.Int) -> (@out Swift.String, @error @owned Swift.Error)"
        ),
        // Metadata, witnesses, thunks.
        ("_TMC4shop5Order", "type metadata for Order", "type metadata for shop.Order"),
        ("_TMfC4shop5Order", "full type metadata for Order", "full type metadata for shop.Order"),
        ("_TMaC4shop5Order", "type metadata accessor for Order", "type metadata accessor for shop.Order"),
        ("_TMLC4shop5Order", "lazy cache variable for type metadata for Order", "lazy cache variable for type metadata for shop.Order"),
        ("_TMmC4shop5Order", "metaclass for Order", "metaclass for shop.Order"),
        ("_TMnV4shop4Item", "nominal type descriptor for Item", "nominal type descriptor for shop.Item"),
        ("_TMp4shop8Sellable", "protocol descriptor for Sellable", "protocol descriptor for shop.Sellable"),
        ("_TMPC4shop3Box", "generic type metadata pattern for Box", "generic type metadata pattern for shop.Box"),
        ("_TwxxV4shop4Item", "destroy for Item", "destroy value witness for shop.Item"),
        ("_TWVV4shop4Item", "value witness table for Item", "value witness table for shop.Item"),
        ("_TWvdvC4shop5Order5countSi", "direct field offset for Order.count", "direct field offset for shop.Order.count : Swift.Int"),
        (
            "_TWPC4shop5OrderS_8SellableS_", "protocol witness table for Order",
            "protocol witness table for shop.Order : shop.Sellable in shop"
        ),
        (
            "_TWaC4shop5OrderS_8SellableS_", "protocol witness table accessor for Order",
            "protocol witness table accessor for shop.Order : shop.Sellable in shop"
        ),
        (
            "_TWlC4shop5OrderS0_S_8SellableS_", "lazy protocol witness table accessor for type Order and conformance Order",
            "lazy protocol witness table accessor for type shop.Order and conformance shop.Order : shop.Sellable in shop"
        ),
        (
            "_TTWC4shop5OrderS_8SellableS_FS1_4sellfT_T_", "protocol witness for Sellable.sell() in conformance Order",
            "protocol witness for shop.Sellable.sell() -> () in conformance shop.Order : shop.Sellable in shop"
        ),
        ("_TToFC4shop5Order3addfTSi5priceSd_T_", "@objc Order.add(_:price:)", "@objc shop.Order.add(Swift.Int, price: Swift.Double) -> ()"),
        ("_TTDFC4shop5Order3addfT_T_", "dynamic Order.add()", "dynamic shop.Order.add() -> ()"),
        ("_TTVFC4shop5Order3addfT_T_", "override Order.add()", "override shop.Order.add() -> ()"),
        (
            "_TTRXFo_dSi__XFo_iSi__", "thunk for @callee_owned (@in Int) -> ()",
            "reabstraction thunk helper from @callee_owned (@in Swift.Int) -> () to @callee_owned (@unowned Swift.Int) -> ()"
        ),
        (
            "_TPA__TFF4shop4sellFT_T_U_FT_T_", "partial apply for closure #1 in sell()",
            "partial apply forwarder for closure #1 () -> () in shop.sell() -> ()"
        ),
        ("_TPA.12", "partial apply", "partial apply forwarder with unmangled suffix \".12\""),
        // Copies that the optimiser made.
        ("_TTSg5Si___TF4shop4pickurFxx", "specialized pick<A>(_:)", "generic specialization <Swift.Int> of shop.pick<A>(A) -> A"),
        (
            "_TTSg5SSSSs8Hashables___TF4shop4pickuRxs8HashablerFxSb", "specialized pick<A>(_:)",
            "generic specialization <Swift.String with Swift.String : Swift.Hashable in Swift> of shop.pick<A where A: Swift.Hashable>(A) -> Swift.Bool"
        ),
        (
            "_TTSf4g_n_d___TF4shop4sellFTSiSiSi_T_", "specialized sell(_:_:_:)",
            "function signature specialization <Arg[0] = Owned To Guaranteed, Arg[2] = Dead> of shop.sell(Swift.Int, Swift.Int, Swift.Int) -> ()"
        ),
        (
            "_TTSf4gs_k_n___TF4shop4sellFTSiSiSi_T_", "specialized sell(_:_:_:)",
            "function signature specialization <Arg[0] = Owned To Guaranteed and Exploded, Arg[1] = Stack Promoted from Box> of shop.sell(Swift.Int, Swift.Int, Swift.Int) -> ()"
        ),
        (
            "_TTSf4cpi5_cpfl1_cpfr18_TF4shop4sellFT_T__n___TF4shop4sellFTSiSiSiSi_T_", "specialized sell(_:_:_:_:)",
            "function signature specialization <Arg[0] = [Constant Propagated Integer : 5], Arg[1] = [Constant Propagated Float : 1], Arg[2] = [Constant Propagated Function : shop.sell() -> ()]> of shop.sell(Swift.Int, Swift.Int, Swift.Int, Swift.Int) -> ()"
        ),
        (
            "_TTSfq1cl26_TFF4shop4sellFT_T_U_FT_T_SSSi_n___TF4shop4sellFTFT_T_Si_T_", "specialized sell(_:_:)",
            "function signature specialization <serialized, Arg[0] = [Closure Propagated : closure #1 () -> () in shop.sell() -> (), Argument Types : [Swift.StringSwift.Int]> of shop.sell(() -> (), Swift.Int) -> ()"
        ),
        ("_TF4shop4sellFT_T_.llvm.5", "sell()", "shop.sell() -> () with unmangled suffix \".llvm.5\""),
        ("_TF4shop4sellFT_T__merged", "sell()", "shop.sell() -> () with unmangled suffix \"_merged\""),
    ]

    /// Methods of Swift 1 and 2, mangled as functions of `self` that give functions:
    /// `swift-demangle` shows the label of `self`, we those of the arguments.
    static let methodsOfSelf: Set<String> = [
        "_TFC4shop5Order3addfS0_FTSi5priceSd_T_",
        "_TFC4shop5Order3addfS0_FT_T_",
        "_TZFC4shop5Order4makefMS0_FT5countSi_S0_",
        "_TFC4shop5OrdercfMS0_FT5countSi_S0_",
        "_TFC4shop5OrderCfMS0_FT_S0_",
    ]

    @Test(arguments: names)
    func `names of Swift 1 to 3 are spelled as swift-demangle spells them`(name: (mangled: String, simplified: String, full: String)) {
        #expect(Demangler().demangle(name.mangled) == name.simplified)
        #expect(Demangler(style: .full).demangle(name.mangled) == name.full)
        #expect(Demangler().demangle("_" + name.mangled) == name.simplified, "with Mach-O's underscore")
        #expect(Demangler().read(name.mangled) == DemangledName(text: name.simplified, scheme: .swiftBefore4, staysMangled: false))
    }

    @Test(.enabled(if: Peers.swiftDemangle != nil, "the toolchain's swift-demangle is missing"))
    func `the table is what swift-demangle says`() throws {
        let peer = try #require(Peers.swiftDemangle)
        #expect(try Peers.filter(Self.names.map(\.mangled), peer, ["-compact"]) == Self.names.map(\.full))
        let others = Self.names.filter { !Self.methodsOfSelf.contains($0.mangled) }
        #expect(try Peers.filter(others.map(\.mangled), peer, ["-compact", "-simplified"]) == others.map(\.simplified))
    }

    @Test(.enabled(if: TestPaths.corpus != nil && Peers.swiftDemangle != nil, "the corpus or the toolchain's swift-demangle is missing"))
    func `every old Swift name in the corpus is spelled as swift-demangle spells it`() throws {
        let search = "grep -rhoaE '\\b_T[A-Za-z0-9_]{4,400}' \"$1\" | sort -u"
        let candidates = try run("sh", ["-c", search, "sh", try #require(TestPaths.corpus)]).lines
        let names = candidates.filter { ManglingScheme(of: $0) == .swiftBefore4 }
        #expect(names.count > 1_000)
        let peer = try #require(Peers.swiftDemangle)
        let full = Demangler(style: .full)
        let simplified = Demangler()
        let expected = zip(try Peers.filter(names, peer, ["-compact"]), try Peers.filter(names, peer, ["-compact", "-simplified"]))
        // A name that `swift-demangle` reads only with a rest that is not a suffix is not a whole
        // name.
        let different = zip(names, expected).filter { name, expected in
            full.demangle(name) != expected.0 && !expected.0.contains("with unmangled suffix \"")
                || simplified.demangle(name) != expected.1 && !expected.0.contains("with unmangled suffix \"")
                    && !isMethodOfSelf(expected.0)
        }
        #expect(different.isEmpty, "\(different.count) of \(names.count): \(different.prefix(5))")
    }

    /// `Shop.Order.add(Shop.Order) -> (Swift.Int) -> ()`
    private func isMethodOfSelf(_ full: String) -> Bool { full.contains(") -> (") && full.contains(") -> ()") }

    @Test(arguments: [
        "_TF4shop4sell", "_TF4shop4sellFT_", "_TF4shop9sellFT_T_", "_TF4shop4sellFS9_T_", "_TF4shop4sellFT_T_x", "_TtC4shop5Orderx",
        "_TTSg5Si__TF4shop4sellFT_T_",
        // Swift 1 and 2.1: archetypes, and generic functions with the constraints before the type.
        "_TF4shop4pickFQ_T_", "_TF4shop4pickU__FQ_T_",
    ])
    func `a name that is not well-formed or not read stays as it is, and says so`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .swiftBefore4, staysMangled: true))
    }

    @Test func `parts that nest deeper than the limit leave the name as it is`() {
        let deep = "_Tt" + String(repeating: "M", count: 50_000) + "Si"
        #expect(Demangler().demangle(deep) == deep)
    }
}
