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
///
/// A line `language NAME…` limits the lines below it to functions of these languages, and a line
/// `format NAME…` to logs of these formats (an asterisk matches any text); `any` ends either:
///
///     language rust
///     library core::*          C++'s `core::Buffer` is the user's own
///     language any
///
/// The same words mean other things in other languages: `io.` begins Go's library and Java's
/// packages, `errors.py` is Python's file, and `CFrame::paint` is not Apple's.
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

    /// One line: a pattern, and which functions it is compared with.
    struct Entry: Sendable {
        var kind: Kind
        var pattern: FramePattern
        /// `nil` for every language.
        var languages: Set<NameLanguage>?
        /// `nil` for every format.
        var formats: [FramePattern]?

        /// - Parameters:
        ///   - language: `nil` if nothing shows it.
        ///   - format: the log's format; empty if it is not known.
        func applies(to language: NameLanguage?, format: [UInt8]) -> Bool {
            if let languages, let language, !languages.contains(language) { return false }
            guard let formats, !format.isEmpty else { return true }
            return formats.contains { $0.matches(function: format, module: []) }
        }
    }

    /// Name of the list. A user's list replaces the list of the same name.
    package var name: String
    /// As it was given.
    package let text: String
    /// Entries of the lines that could be read.
    let entries: [Entry]
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
        var entries: [Entry] = []
        var languages: Set<NameLanguage>?
        var formats: [FramePattern]?
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
            let names = tokens[keyword.endIndex...].split(whereSeparator: Self.isBlank)
            if keyword.elementsEqual("language".utf8) {
                let named = names.map { name in NameLanguage.allCases.first { $0.rawValue.utf8.elementsEqual(name) } }
                languages = names.isEmpty || Self.isAny(names) ? nil : Set(named.compactMap(\.self))
                if named.contains(nil), !Self.isAny(names) {
                    let known = NameLanguage.allCases.map(\.rawValue).joined(separator: ", ")
                    problems.append(Problem(line: number, reason: "not a language; expected any, or of \(known)"))
                }
                continue
            }
            if keyword.elementsEqual("format".utf8) {
                formats = names.isEmpty || Self.isAny(names) ? nil : names.map { FramePattern($0) }
                continue
            }
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
            entries.append(Entry(kind: kind, pattern: FramePattern(pattern), languages: languages, formats: formats))
        }
        self.entries = entries
        self.problems = problems
    }

    private static func isAny(_ names: [ArraySlice<UInt8>]) -> Bool { names.count == 1 && names[0].elementsEqual("any".utf8) }

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
