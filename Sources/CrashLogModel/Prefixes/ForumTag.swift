internal import BinaryPrimitives

/// The tags that forums and wikis put around a log: `[code]`, `[/quote]`, `{noformat}`, three
/// backticks.
package enum ForumTag {
    /// The index after a tag that begins at `index`.
    package static func end(in line: Span<UInt8>, at index: Int) -> Int? {
        var rest = line.from(index)
        switch rest.at(0) {
        case UInt8(ascii: "`"):
            guard rest.consume("```") else { return nil }
            return line.count - rest.count
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let close = rest.at(0) == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
            rest = rest.from(1)
            _ = rest.consume("/")
            guard let name = names.first(where: { rest.hasPrefix($0) || rest.hasPrefix($0.uppercased()) }) else { return nil }
            rest = rest.from(name.utf8.count)
            // `[code=text]`, `{code:title=log|borderStyle=solid}`
            guard let next = rest.at(0), next == close || next == UInt8(ascii: "=") || next == UInt8(ascii: ":"),
                let end = rest.upTo(80).firstIndex(of: close)
            else { return nil }
            return line.count - rest.count + end + 1
        default: return nil
        }
    }

    private static let names = ["code", "quote", "noformat", "spoiler", "pre", "noparse"]
}
