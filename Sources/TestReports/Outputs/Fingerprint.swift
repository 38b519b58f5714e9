/// A name for a failure that stays the same while lines above it come and go, so that a service knows it again.
enum Fingerprint {
    /// Of the rule, the file, the function and the text of the line, or of the title where there is no place: 32 hexadecimal digits.
    static func text(of failure: Failure) -> String {
        var parts = [failure.rule]
        if let place = failure.place {
            parts.append(place.path)
            let own = failure.stacks.first?.frames.first { $0.place == place }
            if let function = own?.function { parts.append(function) }
            if let line = failure.excerpt?.lines.first(where: { $0.number == place.line }) {
                parts.append(String(line.text.drop { $0 == " " }))
            } else {
                parts.append(String(place.line))
            }
        } else {
            parts += [failure.title] + failure.tests.prefix(1)
        }
        let bytes = parts.joined(separator: "\u{0}").utf8
        return hexadecimal(hash(bytes, 0xcbf2_9ce4_8422_2325)) + hexadecimal(hash(bytes, 0x6c62_272e_07bb_0142))
    }

    /// FNV-1a (64 bits). The second starting value is the first half of the 128-bit variant's.
    private static func hash(_ bytes: String.UTF8View, _ start: UInt64) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
