import Demangling
import TestSupport
import Testing

struct NimTests {
    /// Symbols of Nim 1.6, and two of Nim 2; the names are those of the sources.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String)] = [
        ("inner__main_2", "main.inner"),
        ("inner__main_u2", "main.inner"),
        ("add__shop_3", "shop.add"),
        ("fooBar2__ops_29", "ops.fooBar2"),
        ("foo_bar__ops_26", "ops.foo_bar"),
        ("plus___shop_29", "shop.+"),
        ("plus___shop_u29", "shop.+"),
        ("eqeq___ops_42", "ops.=="),
        ("lteqpercent___system_985", "system.<=%"),
        ("dotdotlt___ops_15", "ops...<"),
        ("minusgt___ops_19", "ops.->"),
        ("dollar___systemZdollars_3", "dollars.$"),
        ("X5BX5D___ops_3", "ops.[]"),
        ("X5BX5Deq___ops_7", "ops.[]="),
        ("X7BX7D___ops_11", "ops.{}"),
        ("aeq___ops_23", "ops.a="),
        ("grXC3XB6XC3X9Fe___ops_46", "ops.größe"),
        ("eqdestroy___systemZassertions_23", "assertions.=destroy"),
        ("colonanonymous___main_5", "main.:anonymous"),
        ("addInt__stdZprivateZdigitsutils_164", "digitsutils.addInt"),
        ("inner__main_2.cold", "main.inner (.cold)"),
        // '2' is 50, 'M' is 77, '_' is 95; '..' before a slash.
        ("price__unit50_1", "unit2.price"),
        ("price__OOZ77y95mod_1", "My_mod.price"),
        ("told__OOZpkgsZstew4548O49Zstew_1", "stew.told"),
        ("grXC3XB6XC3X9Feeq___u_10", "u.größe="),
    ]

    @Test(arguments: names)
    func `in a file of Nim, names are those of the source`(name: (mangled: String, plain: String)) {
        #expect(Demangler().read(name.mangled, in: .nim) == DemangledName(text: name.plain, scheme: .nim, staysMangled: false))
        #expect(Demangler().demangle(name.mangled) == name.mangled, "C may have it")
    }

    @Test(arguments: [
        "NimMain", "main", "atmmaindotnim_Init000", "inner__main_", "inner__2", "__main_2", "2x__main_2", "inner_main_2", "inner__Main_2",
        "productdot___ops_3", "___ops_3", "inner__main_u", "colonstate___ops_3", "xXC3___ops_3",
        "price__unit5_1", "price__unit97_1", "price__unit2_1", "price__unitZ_1", "price__unit300_1",
    ])
    func `other names stay as they are in such a file, too`(name: String) {
        #expect(Demangler().read(name, in: .nim) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    private static let module = """
        type Basket* = object
          count: int
        proc add*(b: var Basket, n: int) {.noinline.} =
          if n > 2: raise newException(ValueError, "bad")
          b.count += n
        proc `+`*(b: var Basket, n: int) {.noinline.} = b.add(n)
        """
    private static let program = """
        import shop
        proc inner(b: var Basket) {.noinline.} = b + 5
        var b: Basket
        let f = proc(x: int) = inner(b)
        f(3)
        """

    @Test(.enabled(if: Installed.has("nim", "nm"), "nim is missing"))
    func `functions have the names of the program's own traceback`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/shop.nim", Array(Self.module.utf8))
            try writeFile(folder + "/app.nim", Array(Self.program.utf8))
            let options = ["c", "--debugger:native", "--hints:off", "--nimcache:\(folder)/cache", "-o:app", "app.nim"]
            try run("nim", options, directory: folder).requireSuccess()
            let symbols = try run("nm", ["--format=just-symbols", "app"], directory: folder).lines
            let known = Set(symbols.map { Demangler().read($0, in: .nim).text })
            // `/folder/shop.nim(4) add`, outermost first; the first row is the module.
            let trace = try run("./app", directory: folder).errors.split(separator: "\n").filter { $0.contains(".nim(") }
            let called = trace.dropFirst().compactMap { row -> String? in
                guard let file = row.split(separator: "/").last, let module = file.split(separator: ".").first,
                    let name = file.split(separator: " ").last
                else { return nil }
                return "\(module).\(name)"
            }
            #expect(called.count == 4)
            #expect(called.allSatisfy(known.contains), "\(called)")
        }
    }
}
