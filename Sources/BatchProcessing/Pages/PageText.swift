internal import BinaryPrimitives
internal import CrashLogModel
internal import Pages

/// Text as pages show it.
enum PageText {
    /// Text from a log for element content and for attributes.
    static func escaped(_ text: String) -> String { PageEscaping.escaped(text) }

    /// Cut so that a name of ten thousand letters leaves room for others.
    static func short(_ text: String, _ limit: Int) -> String { PlainText.line(text, limit: limit) }

    /// `12,345`.
    static func number(_ value: Int) -> String {
        var digits = Array(String(value.magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (value < 0 ? "-" : "") + String(digits)
    }

    /// `1 report`, `2 reports`.
    static func count(_ value: Int, _ one: String, _ many: String? = nil) -> String {
        number(value) + " " + (value == 1 ? one : many ?? one + "s")
    }

    /// `12.3 %`; a share too small for this is `<0.1 %`, and never zero.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0 %" }
        let tenths = (part * 1000 + whole / 2) / whole
        guard tenths > 0 else { return "<0.1 %" }
        // A part is never shown as 100 %.
        let shown = part < whole ? min(tenths, 999) : tenths
        return shown >= 1000 ? "100 %" : "\(shown / 10).\(shown % 10) %"
    }

    /// An instant for `<time>`: for programs, and for people, who need no seconds. Pages say once
    /// that times are in UTC.
    static func instant(_ nanoseconds: Int64) -> (machine: String, text: String) {
        let seconds = nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
        let utc = Timestamp(secondsSince1970: seconds, text: "").utc ?? ""
        return (utc, String(utc.prefix(16)).replacing("T", with: " "))
    }

    /// How long an instant is ago: `5 min ago`, `47 h ago`, `3 d ago`, `13 months ago`,
    /// `2 years ago`.
    static func ago(_ instant: Int64, now: Int64) -> String {
        let minutes = max(0, now / 60_000_000_000 - instant / 60_000_000_000)
        switch minutes {
        case ..<60: return "\(minutes) min ago"
        case ..<(48 * 60): return "\(minutes / 60) h ago"
        case ..<(60 * 1440): return "\(minutes / 1440) d ago"
        // A month is 30.44 days on average.
        case ..<(730 * 1440): return "\(minutes * 100 / (1440 * 3044)) months ago"
        default: return "\(minutes * 100 / (1440 * 36525)) years ago"
        }
    }

    /// A name as text that may be broken, and pairs of characters that may not be: browsers would
    /// end a line after the `-` of `-[Shelf take]`, and before or after the `+` of `app+0x40`.
    static func pieces(_ text: String) -> [[String: Any]] {
        var pieces: [[String: Any]] = []
        var plain = ""
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "-" || scalars[index] == "+", index + 1 < scalars.count else {
                plain.unicodeScalars.append(scalars[index])
                index += 1
                continue
            }
            if !plain.isEmpty { pieces.append(["text": plain]) }
            plain = ""
            pieces.append(["pair": String(String.UnicodeScalarView(scalars[index...(index + 1)]))])
            index += 2
        }
        if !plain.isEmpty { pieces.append(["text": plain]) }
        return pieces
    }

    /// The date of a day, `2026-01-05`.
    /// - Parameter day: days since 1970-01-01.
    static func date(_ day: Int) -> String { String((Timestamp(secondsSince1970: Int64(day) * 86_400, text: "").utc ?? "").prefix(10)) }
}
