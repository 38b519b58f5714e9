internal import BinaryPrimitives
internal import Reporting

/// Rows of a table as bytes. Every row has every column, and a column one plain type: text, integer
/// or truth value.
package struct ExportWriter: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// One array of objects, a line each; `null` where there is no value.
        case json
        /// RFC 4180, with a line of names; nothing where there is no value.
        case csv
        /// An object a line.
        case ndjson
    }

    private let format: Format
    private let columns: [String]
    private var isFirst = true

    package init(_ content: ExportContent, format: Format) {
        self.format = format
        columns = content.columns
    }

    /// Bytes before the rows.
    package var head: [UInt8] {
        switch format {
        case .json: Array("[".utf8)
        case .ndjson: []
        case .csv: Array((columns.joined(separator: ",") + "\r\n").utf8)
        }
    }

    package var end: [UInt8] { format == .json ? Array("\n]\n".utf8) : [] }

    package mutating func append(_ row: [ExportCell], to output: inout [UInt8]) {
        defer { isFirst = false }
        switch format {
        case .json:
            output += (isFirst ? "\n" : ",\n").utf8
            object(row, to: &output)
        case .ndjson:
            object(row, to: &output)
            output.append(UInt8(ascii: "\n"))
        case .csv:
            for (index, cell) in row.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                field(cell, to: &output)
            }
            output += "\r\n".utf8
        }
    }

    private func object(_ row: [ExportCell], to output: inout [UInt8]) {
        for (index, (name, cell)) in zip(columns, row).enumerated() {
            output.append(UInt8(ascii: index == 0 ? "{" : ","))
            JSONString.append(name, to: &output)
            output.append(UInt8(ascii: ":"))
            switch cell {
            case .text(let text?): JSONString.append(text, to: &output)
            case .integer(let number?): output += String(number).utf8
            case .flag(let value): output += (value ? "true" : "false").utf8
            case .text(nil), .integer(nil): output += "null".utf8
            }
        }
        output.append(UInt8(ascii: "}"))
    }

    // MARK: CSV

    /// Text is always in quotation marks, so that it stays one field in a program whose separator
    /// is `;` or a tab.
    private func field(_ cell: ExportCell, to output: inout [UInt8]) {
        switch cell {
        case .integer(let number): output += (number.map { String($0) } ?? "").utf8
        case .flag(let value): output += (value ? "true" : "false").utf8
        case .text(nil): break
        case .text(let text?):
            output.append(UInt8(ascii: "\""))
            if Self.isFormula(text) { output.append(UInt8(ascii: "'")) }
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": output += "\"\"".utf8
                case "\n", "\r", "\t": output += String(scalar).utf8
                case _ where PlainText.isUnsafe(scalar): output += "\\u{\(String(scalar.value, radix: 16))}".utf8
                default: output += UTF8.encode(scalar).map { Array($0) } ?? []
                }
            }
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Spreadsheets run text that begins so (`=HYPERLINK(…)`), also with full-width characters, and
    /// after blanks. An apostrophe in front makes it text.
    private static func isFormula(_ text: String) -> Bool {
        if let first = text.unicodeScalars.first, first == "\t" || first == "\r" || first == "\n" { return true }
        switch text.unicodeScalars.first(where: { $0 != " " && $0 != "\u{A0}" && $0 != "\u{3000}" }) {
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
        default: return false
        }
    }
}
