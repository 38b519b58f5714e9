internal import BinaryPrimitives

/// Functions of one language or runtime that say nothing about a bug, or less than others.
///
/// A text of lines, each `KIND PATTERN`. Empty lines, and lines that begin with `#`, are ignored:
///
///     # where a panic begins
///     sentinel core::panicking::*
///     irrelevant libc.so*!__libc_start_*
///     prefix *assert*
///     library std::*
///
/// Patterns (`FramePattern`) are compared with normalised names, and every line that matches
/// counts.
package struct FrameList: Sendable {
    /// Role of a function in a signature.
    package enum Kind: String, Sendable, CaseIterable {
        /// This function, and those that it called, ran after the crash or while it was raised. The
        /// stack begins after it. Examples: a signal's trampoline, `rust_begin_unwind`.
        case sentinel
        /// Left out wherever it occurs: `abort`, `start_thread`, an allocator's functions.
        case irrelevant
        /// Kept, and not enough to identify a bug: its caller is given, too. A helper that many
        /// bugs end in.
        case prefix
        /// Kept, and never the user's own code: a language's own library, also where it was
        /// compiled into the user's program.
        case library
    }

    /// A line that could not be read.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// Counted from 1.
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// Name of the list. A user's list replaces the list of the same name.
    package var name: String
    /// As it was given.
    package let text: String
    /// Entries of the lines that could be read.
    let entries: [(kind: Kind, pattern: FramePattern)]
    /// Problems of the other lines.
    package let problems: [Problem]

    private static let kinds = Kind.allCases

    /// Maximum number of lines.
    package static let maxLines = 65_536
    /// Maximum number of bytes of one line.
    package static let maxLineBytes = 1024

    package init(name: String, text: Span<UInt8>) { self.init(name: name, bytes: text.copied()) }

    private init(name: String, bytes: [UInt8]) {
        self.name = name
        text = String(decoding: bytes, as: UTF8.self)
        var entries: [(kind: Kind, pattern: FramePattern)] = []
        var problems: [Problem] = []
        var rest = bytes[...]
        var number = 0
        while !rest.isEmpty {
            let line = rest[..<(rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex)]
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            guard number <= Self.maxLines else {
                problems.append(
                    Problem(line: number, reason: "the list has more than \(Self.maxLines) lines; this and the rest is not read"))
                break
            }
            let tokens = Self.trimmed(line)
            guard let first = tokens.first, first != UInt8(ascii: "#") else { continue }
            guard tokens.count <= Self.maxLineBytes else {
                problems.append(Problem(line: number, reason: "longer than \(Self.maxLineBytes) bytes"))
                continue
            }
            let keyword = tokens.prefix { !Self.isBlank($0) }
            guard let kind = Self.kinds.first(where: { $0.rawValue.utf8.elementsEqual(keyword) }) else {
                let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                let found = String(decoding: keyword, as: UTF8.self)
                problems.append(Problem(line: number, reason: "“\(found)” is not a kind; expected one of \(kinds)"))
                continue
            }
            let pattern = Self.trimmed(tokens[keyword.endIndex...])
            guard !pattern.allSatisfy({ $0 == UInt8(ascii: "*") }) else {
                let reason = pattern.isEmpty ? "no pattern follows “\(kind.rawValue)”" : "the pattern matches every function"
                problems.append(Problem(line: number, reason: reason))
                continue
            }
            entries.append((kind, FramePattern(pattern)))
        }
        self.entries = entries
        self.problems = problems
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    init(name: String, _ text: StaticString) {
        self.init(name: name, bytes: text.withUTF8Buffer { unsafe Array($0) })
    }
}
