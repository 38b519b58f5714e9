/// A template in Mustache's language (mustache(5)), as far as pages need it: `{{name}}`,
/// `{{{raw}}}`, `{{#section}}`, `{{^otherwise}}`, `{{> partial}}`, and inheritance, `{{< parent}}`
/// with `{{$block}}`.
///
/// A library has this, and needs the whole of Foundation for it, which is 30 MB of tables in the
/// program.
package struct Template: Sendable {
    indirect enum Part: Sendable {
        case text(String)
        case value(Name, isEscaped: Bool)
        case section(Name, [Part], isInverted: Bool)
        case partial(String)
        /// A block that an inheriting template may fill.
        case block(String, [Part])
        case parent(String, blocks: [String: [Part]])
    }

    /// `written.text`; `.` is the element of a list itself.
    struct Name: Sendable {
        let keys: [String]

        init(_ text: String) { keys = text == "." ? [] : text.split(separator: ".").map { String($0) } }
    }

    let parts: [Part]

    /// - Throws: `TemplateError` if a tag has no end, or ends a section that is not open.
    package init(_ text: String) throws(TemplateError) {
        var parser = TemplateParser(text)
        parts = try parser.parse()
    }
}

/// Error in a template.
package struct TemplateError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Reads a template's parts from its first byte to its last.
private struct TemplateParser {
    private var rest: Substring
    /// Before here the line has nothing but blanks.
    private var isLineBlank = true

    init(_ text: String) { rest = text[...] }

    private struct Tag {
        /// `#`, `^`, `/`, `>`, `<` or `$`; `{` for a value as it is, a blank for an escaped one.
        var kind: Character
        var name: String
    }

    mutating func parse(upTo end: String? = nil) throws(TemplateError) -> [Template.Part] {
        var parts: [Template.Part] = []
        while !rest.isEmpty {
            let (text, tag) = try readTag()
            if !text.isEmpty { parts.append(.text(text)) }
            guard let tag else { break }
            switch tag.kind {
            case "#": parts.append(.section(.init(tag.name), try parse(upTo: tag.name), isInverted: false))
            case "^": parts.append(.section(.init(tag.name), try parse(upTo: tag.name), isInverted: true))
            case "$": parts.append(.block(tag.name, try parse(upTo: tag.name)))
            case ">": parts.append(.partial(tag.name))
            case "<":
                var blocks: [String: [Template.Part]] = [:]
                for case .block(let name, let own) in try parse(upTo: tag.name) { blocks[name] = own }
                parts.append(.parent(tag.name, blocks: blocks))
            case "/":
                guard tag.name == end else { throw TemplateError("{{/\(tag.name)}} ends what is not open") }
                return parts
            default: parts.append(.value(.init(tag.name), isEscaped: tag.kind == " "))
            }
        }
        if let end { throw TemplateError("{{#\(end)}} has no end") }
        return parts
    }

    /// The next tag and the text before it; no tag at the end. If a tag that prints nothing is
    /// alone on a line, the line is skipped too.
    private mutating func readTag() throws(TemplateError) -> (text: String, tag: Tag?) {
        guard let start = rest.firstRange(of: "{{")?.lowerBound else {
            defer { rest = "" }
            return (String(rest), nil)
        }
        var text = rest[..<start]
        let newline = text.lastIndex { $0 == "\n" }
        let line = newline.map { text.index(after: $0) } ?? text.startIndex
        let isBlankBefore = (isLineBlank || newline != nil) && text[line...].allSatisfy { $0 == " " }

        let isRaw = rest[start...].hasPrefix("{{{")
        guard let end = rest[start...].firstRange(of: isRaw ? "}}}" : "}}") else {
            throw TemplateError("a tag has no end: \(rest[start...].prefix(20))")
        }
        var body = rest[start..<end.lowerBound].dropFirst(isRaw ? 3 : 2)
        rest = rest[end.upperBound...]
        var tag = Tag(kind: isRaw ? "{" : " ", name: "")
        if !isRaw, let first = body.first, "#^/><$".contains(first) {
            tag.kind = first
            body.removeFirst()
        }
        tag.name = body.split(separator: " ").joined()

        isLineBlank = isBlankBefore && tag.kind != " " && tag.kind != "{" && rest.first.map { $0 == "\n" } ?? true
        if isLineBlank {
            text = text[..<line]
            rest = rest.dropFirst()
        }
        return (String(text), tag)
    }
}
