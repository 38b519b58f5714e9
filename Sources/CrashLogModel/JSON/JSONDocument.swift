internal import BinaryPrimitives

/// The part of a JSON document that was read: its bytes, and its values as one list, ordered by
/// start. A value's contents follow it; an object's keys come before their values.
///
/// Hardly any of a crash log's values are used. So reading the document only records their ranges:
/// texts and numbers are made from the bytes each time they are requested.
package final class JSONDocument: Sendable {
    package enum Kind: UInt8, Sendable {
        case object, array, string
        /// A string with escapes, which were found to be right.
        case escapedString
        case number, `true`, `false`, null
        /// A bare word.
        case word
    }

    package struct Node: Sendable {
        package var kind: Kind
        /// The index after the last of its contents; if it has no contents, the next index.
        package var next: Int32
        /// Bytes of the document.
        package var start: Int
        package var end: Int
    }

    /// Those that were read, of the document from `origin` on: an object in a log is read for each
    /// of its frames.
    private let bytes: [UInt8]
    private let origin: Int
    package let nodes: [Node]

    package init(bytes: [UInt8], from origin: Int, nodes: [Node]) {
        self.bytes = bytes
        self.origin = origin
        self.nodes = nodes
    }

    /// The byte at a position in the document.
    package func byte(_ position: Int) -> UInt8 { bytes[position - origin] }

    /// A value's bytes exactly as they are in the document.
    package func text(_ node: Int) -> String {
        String(decoding: bytes[nodes[node].start - origin..<nodes[node].end - origin], as: UTF8.self)
    }

    /// Maximum length (bytes) of strings whose line breaks are blanks: a function's name may be
    /// long.
    private static let longestBroken = 1024

    /// Returns the text of a string; `nil` for another kind.
    ///
    /// A raw line break in a short string without escapes is a blank at which a mailer broke the line; in others it may have been `\n`.
    package func string(_ node: Int) -> String? {
        let value = nodes[node]
        switch value.kind {
        case .string:
            let text = bytes[value.start - origin + 1..<value.end - origin - 1]
            let isBroken = text.count <= JSONDocument.longestBroken && text.contains(UInt8(ascii: "\n"))
            return isBroken
                ? String(
                    decoding: text.filter { $0 != UInt8(ascii: "\r") }.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 },
                    as: UTF8.self)
                : String(decoding: text, as: UTF8.self)
        case .escapedString:
            let copy = bytes
            let all = copy.span
            return JSONEscapes.decoded(all.clamped(to: value.start - origin + 1..<value.end - origin - 1))
        default: return nil
        }
    }

    /// Returns the result of `body` for a string's bytes; `nil` for another kind, and for a string
    /// with escapes.
    package func withPlainString<Value>(_ node: Int, _ body: (Span<UInt8>) -> Value?) -> Value? {
        let value = nodes[node]
        guard value.kind == .string else { return nil }
        let copy = bytes
        let all = copy.span
        return body(all.clamped(to: value.start - origin + 1..<value.end - origin - 1))
    }

    /// Index of the first member with that key; `nil` if there is none, or if the node is not an
    /// object. All keys are compared here, without a call for each: an event has 10,000.
    package func memberIndex(of key: String, in node: Int) -> Int? {
        guard nodes[node].kind == .object else { return nil }
        let text = key.utf8.span
        let (allBytes, allNodes) = (bytes, nodes)
        let bytes = allBytes.span
        let nodes = allNodes.span
        let length = text.count
        let end = Int(nodes[node].next)
        var member = node + 1
        while member < end {
            let candidate = nodes[member]
            if candidate.kind == .string {
                let start = candidate.start - origin + 1
                if candidate.end - candidate.start - 2 == length {
                    var index = 0
                    while index < length, bytes[start + index] == text[index] { index += 1 }
                    if index == length { return member }
                }
            } else if string(member) == key {
                return member
            }
            member = Int(nodes[member + 1].next)
        }
        return nil
    }

    /// Whether two values are written with the same bytes.
    package func isSame(_ node: Int, as other: JSONDocument, _ otherNode: Int) -> Bool {
        let (first, second) = (nodes[node], other.nodes[otherNode])
        guard first.end - first.start == second.end - second.start else { return false }
        return bytes[first.start - origin..<first.end - origin] == other.bytes[second.start - other.origin..<second.end - other.origin]
    }
}
