internal import BinaryPrimitives
internal import TestReports

/// Problem of a file, as a text that fits after its path: what it is, and what was expected.
package struct TestReportError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    /// `report.xml: it declares a document type: expected an XML report without one`
    package var description: String { "\(path): \(problem)" }
}

/// Refuses XML that could make its reader work without end, before any reader sees it: document
/// types (and with them entities, which can multiply and can name other files), deep nesting,
/// elements with very many attributes (which are compared with one another), and more of anything
/// than reports have.
///
/// The markup is only scanned, not understood: the reader refuses malformed documents. It is
/// scanned as ASCII, so encodings in which a byte below 0x80 may be a part of another character are
/// refused, too.
enum XMLBounds {
    /// Bytes of a report. GitLab takes 30 MB, Jenkins what fits its memory.
    static let fileLimit = 128 << 20
    static let depthLimit = 100
    static let elementLimit = 500_000
    static let attributeLimit = 2_000_000
    static let attributesOfOne = 200
    /// Comments and processing instructions.
    static let asideLimit = 100_000

    /// - Returns: the problem, and what was expected; `nil` if there is none.
    static func problem(_ document: Span<UInt8>) -> String? {
        guard document.count <= fileLimit else { return "\(document.count) bytes: expected at most \(fileLimit)" }
        guard document.firstIndex(of: 0) == nil else { return "it has null bytes: expected XML in UTF-8" }
        var scan = Scan()
        if document.hasPrefix("\u{FEFF}") { scan.position = 3 }
        if let problem = encodingProblem(document.from(scan.position).upTo(200)) { return problem }
        return scan.problem(document)
    }

    /// `<?xml version="1.0" encoding="UTF-8"?>`
    private static func encodingProblem(_ head: Span<UInt8>) -> String? {
        var rest = head
        while let byte = rest.at(0), byte <= 0x20 { rest = rest.from(1) }
        guard rest.at(0) == UInt8(ascii: "<") else { return "it does not begin with “<”: expected XML" }
        guard rest.consume("<?xml"), let end = rest.firstRange(of: "?>") else { return nil }
        rest = rest.upTo(end.lowerBound)
        guard let mark = rest.firstRange(of: "encoding") else { return nil }
        rest = rest.from(mark.upperBound)
        var name = ""
        for index in 0..<rest.count
        where !isBlank(rest[index]) && ![UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x0A, 0x0D].contains(rest[index]) {
            // The encoding's name is followed by `standalone`.
            if index > 0, isBlank(rest[index - 1]), !name.isEmpty { break }
            name.unicodeScalars.append(Unicode.Scalar(rest[index]))
        }
        let known = ["UTF-8", "UTF8", "US-ASCII", "ASCII", "ISO-8859-1", "ISO-8859-15", "WINDOWS-1252", "LATIN1"]
        return known.contains(name.uppercased()) ? nil : "its encoding is \(PlainText.line(name, limit: 40)): expected UTF-8"
    }

    private struct Scan {
        var position = 0
        private var depth = 0
        private var elements = 0
        private var attributes = 0
        private var asides = 0

        mutating func problem(_ document: Span<UInt8>) -> String? {
            while let open = document.firstIndex(of: UInt8(ascii: "<"), from: position) {
                position = open
                // At most as many bytes as the longest of these have.
                let rest = document.clamped(to: open..<open + 9)
                if rest.hasPrefix("<!--") {
                    asides += 1
                    skip(document, behind: "-->", from: open + 4)
                } else if rest.hasPrefix("<![CDATA[") {
                    skip(document, behind: "]]>", from: open + 9)
                } else if rest.hasPrefix("<?") {
                    asides += 1
                    skip(document, behind: "?>", from: open + 2)
                } else if rest.hasPrefix("<!") {
                    return "it declares a document type or an entity: expected a report without one"
                } else if rest.hasPrefix("</") {
                    depth -= 1
                    position = document.firstIndex(of: UInt8(ascii: ">"), from: open) ?? document.count
                } else if let problem = tag(document) {
                    return problem
                }
                guard asides <= XMLBounds.asideLimit else {
                    return "it has more than \(XMLBounds.asideLimit) comments and instructions: expected a report"
                }
            }
            return nil
        }

        private mutating func skip(_ document: Span<UInt8>, behind end: String, from start: Int) {
            position = document.firstRange(of: end, from: start)?.upperBound ?? document.count
        }

        /// From `<` to the `>` that is in no quotes.
        private mutating func tag(_ document: Span<UInt8>) -> String? {
            elements += 1
            depth += 1
            var own = 0
            position += 1
            while let byte = document.at(position) {
                position += 1
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    own += 1
                    position = document.firstIndex(of: byte, from: position).map { $0 + 1 } ?? document.count
                } else if byte == UInt8(ascii: ">") {
                    if document.at(position - 2) == UInt8(ascii: "/") { depth -= 1 }
                    break
                }
            }
            attributes += own
            if own > XMLBounds.attributesOfOne { return "an element has \(own) attributes: expected at most \(XMLBounds.attributesOfOne)" }
            if depth > XMLBounds.depthLimit { return "its elements are nested too deeply: expected at most \(XMLBounds.depthLimit) levels" }
            if elements > XMLBounds.elementLimit { return "it has more than \(XMLBounds.elementLimit) elements: expected a report" }
            return attributes > XMLBounds.attributeLimit
                ? "it has more than \(XMLBounds.attributeLimit) attributes: expected a report" : nil
        }
    }
}
