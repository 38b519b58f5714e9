internal import BinaryPrimitives
internal import CrashLogModel

/// A location in the source as most runtimes write it: `FILE:LINE`, `FILE:LINE:COLUMN`.
enum SourceLocationText {
    /// - Returns: `nil` without a line. A file's name may hold colons; what follows the last one or
    ///   two are numbers.
    static func read(_ text: Span<UInt8>) -> SourceLocation? {
        var rest = text
        let numbers = readNumbers(&rest)
        guard let line = numbers.first, rest.count > 0 else { return nil }
        return SourceLocation(file: rest.text, line: line, column: numbers.count > 1 ? numbers[1] : 0)
    }

    /// Takes `:LINE`, `:LINE:COLUMN` off the end.
    static func readNumbers(_ text: inout Span<UInt8>) -> [Int] {
        var numbers: [Int] = []
        while numbers.count < 2, let colon = text.lastIndex(of: UInt8(ascii: ":")) {
            guard let number = text.from(colon + 1).decimal.flatMap({ Int(exactly: $0) }) else { break }
            numbers.insert(number, at: 0)
            text = text.upTo(colon)
        }
        return numbers
    }

    /// A location without a column, of line 0 too: `ContentView.swift:34`,
    /// `<compiler-generated>:0`.
    static func readLine(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        guard let line = text.from(colon + 1).decimal.flatMap({ Int(exactly: $0) }) else { return nil }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    /// `FILE:LINE` without the file's folder; `nil` where no line is known.
    static func shortText(_ location: SourceLocation?) -> String? {
        guard let location, location.line > 0 else { return nil }
        return text(SourceLocation(file: Path.foreignName(of: location.file), line: location.line))
    }

    /// `FILE:LINE`, and `:COLUMN` where it is known and wanted.
    static func text(_ location: SourceLocation, withColumn: Bool = false) -> String {
        let file = PlainText.line(location.file)
        return withColumn && location.column > 0 ? "\(file):\(location.line):\(location.column)" : "\(file):\(location.line)"
    }
}

/// Form in which `addr2line -pfi` (and `eu-addr2line`) prints a result: `main at /src/ferry.c:111`,
/// below it the functions that contain an inlined call: ` (inlined by) main at /src/ferry.c:111`.
enum AddressToLineText {
    static let inlinedBy = "(inlined by) "

    /// `main at /src/ferry.c:111`
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        var name = text
        guard let location = readLocation(atEndOf: &name), name.count > 0 else { return nil }
        return PrintedSymbol(name: name.text, location: location)
    }

    /// `/src/ferry.c:111`
    static func location(_ text: Span<UInt8>) -> SourceLocation? { SourceLocationText.read(text) }

    /// Removes ` at /src/a.c:12` from the end of a text.
    static func readLocation(atEndOf text: inout Span<UInt8>) -> SourceLocation? {
        guard let at = text.lastRange(of: " at "), let location = location(text.from(at.upperBound)) else { return nil }
        text = text.upTo(at.lowerBound)
        return location
    }

    static func text(_ function: FrameResult.Function) -> String {
        var text = PlainText.line(function.name)
        if let location = function.location { text += " at " + SourceLocationText.text(location) }
        return text
    }
}
