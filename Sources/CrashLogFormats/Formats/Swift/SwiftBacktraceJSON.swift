internal import BinaryPrimitives
package import CrashLogModel

/// The crash report of Swift's own backtracer as JSON (`SWIFT_BACKTRACE=format=json`, Swift 6.3):
/// one object on one line, after the program's own output. All addresses are strings with `0x`.
package struct SwiftBacktraceJSON: DocumentFormat {
    package static let name = SwiftBacktrace.name
    package static let summary = SwiftBacktrace.summary
    package static let triggers = ["\"crashReport\""]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        // `"kind": "crashReport"` follows the timestamp.
        let head = start.upTo(256)
        guard let key = head.firstRange(of: "\"kind\"") else { return .none }
        return head.from(key.upperBound).contains("\"crashReport\"") ? .certain : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        guard root["kind"]?.string == "crashReport" else {
            throw LogError("not a report of Swift's backtracer", expected: "an object with \"kind\": \"crashReport\"", at: 0)
        }
        var report = CrashReport(format: name)
        report.timestamp = root["timestamp"]?.string.map { Timestamp($0) }
        report.platform = root["platform"]?.string
        report.architecture = root["architecture"]?.string.map { Architecture($0) }
        var cause = SwiftBacktrace.cause(description: root["description"]?.string ?? "")
        cause.address = root["faultAddress"]?.unsigned.map { RuntimeAddress($0) }
        report.cause = cause
        for (index, value) in (root["threads"]?.elements ?? []).prefix(Limits.standard.threads).enumerated() {
            report.threads.append(thread(value, index: index))
        }
        guard report.threads.contains(where: { !$0.frames.isEmpty }) else {
            throw LogError("the report holds no stack", expected: "\"threads\" with \"frames\"")
        }
        var images = ImageTable((root["images"]?.elements ?? []).map { image($0, report.architecture) })
        images.assign(to: &report)
        if images.images.isEmpty { report.notes.append("The report has no list of images.") }
        return [report]
    }

    private static func thread(_ value: JSONValue, index: Int) -> ThreadTrace {
        var thread = ThreadTrace(index: index, name: value["name"]?.string, crashed: value["crashed"]?.isTrue ?? false)
        thread.registers = RegisterState(members: value["registers"])
        var next = 0
        for element in (value["frames"]?.elements ?? []).prefix(Limits.standard.framesPerThread) {
            let frame = frame(element, index: next)
            thread.frames.append(frame)
            if case .omitted(let count) = frame.kind { next = next.addingReportingOverflow(max(0, count)).partialValue } else { next &+= 1 }
        }
        return thread
    }

    private static func frame(_ value: JSONValue, index: Int) -> Frame {
        var frame = Frame(
            index: index, kind: kind(value), address: value["address"]?.unsigned.map { RuntimeAddress($0) }, range: value.range)
        frame.isInlined = value["inlined"]?.isTrue ?? false
        frame.imageName = value["image"]?.string
        var printed = PrintedSymbol()
        // `description` is the demangled name with the offset after it, `symbol` the mangled name.
        let offset = value["offset"]?.int ?? 0
        printed.name = value["description"]?.string ?? value["symbol"]?.string
        if offset > 0, let name = printed.name, name.hasSuffix(" + \(offset)") {
            printed.name = String(name.dropLast(" + \(offset)".count))
        }
        if printed.name == "<unknown>" { printed.name = nil }
        printed.offset = frame.isInlined ? nil : value["offset"]?.unsigned
        if let location = value["sourceLocation"], let file = location["file"]?.string {
            printed.location = SourceLocation(file: file, line: location["line"]?.int ?? 0, column: location["column"]?.int ?? 0)
        }
        if printed != PrintedSymbol() { frame.printed = printed }
        return frame
    }

    /// Kind of a frame's address, as the backtracer states it. Only a return address is looked up
    /// one byte earlier, as the backtracer did for the names that it printed
    /// (`adjustedProgramCounter` of the Runtime module).
    private static func kind(_ value: JSONValue) -> Frame.Kind {
        switch value["kind"]?.string {
        case "returnAddress": .returnAddress
        case "asyncResumePoint": .asyncResumePoint
        case "omittedFrames": .omitted(count: value["count"]?.int ?? 0)
        case "truncated": .truncated
        default: .programCounter
        }
    }

    private static func image(_ value: JSONValue, _ architecture: Architecture?) -> BinaryImage {
        let path = value["path"]?.string
        var image = BinaryImage(
            name: value["name"]?.string ?? path.map(Path.foreignName) ?? "", path: path,
            id: value["buildId"]?.string.flatMap { ImageID(text: $0) }, base: value["baseAddress"]?.unsigned.map { RuntimeAddress($0) })
        if let base = image.base?.value, let end = value["endOfText"]?.unsigned, end >= base { image.size = end - base }
        image.architecture = architecture
        return image
    }

    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        SwiftBacktrace.edits(of: report, results: results, in: log)
    }

    /// The edit for a frame object: `symbol`, `offset`, `description`, `image` and `sourceLocation`
    /// are set as the backtracer sets them, everything else in it stays. Inlined calls become
    /// objects of their own in front of it, with `"inlined": true`.
    static func edit(of frame: Frame, with result: FrameResult, isApple: Bool, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.range, of: log, functions: result.functions) { function, edit in
            let offset = SwiftBacktrace.printedOffset(function, of: frame, isApple: isApple) ?? 0
            if function.isInlined { edit.set("inlined", to: "true") }
            if function.name.hasPrefix(SwiftBacktrace.runtimeFailure) { edit.set("runtimeFailure", to: "true") }
            if SwiftFunctionKind.isThunk(function.mangledName) { edit.set("thunk", to: "true") }
            if SwiftFunctionKind.isSystem(function) { edit.set("system", to: "true") }
            edit.set("symbol", to: JSONString.quoted(function.mangledName))
            edit.set("offset", to: "\(offset)")
            edit.set("description", to: JSONString.quoted(offset > 0 ? "\(function.name) + \(offset)" : function.name))
            if edit.object["image"] == nil { edit.set("image", to: JSONString.quoted(result.imageName)) }
            if let location = function.location {
                let file = JSONString.quoted(location.file)
                edit.set("sourceLocation", to: "{ \"file\": \(file), \"line\": \(location.line), \"column\": \(location.column) }")
            }
        }
    }
}
