import TestSupport
import Testing

/// Runs that would look like success: symbol files that no frame used, and names without lines.
struct SymbolFileUsageTests {
    /// A program, its copies without debug information and without symbols, and a log with one row
    /// in `main` and one in a file that nobody has.
    private func withProgram(_ body: (_ folder: String, _ log: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let script = """
                mkdir full names other && printf 'int main(int c, char **v) {\\n  return c * 3;\\n}\\n' > a.c &&
                clang -g -O0 -Wl,--build-id -o full/harbour a.c && llvm-objcopy --strip-debug full/harbour names/harbour &&
                printf 'int main(void) { return 9; }\\n' > b.c && clang -g -O0 -Wl,--build-id -o other/tide b.c
                """
            try Toolchain.shell(script, directory: folder).requireSuccess()
            let row = try #require(
                try run("nm", [folder + "/full/harbour"]).lines.first { $0.hasSuffix(" T main") }?.prefix(16))
            let address = try #require(UInt64(row, radix: 16))
            // The position-independent program was loaded at 0x555555554000.
            let text = """
                ==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x000000000000 bp 0x0 sp 0x0 T0)
                    #0 0x\(String(0x5555_5555_4000 + address, radix: 16))  (/opt/nowhere/harbour+0x\(String(address, radix: 16)))
                    #1 0x7ffffffde010  ([stack]+0x10)

                """
            try writeFile(folder + "/asan.log", Array(text.utf8))
            try body(folder, folder + "/asan.log")
        }
    }

    @Test func `a symbol file that no frame used is said, with its build ID`() throws {
        try withProgram { folder, log in
            let tide = folder + "/other/tide"
            let note = try #require(try run("readelf", ["-n", tide]).lines.first { $0.contains("Build ID: ") })
            let id = try #require(note.split(separator: " ").last)
            let line = "cairn: warning: \(tide): not needed: no frame is in an image with build ID \(id)"
            #expect(try cairn(log, "-s", tide).errors.split(separator: "\n").contains { $0 == line })
            #expect(try cairn(log, "-s", tide, "-q").errors.isEmpty)
            let used = try cairn(log, "-s", folder + "/full/harbour").errors
            #expect(!used.contains("not needed: "), "\(used)")
            // A directory that is needed for nothing is not: a store is given for every log.
            let unneeded = try cairn(log, "-s", folder + "/full", "-s", folder + "/other").errors
            #expect(!unneeded.contains("matches an image"), "\(unneeded)")
            let needed = try cairn(log, "-s", folder + "/other").errors
            #expect(needed.contains("cairn: warning: \(folder)/other: no file in it matches an image of the log\n"), "\(needed)")
        }
    }

    /// Addresses without modules do not say where a position-independent program was loaded, and lead to no file of a folder.
    @Test func `a log without modules says how the program is named`() throws {
        try withProgram { folder, _ in
            let log = folder + "/rows.txt"
            try writeFile(log, Array("0x401200\n0x40125c\n0x40108e\n".utf8))
            let file = try cairn(log, "-s", folder + "/other/tide").errors
            #expect(file.contains("cairn: warning: \(folder)/other/tide: not used: the log's addresses have no modules"), "\(file)")
            #expect(file.contains("If it was loaded at BASE: --image =\(folder)/other/tide@BASE\n"), "\(file)")
            let directory = try cairn(log, "-s", folder + "/other").errors
            #expect(
                directory.contains("other: a log without modules needs the program itself: --symbols \(folder)/other/PROGRAM\n"),
                "\(directory)")
        }
    }

    @Test func `a batch of logs says which file none of them used`() throws {
        try withProgram { folder, log in
            let tide = folder + "/other/tide"
            let options = [log, "--store", folder + "/s", "-s", tide, "-s", folder + "/full"]
            let first = try cairn(["batch"] + options)
            let lines = first.errors.split(separator: "\n")
            #expect(
                lines.count { $0.hasPrefix("cairn: warning: \(tide): not needed: no frame is in an image with build ID ") } == 1,
                "\(first.errors)")
            #expect(!first.errors.contains("/full"))
            // A run that has nothing to look up has nothing to say of it.
            #expect(!(try cairn(["batch"] + options).errors.contains("not needed: ")))
        }
    }

    @Test func `a run says the same, once`() throws {
        try withProgram { folder, log in
            let tide = folder + "/other/tide"
            let run = try cairn("ci", "--no-debugger", "-s", tide, "-s", folder + "/names/harbour", "--", "cat", log, log)
            let lines = run.errors.split(separator: "\n")
            #expect(
                lines.count { $0.hasPrefix("cairn: warning: \(tide): not needed: no frame is in an image with build ID ") } == 1,
                "\(run.errors)")
            #expect(
                lines.count { $0.hasPrefix("cairn: warning: ci: 1 frame has no line: \(folder)/names/harbour has no debug") } == 1,
                "\(run.errors)")
        }
    }

    @Test func `names without lines are said, with the file`() throws {
        try withProgram { folder, log in
            let stripped = try cairn(log, "-s", folder + "/names")
            #expect(stripped.output.contains(" in main ") && stripped.status == 0)
            let line =
                "cairn: warning: \(log): 1 frame has no line: \(folder)/names/harbour has no debug information. Use the unstripped file, or build with -g"
            #expect(stripped.errors.split(separator: "\n").contains { $0 == line }, "\(stripped.errors)")
            #expect(!(try cairn(log, "-s", folder + "/full").errors.contains("no line")))
            let explained = try cairn("explain", log, "-s", folder + "/names")
            #expect(explained.lines.first == "\(log) (sanitizer-asan): no symbols are missing, 1 without a line")
            #expect(explained.output.contains("              cairn -s \(folder)/names -s PATH \(log)\n"))
        }
    }

    @Test func `a strict run can want lines`() throws {
        try withProgram { folder, log in
            for (symbols, option, status) in [
                ("names", "--strict", Int32(0)), ("names", "--strict=lines", 3), ("full", "--strict", 0), ("full", "--strict=lines", 0),
                ("other", "--strict", 3), ("other", "--strict=lines", 3),
            ] { #expect(try cairn(log, "-s", folder + "/" + symbols, option, "-q").status == status, "\(symbols) \(option)") }
            let wrong = try cairn(log, "--strict=names")
            #expect(wrong.status == 64 && wrong.errors.split(separator: "\n").count == 1)
        }
    }

    /// proc(5): `[stack]` is memory, and no file.
    @Test func `memory without a file lacks no symbols`() throws {
        try withProgram { folder, log in
            let explained = try cairn("explain", log, "-s", folder + "/full")
            #expect(explained.status == 0)
            #expect(explained.lines.first == "\(log) (sanitizer-asan): no symbols are missing", "\(explained.output)")
            #expect(explained.lines.contains("[stack]: 1 frame, not a file-backed image"))
            #expect(!explained.output.contains("to do"))
            let missing = try cairn("explain", log, "-s", folder + "/other")
            #expect(missing.status == 3 && missing.lines.first == "\(log) (sanitizer-asan): 1 of 2 frames unresolved")
        }
    }

    @Test func `explain has one cure for an image, as a command with the user's own options`() throws {
        try withProgram { folder, log in
            let options = ["-s", folder + "/other", "--no-local"]
            let short = try cairn(["explain", log] + options)
            let row = try #require(short.lines.firstIndex { $0.hasPrefix("  to do ") })
            #expect(short.lines.filter { $0.hasPrefix("  to do ") }.count == 1)
            #expect(short.lines[row + 1] == "              cairn -s \(folder)/other --no-local -s PATH \(log)")
            #expect(!short.output.contains("searched  "))
            #expect(short.lines.last == "Everything that was searched: cairn explain --verbose -s \(folder)/other --no-local \(log)")
            // The command that it prints does that.
            let command = try #require(short.lines.last?.split(separator: ": ").last?.dropFirst("cairn ".count))
            let long = try cairn(command.split(separator: " ").map(String.init))
            #expect(long.output.contains("  searched    ") && long.output.contains("any file below \(folder)/other"))
            #expect(!long.output.contains("cairn explain --verbose"))
            // And the cure cures: the words in capitals are the user's.
            let cure = short.lines[row + 1].split(separator: " ").dropFirst().map { $0 == "PATH" ? folder + "/full" : String($0) }
            #expect(try cairn(cure).output.contains(" in main "))
        }
    }

    /// Rust prints this with `RUST_BACKTRACE=1` of a program that has names and no debug information.
    @Test func `a backtrace of Rust without addresses is told how to get lines`() throws {
        try withProgram { folder, _ in
            let backtrace = """
                thread 'main' (7600) panicked at src/stock.rs:12:15:
                called `Option::unwrap()` on a `None` value
                stack backtrace:
                   0: core::panicking::panic_fmt
                   1: shop::stock::one
                   2: shop::main
                note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

                """
            try writeFile(folder + "/rust.log", Array(backtrace.utf8))
            let errors = try cairn(folder + "/rust.log", "-s", folder + "/full").errors
            #expect(errors.contains("For its lines, run the program with RUST_BACKTRACE=full\n"))
            try writeFile(
                folder + "/lines.log", Array(backtrace.replacing("one\n", with: "one\n             at ./src/stock.rs:12:15\n").utf8))
            #expect(try cairn(folder + "/lines.log", "-s", folder + "/full").errors.isEmpty)
        }
    }

    /// A map of perf belongs to the process in its name.
    @Test func `the code of another process is not used`() throws {
        try withProgram { folder, log in
            let map = folder + "/perf-7.map"
            try writeFile(map, Array("7ffffffde000 100 compiled\n".utf8))
            let other = try cairn(log, "-s", map)
            #expect(!other.output.contains("compiled"))
            #expect(other.errors.contains("\(map): not used: it is the code of process 7, and no frame is in it\n"))
            try run("mv", [map, folder + "/perf-1.map"]).requireSuccess()
            let own = try cairn(log, "-s", folder + "/perf-1.map")
            #expect(own.output.contains("compiled"))
        }
    }
}
