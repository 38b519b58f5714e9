/// The parts of a group's title (`SignatureTitle`): `SIGSEGV in Mold::pour | Smelter::smelt | run`.
struct GroupTitle {
    /// `Mold::pour`.
    let function: String
    /// `Smelter::smelt`, `run`.
    let callers: [String]

    /// - Parameter kindLabel: The kind of crash, which the title begins with.
    init(_ title: String, kindLabel: String) {
        var rest = Substring(title)
        if !kindLabel.isEmpty, rest.hasPrefix(kindLabel + " in ") { rest = rest.dropFirst(kindLabel.count + 4) }
        var parts: [String] = []
        while let end = rest.firstRange(of: " | ") {
            parts.append(String(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        parts.append(String(rest))
        function = parts[0].isEmpty ? title : parts[0]
        callers = Array(parts.dropFirst())
    }

    /// The values that templates show.
    var values: [String: Any] {
        var values: [String: Any] = ["pieces": PageText.pieces(PageText.short(function, 300))]
        if !callers.isEmpty { values["callers"] = ["pieces": PageText.pieces(PageText.short(callers.joined(separator: ", "), 300))] }
        return values
    }
}
