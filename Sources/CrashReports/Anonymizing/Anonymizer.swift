internal import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel

/// Takes out of logs who used which machine, so that they can be kept and shared: names of users in
/// the paths of their folders and in fields, names of hosts, keys and serial numbers of devices and
/// installations, addresses of mail and of networks.
///
/// What symbolication needs stays: build IDs and UUIDs of images, addresses, registers, the rest of
/// each path. A log without names symbolicates to the same functions, files and lines; only that an
/// image is found at its own path on this machine needs the path as it was. Incident and event
/// identifiers stay too: they are drawn anew for each report and identify nobody.
///
/// Every replacement is as long as what it replaces, so that columns and binary formats stay what
/// they were. The same name becomes the same word everywhere in a log, and a log without names
/// comes back as it is.
package struct Anonymizer: Sendable {
    package init() {}

    /// A log's bytes, in UTF-8 or a binary format, without names.
    package func bytes(_ log: Span<UInt8>) -> [UInt8] { TextEdit.apply(edits(of: log), to: log) }

    /// One text of a log (a path, a message, a thread's name) without names. Each text counts its
    /// users anew, so that the same text always becomes the same.
    package func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let edits = edits(of: bytes.span)
        return edits.isEmpty ? text : TextEdit.apply(edits, to: bytes.span).span.text
    }

    /// A file that is no log but holds memory, or that a log is packed in, cannot be looked
    /// through: what it is.
    package static func foreign(_ log: Span<UInt8>) -> ForeignFile? { ForeignFile.recognise(log) }

    /// What is replaced, in ascending order.
    package func edits(of log: Span<UInt8>) -> [TextEdit] {
        var search = PersonalSearch()
        search.run(log)
        var repeated = RepeatedNames(search.found, in: log)
        repeated.run(log)
        var pseudonyms = Pseudonyms()
        // Counted at the places that they are known from, so that words of a log that look like
        // replacements change no number.
        for found in search.found { _ = pseudonyms.standIn(for: log.clamped(to: found.range).copied(), found.kind) }
        var edits: [TextEdit] = []
        for found in (search.found + repeated.found).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard found.range.lowerBound >= edits.last?.range.upperBound ?? 0, !found.range.isEmpty else { continue }
            let replacement = pseudonyms.standIn(for: log.clamped(to: found.range).copied(), found.kind)
            edits.append(TextEdit(range: found.range, replacement: replacement))
        }
        return edits
    }
}
