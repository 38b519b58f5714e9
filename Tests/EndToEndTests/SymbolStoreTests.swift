import Foundation
import TestSupport
import Testing

/// `cairn symbols`: what is kept is found again, by cairn and by the debuggers whose layouts the
/// store has.
struct SymbolStoreTests {
    private let elf = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private let log = "logs/swift-backtrace/SwiftCrash-unwrap/off.txt"

    private func names(in folder: String) throws -> [String] {
        try run("sh", ["-c", "find . -type f | sort"], directory: folder).output.split(separator: "\n").map { String($0.dropFirst(2)) }
            .filter { !$0.hasPrefix("names/") }
    }

    /// As `readelf -n` says.
    private func buildID(_ path: String) throws -> String {
        let row = try #require(try run("readelf", ["-n", path]).output.split(separator: "\n").first { $0.contains("Build ID: ") })
        return String(row.split(separator: " ").last ?? "")
    }

    @Test func `a build's files are kept where GDB and LLDB look, once each`() throws {
        try withTemporaryFolder { folder in
            let script = """
                mkdir build && cp \(elf) build/SwiftCrash && llvm-objcopy --strip-debug build/SwiftCrash build/SwiftCrash-stripped &&
                cp -r \(TestPaths.fixture("binaries/CrashExample/out/CrashExample.dSYM")) build/ &&
                cp \(TestPaths.fixture("binaries/CrashExample/out/CrashExample")) build/ && echo no > build/README && mkdir build/empty
                """
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let first = try cairn("symbols", "add", folder + "/build", "--to", folder + "/store")
            #expect(first.status == 0 && first.errors == "")
            #expect(first.lines.last == "4 added, 0 already there")
            let id = try buildID(elf)
            // The UUIDs of `Fixtures/binaries/INDEX.tsv`.
            let expected = [
                ".build-id/\(id.prefix(2))/\(id.dropFirst(2))", ".build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug",
                "4C4C/4415/5555/3144/A1EE/F64263BE1FB5", "4C4C/4415/5555/3144/A1EE/F64263BE1FB5.app",
                "4C4C/44FC/5555/3144/A11B/E947A8E8E6FE", "4C4C/44FC/5555/3144/A11B/E947A8E8E6FE.app",
            ]
            #expect(try names(in: folder + "/store") == expected.sorted())
            let again = try cairn("symbols", "add", folder + "/build", "--to", folder + "/store")
            #expect(again.lines == ["0 added, 4 already there"])
        }
    }

    /// The key is the timestamp and the size in memory, which llvm-readobj prints: SymSrv's name of an image.
    @Test(.enabled(if: Toolchain.has("clang", "ld.lld"), "the toolchain has no clang or ld.lld"))
    func `a program for Windows without a build ID is kept by its timestamp and size`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array("int start(void) { return 1; }".utf8))
            try Toolchain.run("clang", ["-target", "x86_64-w64-mingw32", "-g", "-c", "a.c"], directory: folder).requireSuccess()
            try Toolchain.run(
                "lld-link", ["-entry:start", "-subsystem:console", "-debug:dwarf", "-build-id:no", "a.o", "-out:Berth.exe"],
                directory: folder
            )
            .requireSuccess()
            let path = folder + "/Berth.exe"
            let headers = try run("llvm-readobj-19", ["--file-headers", path]).requireSuccess().lines
            func number(_ name: String) throws -> String {
                let row = try #require(headers.first { $0.contains(name + ": ") })
                return String(try #require(row.split(separator: " ").last).drop { $0 == "(" }.prefix { $0 != ")" })
            }
            // `TimeDateStamp: 2026-11-30 11:16:07 (0x6A1C1D27)`, `SizeOfImage: 16384`
            let time = try number("TimeDateStamp").dropFirst(2)
            let size = String(try #require(Int(try number("SizeOfImage"))), radix: 16)
            let key = String(repeating: "0", count: 8 - time.count) + time + size
            #expect(try cairn("symbols", "add", path, "--to", folder + "/store").lines.last == "1 added, 0 already there")
            #expect(try names(in: folder + "/store") == ["other/berth.exe/\(key)/Berth.exe"])
            #expect(try cairn("symbols", "add", path, "--to", folder + "/store").lines == ["0 added, 1 already there"])
            let row = try cairn("symbols", "find", key, "--in", folder + "/store").requireSuccess().lines.first?.split(separator: "\t")
            #expect(row?[0] == Substring(key) && row?[2] == "debug" && row?[4] == "Berth.exe")
        }
    }

    @Test func `what is in an archive is kept too`() throws {
        try withTemporaryFolder { folder in
            let bundles = TestPaths.fixture("binaries/CrashExample/out")
            try run("zip", ["-q", "-r", folder + "/symbols.zip", "CrashExample.dSYM"], directory: bundles).requireSuccess()
            let added = try cairn("symbols", "add", folder + "/symbols.zip", "--to", folder + "/store")
            #expect(added.status == 0 && added.lines.last == "1 added, 0 already there")
            let member = try readFile(bundles + "/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample")
            #expect(try readFile(folder + "/store/4C4C/44FC/5555/3144/A11B/E947A8E8E6FE") == member)
            #expect(try cairn("symbols", "add", folder + "/symbols.zip", "--to", folder + "/store").lines == ["0 added, 1 already there"])
        }
    }

    @Test func `what is kept answers, and gdb finds it too`() throws {
        try withTemporaryFolder { folder in
            #expect(
                try cairn(
                    "symbols", "add", elf, TestPaths.fixture("binaries/CrashExample/out/CrashExample.dSYM"), "--to", folder + "/store"
                ).status == 0)
            #expect(try cairn(log, "--symbols", folder + "/store").output == (try cairn(log, "--symbols", elf).output))
            let ips = "logs/apple-ips/CrashExample-exception/exception.ips"
            #expect(try cairn("explain", ips, "--symbols", folder + "/store").status == 0)
            // The stripped binary alone; gdb reads the debug file of its build ID below the store.
            // (Of Swift's debug information gdb reads no lines.)
            let program = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
            #expect(try cairn("symbols", "add", program, "--to", folder + "/store").status == 0)
            try Toolchain.run("llvm-objcopy", ["--strip-all", program, folder + "/program"]).requireSuccess()
            func line(_ options: [String], of path: String) throws -> String {
                try run("gdb", ["-nx", "-batch"] + options + ["-ex", "info line main", path]).output
            }
            let answer = try line([], of: program)
            #expect(answer.hasPrefix("Line "))
            #expect(try line(["-iex", "set debug-file-directory \(folder)/store"], of: folder + "/program") == answer)
            #expect(try line(["-iex", "set debug-file-directory \(folder)"], of: folder + "/program") != answer)
        }
    }

    @Test func `the package of split units is kept beside its debug file`() throws {
        try withTemporaryFolder { folder in
            let script = """
                printf 'int inner(int x) { return x * 3; }\\nint main(int c, char **v) { return inner(c); }\\n' > a.c &&
                clang -g -gdwarf-5 -gsplit-dwarf -O0 -Wl,--build-id -o app a.c && llvm-dwp-19 -e app -o app.dwp && rm -f *.dwo
                """
            try Toolchain.shell(script, directory: folder).requireSuccess()
            #expect(try cairn("symbols", "add", folder + "/app", "--to", folder + "/store").status == 0)
            let id = try buildID(folder + "/app")
            let kept = ".build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
            #expect(try names(in: folder + "/store") == [kept, kept + ".dwp"])
            let address = try #require(
                try Toolchain.run("llvm-nm", [folder + "/app"]).output.split(separator: "\n").first { $0.hasSuffix(" T inner") })
            let answer = try cairn("info", "line", "*0x" + address.prefix(16), "-o", folder + "/store/" + kept)
            #expect(answer.output.hasPrefix("Line 1 of \""), "\(answer.output)\(answer.errors)")
        }
    }

    @Test func `what has no identity, is no image or is not there is told if it was named`() throws {
        try withTemporaryFolder { folder in
            try Toolchain.run("llvm-objcopy", ["--remove-section=.note.gnu.build-id", elf, folder + "/bare"]).requireSuccess()
            let bare = try cairn("symbols", "add", folder + "/bare", "--to", folder + "/store")
            #expect(bare.status == 1)
            #expect(
                bare.errors
                    == "cairn: error: \(folder)/bare: no build ID or UUID in it, so that no log can be matched with it. Link with --build-id\n"
            )
            try writeFile(folder + "/text", Array("hello".utf8))
            #expect(try cairn("symbols", "add", folder + "/text", "--to", folder + "/store").status == 1)
            #expect(try cairn("symbols", "add", folder + "/nothing", "--to", folder + "/store").status == 1)
            // In a folder they are left out.
            let tree = try cairn("symbols", "add", folder, "--to", folder + "/store")
            #expect(tree.status == 0 && tree.lines == ["0 added, 0 already there, 1 without a build ID or UUID skipped"])
            #expect(try cairn("symbols", "add", elf).status == 64)
        }
    }

    @Test func `a list tells identity, architecture, kind, size and path`() throws {
        try withTemporaryFolder { folder in
            #expect(
                try cairn("symbols", "add", elf, TestPaths.fixture("binaries/CrashExample/out/CrashExample"), "--to", folder).status == 0)
            let id = try buildID(elf)
            let size = try readFile(elf).count
            let path = "\(folder)/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
            let rows = try cairn("symbols", "list", folder).lines
            #expect(rows.contains("\(id)\tx86_64\tdebug\t\(size)\tSwiftCrash\t\(path)"))
            // A universal file is listed once at each of its two places, with the UUID of that
            // place.
            let universal = rows.filter { $0.contains("\tsymbols\t") }.map { $0.split(separator: "\t") }
            #expect(universal.count == 2)
            for row in universal {
                let identifier = row[0].replacing("-", with: "")
                #expect(row[4] == "CrashExample" && row[5].dropFirst(folder.count).filter { $0 != "/" } == identifier + ".app")
            }
            // And is there once.
            let paths = universal.map { String($0[5]) }
            #expect(
                try run("stat", ["-c", "%i"] + paths).lines.count == 2 && Set(try run("stat", ["-c", "%i"] + paths).lines).count == 1)
            struct Row: Decodable {
                var id: String
                var architecture: String
                var kind: String
                var size: Int
                var name: String
                var path: String
            }
            let json = try cairn("symbols", "list", folder, "--format", "json").lines.map {
                try JSONDecoder().decode(Row.self, from: Data($0.utf8))
            }
            #expect(json.contains { $0.id == id && $0.kind == "debug" && $0.size == size && $0.name == "SwiftCrash" && $0.path == path })
            #expect(try cairn("symbols", "list", folder + "/nothing").status == 1)
        }
    }

    @Test func `files are found by a part of their identifier, and by the images of a log`() throws {
        try withTemporaryFolder { folder in
            let bundle = TestPaths.fixture("binaries/CrashExample/out/CrashExample.dSYM")
            #expect(try cairn("symbols", "add", bundle, elf, "--to", folder).status == 0)
            // The UUID of `Fixtures/binaries/INDEX.tsv`, in both spellings, and its beginning.
            for word in ["4C4C44FC-5555-3144-A11B-E947A8E8E6FE", "4c4c44fc55553144a11be947a8e8e6fe", "4c4c44f"] {
                let found = try cairn("symbols", "find", word, "--in", folder)
                #expect(found.status == 0 && found.lines.count == 1, "\(word): \(found.errors)")
                #expect(found.output.hasPrefix("4C4C44FC-5555-3144-A11B-E947A8E8E6FE\tarm64\tdebug\t"))
            }
            let id = try buildID(elf)
            let byVariable = try cairn("symbols", "find", String(id.prefix(8)), environment: ["CAIRN_SYMBOLS": folder])
            #expect(byVariable.output.hasPrefix(id + "\t"))
            let none = try cairn("symbols", "find", "00112233", "--in", folder)
            #expect(none.status == 3 && none.output.isEmpty && none.errors.hasPrefix("cairn: warning: 00112233: no file of that"))
            for word in ["abc", "no-such.log"] { #expect(try cairn("symbols", "find", word, "--in", folder).status == 1) }
            #expect(try cairn("symbols", "find", "4c4c").status == 64)
            // The log's own images: of the program there is a file, of the system's libraries there
            // are none.
            let log = "logs/apple-ips/CrashExample-exception/exception.ips"
            let images = try cairn("symbols", "find", log, "--in", folder)
            #expect(images.status == 3 && images.lines.count == 1 && images.lines[0].contains("\tCrashExample\t"))
            let missing = images.errors.split(separator: "\n")
            #expect(missing.contains("cairn: warning: \(log): no file for AppKit (CC35859E-847F-54E3-BB95-422DBEE62EDB)"), "\(missing)")
            #expect(!images.errors.contains("no file for CrashExample"))
        }
    }

    @Test func `a check says what a file is good for`() throws {
        try withTemporaryFolder { folder in
            let id = try buildID(elf)
            let script = "llvm-objcopy --strip-debug $0 names && llvm-objcopy --remove-section=.note.gnu.build-id $0 bare"
            try run("sh", ["-c", script, elf], directory: folder).requireSuccess()
            let good = try cairn("symbols", "check", elf)
            #expect(good.status == 0 && good.output == "\(elf) (x86_64): build ID \(id): functions, files and lines\n")
            let names = try cairn("symbols", "check", folder + "/names")
            #expect(names.status == 0 && names.output.hasPrefix("\(folder)/names (x86_64): build ID \(id): "))
            #expect(names.output.contains(" functions, no lines. Pass the unstripped file, or build with -g\n"))
            let bare = try cairn("symbols", "check", elf, folder + "/bare")
            #expect(bare.status == 1 && bare.lines.last == "\(folder)/bare (x86_64): not usable: no build ID or UUID. Link with --build-id")
            #expect(try cairn("symbols", "check", "README.md").status == 1)
        }
    }

    @Test func `what was added long ago is pruned, and nothing else`() throws {
        try withTemporaryFolder { folder in
            let store = folder + "/store"
            let bundle = TestPaths.fixture("binaries/CrashExample/out/CrashExample.dSYM")
            #expect(try cairn("symbols", "add", elf, bundle, "--to", store).status == 0)
            let all = try names(in: store)
            let old = try #require(all.first { $0.hasPrefix(".build-id/") })
            try #require(
                try run(
                    "sh", ["-c", "touch -d '400 days ago' \(old) && mkdir mine && echo x > mine/old && touch -d '400 days ago' mine/old"],
                    directory: store
                )
                .status == 0)
            let size = try readFile(store + "/" + old).count
            let dry = try cairn("symbols", "prune", store, "--days", "399", "--dry-run")
            #expect(dry.status == 0 && dry.lines == ["would remove \(store)/\(old)", "1 file, \(size) bytes"])
            #expect(try cairn("symbols", "prune", store, "--days", "401").lines == ["0 files, 0 bytes"])
            #expect(try names(in: store) == (all + ["mine/old"]).sorted())
            let pruned = try cairn("symbols", "prune", store, "--days", "399")
            #expect(pruned.status == 0 && pruned.lines == ["removed \(store)/\(old)", "1 file, \(size) bytes"])
            #expect(try names(in: store) == (all.filter { $0 != old } + ["mine/old"]).sorted())
            // Its name goes with it, and those of the others stay.
            let id = old.replacing(".build-id/", with: "").replacing("/", with: "").replacing(".debug", with: "")
            let left = try run("ls", [store + "/names"]).lines
            #expect(left.count == 2 && !left.contains(id + ".txt"), "\(left)")
            #expect(try cairn("symbols", "prune", folder + "/nothing", "--days", "1").status == 1)
            #expect(try cairn("symbols", "prune", store).status == 64)
        }
    }
}
