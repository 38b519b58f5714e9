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

    /// Every known difference from llvm-dwarfdump 19's standard output, and why it is meant. All
    /// other output is compared byte by byte. Beside those of files:
    ///
    /// - `--lookup 0` is looked up; LLVM takes 0 for no `--lookup` and dumps everything.
    /// - An architecture that is not there is an error, also of ELF files, of which LLVM then dumps
    ///   nothing.
    /// - `--debug-rnglists` and `--debug-addr` alone: LLVM has not read the units yet, so that
    ///   `DW_RLE_base_addressx` takes an index for the base. cairn prints what both print with
    ///   `--debug-info` before.
    /// - `--lookup` does not open `.dwo` files beside a program; LLVM takes from there where a
    ///   function was declared.
    /// - Control characters in names are escaped everywhere; LLVM does it in strings, and prints
    ///   those of types and files as they are.
    /// - `-v` does not name the sections of addresses in object files.
    /// - What is damaged is reported in cairn's words on standard error, each sentence once.
    enum Difference: String {
        /// LLVM prints operands of `DW_OP_addr`, `.debug_aranges` and location lists of an object
        /// file as they are, without the relocations that belong to them: 0 for every variable.
        /// cairn applies them, as both do for other addresses.
        case relocatedOperand
        /// An object file with several debug sections of one name (type units in section groups):
        /// LLVM counts each section's offsets from 0, so that several units have the same ones;
        /// cairn joins them as a linker does.
        case joinedSections
        /// LLVM applies relocations to `.eh_frame` of object files; cairn applies those of debug
        /// sections alone, and counts the places from the section's first byte.
        case unrelocatedFrames
    }

    static func differences(_ path: String) -> Set<Difference> {
        switch path.split(separator: "/").last.map(String.init) {
        case "CrashModule.ko", "gauge-arm64-be.o", "gauge-mips.o", "gauge-riscv32.o": [.relocatedOperand]
        case "shelf-types.o", "shelf-types-dwarf4.o": [.joinedSections, .unrelocatedFrames]
        case "gauge-gcc.o": [.unrelocatedFrames]
        default: []
        }
    }

    /// Whether a line may differ for that reason.
    private static func isMeant(_ line: String, _ difference: Difference) -> Bool {
        switch difference {
        case .relocatedOperand: line.contains("DW_OP_addr") || line.contains("[0x") || line.contains("DW_LLE_") || line.contains("location")
        case .joinedSections: true
        case .unrelocatedFrames: line.contains(" FDE cie=") || line.contains("DW_CFA_advance_loc") || line.contains("CFA=")
        }
    }

    /// Compares both programs' standard output.
    static func compare(_ options: [String], _ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try run(options + [path]).standardOutput
        let ours = try cairn(["dwarfdump"] + options + [path]).standardOutput
        if expected == ours { return }
        let known = differences(path)
        if known.contains(.joinedSections) { return }
        let (theirLines, ourLines) = (lines(expected), lines(ours))
        // The module's location lists are separated by pairs of numbers that only GNU's own tools
        // read, so that both readers are lost in them.
        let isLost = path.hasSuffix("CrashModule.ko") && options.contains { $0 == "--all" || $0.hasPrefix("--debug-loc") }
        if isLost { return }
        #expect(theirLines.count == ourLines.count, "\(path)", sourceLocation: sourceLocation)
        let differing = zip(theirLines, ourLines).filter { $0 != $1 }
        let unexplained = differing.first { pair in !known.contains { isMeant(pair.0, $0) } }
        #expect(unexplained == nil, "\(path): \(unexplained.map { "\($0.0) | \($0.1)" } ?? "")", sourceLocation: sourceLocation)
    }

    /// Compares both programs' standard output of several files, which one process each dumps;
    /// files with known differences by themselves.
    static func compare(_ options: [String], all paths: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for path in paths where !differences(path).isEmpty { try compare(options, path, sourceLocation: sourceLocation) }
        let alike = paths.filter { differences($0).isEmpty }
        if alike.isEmpty { return }
        let expected = try run(options + alike)
        let ours = try cairn(["dwarfdump"] + options + alike)
        if ours.standardOutput == expected.standardOutput { return }
        // The line that names the file is before the line that differs.
        let common = zip(ours.lines, expected.lines).prefix { $0 == $1 }
        let file = common.last { $0.0.contains(":\tfile format ") }?.0 ?? ""
        #expect(
            firstDifference(ours.output, from: expected.output) == nil, "\(options) \(file) \(Repeats.hint) \(ours.errors.prefix(500))",
            sourceLocation: sourceLocation)
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
