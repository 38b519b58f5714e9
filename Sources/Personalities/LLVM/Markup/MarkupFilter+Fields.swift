internal import BinaryPrimitives
internal import Console

/// Parses an element's fields, and reports errors in them.
extension MarkupFilter {
    /// Parses an address: `0x` and digits, or zeros.
    func address(_ field: Range<Int>) -> UInt64? {
        let text = line.span.extracting(field)
        if !text.isEmpty, line[field].allSatisfy({ $0 == UInt8(ascii: "0") }) { return 0 }
        guard text.hasPrefix("0x"), let value = LLVMSymbolizerInput.number(text) else {
            reportType(field, "address")
            return nil
        }
        return value
    }

    /// - Parameter radix: 10, or `nil` for C's notation.
    func number(_ field: Range<Int>, _ kind: String, radix: Int?) -> UInt64? {
        let value =
            radix == nil
            ? LLVMSymbolizerInput.number(line.span.extracting(field))
            : line[field].first.flatMap { isDigit($0) ? UInt64(text(field)) : nil }
        if value == nil { reportType(field, kind) }
        return value
    }

    /// Parses a mode: `r`, `w` and `x` in this order, in either case, each at most once.
    func mode(_ field: Range<Int>) -> String? {
        let text = text(field).lowercased()
        var rest = text[...]
        for letter in ["r", "w", "x"] where rest.hasPrefix(letter) { rest = rest.dropFirst() }
        guard !text.isEmpty, rest.isEmpty else {
            reportType(field, "mode")
            return nil
        }
        return text
    }

    func isReturnAddress(_ field: Range<Int>) -> Bool? {
        switch text(field) {
        case "ra": return true
        case "pc": return false
        default:
            reportType(field, "PC type")
            return nil
        }
    }

    // MARK: What is wrong

    /// - Returns: whether the element can be used. Additional fields are ignored.
    func expectFields(_ node: MarkupNode, exactly count: Int) -> Bool {
        guard node.fields.count != count else { return true }
        let isMore = node.fields.count > count
        report("expected \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound, isWarning: isMore)
        return isMore
    }

    func expectFields(_ node: MarkupNode, atLeast count: Int) -> Bool {
        guard node.fields.count < count else { return true }
        report("expected at least \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound)
        return false
    }

    func warnFields(_ node: MarkupNode, atMost count: Int) {
        guard node.fields.count > count else { return }
        report("expected at most \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound, isWarning: true)
    }

    func reportType(_ field: Range<Int>, _ kind: String) {
        report("expected \(kind); found '\(text(field))'", at: field.lowerBound)
    }

    /// Reports an error, with a mark below its position in the line.
    func report(_ message: String, at position: Int, isWarning: Bool = false) {
        writeError(
            "\(isWarning ? "warning" : "error"): \(message)\n" + text(0..<line.count) + String(repeating: " ", count: position) + "^\n",
            to: context.errors)
    }
}
