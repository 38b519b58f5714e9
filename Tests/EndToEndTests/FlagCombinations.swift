import TestSupport

/// A tool, an object file, and what the original printed for every combination of its flags:
/// `Goldens/flag-combinations`.
///
/// `answers.tsv` has the addresses that were looked up, all in one run, and a checksum of the
/// original's whole output for each combination. Two sets of addresses are looked up: those that
/// callers use (`inside`: each function's first address and three after it, unknown ones and
/// words), for which cairn runs as it is and with `--strict-compat`; and `everywhere`: each
/// function's last byte and the one after it, forty places across each section and the sections'
/// ends, too, for which it runs with `--strict-compat`. `agreement.tsv` has how many combinations
/// cairn prints byte for byte as the original, and where those are not all, why: the one list of
/// what differs on purpose.
struct FlagCombinations {
    enum Places: String, CaseIterable { case inside, everywhere }

    var tool: String
    /// Below `Fixtures/binaries`.
    var object: String

    var path: String { TestPaths.fixture("binaries/" + object) }

    static let folder = String(#filePath.dropLast("FlagCombinations.swift".count)) + "Goldens/flag-combinations/"

    /// Rewrites what the original prints, and how often cairn agrees; the reasons are kept.
    static let isRewriting = TestPaths.environment("CAIRN_UPDATE_GOLDENS") == "1"

    /// Every combination of the tool's flags that change what is printed.
    static func combinations(of tool: String) -> [[String]] {
        let flags = ["-a", "-f", "-i", "-s", "-C", tool == "addr2line" ? "-p" : "--pretty-print"]
        var all: [[String]] = [[]]
        for flag in flags { all += all.map { $0 + [flag] } }
        return tool == "addr2line" ? all : all.flatMap { [$0, $0 + ["-S"], $0 + ["-x"]] }
    }

    static let version = ["addr2line": "2.40", "eu-addr2line": "0.188"]

    /// Whether the original is installed in the version that the recorded output is of.
    static func hasOriginal(_ tool: String) -> Bool {
        guard let wanted = version[tool], let line = try? run(tool, ["--version"]).lines.first else { return false }
        return line.hasSuffix(wanted)
    }

    func original(_ options: [String], _ addresses: [String]) throws -> String {
        let input = Array((addresses.joined(separator: "\n") + "\n").utf8)
        let environment: [String: String?] = ["LC_ALL": "C", "DEBUGINFOD_URLS": nil as String?]
        return try run(tool, options + ["-e", path], input: input, environment: environment).output
    }

    func ours(_ options: [String], _ addresses: [String], isStrict: Bool) throws -> String {
        let input = Array((addresses.joined(separator: "\n") + "\n").utf8)
        let environment: [String: String?] = ["CAIRN_STRICT_COMPAT": isStrict ? "1" : nil]
        return try run(TestPaths.cairn, [tool] + options + ["-e", path], input: input, environment: environment).output
    }

    /// The addresses of a set, from the symbol table and the section table as LLVM's tools print
    /// them.
    func addresses(_ places: Places) throws -> [String] {
        var found: Set<UInt64> = []
        for line in try run("llvm-nm-19", ["--defined-only", "--print-size", path]).lines {
            let row: [Substring] = line.split(separator: " ")
            guard row.count == 4, ["t", "T", "W"].contains(row[2]), let start = UInt64(row[0], radix: 16),
                let size = UInt64(row[1], radix: 16)
            else { continue }
            // Start files' functions have no size: only a symbol shows them.
            if places == .everywhere || size > 7 { found.formUnion([start, start &+ 3] as [UInt64]) }
            if places == .everywhere { found.formUnion([start &+ size &- 1, start &+ size] as [UInt64]) }
        }
        for line in try run("llvm-objdump-19", ["-h", path]).lines where places == .everywhere {
            let row: [Substring] = line.split(separator: " ")
            guard row.count > 3, [".text", ".init", ".plt", ".data"].contains(row[1]), let size = UInt64(row[2], radix: 16),
                let start = UInt64(row[3], radix: 16)
            else { continue }
            found.formUnion([start &+ size &- 1, start &+ size] as [UInt64])
            for step: UInt64 in 0..<40 { found.insert(start &+ step &* size / 40) }
        }
        let typed: [String] = found.sorted().map { "0x" + String($0, radix: 16) }
        return typed + ["0", "10", "ffffffffffffffff", "0xdeadbeef", "garbage"]
    }

    /// FNV-1a of 64 bits.
    static func checksum(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

/// The recorded results and agreements, row by row: tool, object, then what is recorded.
struct FlagCombinationTable {
    let path: String
    var rows: [[String]]

    init(_ name: String) {
        path = FlagCombinations.folder + name
        rows = String(decoding: TestPaths.bytes(of: path), as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    func row(_ keys: String...) -> [String]? { rows.first { Array($0.prefix(keys.count)) == keys } }

    mutating func set(_ row: [String], keys: Int) throws {
        if let index = rows.firstIndex(where: { $0.prefix(keys) == row.prefix(keys) }) { rows[index] = row } else { rows.append(row) }
        try writeFile(path, Array((rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") + "\n").utf8))
    }
}
