internal import BinaryPrimitives
package import CrashLogModel

/// Apple's reports as JSON, `.ips`, since macOS 12 and iOS 15: one line with a header object, then
/// the report object, compact or pretty. `AppleIPSBugType` lists the kinds. The keys of a crash
/// (`bug_type` 309) are those of Apple's article "Interpreting the JSON format of a crash report".
///
/// Stackshots (288) and panics of iOS (210) become a report for each process. Reports without
/// stacks (for example Jetsam's, 298) become a report with a note about that.
///
/// The text that older systems put below the same header line (`bug_type` 109) is
/// `AppleIPSLegacy`'s business.
package struct AppleIPS: DocumentFormat {
    package static let name = "apple-ips"
    package static let summary = "Apple’s crash reports, stackshots and panics as JSON (.ips)"
    /// `procLaunch` is near the beginning of a body whose header line was cut off: before texts (`asi`) that
    /// another format claims.
    package static let triggers = [
        "\"bug_type\"", "\"faultingThread\"", "\"usedImages\"", "\"processByPid\"", "\"panicString\"", "\"procLaunch\"",
    ]
    package static let topLevelValues = 2

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{") else { return .none }
        if start.contains("\"bug_type\"") {
            // 309 is the crash report; others may hold stacks, too. The bodies of 109 are text.
            guard start.contains("\"os_version\"") || start.contains("\"incident_id\"") || start.contains("\"app_name\"") else {
                return .none
            }
            if bugType(start) == "309" { return .certain }
            return bugType(start) == "109" ? .none : .possible
        }
        return triggers.contains { start.contains($0) } ? .possible : .none
    }

    private static func bugType(_ text: Span<UInt8>) -> String? {
        guard let key = text.firstRange(of: "\"bug_type\"") else { return nil }
        var rest = text.from(key.upperBound)
        rest.skipBlanks()
        guard rest.consume(":") else { return nil }
        rest.skipBlanks()
        _ = rest.consume("\"")
        return rest.readDecimal().map { "\($0)" }
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        try parse(document, imagesOfFrames: false) { _ in [] }
    }

    package static func parse(
        _ document: Span<UInt8>, imagesOfFrames: Bool, readText: (Span<UInt8>) -> [CrashReport]
    ) throws(LogError) -> [CrashReport] {
        let first = try JSONParser().parse(document)
        guard first.isObject else { throw LogError("not an .ips file", expected: "a header object in the first line", at: 0) }
        // One object alone holds both: tools that read .ips write it like that.
        if ["threads", "usedImages", "processByPid", "panicString"].contains(where: { first[$0] != nil }) {
            return try reports(header: first, body: first, in: document)
        }
        var start = first.range.upperBound
        while let byte = document.at(start), isBlank(byte) || byte == 0x0A || byte == 0x0D { start += 1 }
        switch document.at(start) {
        case nil:
            // If the report has a text body, this format is given the header alone.
            let kind = AppleIPSBugType(first).map { ": \($0.description)" } ?? ""
            throw LogError(
                "the .ips ends after its header line\(kind)", expected: "the report, a JSON object or text with stacks, below it",
                at: start)
        case UInt8(ascii: "{"):
            return try reports(header: first, body: try body(document, from: start, header: first), in: document)
        default:
            return try textReports(document, from: start, header: first, readText)
        }
    }

    /// A body without stacks may have been shortened by hand: its header line shows its kind.
    private static func body(_ document: Span<UInt8>, from start: Int, header: JSONValue) throws(LogError) -> JSONValue {
        do throws(LogError) {
            return try JSONParser().parse(document, from: start)
        } catch {
            guard AppleIPSBugType(header)?.reasonWithoutStacks != nil else { throw error }
            return header
        }
    }

    private static func reports(header: JSONValue, body: JSONValue, in document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let parts = AppleIPSBody(header: header, body: body, quotedStacks: quotedStacks(body, in: document))
        let stackshot = AppleIPSStackshot(body)
        // The exception's stack comes first: a document that was cut off may have no other.
        if body["threads"] != nil || body["lastExceptionBacktrace"] != nil { return [try parts.report()] }
        var report = try parts.reportWithoutStacks()
        let panics = AppleIPSPanic.keys.compactMap { body[$0] }.compactMap { AppleIPSPanic.report($0, in: document) }.map { panic in
            var panic = panic
            panic.format = name
            panic.process.name = panic.process.name ?? "kernel"
            panic.platform = panic.platform ?? report.platform
            panic.timestamp = panic.timestamp ?? report.timestamp
            panic.cause = panic.cause ?? report.cause
            return panic
        }
        guard stackshot.holdsProcesses else { return panics.isEmpty ? [report] : panics }
        let processes = stackshot.reports(like: report)
        if !panics.isEmpty { return panics + processes }
        // A panic is the kernel's, and comes before the processes; a stackshot belongs to none of
        // them.
        if body["panicString"] == nil, !processes.isEmpty { return processes }
        if processes.isEmpty { report.notes.append("No process in it (processByPid) has frames.") }
        return [report] + processes
    }

    /// Reads a body of text with the line format that it is in. That is also the report's format,
    /// because results are written into the text in that format.
    private static func textReports(
        _ document: Span<UInt8>, from start: Int, header: JSONValue, _ readText: (Span<UInt8>) -> [CrashReport]
    ) throws(LogError) -> [CrashReport] {
        let found = readText(document.from(start)).map { report in
            var moved = report.moved(by: start)
            moved.notes.append("The body of this .ips is a text report, read as \(report.format).")
            return moved
        }
        guard found.isEmpty else { return found }
        let kind = AppleIPSBugType(header).map { ", a \($0.description)," } ?? ""
        throw LogError(
            "the body of the .ips\(kind) is neither JSON nor a text report with a stack", expected: "the report below the header line",
            at: start)
    }

    /// `asiBacktraces`: the stack of an exception that the process wrote before it ended, as text:
    /// the rows of a text report in one string each. If that list is missing, a text of `asi` may
    /// contain such a stack (`*** First throw call stack:`). The range of a row is that part of the
    /// string, between two `\n`.
    private static func quotedStacks(_ body: JSONValue, in document: Span<UInt8>) -> [[Frame]] {
        var texts = body["asiBacktraces"]?.elements ?? []
        if texts.isEmpty {
            texts = (body["asi"]?.members ?? []).flatMap(\.value.elements).filter { $0.string?.contains("call stack") ?? false }
        }
        return texts.prefix(16).compactMap { element in
            let frames = QuotedAppleRows.frames(of: element, in: document)
            return frames.isEmpty ? nil : frames
        }
    }

    /// Apple's own keys are set in the frame's object: `symbol`, `symbolLocation`, `sourceFile`
    /// (without folders) and `sourceLine`. Inlined calls become objects of their own in front of
    /// it, with the same `imageOffset` and `imageIndex` and `"inline":true`, as ReportCrash writes
    /// them where it knows. Blanks, line breaks and the order of what is there stay as they are.
    ///
    /// A frame that is a pair, `[imageIndex, imageOffset]` (the beta of 2021, stackshots), has no
    /// room for a name. A resolved one becomes an object of today's form.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        switch log.at(frame.range.lowerBound) {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "["): return editPair(of: frame, with: result, in: log)
        default: return QuotedAppleRows.edit(of: frame, with: result, in: log) ?? AppleIPSPanic.edit(of: frame, with: result, in: log)
        }
        return JSONFrame.edit(at: frame.range, of: log, functions: result.functions) { function, edit in
            edit.set("symbol", to: JSONString.quoted(function.name))
            edit.set("symbolLocation", to: function.offset.map { "\($0)" })
            if let location = function.location {
                edit.set("sourceFile", to: JSONString.quoted(Path.foreignName(of: location.file)))
                if location.line > 0 { edit.set("sourceLine", to: "\(location.line)") }
            }
            if function.isInlined { edit.set("inline", to: "true") }
        }
    }

    private static func editPair(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let pair = try? JSONParser().parse(log.upTo(frame.range.upperBound), from: frame.range.lowerBound), pair.elements.count >= 2,
            let image = pair.elements[0].int, let offset = pair.elements[1].unsigned
        else { return nil }
        var objects: [String] = []
        for function in result.functions {
            var members = ["\"imageIndex\":\(image)", "\"imageOffset\":\(offset)", "\"symbol\":" + JSONString.quoted(function.name)]
            if let offset = function.offset { members.append("\"symbolLocation\":\(offset)") }
            if let location = function.location {
                members.append("\"sourceFile\":" + JSONString.quoted(Path.foreignName(of: location.file)))
                if location.line > 0 { members.append("\"sourceLine\":\(location.line)") }
            }
            if function.isInlined { members.append("\"inline\":true") }
            objects.append("{" + members.joined(separator: ",") + "}")
        }
        return TextEdit(range: pair.range, replacement: Array(objects.joined(separator: ",").utf8))
    }
}
