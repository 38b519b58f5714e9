import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// False statements that compilers write into debug information, and the data in the rest of the file that
/// corrects them.
struct OddCompilersTests {
    private static let swift = [
        "a.swift": """
        struct Crate<T> { var v: T
          @inline(never) func open(_ n: Int) -> T { precondition(n < 7); return v } }
        protocol Weigh { func weigh() -> Int }
        extension Crate: Weigh where T == Int { func weigh() -> Int { v &* 3 } }
        """,
        "b.swift": """


        @inline(never) func total<W: Weigh>(_ w: W, _ f: (Int) -> Int) -> Int { f(w.weigh()) }
        struct Key: Hashable, Comparable { var a: Int; var b: String
          static func < (l: Key, r: Key) -> Bool { l.a < r.a } }
        """,
        "c.swift": """
        @main struct App {
          static func main() {
            let n = CommandLine.arguments.count
            let c = Crate(v: n)
            let keys = [Key(a: n, b: "x"), Key(a: 2, b: "y")].sorted()
            print(total(c) { x in x / (n - 2) } + c.open(n), keys, Set(keys))
          }
        }
        """,
    ]

    /// The results at all addresses of `.text`.
    private func results(_ object: ObjectFile) throws -> ([LinkAddress], [SymbolResult]) {
        let text = try #require(object.section(named: ".text"))
        let addresses = (0..<text.size).map { LinkAddress(text.address.value + $0) }
        return (addresses, ObjectSource([object]).frames(at: addresses))
    }

    /// `total` is in line 3 of b.swift, `<` in line 5: swiftc says that what was inlined into them
    /// is called in line 3 and line 5 of `<compiler-generated>`.
    @Test(arguments: ["-O -wmo -g", "-O -wmo -gline-tables-only", "-O -g"])
    func `a call of Swift is in the file of its line`(flags: String) throws {
        try withTemporaryFolder { folder in
            for (name, text) in Self.swift { try writeFile(folder + "/" + name, Array(text.utf8)) }
            try Toolchain.shell(
                "swiftc \(flags) -parse-as-library -module-name m a.swift b.swift c.swift -o m", directory: folder
            ).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/m")
            let (addresses, found) = try results(object)
            var locations: [String: Set<String>] = [:]
            for case .found(let frames) in found {
                for frame in frames where frame.name.contains("5total") {
                    guard let location = frame.location, location.line > 0 else { continue }
                    locations["total", default: []].insert("\(location.file.split(separator: "/").last ?? ""):\(location.line)")
                }
            }
            #expect(locations["total"] == ["b.swift:3"])
            // An index says the same.
            let index = try IndexWriter.make(object)
            #expect(IndexSource(index, [object]).frames(at: addresses) == found)
        }
    }

    /// The unit's extent is from 0 to 0, or ends with its first function: the lines are those of
    /// the source.
    @Test(arguments: ["zero", "short"])
    func `functions outside of their unit's own extent have their lines`(name: String) throws {
        try withTemporaryFolder { folder in
            let source = "int alpha(int a) {\n  return a * 3; }\nint beta(int a) {\n  return alpha(a) + 1; }\n"
            try writeFile(folder + "/i.c", Array(source.utf8))
            let script = """
                clang -gdwarf-4 -O0 -fno-inline -ffreestanding -S i.c -o whole.s && python3 - "$1" <<'P' && clang -shared -nostdlib i.s -o made
                import re, sys
                text = open('whole.s').read()
                start = text.index('.debug_info')
                head, rest = text[:start], text[start:]
                if sys.argv[1] == 'zero':
                    rest = re.sub(r'\\.quad\t\\.Lfunc_begin0', '.quad\t0', rest, count=1)
                    rest = re.sub(r'\\.long\t\\.Lfunc_end1-\\.Lfunc_begin0', '.long\t0', rest, count=1)
                else:
                    rest = re.sub(r'\\.long\t\\.Lfunc_end1-\\.Lfunc_begin0', '.long\t.Lfunc_end0-.Lfunc_begin0', rest, count=1)
                open('i.s', 'w').write(head + rest)
                P
                """
            try Toolchain.shell(script, ["sh", name], directory: folder).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/made")
            let starts = try symbolAddresses(object)
            let addresses = [try #require(starts["alpha"]), try #require(starts["beta"])].sorted()
            let found = ObjectSource([object]).frames(at: addresses)
            let lines = found.map { symbolResult -> String in
                guard case .found(let frames) = symbolResult, let frame = frames.last else { return "\(symbolResult)" }
                return "\(frame.name) \(frame.location?.line ?? 0)"
            }
            #expect(lines == ["alpha 1", "beta 3"])
            let index = try IndexWriter.make(object)
            #expect(IndexSource(index, [object]).frames(at: addresses) == found)

            // All debug information is read for it, where there is no more than that. A unit
            // without an extent is read anyhow.
            guard name == "short" else { return }
            let size = Int(try #require(object.section(named: ".debug_info")).size)
            for (limit, line) in [(size, 3), (size - 1, nil)] {
                var limits = Limits()
                limits.unclaimedInformation = limit
                let limited = try ObjectFiles.openAll(MappedFile(path: folder + "/made"), limits: limits)[0]
                guard case .found(let frames) = ObjectSource([limited]).frames(at: [addresses[1]])[0] else {
                    Issue.record("beta has a symbol")
                    continue
                }
                #expect(frames.map(\.name) == ["beta"] && frames.map { $0.location?.line } == [line])
            }
        }
    }

    /// gcc 10 leaves thunks out of their units' ranges; here that is done to gcc 12's. In a file with much debug information the address
    /// table says in which unit a thunk's row is looked for; its line is that of the class, by gcc's own line table.
    @Test func `a thunk outside of its unit has its row where an address table names the unit`() throws {
        try withTemporaryFolder { folder in
            let source = """
                struct A { virtual int f(); int a; };
                struct B { virtual int g(); int b; };
                struct C : A, B { int g() override; int c; };
                int C::g() {
                  return c * 3;
                }
                """
            try writeFile(folder + "/t.cpp", Array(source.utf8))
            let script = """
                g++ -gdwarf-4 -O1 -fPIC -fno-rtti -fno-exceptions -S t.cpp -o whole.s &&
                sed 's/\\.Letext0-\\.Ltext0/.LFE0-.Ltext0/' whole.s > t.s &&
                g++ -shared -nostdlib -Wl,-z,undefs t.s -o listed && objcopy -R .debug_aranges listed unlisted
                """
            try Toolchain.shell(script, directory: folder).requireSuccess()
            for (name, limit, line) in [("listed", 0, 3), ("unlisted", 0, nil), ("unlisted", 1 << 20, 3)] as [(String, Int, Int?)] {
                var limits = Limits()
                limits.unclaimedInformation = limit
                let object = try ObjectFiles.openAll(MappedFile(path: "\(folder)/\(name)"), limits: limits)[0]
                let thunk = try #require(try symbolAddresses(object)["_ZThn16_N1C1gEv"])
                let found = ObjectSource([object]).frames(at: [thunk])
                guard case .found(let frames) = found[0] else {
                    Issue.record("the thunk has a symbol")
                    continue
                }
                #expect(frames.map { $0.location?.line } == [line], "\(name), \(limit)")
                let index = try IndexWriter.make(object)
                #expect(IndexSource(index, [object]).frames(at: [thunk]) == found, "\(name), \(limit)")
            }
        }
    }
}
