import TestSupport
import Testing

/// llvm-dwarfdump 19, whose output `cairn dwarfdump` is compared with.
enum DwarfdumpPeer {
    static let path = "/usr/bin/llvm-dwarfdump-19"
    static let isThere = TestPaths.isReadable(path)
    static let absence: Comment = "llvm-dwarfdump-19 (package llvm-19) is not installed"

    /// In the fixtures' folder, as `cairn(_:)` runs.
    static func run(_ arguments: [String]) throws -> RunResult {
        try TestSupport.run(path, arguments, directory: TestPaths.fixture(""))
    }

    /// The fixtures with debug information, from `Fixtures/`.
    static let fixtures: [String] = {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self)
        var paths: [String] = []
        for row in text.split(separator: "\n").dropFirst() {
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count > 3, columns[3] != "none", !paths.contains("binaries/" + columns[0]) else { continue }
            paths.append("binaries/" + columns[0])
        }
        return paths
    }()

    /// Every known difference from llvm-dwarfdump 19's standard output, and why it is meant. All other output is compared byte by byte.
    enum Difference: String {
        /// LLVM prints the bytes of `DW_OP_addr` as they stand in an object file, without the relocation that belongs to them: 0 for every variable. cairn applies
        /// it, as both do for every other address.
        case relocatedOperand = "DW_OP_addr"
        /// An object file with several `.debug_info` sections (type units in section groups): LLVM counts each section's offsets from 0, so that several units have
        /// the same ones; cairn joins them as a linker does.
        case joinedSections
    }

    static func difference(_ path: String) -> Difference? {
        switch path.split(separator: "/").last.map(String.init) {
        case "CrashModule.ko", "gauge-arm64-be.o", "gauge-mips.o", "gauge-riscv32.o": .relocatedOperand
        case "shelf-types.o": .joinedSections
        default: nil
        }
    }

    /// Compares both programs' standard output.
    static func compare(_ options: [String], _ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try run(options + [path]).standardOutput
        let ours = try cairn(["dwarfdump"] + options + [path]).standardOutput
        if expected == ours { return }
        let difference = difference(path)
        if difference == .joinedSections { return }
        let (theirLines, ourLines) = (lines(expected), lines(ours))
        #expect(theirLines.count == ourLines.count, "\(path)", sourceLocation: sourceLocation)
        let differing = zip(theirLines, ourLines).filter { $0 != $1 }
        let meant = differing.filter { pair in difference.map { pair.0.contains($0.rawValue) } ?? false }
        #expect(
            differing.count == meant.count,
            "\(path): \(differing.first { pair in !meant.contains { $0 == pair } }.map { "\($0.0) | \($0.1)" } ?? "")",
            sourceLocation: sourceLocation)
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
