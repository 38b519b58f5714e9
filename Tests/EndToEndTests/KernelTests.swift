import Foundation
import TestSupport
import Testing

/// Kernels' logs against what other tools say about their places: GNU addr2line about a module, section by section; llvm-symbolizer about a vmlinux. (`expected-*.tsv`, written by
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

    private func frames(_ log: String, _ symbols: String...) throws -> [Report.Frame] {
        let result = try cairn(
            ["symbolicate", "logs/kernel-oops/\(log)", "--format", "json", "--quiet"] + symbols.flatMap { ["--symbols", $0] })
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        let reports = try lines.map { try JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
        return reports.flatMap { ($0.threads ?? []) + ($0.additionalBacktraces ?? []) }.flatMap(\.frames)
    }

    /// Every frame whose place is in the table says what the table says; every place of the table is asked.
    private func compare(_ frames: [Report.Frame], with expected: String, unanswered: [String: String] = [:]) throws -> Int {
        var seen: Set<String> = []
        let rows = Dictionary(try table(TestPaths.fixture("logs/kernel-oops/\(expected)")).map { ($0["place"] ?? "", $0) }) { first, _ in
            first
        }
        for frame in frames {
            guard let name = frame.place?.symbol, let offset = frame.place?.offset, let size = frame.place?.size else { continue }
            let place = "\(name)+0x\(String(offset, radix: 16))/0x\(String(size, radix: 16))"
            guard let row = rows[place] else { continue }
            seen.insert(place)
            #expect(frame.kind == (row["lookup"] == "pc" ? "programCounter" : "returnAddress"), "\(place)")
            if let reason = unanswered[place] {
                #expect(frame.functions == nil && frame.reason?.contains(reason) == true, "\(place): \(frame)")
                continue
            }
            let wanted = (row["functions"] ?? "").split(separator: "|").map { $0.split(separator: " ").map(String.init) }
            let found = frame.functions ?? []
            #expect(!wanted.isEmpty && found.count == wanted.count, "\(place): \(found)")
            for (function, words) in zip(found, wanted) {
                // Of a clone (`.constprop.0`) the symbol's name is ours, the source's name is theirs.
                #expect(function.name == words[0] || function.name.hasPrefix(words[0] + "."), "\(place)")
                let line = "\(function.file ?? ""):\(function.line ?? 0)"
                #expect(line == words[1] || line.hasSuffix("/" + words[1]), "\(place): \(line)")
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
        let places = try compare(
            frames, with: "Kernel/expected-vmlinux.tsv", unanswered: ["check+0x9/0x10": "2 functions are called check"])
        #expect(places == 6)
    }

    /// The kernel of the real log: 633 MB that are not kept here.
    @Test(
        .enabled(
            if: TestPaths.environment("CAIRN_VMLINUX") != nil, "CAIRN_VMLINUX, the vmlinux of linux-image-6.1.0-56-amd64-dbg, is not told"))
    func `a real kernel's frames are what llvm-symbolizer says`() throws {
        let frames = try frames("KernelModule/console.log", TestPaths.environment("CAIRN_VMLINUX") ?? "")
        #expect(try compare(frames, with: "KernelModule/expected-vmlinux.tsv") > 40)
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
}
