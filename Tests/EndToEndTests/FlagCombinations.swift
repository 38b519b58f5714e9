import TestSupport

/// One run of `addr2line` or `eu-addr2line`: a combination of the flags that change what is
/// printed, an object file, and the addresses that are looked up.
struct FlagCombination: Hashable {
    /// Which addresses, and whether cairn runs with `--strict-compat`.
    enum Mode: String, CaseIterable {
        /// The addresses that callers use: each function's first one and the third byte after it,
        /// unknown ones, and words.
        case usual
        case usualStrict = "usual, --strict-compat"
        /// Each function's last byte and the one after it, 40 addresses across each section and
        /// the sections' ends, too.
        case everywhereStrict = "everywhere, --strict-compat"
    }

    var tool: String
    /// Below `Fixtures/binaries`.
    var object: String
    var flags: [String]
    var mode: Mode

    var path: String { TestPaths.fixture("binaries/" + object) }

    /// Every run of a tool with an object.
    static func all(of tool: String, _ object: String) -> [Self] {
        Mode.allCases.flatMap { mode in combinations(of: tool).map { Self(tool: tool, object: object, flags: $0, mode: mode) } }
    }

    private static func combinations(of tool: String) -> [[String]] {
        let flags = ["-a", "-f", "-i", "-s", "-C", tool == "addr2line" ? "-p" : "--pretty-print"]
        var all: [[String]] = [[]]
        for flag in flags { all += all.map { $0 + [flag] } }
        return tool == "addr2line" ? all : all.flatMap { [$0, $0 + ["-S"], $0 + ["-x"]] }
    }

    /// The versions of binutils and elfutils whose output is compared.
    private static let versions = ["addr2line": "2.40", "eu-addr2line": "0.188"]

    static func hasOriginal(_ tool: String) -> Bool {
        guard let version = versions[tool], let line = try? run(tool, ["--version"]).lines.first else { return false }
        return line.hasSuffix(version)
    }

    func original(_ addresses: [String]) throws -> String {
        let environment: [String: String?] = ["LC_ALL": "C", "DEBUGINFOD_URLS": nil as String?]
        return try run(tool, flags + ["-e", path], input: Self.input(addresses), environment: environment).output
    }

    func cairn(_ addresses: [String]) throws -> String {
        let variables = mode == .usual ? [:] : ["CAIRN_STRICT_COMPAT": "1"]
        return try runTool(tool, flags + ["-e", path], input: String(decoding: Self.input(addresses), as: UTF8.self), variables: variables)
            .output
    }

    /// As `cairn`, by the built program.
    func builtCairn(_ addresses: [String]) throws -> String {
        let environment: [String: String?] = ["CAIRN_STRICT_COMPAT": mode == .usual ? nil : "1"]
        return try run(TestPaths.cairn, [tool] + flags + ["-e", path], input: Self.input(addresses), environment: environment).output
    }

    private static func input(_ addresses: [String]) -> [UInt8] { Array((addresses.joined(separator: "\n") + "\n").utf8) }
}

/// The addresses that are looked up in an object, from its symbol table and its section table as
/// LLVM's tools print them.
struct LookedUpAddresses {
    private var usual: Set<UInt64> = []
    private var everywhere: Set<UInt64> = []

    init(of path: String) throws {
        for line in try Toolchain.run("llvm-nm", ["--defined-only", "--print-size", path]).lines {
            let row: [Substring] = line.split(separator: " ")
            guard row.count == 4, ["t", "T", "W"].contains(row[2]), let start = UInt64(row[0], radix: 16),
                let size = UInt64(row[1], radix: 16)
            else { continue }
            // Start files' functions have no size: only a symbol shows them.
            if size > 7 { usual.formUnion([start, start &+ 3] as [UInt64]) }
            everywhere.formUnion([start, start &+ 3, start &+ size &- 1, start &+ size] as [UInt64])
        }
        for line in try Toolchain.run("llvm-objdump", ["-h", path]).lines {
            let row: [Substring] = line.split(separator: " ")
            guard row.count > 3, [".text", ".init", ".plt", ".data"].contains(row[1]), let size = UInt64(row[2], radix: 16),
                let start = UInt64(row[3], radix: 16)
            else { continue }
            everywhere.formUnion([start &+ size &- 1, start &+ size] as [UInt64])
            for step: UInt64 in 0..<40 { everywhere.insert(start &+ step &* size / 40) }
        }
    }

    func texts(_ mode: FlagCombination.Mode) -> [String] {
        let addresses = mode == .everywhereStrict ? everywhere : usual
        return addresses.sorted().map { "0x" + String($0, radix: 16) } + ["0", "10", "ffffffffffffffff", "0xdeadbeef", "garbage"]
    }
}
