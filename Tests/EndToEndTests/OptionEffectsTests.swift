import TestSupport
import Testing

/// Effects of each option of `symbolicate`, in one log whose results llvm-symbolizer and
/// swift-demangle give: two frames with inlined calls, and `main`.
struct OptionEffectsTests {
    private static let log = "logs/swift-backtrace/SwiftCrash-O-inlined/off.txt"
    private static let program = "binaries/SwiftCrash/out/SwiftCrash-O"

    /// The rows of `expected.tsv`, which has llvm-symbolizer's results: a frame each, innermost
    /// function first.
    private static let expected: [[[String: String]]] = {
        var frames: [[[String: String]]] = []
        for row in (try? table(TestPaths.fixture("logs/swift-backtrace/SwiftCrash-O-inlined/expected.tsv"))) ?? [] {
            if row["inline_depth"] == "0", row["frame"] != frames.last?[0]["frame"] {
                frames.append([row])
            } else {
                frames[frames.count - 1].append(row)
            }
        }
        return frames
    }()

    private func symbolicated(_ options: String..., format: String = "json") throws -> RunResult {
        try cairn([Self.log, "--symbols", Self.program, "--quiet", "--format", format] + options)
    }

    private func frames(_ result: RunResult) throws -> [JSONLog.Frame] {
        try #require(try jsonLogs(result).first?.threads.first).frames.filter { $0.address != nil }
    }

    /// The address without its prefix and the zeros that fill it.
    private func digits(_ row: [String: String]) -> Substring { row["address"]?.dropFirst(2) ?? "" }

    @Test func `no-inlines leaves one row for each frame, with the function that holds the code`() throws {
        let rows = try symbolicated("--no-inlines", format: "same").lines.filter { $0.contains(" in SwiftCrash-O at ") }
        try #require(rows.count == Self.expected.count && rows.count == 3)
        for (row, frame) in zip(rows, Self.expected) {
            let outermost = try #require(frame.last)
            #expect(row.contains("\(digits(outermost)) \(outermost["function"] ?? "") + "), "\(row)")
            #expect(row.contains(" at \(outermost["file"] ?? ""):\(outermost["line"] ?? "")"), "\(row)")
        }
    }

    /// The names of the symbol table and of the debug information.
    @Test func `no-demangle shows the names that the linker knows`() throws {
        let rows = try symbolicated("--no-demangle", format: "same").lines
        for row in Self.expected.flatMap({ $0 }) {
            let name = row["linkage_name"] ?? ""
            #expect(rows.contains { $0.contains("\(digits(row)) \(name) ") }, "\(name)")
        }
    }

    @Test(.enabled(if: Toolchain.has("swift-demangle"), "swift-demangle is not beside swift"))
    func `demangle full spells names as swift-demangle does`() throws {
        let rows = try symbolicated("--demangle", "full", format: "same").lines
        let mangled = Self.expected.flatMap { $0 }.compactMap { $0["linkage_name"] }.filter { $0.hasPrefix("$s") }
        try #require(mangled.count == 6)
        for name in mangled {
            let full = try #require(try Toolchain.run("swift-demangle", ["-compact", name]).lines.first)
            #expect(rows.contains { $0.contains(" \(full) ") }, "\(full)")
        }
    }

    /// Raw addresses, and for `always` the byte before each: as llvm-symbolizer resolves them.
    @Test(
        .enabled(if: Toolchain.has("llvm-symbolizer"), "llvm-symbolizer is not beside swift"),
        arguments: [("never", 0 as UInt64), ("always", 1)])
    func `adjust sets which byte of a frame is looked up`(setting: String, subtracted: UInt64) throws {
        // The first frame is no return address: its lookup is its raw address.
        let first = try #require(Self.expected.first?.first)
        let raw = try #require(UInt64((first["address"] ?? "").dropFirst(2), radix: 16))
        let lookup = try #require(UInt64((first["lookup"] ?? "").dropFirst(2), radix: 16))
        let frames = try frames(try symbolicated("--adjust", setting))
        try #require(frames.count == Self.expected.count)
        for frame in frames {
            let address = try #require(frame.address.flatMap { UInt64($0.dropFirst(2), radix: 16) })
            let requested = "0x" + String(address - raw + lookup - subtracted, radix: 16)
            let theirs = try Toolchain.run(
                "llvm-symbolizer", ["--no-demangle", "--obj=" + TestPaths.fixture(Self.program), requested]
            ).lines.filter { !$0.isEmpty }
            // A line with the name, and one with the file, the line and the column.
            let names = stride(from: 0, to: theirs.count, by: 2).map { theirs[$0] }
            let lines = stride(from: 1, to: theirs.count, by: 2).map { theirs[$0].split(separator: ":").dropFirst().first.map(String.init) }
            let functions = try #require(frame.functions)
            #expect(functions.map { $0.mangledName ?? $0.name } == names, "\(requested)")
            #expect(functions.map { String($0.line ?? 0) } == lines, "\(requested)")
        }
    }

    /// One log of each family of formats: its text, and the report's, have the functions and lines
    /// that llvm-symbolizer gives for its addresses.
    @Test(arguments: ["same", "text"])
    func `each output names the functions and lines`(format: String) throws {
        let logs = [
            "apple-crash/CrashExample-exception/exception.crash", "apple-ips/CrashExample-exception/exception.ips",
            "apple-leaks/CrashExample/leaks.txt", "apple-leaks/CrashExample/leaks-one-line.txt",
            "apple-leaks/CrashExample/malloc-history.txt", "apple-panic/CrashExample-kext/kernel.panic",
            "apple-sample/CrashExample/sample.txt", "apple-spindump/CrashExample-hang/hang.txt",
            "apple-spindump/CrashExample-cpu/cpu_resource.ips", "nsexception-console/CrashExample/console.log",
        ].map { "logs/" + $0 }
        for log in logs {
            let result = try cairn([log, "--symbols", "binaries", "--quiet", "--format", format])
            #expect(result.status == 0, "\(log): \(result.errors)")
            let folder = log[..<(log.lastIndex(of: "/") ?? log.endIndex)]
            for row in try table(TestPaths.fixture(folder + "/expected.tsv")) where row["function"] != "" {
                let (file, line) = ((row["file"] ?? "").split(separator: "/").last ?? "", row["line"] ?? "")
                let locations = ["\(file):\(line)", "\"sourceFile\":\"\(file)\",\"sourceLine\":\(line)"]
                #expect(result.output.contains(row["function"] ?? ""), "\(log): \(row)")
                #expect(line == "" || locations.contains(where: result.output.contains), "\(log): \(row)")
            }
        }
    }
}
