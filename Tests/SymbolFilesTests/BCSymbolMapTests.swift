import BinaryPrimitives
import ObjectFiles
import SymbolFiles
import TestSupport
import Testing

/// Maps of hidden names: one line is one name, and the numbers count from 0.
struct BCSymbolMapTests {
    private func map(_ text: String) throws -> BCSymbolMap? {
        BCSymbolMap(try MappedFile(bytes: Array(text.utf8).span.rawBytes, name: "map"))
    }

    private let names = "BCSymbolMap Version: 2.0\n-[Tank fill:]\ndrain\n\u{1}_plain\n/Users/me/Tank\nSources/Tank.m\n/other/Pump.m\n"

    @Test(arguments: [
        ("__hidden#0_", "-[Tank fill:]"), ("_hidden#0_", "-[Tank fill:]"), ("__hidden#1_", "drain"), ("__hidden#2_", "_plain"),
        ("_hidden#2_", "plain"), ("_hidden#1_", "drain"),
        ("__hidden#1_.cold.1", "drain.cold.1"), ("__hidden#3_/__hidden#4_", "/Users/me/Tank/Sources/Tank.m"),
        ("__hidden#3_/__hidden#5_", "/other/Pump.m"), ("__40-__hidden#0__block_invoke", "__40--[Tank fill:]_block_invoke"),
        // No such number, no number, no end: left as they are.
        ("__hidden#6_", "__hidden#6_"), ("__hidden#99999999999999999999_", "__hidden#99999999999999999999_"), ("__hidden#_", "__hidden#_"),
        ("__hidden#1", "__hidden#1"), ("main", "main"), ("", ""), ("hidden#1_", "hidden#1_"),
    ])
    func `hidden parts of a name or a path are made readable`(hidden: String, readable: String) throws {
        let map = try #require(try map(names))
        #expect(map.count == 6)
        #expect(map.revealing(hidden) == readable)
    }

    @Test func `the last line may lack its ending`() throws {
        let map = try #require(try map(String(names.dropLast())))
        #expect(map.count == 6)
        #expect(map.revealing("__hidden#5_") == "/other/Pump.m")
        #expect(try self.map("BCSymbolMap Version: 2.0\n")?.count == 0)
    }

    @Test(arguments: ["", "BCSymbolMap Version: 2.0", "BCSymbolMap Version: 1.0\nmain\n", "main\n"])
    func `what is no map of version 2 is none`(text: String) throws {
        #expect(try map(text) == nil)
    }

    // MARK: Where maps are

    private static let dSYM = "binaries/MachOCXX/out/shapes.dSYM"
    private static let original = "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"

    private static func plist(_ uuid: String) -> [UInt8] {
        Array("<plist version=\"1.0\">\n<dict>\n   <key>DBGOriginalUUID</key>\n   <string>\(uuid)</string>\n</dict>\n</plist>\n".utf8)
    }

    /// Puts a map, and if wanted a property list that leads to it, at paths below a folder with
    /// the bundle `dSYMs/shapes.dSYM`.
    private func found(map mapPath: String, plist: String? = nil, symbols: [String] = []) throws -> Bool {
        try withTemporaryFolder { folder in
            for part in ["/dSYMs", "/BCSymbolMaps", "/given/BCSymbolMaps"] { try makeFolders(folder + part) }
            _ = try run("cp", ["-r", TestPaths.fixture(Self.dSYM), folder + "/dSYMs"])
            let member = folder + "/dSYMs/shapes.dSYM/Contents/Resources/DWARF/shapes"
            let object = try ObjectFiles.open(path: member, choosing: .architecture(.arm64))
            let uuid = try #require(object.identity?.uuid)
            try writeFile(folder + mapPath.replacing("UUID", with: plist == nil ? uuid : Self.original), Array(names.utf8))
            if let plist { try writeFile(folder + plist.replacing("UUID", with: uuid), Self.plist(Self.original)) }
            return BCSymbolMapSearch(symbols: symbols.map { folder + $0 }).map(for: [object])?.count == 6
        }
    }

    private static let resources = "/dSYMs/shapes.dSYM/Contents/Resources/"

    @Test func `a map of the image's own UUID, in the bundle, beside it, in the archive, or where the user says`() throws {
        #expect(try found(map: Self.resources + "UUID.bcsymbolmap"))
        #expect(try found(map: "/dSYMs/UUID.bcsymbolmap"))
        #expect(try found(map: "/BCSymbolMaps/UUID.bcsymbolmap"))
        #expect(try found(map: "/given/UUID.bcsymbolmap", symbols: ["/given"]))
        #expect(try found(map: "/given/BCSymbolMaps/UUID.bcsymbolmap", symbols: ["/given"]))
        #expect(try found(map: "/given/UUID.bcsymbolmap", symbols: ["/given/App.dSYM.zip"]))
        #expect(try !found(map: "/given/UUID.bcsymbolmap"))
    }

    @Test func `a map of the UUID that the bundle was made from, which a property list tells`() throws {
        #expect(try found(map: "/BCSymbolMaps/UUID.bcsymbolmap", plist: Self.resources + "UUID.plist"))
        #expect(try found(map: "/given/UUID.bcsymbolmap", plist: "/given/UUID.plist", symbols: ["/given"]))
        #expect(try !found(map: "/BCSymbolMaps/UUID.bcsymbolmap", plist: "/given/UUID.plist"))
    }
}
