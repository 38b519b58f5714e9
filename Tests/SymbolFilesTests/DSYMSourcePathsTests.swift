import BinaryPrimitives
import TestSupport
import Testing

@testable import SymbolFiles

/// The keys and versions are those of LLDB's documentation, "Symbols on macOS", whose sample this
/// is.
struct DSYMSourcePathsTests {
    private static func list(version: String?, dictionary: Bool = true, pair: Bool = true) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
           <key>DBGArchitecture</key><string>i386</string>
           \(pair ? "<key>DBGBuildSourcePath</key>\n<string>/path/to/build</string>\n<key>DBGSourcePath</key>\n<string>/path/to/actual</string>" : "")
           <key>DBGNumber</key><integer>7</integer><key>DBGFlag</key><true/><key>DBGList</key><array><string>x</string></array>
           \(version.map { "<key>DBGVersion</key><string>\($0)</string>" } ?? "")
           \(dictionary ? "<key>DBGSourcePathRemapping</key><dict><key>/path/to/build/a&amp;b/one</key><string>/here/first/one</string><!-- </dict> --></dict>" : "")
        </dict>
        </plist>
        """
    }

    private func rewritten(_ path: String, _ list: String) -> String? {
        guard let list = PropertyList.parse(Array(list.utf8)) else { return "no list" }
        return DSYMSourcePaths.maps(list).lazy.compactMap { $0.rewritten(path) }.first
    }

    @Test func `version 3's dictionary comes before the pair`() {
        let list = Self.list(version: "3")
        #expect(rewritten("/path/to/build/a&b/one/x.c", list) == "/here/first/one/x.c")
        #expect(rewritten("/path/to/build/a&b/two/x.c", list) == "/path/to/actual/a&b/two/x.c")
        #expect(rewritten("/elsewhere/x.c", list) == nil)
        #expect(rewritten("/path/to/build/x.c", Self.list(version: "3", pair: false)) == nil)
    }

    @Test func `without a version the dictionary does not count`() {
        for version in [nil, "1", "", "x"] {
            #expect(rewritten("/path/to/build/a&b/one/x.c", Self.list(version: version)) == "/path/to/actual/a&b/one/x.c")
        }
    }

    /// /path/to/build and /here are the rest of the entry without its last two parts.
    @Test func `version 2's entries count without their last two parts too`() {
        let list = Self.list(version: "2", pair: false)
        #expect(rewritten("/path/to/build/a&b/one/x.c", list) == "/here/first/one/x.c")
        #expect(rewritten("/path/to/build/z/x.c", list) == "/here/z/x.c")
    }

    @Test func `the list lies beside the member's folder, under its UUID`() throws {
        let uuid = "8F528C10-3E80-3DD6-B0BE-5D558F64F7AB"
        for name in [uuid, uuid.lowercased()] {
            try withTemporaryFolder { folder in
                let resources = folder + "/App.dSYM/Contents/Resources"
                try makeFolders(resources + "/DWARF")
                try writeFile("\(resources)/\(name).plist", Array(Self.list(version: "3").utf8))
                let maps = DSYMSourcePaths.maps(for: resources + "/DWARF/App", identity: ImageID(text: uuid))
                #expect(maps.count == 2)
                #expect(
                    DSYMSourcePaths.maps(for: resources + "/DWARF/App", identity: ImageID(text: "00000000-3E80-3DD6-B0BE-5D558F64F7AB"))
                        .isEmpty)
                #expect(DSYMSourcePaths.maps(for: resources + "/App", identity: ImageID(text: uuid)).isEmpty)
                #expect(DSYMSourcePaths.maps(for: resources + "/DWARF/App", identity: nil).isEmpty)
            }
        }
    }

    // MARK: Property lists

    private func parse(_ text: String) -> PropertyList? { PropertyList.parse(Array(text.utf8)) }

    @Test func `values of a property list`() {
        #expect(
            parse("<plist><string>a &lt;b&gt; &#x41;&#66;&quot;&apos; &unknown; &</string></plist>") == .string("a <b> AB\"' &unknown; &"))
        #expect(parse("<dict/>") == .dictionary([:]))
        #expect(parse("<array><string/><dict /><true/><integer>1</integer></array>") == .array([.string(""), .dictionary([:])]))
        #expect(
            parse("<dict><key>a</key><data>QUJD</data><key>b</key><string>x</string><key>c</key><false/></dict>")
                == .dictionary(["b": .string("x")]))
        #expect(parse("<?xml?><!DOCTYPE x><!-- <string>no</string> --><string>yes</string>") == .string("yes"))
    }

    @Test(arguments: [
        "", "<", "<dict>", "<dict><key>a</key>", "<dict><key>a", "<dict><key>a</key><string>b", "</dict>", "<dict></array>", "<key>a</key>",
        "<!-- ", "bplist00", "<integer>1",
        String(repeating: "<array>", count: 100_000), String(repeating: "<dict><key>a</key>", count: 65),
    ])
    func `what is no list, or is cut, is none`(text: String) { #expect(parse(text) == nil) }

    @Test func `the hostile ones end`() throws {
        for name in ["cut", "deep", "remapping"] {
            let bytes = try readFile(TestPaths.fixture("hostile/plist/\(name).plist"))
            for count in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 200)) {
                _ = PropertyList.parse(Array(bytes.prefix(count)))
            }
        }
    }
}
