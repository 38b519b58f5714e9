import Synchronization
import TestSupport

/// Runs LLVM's `llvm-readobj` (version 19): the second opinion on sections and symbols.
enum Readobj {
    static let program = "/usr/bin/llvm-readobj-19"
    static var isInstalled: Bool { TestPaths.isReadable(program) }

    /// The blocks (`Section {`, `Symbol {`) of its output, each as its `Key: value` lines.
    ///
    /// A value such as `.text (12)` keeps its number. `Flags [ (0x6)` becomes `Flags` with the
    /// value `0x6`.
    static func blocks(_ kind: String, _ options: [String], _ path: String) throws -> [[String: String]] {
        var blocks: [[String: String]] = []
        var isInside = false
        for line in try lines(options, path) {
            let text = line.drop { $0 == " " }
            if text == "\(kind) {" {
                blocks.append([:])
                isInside = true
            } else if text == "}" {
                isInside = false
            } else if isInside, let colon = text.firstIndex(of: ":") {
                let key = String(text[..<colon])
                if blocks[blocks.count - 1][key] == nil {
                    blocks[blocks.count - 1][key] = String(text[text.index(after: colon)...].dropFirst())
                }
            } else if isInside, text.hasSuffix(")"), let bracket = text.firstIndex(of: "["), let parenthesis = text.lastIndex(of: "(") {
                let key = text[..<bracket].split(separator: " ").joined()
                blocks[blocks.count - 1][key] = String(text[text.index(after: parenthesis)...].dropLast())
            } else if isInside, !text.isEmpty, text.allSatisfy(\.isLetter) {
                blocks[blocks.count - 1][String(text)] = ""
            }
        }
        return blocks
    }

    /// Its output about a file. Of the fixtures and the corpus one process lists all files, each after
    /// a line with its name.
    private static func lines(_ options: [String], _ path: String) throws -> [Substring] {
        guard files.contains(path) else { return try run(program, options + [path]).output.split(separator: "\n") }
        return try listed.withLock { listed in
            if let known = listed[options] { return known[path] ?? [] }
            var all: [String: [Substring]] = [:]
            var current = ""
            for line in try run(program, options + files.sorted()).output.split(separator: "\n") {
                if line.hasPrefix("File: ") { current = String(line.dropFirst("File: ".count)) }
                all[current, default: []].append(line)
            }
            listed[options] = all
            return all[path] ?? []
        }
    }

    private static let listed = Mutex<[[String]: [String: [Substring]]]>([:])
    private static let files: Set<String> = {
        let folders = [TestPaths.fixture("binaries"), TestPaths.corpus.map { $0 + "/objects" }].compactMap { $0 }
        // Other files would end the process: ELF, Mach-O in both sizes, universal Mach-O.
        let beginnings: Set<[UInt8]> = [
            [0x7f, 0x45, 0x4c, 0x46], [0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe],
        ]
        return Set(folders.flatMap { (try? filesBelow($0)) ?? [] }.filter { beginnings.contains(Array(TestPaths.bytes(of: $0).prefix(4))) })
    }()

    /// `name (number)` without the number.
    static func name(_ value: String?) -> String {
        guard let value, let end = value.lastIndex(of: "("), value.hasSuffix(")") else { return value ?? "" }
        return String(value[..<end].dropLast())
    }

    /// The number in `name (number)`.
    static func number(_ value: String?) -> UInt64? {
        guard let value, let begin = value.lastIndex(of: "("), value.hasSuffix(")") else { return integer(value) }
        return integer(String(value[value.index(after: begin)...].dropLast()))
    }

    /// A decimal or `0x` number.
    static func integer(_ text: String?) -> UInt64? {
        guard let text else { return nil }
        return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}

/// Every regular file below a folder, in the order of their names.
func filesBelow(_ folder: String) throws -> [String] {
    try run("find", ["-L", folder, "-type", "f"]).lines.sorted()
}
