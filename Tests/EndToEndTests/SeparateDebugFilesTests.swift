import Foundation
import TestSupport
import Testing

/// Debug files that tools made of a program: compressed, split off, shared between programs. The
/// results are those of the whole program.
struct SeparateDebugFilesTests {
    private let program = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private let log = "logs/swift-backtrace/SwiftCrash-unwrap/off.txt"

    /// Debian's dwarf tools and compilers of today write this; the Swift toolchain's own symbolizer
    /// is built without Zstandard and resolves no line.
    @Test(.enabled(if: Installed.has("llvm-symbolizer-19"), "llvm-symbolizer-19 (package llvm-19) is not installed"))
    func `a Swift program whose separate debug file is compressed with Zstandard has its names and lines`() throws {
        try withTemporaryFolder { folder in
            let script = """
                objcopy --only-keep-debug --compress-debug-sections=zstd '\(program)' SwiftCrash.debug &&
                objcopy --strip-all --add-gnu-debuglink=SwiftCrash.debug '\(program)' SwiftCrash
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            // ELFCOMPRESS_ZSTD is 2.
            #expect(try run("readelf", ["-tW", folder + "/SwiftCrash.debug"]).output.contains("ZSTD"))
            let whole = try cairn(log, "--symbols", program)
            let answered = try cairn(log, "--symbols", folder + "/SwiftCrash")
            #expect(answered.output == whole.output)
            #expect(whole.output != String(decoding: try readFile(TestPaths.fixture(log)), as: UTF8.self))
            // Each function's first instruction, as LLVM 19's symbolizer has it in the whole
            // program.
            let functions = try Toolchain.run("llvm-nm", ["--defined-only", program]).output.split(separator: "\n").filter {
                $0.contains(" T ") || $0.contains(" t ")
            }
            let addresses = functions.map { "0x" + $0.prefix(16).drop { $0 == "0" } }
            try #require(addresses.count > 10)
            let theirs = try run("llvm-symbolizer-19", ["--obj=" + program, "--output-style=JSON", "--no-demangle"] + addresses).output
            struct Answer: Decodable {
                struct Symbol: Decodable {
                    var FunctionName: String
                    var FileName: String
                    var Line: Int
                }
                var Symbol: [Symbol]
            }
            var compared = 0
            for (address, answer) in zip(addresses, try JSONDecoder().decode([Answer].self, from: Data(theirs.utf8))) {
                guard let symbol = answer.Symbol.first, symbol.Line > 0 else { continue }
                let ours = try cairn("info", "line", "*" + address, "-o", folder + "/SwiftCrash").output
                #expect(ours.hasPrefix("Line \(symbol.Line) of \"\(symbol.FileName)\""), "\(address): \(ours)")
                compared += 1
            }
            #expect(compared > 3)
        }
    }

    /// Go pushes the address behind the first instruction of `goexit` by hand, as the one that the first function returns to: no call returns
    /// there. That a function begins there, only the debug file knows.
    @Test(.enabled(if: Installed.has("gcc", "objcopy", "nm"), "gcc or binutils are not installed"))
    func `a stripped program is judged with its debug file at hand`() throws {
        try withTemporaryFolder { folder in
            let calls = ["four", "three", "two", "one"]
            let functions = zip(calls, calls.dropFirst() + ["leaf"]).map {
                "\($0): nop; call \($1); \($0)_return: nop; ret; .fill 32, 1, 0x90"
            }
            let source =
                ([".globl _start", "leaf: nop; ret; .fill 32, 1, 0x90", "_start: call four; hlt; .fill 32, 1, 0x90"] + functions)
                .joined(separator: "\n") + "\nexit: nop; nop; ret\n"
                + (calls + ["leaf", "exit"]).map { ".type \($0), @function" }.joined(separator: "\n")
            try writeFile(folder + "/program.s", Array((source + "\n").utf8))
            let script = """
                gcc -g -nostdlib -pie -Wl,--build-id=none -o whole program.s && objcopy --only-keep-debug whole other.debug &&
                objcopy --strip-all --add-gnu-debuglink=other.debug whole program && rm program.s
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let symbols = try run("nm", [folder + "/whole"]).lines.map { $0.split(separator: " ") }
            try FileManager.default.removeItem(atPath: folder + "/whole")
            func address(_ name: String) throws -> UInt64 {
                UInt64(try #require(symbols.first { $0.last == Substring(name) })[0], radix: 16) ?? 0
            }
            let rows = try calls.reversed().map { try address($0 + "_return") } + [address("exit") + 1]
            let log = rows.enumerated().map {
                "#\($0) 0x\(String($1 + 0x555555554000, radix: 16)) (/src/program+0x\(String($1, radix: 16)))\n"
            }.joined()
            let answered = try cairn("--no-local", "-s", folder, "-", input: log)
            #expect(calls.allSatisfy { answered.output.contains(" \($0) [") }, "\(answered.output)\(answered.errors)")
        }
    }

    /// `dwz -m` moves what two programs have in common to a third file, and names it by path and
    /// build ID.
    @Test func `what dwz shares between programs is found in the store, never another's in its place, and told when it is missing`() throws
    {
        try withTemporaryFolder { folder in
            let source = """
                struct common { int a; struct common *next; }; typedef struct common shared_name_of_a_type;
                static inline int in_common(shared_name_of_a_type *p, int x) { return p ? p->a + x : x * 7; }
                int NAME(shared_name_of_a_type *p, int x) { return in_common(p, x) + 1; }
                int main(int c, char **v) { return NAME(0, c) ; }
                """
            let script = """
                for n in one two three four; do
                case $n in one|two) common=in_common;; *) common=in_another;; esac
                sed "s/NAME/$n/; s/in_common/$common/" > $n.c <<'S'
                \(source)
                S
                gcc -g -gdwarf-4 -O1 -Wl,--build-id -o $n $n.c || exit 1; cp $n $n.whole; done
                dwz -m common.debug -M $PWD/away/common.debug one two && dwz -m other.debug three four && mkdir bin && mv one two bin/
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let symbols = try Toolchain.run("llvm-nm", [folder + "/bin/one"]).output.split(separator: "\n")
            let start = try #require(symbols.first { $0.hasSuffix(" T one") }.flatMap { UInt64($0.prefix(16), radix: 16) })
            let addresses = (0..<8).map { "0x" + String(start + UInt64($0), radix: 16) }
            func lookUp(_ file: String) throws -> String {
                try cairn(["atos", "-i", "-fullPath", "-o", file] + addresses).output.replacing("one.whole", with: "one")
            }
            let whole = try lookUp(folder + "/one.whole")
            #expect(whole.contains("one.c:3)"))

            #expect(try cairn("symbols", "add", folder + "/bin", folder + "/common.debug", "--to", folder + "/store").status == 0)
            let notes = try run("readelf", ["-n", folder + "/bin/one"]).output
            let id = try #require(notes.split(separator: "\n").first { $0.contains("Build ID: ") }?.split(separator: " ").last)
            let kept = "\(folder)/store/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
            #expect(try lookUp(kept).replacing(Path(kept).name, with: "one") == whole)

            // Without it, and with another's under its name: what it holds is missing.
            let alone = try lookUp(folder + "/bin/one")
            try run("cp", [folder + "/other.debug", folder + "/bin/common.debug"]).requireSuccess()
            #expect(try lookUp(folder + "/bin/one") == alone)
            try run("cp", [folder + "/common.debug", folder + "/bin/common.debug"]).requireSuccess()
            #expect(try lookUp(folder + "/bin/one") == whole)
        }
    }

    /// Debian's packages name the shared file by its absolute path: below the root that a package was unpacked in it is found for
    /// relative and absolute paths, also where its sections are compressed.
    @Test(.enabled(if: Installed.has("gcc", "dwz", "objcopy", "nm"), "gcc, dwz or binutils are not installed"), arguments: [true, false])
    func `what dwz shares is found below the root of an unpacked package`(isCompressed: Bool) throws {
        try withTemporaryFolder { folder in
            let debug = "usr/lib/debug"
            let script = """
                mkdir -p unpacked/\(debug)/.dwz
                for n in one two; do
                printf 'struct common { int a; struct common *next; };
                static inline int in_common(struct common *p, int x) { return p ? p->a + x : x * 7; }
                int %s(struct common *p, int x) { return in_common(p, x) + 1; }
                int main(int c, char **v) { return %s(0, c); }' $n $n > $n.c
                gcc -g -gdwarf-4 -O1 -Wl,--build-id -o unpacked/\(debug)/$n $n.c || exit 1; done
                cd unpacked/\(debug) && dwz -m .dwz/common.debug -M /\(debug)/.dwz/common.debug one two || exit 1
                \(isCompressed ? "objcopy --compress-debug-sections .dwz/common.debug" : "")
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let symbols = try run("nm", [folder + "/unpacked/\(debug)/one"]).lines
            let address = "0x" + (try #require(symbols.first { $0.hasSuffix(" T one") }).split(separator: " ")[0])
            for path in ["\(debug)/one", "./\(debug)/one", "\(folder)/unpacked/\(debug)/one"] {
                let found = try run(TestPaths.cairn, ["addr2line", "-f", "-i", "-e", path, address], directory: folder + "/unpacked")
                #expect(found.lines.first == "in_common" && found.output.contains("one.c:2"), "\(path): \(found.output)")
                #expect(found.errors == "")
            }
        }
    }

    private struct Path {
        var name: String
        init(_ path: String) { name = String(path.split(separator: "/").last ?? "") }
    }
}
