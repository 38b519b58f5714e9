import Foundation
import TestSupport
import Testing

/// Kernels' logs against what other tools say about their places: GNU addr2line about a module,
/// section by section; llvm-symbolizer about a vmlinux. (`expected-*.tsv`, written by
/// `Fixtures/tools/kernel_places.py`, which finds the symbols with readelf.)
struct KernelTests {
    private struct Report: Decodable {
        struct Place: Decodable {
            var symbol: String?
            var offset: UInt64?
            var size: UInt64?
        }
        struct Function: Decodable {
            var name: String
            var file: String?
            var line: Int?
        }
        struct Frame: Decodable {
            var kind: String
            var place: Place?
            var functions: [Function]?
            var reason: String?
        }
        struct Stack: Decodable { var frames: [Frame] }
        var threads: [Stack]?
        var additionalBacktraces: [Stack]?
    }

    /// Names that differ for a reason: `module_init` makes a global alias of the function it is
    /// given; labels of assembly without a size are within the function that has one.
    private static let otherNames = [
        "crash_example_init": "init_module", "entry_SYSCALL_64_after_hwframe": "entry_SYSCALL_64",
        "secondary_startup_64_no_verify": "secondary_startup_64",
    ]

    private func frames(_ log: String, _ symbols: String...) throws -> [Report.Frame] {
        let result = try cairn(
            ["symbolicate", "logs/kernel-oops/\(log)", "--format", "json", "--quiet"] + symbols.flatMap { ["--symbols", $0] })
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        let reports = try lines.map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
        return reports.flatMap { ($0.threads ?? []) + ($0.additionalBacktraces ?? []) }.flatMap(\.frames)
    }

    /// Every frame whose place is in the table says what the table says; every place of the table
    /// is looked up.
    private func compare(_ frames: [Report.Frame], with expected: String, unanswered: [String: String] = [:]) throws -> Int {
        var seen: Set<String> = []
        let rows = Dictionary(try table(TestPaths.fixture("logs/kernel-oops/\(expected)")).map { ($0["place"] ?? "", $0) }) { first, _ in
            first
        }
        for frame in frames {
            guard let name = frame.place?.symbol, let offset = frame.place?.offset, let size = frame.place?.size else { continue }
            let location = "\(name)+0x\(String(offset, radix: 16))/0x\(String(size, radix: 16))"
            guard let row = rows[location] else { continue }
            seen.insert(location)
            #expect(frame.kind == (row["lookup"] == "pc" ? "programCounter" : "returnAddress"), "\(location)")
            if let reason = unanswered[location] {
                #expect(frame.functions == nil && frame.reason?.contains(reason) == true, "\(location): \(frame)")
                continue
            }
            let wanted = (row["functions"] ?? "").split(separator: "|").map { $0.split(separator: " ").map(String.init) }
            let found = frame.functions ?? []
            #expect(!wanted.isEmpty && found.count == wanted.count, "\(location): \(found)")
            for (function, fields) in zip(found, wanted) {
                // For a clone (`.constprop.0`) cairn prints the symbol's name, and the other tool
                // the source's name.
                let other = Self.otherNames[fields[0]]
                #expect(
                    function.name == fields[0] || function.name.hasPrefix(fields[0] + ".") || function.name == other,
                    "\(location): \(function.name)")
                let line = "\(function.file ?? ""):\(function.line ?? 0)"
                #expect(line == fields[1] || line.hasSuffix("/" + fields[1]), "\(location): \(line)")
            }
        }
        #expect(seen == Set(rows.keys))
        return seen.count
    }

    @Test func `a module's frames of a real oops are what GNU addr2line says`() throws {
        let frames = try frames("KernelModule/console.log", "binaries/KernelModule/out/CrashModule.ko")
        #expect(try compare(frames, with: "KernelModule/expected-module.tsv") == 8)
    }

    @Test func `a kernel's frames are what llvm-symbolizer says, and a name of two functions is none`() throws {
        let frames = try frames("Kernel/oops.log", "binaries/Kernel/out/vmlinux")
        let count = try compare(
            frames, with: "Kernel/expected-vmlinux.tsv", unanswered: ["check+0x9/0x10": "2 functions have the name check"])
        #expect(count == 6)
    }

    /// The kernel of the real log: 633 MB that are not kept here.
    @Test(
        .enabled(
            if: TestPaths.environment("CAIRN_VMLINUX") != nil, "CAIRN_VMLINUX, the vmlinux of linux-image-6.1.0-56-amd64-dbg, is not told"))
    func `a real kernel's frames are what llvm-symbolizer says`() throws {
        let frames = try frames("KernelModule/console.log", TestPaths.environment("CAIRN_VMLINUX") ?? "")
        // The address is between two functions, and llvm-symbolizer has no more to say.
        let unanswered = ["lapic_can_unplug_cpu+0x70/0x70": "no function of the symbol table has the address"]
        #expect(try compare(frames, with: "KernelModule/expected-vmlinux.tsv", unanswered: unanswered) > 40)
    }

    @Test func `a kernel of another build is refused by its build ID, and a symbol of another size by that`() throws {
        let other = try cairn([
            "symbolicate", "logs/kernel-oops/Kernel/oops.log", "--symbols", "binaries/C/out/c-clang-dwarf4-O0", "--format", "text",
        ])
        #expect(!other.output.contains("ledger.c"))
        let changed = try cairn(
            ["symbolicate", "-", "--symbols", "binaries/KernelModule/out/CrashModule.ko", "--format", "json"],
            input: "Call Trace:\n crash_walk+0x11/0x2e [CrashModule]\n")
        #expect(changed.output.contains("the symbol file is of another build: crash_walk has 46 bytes in the log and 30 in the file"))
    }

    // MARK: BSD, Fuchsia, markup

    /// The places of `expected-vmlinux.tsv` once more, in rows without sizes: `report` and `check`
    /// are names of two functions then.
    @Test(arguments: ["openbsd.log": "bsd", "netbsd.log": "netbsd", "freebsd.log": "kernel"])
    func `a BSD's rows are answered from the file that its kernel is called`(log: String, kernel: String) throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.fixture("binaries/Kernel/out/vmlinux"), folder + "/" + kernel])
            let answered = try cairn("symbolicate", "logs/bsd-panic/Kernel/" + log, "--symbols", folder, "--quiet").output
            #expect(answered.contains("pick_next sched.c:25 [inline]\n"))
            #expect(answered.contains("run_task+0x16 sched.c:30\n") && answered.contains("start_kernel+0x6 main.c:16\n"))
            #expect(!answered.contains("report+0x8 "))
            let other = try cairn("symbolicate", "logs/bsd-panic/Kernel/" + log, "--symbols", "binaries/Kernel/out/vmlinux", "--quiet")
                .output
            #expect(!other.contains("sched.c"))
        }
    }

    /// `#1.1 0x000055e712d09b4a twice /src/markup.c:61:12 (markup+0xb4a)` of the filter's output as
    /// (number, words).
    private func filtered() -> [(frame: Int, rowText: String)] {
        let text = String(
            decoding: TestPaths.bytes(of: TestPaths.fixture("logs/symbolizer-markup/Markup/expected-filter.txt")), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let tokens = line.split(separator: " ")
            // A row that it calls `<invalid>` has a name of the symbol table and no line.
            guard tokens.count == 5, tokens[0].hasPrefix("#"), let number = Int(tokens[0].dropFirst().prefix { $0 != "." }) else {
                return nil
            }
            return (number, tokens[3].hasPrefix("<invalid>") ? "\(tokens[2])" : "\(tokens[2]) \(tokens[3])")
        }
    }

    @Test func `markup of a stripped program and library is answered as llvm-symbolizer's filter answers it`() throws {
        let answered = try cairn("symbolicate", "logs/symbolizer-markup/Markup/stdout.log", "--symbols", "binaries/Markup/out", "--quiet")
            .output
        let lines = answered.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let expected = filtered()
        #expect(expected.count == 6)
        for (frame, rowText) in expected {
            let isThere = lines.contains { line in
                line.hasSuffix(" " + rowText) && (line.hasPrefix("#\(frame).1 ") || line.hasPrefix("{{{bt:\(frame):"))
            }
            #expect(isThere, "\(frame) \(rowText)")
        }
        // An element in a sentence: the filter takes the outer function's name and the innermost
        // line, cairn both of the innermost.
        #expect(answered.contains(":ra}}} twice[/src/markup.c:61:12], which is above\n"))
    }

    @Test func `the rows of Zircon's crash service say the same`() throws {
        let answered = try cairn("symbolicate", "logs/fuchsia-crash/Markup/crash.log", "--symbols", "binaries/Markup/out", "--quiet").output
        for (_, rowText) in filtered() {
            // Without the column, which this format has no place for.
            let parts = rowText.split(separator: ":")
            #expect(answered.contains(" " + (parts.count == 3 ? parts.dropLast().joined(separator: ":") : rowText) + "\n"), "\(rowText)")
        }
        #expect(answered.contains("bt#02: [ inline ] twice /src/markup.c:61\n"))
    }
}
