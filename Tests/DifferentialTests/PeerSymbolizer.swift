import TestSupport

/// The Swift toolchain's llvm-symbolizer, the peer whose results cairn's are compared with.
struct PeerSymbolizer {
    let path: String
    /// The toolchain's llvm-nm, which lists the functions to look up.
    let nm: String
    /// Resolves the addresses of all objects.
    private let program: StartedProgram
    /// The addresses of functions by the file's path, of files that were listed together.
    private var listed: [String: [UInt64]] = [:]

    /// A function of a result, as both sides say it.
    struct Frame: Hashable, CustomStringConvertible {
        var function: String
        var file: String
        var line: Int
        var column: Int

        /// Frame that llvm-symbolizer prints for an unknown address.
        static let unknown = Frame(function: "??", file: "??", line: 0, column: 0)

        var description: String { "\(function) \(file):\(line):\(column)" }
    }

    /// Looks beside the real path of `swift`.
    /// - Throws: `PeerError` if it is not there, or of another version than 21: a plain
    ///   `llvm-symbolizer` may be any.
    init() throws {
        guard let path = Toolchain.path("llvm-symbolizer"), let nm = Toolchain.path("llvm-nm") else {
            throw PeerError(description: "llvm-symbolizer and llvm-nm are not beside swift")
        }
        (self.path, self.nm) = (path, nm)
        program = try StartedProgram([path, "--no-demangle", "--inlines"])
        let version = try run(path, ["--version"]).output
        guard version.contains("LLVM version 21.") else {
            throw PeerError(description: "the toolchain's llvm-symbolizer is not version 21: \(version)")
        }
    }

    /// The peer's frames at each address, innermost first.
    /// - Parameter object: a path, followed by `:arch` for a slice.
    func frames(of object: String, at addresses: [UInt64]) throws -> [[Frame]] {
        var results: [[Frame]] = []
        // Few enough at a time that a pipe holds them, and their results.
        for start in stride(from: 0, to: addresses.count, by: 64) {
            let part = addresses[start...].prefix(64)
            program.send(part.map { "\"\(object)\" 0x" + String($0, radix: 16) }.joined(separator: "\n"))
            for address in part {
                var frames: [Frame] = []
                while let function = program.line(), !function.isEmpty {
                    frames.append(Frame(function: function, location: program.line() ?? ""))
                }
                guard !frames.isEmpty else { throw PeerError(description: "\(object): no result for 0x\(String(address, radix: 16))") }
                results.append(frames)
            }
        }
        return results
    }

    /// The addresses of the functions in the object's symbol table.
    func functionStarts(of path: String, architecture: String?) throws -> [UInt64] {
        if architecture == nil, let known = listed[path] { return known }
        let arguments = ["--defined-only", "--no-sort"] + (architecture.map { ["--arch=" + $0] } ?? [])
        return try run(nm, arguments + [path]).lines.compactMap { Self.functionStart($0[...]) }
    }

    /// Lists the functions of many files at once: `FILE: ADDRESS KIND NAME`.
    mutating func listFunctions(of paths: [String]) throws {
        for path in paths { listed[path] = [] }
        for line in try run(nm, ["--defined-only", "--no-sort", "--print-file-name"] + paths).lines {
            guard let end = line.firstRange(of: ": "), let start = Self.functionStart(line[end.upperBound...]) else { continue }
            listed[String(line[..<end.lowerBound]), default: []].append(start)
        }
    }

    private static func functionStart(_ row: Substring) -> UInt64? {
        let columns = row.split(separator: " ")
        guard columns.count >= 3, columns[1].count == 1, ["t", "T", "w", "W", "i", "V"].contains(columns[1]) else { return nil }
        return UInt64(columns[0], radix: 16)
    }
}

extension PeerSymbolizer.Frame {
    /// From a `file:line:column` line.
    init(function: String, location: String) {
        let parts = location.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
            self.init(function: function, file: location, line: 0, column: 0)
            return
        }
        self.init(function: function, file: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }
}

/// The peer is not there, or its output was not as expected.
struct PeerError: Error, CustomStringConvertible {
    var description: String
}
