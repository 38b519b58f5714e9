internal import BinaryPrimitives

/// A report and its stacks as a symbolicated log.
enum ReportText {
    static func text(_ report: FullReport) -> String {
        let facts = report.reference
        var lines: [String] = []
        func add(_ term: String, _ values: [String?], separator: String = " ") {
            let texts = values.compactMap { $0 }.filter { !$0.isEmpty }.map { PlainText.line($0, limit: 1000) }
            if !texts.isEmpty {
                lines.append(term + ":" + String(repeating: " ", count: 13 - term.utf8.count) + texts.joined(separator: separator))
            }
        }
        add("Process", [facts.process, facts.pid.map { "[\($0)]" }])
        add("Identifier", [facts.identifier])
        add("Version", [facts.version])
        add("System", [facts.system, facts.device, facts.architecture], separator: ", ")
        add("Time", [facts.instant.map { ReadableTime.utc($0) } ?? facts.time])
        add("Signal", [facts.causeType, facts.signal], separator: ", ")
        add("Address", [facts.faultAddress.map { "0x" + String($0, radix: 16) }])
        add("Message", [facts.message])
        add("Meaning", [facts.meaning])
        add("Format", [facts.format])
        for stack in report.stacks {
            lines += ["", heading(stack)]
            for frame in stack.frames { lines.append(line(frame)) }
            let rest = stack.rows - (stack.frames.last.map { $0.row + 1 } ?? 0)
            if rest > 0 { lines.append("    … \(rest) more") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(_ stack: FullReport.Stack) -> String {
        let what =
            switch stack.role {
            case "exception": "Exception backtrace"
            case "thread": "Thread \(stack.thread)"
            default: "Backtrace"
            }
        let name = stack.name.map { " (\(PlainText.line($0, limit: 200)))" } ?? ""
        return what + name + (stack.crashed ? " crashed:" : ":")
    }

    /// `3   Mold::pour(int) at /src/mold.c:7 in harbor [inlined]`.
    private static func line(_ frame: NamedFrame) -> String {
        let number = String(frame.row)
        var row = number + String(repeating: " ", count: max(1, 4 - number.utf8.count))
        if frame.kind.hasPrefix("omitted") || frame.kind == "truncated" { return row + "… " + PlainText.line(frame.kind) }
        row += frame.function.map { PlainText.line($0, limit: 2000) } ?? "?"
        if let file = frame.file {
            row += " at " + PlainText.line(file) + (frame.line > 0 ? ":\(frame.line)" : "") + (frame.column > 0 ? ":\(frame.column)" : "")
        }
        if let module = frame.module {
            row += " in " + PlainText.line(module) + (frame.offset.map { "+0x" + String($0, radix: 16) } ?? "")
        } else if let address = frame.address {
            row += " 0x" + String(address, radix: 16)
        }
        if frame.isInlined { row += " [inlined]" }
        return row
    }
}
