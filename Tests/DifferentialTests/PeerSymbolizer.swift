import TestSupport

/// The Swift toolchain's llvm-symbolizer, the peer whose results cairn's are compared with.
struct PeerSymbolizer {
    let path: String
    /// The toolchain's llvm-nm, which lists the functions to look up.
    let nm: String

    /// A function of a result, as both sides say it.
    struct Frame: Hashable, CustomStringConvertible {
        var function: String
        var file: String
        var line: Int
        var column: Int

        /// What llvm-symbolizer prints for what it does not know.
        static let unknown = Frame(function: "??", file: "??", line: 0, column: 0)

        var description: String { "\(function) \(file):\(line):\(column)" }
    }

    /// Looks beside the real path of `swift`.
    /// - Throws: `PeerError` if it is not there, or of another version than 21: a plain
    ///   `llvm-symbolizer` may be any.
    init() throws {
        let swift = try run("sh", ["-c", "readlink -f \"$(command -v swift)\""]).lines.first ?? ""
        let folder = swift.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        path = folder + "/llvm-symbolizer"
        nm = folder + "/llvm-nm"
        let version = try run(path, ["--version"]).output
        guard version.contains("LLVM version 21.") else {
            throw PeerError(description: "the toolchain's llvm-symbolizer is not version 21: \(version)")
        }
    }

    /// The peer's frames at each address, innermost first.
    /// - Parameter object: a path, followed by `:arch` for a slice.
    func frames(of object: String, at addresses: [UInt64]) throws -> [[Frame]] {
        let input = addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined()
        let result = try run(path, ["--no-demangle", "--inlines", "--obj=" + object], input: Array(input.utf8))
        var answers: [[Frame]] = []
        var current: [Frame] = []
        var function: String?
        for line in result.lines {
            if line.isEmpty {
                answers.append(current)
                current = []
            } else if let name = function {
                current.append(Frame(function: name, place: line))
                function = nil
            } else {
                function = line
            }
        }
        if !current.isEmpty { answers.append(current) }
        guard answers.count == addresses.count else {
            throw PeerError(description: "\(object): \(answers.count) answers for \(addresses.count) addresses; \(result.errors)")
        }
        return answers
    }

    /// The addresses of the functions in the object's symbol table.
    func functionStarts(of path: String, architecture: String?) throws -> [UInt64] {
        let arguments = ["--defined-only", "--no-sort"] + (architecture.map { ["--arch=" + $0] } ?? [])
        let kinds: Set<Character> = ["t", "T", "w", "W", "i", "V"]
        return try run(nm, arguments + [path]).lines.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, let kind = words[1].first, words[1].count == 1, kinds.contains(kind) else { return nil }
            return UInt64(words[0], radix: 16)
        }
    }
}

extension PeerSymbolizer.Frame {
    /// From a `file:line:column` line.
    init(function: String, place: String) {
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
            self.init(function: function, file: place, line: 0, column: 0)
            return
        }
        self.init(function: function, file: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }
}

/// The peer is not there, or its output was not as expected.
struct PeerError: Error, CustomStringConvertible {
    var description: String
}
