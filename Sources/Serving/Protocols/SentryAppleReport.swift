internal import BinaryPrimitives
internal import CrashLogModel
internal import CrashReports

/// Symbolicator's `POST /applecrashreport`: a crash report of Apple's systems, as text or `.ips`.
///
///     curl -F apple_crash_report=@App.crash http://localhost:3021/applecrashreport
///
/// Beside what Symbolicator's response has, the stack of an exception is a stack of its own, and an
/// unresolved frame has the name that the report prints.
struct SentryAppleReport {
    static let routes = [
        Route(
            path: "/applecrashreport", method: "POST", errors: .detail, maxBodyBytes: SentryMinidump.maxBodyBytes, canWait: true,
            descriptions: [description]
        ) {
            (request, service) throws(Refusal) in
            let form = try SentryForm(request, field: "apple_crash_report", "apple crash report", service)
            let report: CrashReport
            do throws(LogError) { report = try read(form.file, service.limits) } catch {
                return SentryFacts.failed("failed to parse apple crash report: \(error.description)")
            }
            let apple = SentryAppleReport(report: report)
            let request = SentryRequest(modules: apple.modules, stacks: apple.stacks, isUnwound: false, form)
            return try SentrySymbolication(request, service.using(form.sources.compactMap(\.server))).response(apple.facts)
        }
    ]

    private static let description = RouteDescription(
        path: "/applecrashreport", summary: "Symbolicator’s endpoint for Apple’s crash reports.", body: [.form("AppleReportForm")],
        results: [200: [.json("SentryResponse")]], refusals: [400, 422])

    private static let formats: Set = ["apple-crash", "apple-ips", "apple-ips-legacy", "plcrashreporter"]

    let report: CrashReport

    /// The first report of the file.
    private static func read(_ file: MappedFile, _ limits: Limits) throws(LogError) -> CrashReport {
        var stream = LogStream(limits: limits)
        var input = LogInput(file)
        var found: CrashReport?
        func keep(_ pieces: [LogStream.Piece]) { found = found ?? pieces.lazy.flatMap(\.reports).first { formats.contains($0.format) } }
        do throws(FileError) {
            while found == nil, let part = try input.next() { keep(stream.feed(part.span)) }
        } catch { throw LogError(error.description) }
        if found == nil { keep(stream.finish()) }
        guard let found else { throw input.problems(of: stream).first ?? LogError("it is another kind of log") }
        return found
    }

    private var stacks: [SentryRequest.Stack] {
        var stacks = report.threads.map { stack($0, isThread: true) }
        if let backtrace = report.exceptionBacktrace { stacks.insert(stack(backtrace, isThread: false), at: 0) }
        return stacks
    }

    private func stack(_ thread: ThreadTrace, isThread: Bool) -> SentryRequest.Stack {
        let frames = thread.frames.compactMap { frame -> SentryRequest.Frame? in
            guard let address = frame.address else { return nil }
            var shown = SentryRequest.Frame(address: address.value)
            shown.isReturnAddress = frame.isAdjusted()
            // A row of no image has `???`.
            shown.texts["package"] = frame.imageName.flatMap { $0 == "???" ? nil : $0 }
            shown.texts["function"] = frame.printed?.name
            return shown
        }
        return SentryRequest.Stack(
            threadID: isThread ? UInt64(exactly: thread.index) : nil, threadName: isThread ? thread.name : "Last Exception Backtrace",
            isRequesting: isThread ? thread.crashed : nil, registers: thread.registers?.values ?? [], frames: frames,
            hasMarkedFrames: true)
    }

    private var modules: [SentryModule] {
        // An image that only rows name has neither path nor UUID, and no end.
        report.images.filter { !$0.isPlaceholder && ($0.id != nil || $0.path != nil) }.map { image in
            let file = image.path ?? image.name
            return SentryModule(
                type: "macho", codeID: image.id?.hexadecimal, codeFile: file,
                debugID: image.id.flatMap(BreakpadID.machO).flatMap { SentryModule.debugID(breakpad: $0) }, debugFile: file,
                address: image.base?.value ?? 0, size: image.size)
        }
    }

    // MARK: What happened

    private var facts: [(key: String, value: WrittenJSON?)] {
        let cause = report.cause
        let type = [cause?.type, cause?.signal == cause?.type ? nil : cause?.signal].compactMap { $0 }
        let system = system
        let seconds = report.timestamp?.instant.flatMap { Int(exactly: $0 / 1_000_000_000) }
        return [
            ("timestamp", seconds.map { .number($0) }),
            (
                "system_info",
                SentryFacts.system(
                    name: system.name, version: system.version, build: system.build,
                    report.architecture ?? report.images.lazy.compactMap(\.architecture).first, model: report.device ?? "")
            ),
            ("crashed", .boolean(true)),
            // As the report has it: `EXC_BAD_ACCESS (SIGSEGV)`.
            ("crash_reason", type.isEmpty ? nil : .string(type.count == 2 ? "\(type[0]) (\(type[1]))" : type[0])),
            (
                "crash_details",
                (cause?.message ?? cause?.detail ?? cause?.subtype ?? cause?.codes).map { .string($0) }
            ),
        ]
    }

    /// `Mac OS X 10.14.0 (18A391)`, `iPhone OS 17.2.1 (21C66)`, `macOS 14.1 (23B74)`.
    private var system: (name: String, version: String, build: String) {
        let text = report.platform ?? ""
        let tokens = text.split(separator: " ")
        guard let index = tokens.firstIndex(where: { $0.utf8.first.map(isDigit) == true }), index > 0 else { return (text, "", "") }
        let name = tokens[..<index].joined(separator: " ")
        let build = tokens[(index + 1)...].first.map { $0.filter { $0 != "(" && $0 != ")" } } ?? ""
        return (["Mac OS X": "macOS", "iPhone OS": "iOS"][name] ?? name, String(tokens[index]), build)
    }
}
