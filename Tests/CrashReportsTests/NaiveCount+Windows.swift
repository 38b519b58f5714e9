extension NaiveCount {
    /// Rows that begin with at least two numbers of eight or sixteen hexadecimal digits (after a
    /// row's number, if there is one), or with `(Inline Function)`, and end with more.
    @Sendable static func windowsDebugger(_ text: String) -> NaiveCount {
        var count = 0
        for tokens in lines(text) {
            let tokens = tokens.filter { $0 != ":" }
            let numbers = tokens.map { token in
                [8, 16].contains(token.filter { $0 != "`" }.count) && token.allSatisfy { $0.isHexDigit || $0 == "`" }
            }
            let first = numbers.first == true ? 0 : 1
            let isNumbered = first == 0 || tokens.first?.allSatisfy(\.isHexDigit) == true
            let isRow = isNumbered && numbers.count > first + 2 && numbers[first] && numbers[first + 1]
            if isRow || tokens.contains("(Inline") { count += 1 }
        }
        return NaiveCount(frames: count)
    }

    /// Rows with an exclamation mark between a module and a function, and the modules alone in
    /// `<CallStack>`. The images are those of the rows that give their module's offset.
    @Sendable static func unreal(_ text: String) -> NaiveCount {
        var rows = text.split(whereSeparator: \.isNewline).count { line in
            line.split(separator: "!").count > 1
                && (line.contains("[Callstack] 0x") || line.contains("()") || line.contains("!UnknownFunction"))
        }
        if let element = text.components("<CallStack>", "</CallStack>") {
            rows = element.split(whereSeparator: \.isNewline).count
        }
        return NaiveCount(frames: rows)
    }
}

extension String {
    /// The text between two others.
    fileprivate func components(_ start: String, _ end: String) -> String? {
        guard let from = firstRange(of: start)?.upperBound, let to = self[from...].firstRange(of: end)?.lowerBound else { return nil }
        return String(self[from..<to])
    }
}
