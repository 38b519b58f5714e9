internal import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel

/// Removes from logs who used which machine, so that they can be kept and shared: names of users in
/// the paths of their folders and in fields, names of hosts, keys and serial numbers of devices and
/// installations, addresses of mail and of networks.
///
/// All that symbolication needs stays: build IDs and UUIDs of images, addresses, registers, the
/// rest of each path. A log without names symbolicates to the same functions, files and lines; only
/// finding an image at its own path on this machine needs the original path. Incident and event
/// identifiers stay too: they are drawn anew for each report and identify nobody.
///
/// Every replacement is as long as the original text, so that columns and binary formats do not
/// change. The same name becomes the same text everywhere in a log, and a log without names is not
/// changed.
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

    /// Kind of a file that is not a log but contains memory, or in which a log is packed. Such a
    /// file cannot be searched for names.
    package static func foreignFile(_ log: Span<UInt8>) -> ForeignFile? { ForeignFile.recognise(log) }

    /// Returns the replacements, in ascending order.
    package func edits(of log: Span<UInt8>) -> [TextEdit] {
        var search = PersonalSearch()
        search.run(log)
        var repeated = RepeatedNames(search.found, in: log)
        repeated.run(log)
        var pseudonyms = Pseudonyms()
        // Names are counted where the search found them, so that text of a log that looks like a
        // replacement changes no number.
        for found in search.found { _ = pseudonyms.pseudonym(for: log.clamped(to: found.range).copied(), found.kind) }
        var edits: [TextEdit] = []
        for found in (search.found + repeated.found).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard found.range.lowerBound >= edits.last?.range.upperBound ?? 0, !found.range.isEmpty else { continue }
            let replacement = pseudonyms.pseudonym(for: log.clamped(to: found.range).copied(), found.kind)
            edits.append(TextEdit(range: found.range, replacement: replacement))
        }
        return edits
    }
}
