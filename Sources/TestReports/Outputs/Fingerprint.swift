/// A name for a failure that stays the same while lines above it come and go, so that a service
/// knows it again.
enum Fingerprint {
    /// Hash of the rule, the file, the function and the text of the line, or of the innermost function if
    /// there is no location, or of the title: 32 hexadecimal digits.
    static func text(of failure: Failure) -> String {
        var parts = [failure.rule]
        if let location = failure.location {
            parts.append(location.path)
            let own = failure.stacks.first?.frames.first { $0.location == location }
            if let function = own?.function { parts.append(function) }
            if let line = failure.excerpt?.lines.first(where: { $0.number == location.line }) {
                parts.append(String(line.text.drop { $0 == " " }))
            } else {
                parts.append(String(location.line))
            }
        } else {
            let first = failure.stacks.first.flatMap { stack in stack.frames.first { !$0.isMachinery } ?? stack.frames.first }
            parts += [failure.kind == .hang ? failure.title : first?.function ?? failure.title] + failure.tests.prefix(1)
        }
        let text = parts.joined(separator: "\u{0}")
        // The second offset basis is the first half of the 128-bit variant's.
        return StableHash.text(text) + StableHash.text(text, start: 0x6c62_272e_07bb_0142)
    }
}
