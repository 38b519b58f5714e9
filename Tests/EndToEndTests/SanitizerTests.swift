import TestSupport
import Testing

/// Reports of programs that ran with `symbolize=0`, symbolicated with separate debug files and held
/// against what the same programs printed with the runtime's symbolizer on: llvm-symbolizer for
/// clang's, libbacktrace for gcc's.
struct SanitizerTests {
    static let cases = [
        "sanitizer-asan/Sanitizers-gcc-address", "sanitizer-asan/Sanitizers-clang-address", "sanitizer-tsan/Sanitizers-gcc-thread",
        "sanitizer-tsan/Sanitizers-clang-thread", "sanitizer-ubsan/Sanitizers-gcc-undefined", "sanitizer-ubsan/Sanitizers-clang-undefined",
        "sanitizer-lsan/Sanitizers-gcc-leak", "sanitizer-lsan/Sanitizers-clang-leak", "sanitizer-msan/Sanitizers-clang-memory",
        "sanitizer-hwasan/Sanitizers-clang-hwaddress", "sanitizer-libfuzzer/Sanitizers-clang-fuzzer",
    ]
    /// The runtime is a part of the program, of which there is no debug file here.
    static let withoutMain: Set = ["clang-leak", "clang-memory", "clang-hwaddress", "clang-fuzzer"]

    private struct Log {
        /// Each stack's rows; a stack begins with `#0`.
        var stacks: [[Substring]] = []
        /// All other lines.
        var others: [Substring] = []

        init(_ text: String) {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("    #0 ") { stacks.append([]) }
                if line.hasPrefix("    #"), !stacks.isEmpty { stacks[stacks.count - 1].append(line) } else { others.append(line) }
            }
        }
    }

    private func folder(_ name: String) -> String { String(name.split(separator: "/")[1].dropFirst("Sanitizers-".count)) }

    private func answered(_ name: String) throws -> String {
        try cairn("logs/\(name)/log.txt", "--symbols", "binaries/Sanitizers/out/" + folder(name), "-q", "--format", "same", "--no-local")
            .output
    }

    @Test(arguments: cases) func `rows are the runtime's own`(name: String) throws {
        let folder = folder(name)
        let ours = Log(try answered(name))
        let theirs = Log(String(decoding: try readFile(TestPaths.fixture("logs/\(name)/symbolized.txt")), as: UTF8.self))
        #expect(ours.stacks.count == theirs.stacks.count)
        // The sources whose debug files are given.
        let sources = Self.withoutMain.contains(folder) ? ["/src/store.cpp:"] : ["/src/store.cpp:", "/src/main.cpp:"]
        var compared = 0
        for (mine, other) in zip(ours.stacks, theirs.stacks) {
            let mine = mine.filter { row in sources.contains { row.contains($0) } }
            let other = other.filter { row in sources.contains { row.contains($0) } }
            #expect(mine.count == other.count, "\(mine) | \(other)")
            for (mine, other) in zip(mine, other) {
                compared += 1
                // If frames of the runtime are resolved with inlined calls, all that follow have
                // other numbers than here.
                let (left, right) =
                    Self.withoutMain.contains(folder) ? (unnumbered(mine), unnumbered(other)) : (String(mine), String(other))
                if folder.hasPrefix("clang") { #expect(left == right) } else { #expect(isSame(left, right), "\(left) | \(right)") }
            }
        }
        #expect(compared >= (folder.contains("fuzzer") ? 1 : 2))
    }

    /// Everything but the rows is as it was, but for the summary, which is the runtime's own.
    @Test(arguments: cases) func `only rows and the summary change`(name: String) throws {
        let ours = Log(try answered(name)).others
        let before = Log(String(decoding: try readFile(TestPaths.fixture("logs/\(name)/log.txt")), as: UTF8.self)).others
        let theirs = Log(String(decoding: try readFile(TestPaths.fixture("logs/\(name)/symbolized.txt")), as: UTF8.self)).others
        #expect(ours.count == before.count)
        for (mine, old) in zip(ours, before) where mine != old {
            let summary = theirs.first { $0.hasPrefix("SUMMARY: ") }.map(String.init) ?? ""
            #expect(mine.hasPrefix("SUMMARY: ") && isSame(String(mine), summary), "\(mine) | \(summary)")
        }
        let isResolved = ours.contains { $0.hasPrefix("SUMMARY: ") && $0.contains(" in ") && $0.contains("/src/store.cpp:") }
        let names = ["address", "thread", "memory"]
        #expect(isResolved == names.contains { name.hasSuffix("-" + $0) })
    }

    @Test(arguments: cases) func `answering again changes nothing`(name: String) throws {
        let once = try answered(name)
        // Libraries of this machine may be those of the log.
        let options = ["-", "--symbols", "binaries/Sanitizers/out/" + folder(name), "-q", "--format", "same", "--no-local"]
        let again = try cairn(options, input: once).output
        #expect(again == once)
    }

    /// The runtime has subtracted already.
    @Test(arguments: cases) func `addresses are looked up as they are`(name: String) throws {
        let result = try cairn("logs/\(name)/log.txt", "--symbols", "binaries/Sanitizers/out/" + folder(name), "-q", "--format", "json")
        for log in try jsonLogs(result) {
            let frames = log.threads.flatMap(\.frames) + (log.additionalBacktraces ?? []).flatMap(\.frames)
            #expect(!frames.isEmpty && frames.allSatisfy { $0.kind == "exact" && ($0.address == nil || $0.lookupAddress == $0.address) })
            #expect(log.format == name.split(separator: "/")[0])
        }
    }

    private func unnumbered(_ row: Substring) -> String { String(row.drop { $0 == " " }.drop { $0 != " " }) }

    /// libbacktrace knows no columns, and calls what no other file can call by its bare name: `box`
    /// for `store::box(store::Box*)`.
    private func isSame(_ mine: String, _ other: String) -> Bool {
        if mine == other { return true }
        let (left, right) = (tokens(mine), tokens(other))
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { $0 == $1 || $0.hasSuffix("::" + $1) }
    }

    /// The text's words without columns and parameters.
    private func tokens(_ text: String) -> [String] {
        let plain = text.replacing(#/\([^()]*\*?\)(?= |$)/#) { $0.output.contains("+0x") ? String($0.output) : "" }
        return plain.split(separator: " ").map { word in
            String(word).replacing(#/^(/.*:\d+):\d+$/#) { String($0.output.1) }
        }
    }
}
