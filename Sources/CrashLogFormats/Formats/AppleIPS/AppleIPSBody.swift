internal import BinaryPrimitives
internal import CrashLogModel

/// The two objects of an `.ips`, and the report that they make.
struct AppleIPSBody {
    let header: JSONValue
    let body: JSONValue
    /// The stacks of `asiBacktraces`.
    let quotedStacks: [[Frame]]

    private func value(_ key: String) -> JSONValue? { body[key] ?? header[key] }

    private var bugType: AppleIPSBugType? { AppleIPSBugType(header) }

    /// Everything but stacks and images.
    private func outline() -> CrashReport {
        var report = CrashReport(format: AppleIPS.name)
        report.process = process
        report.platform = platform
        report.device = value("modelCode")?.string
        report.architecture = value("cpuType")?.string.flatMap { $0.isEmpty ? nil : Architecture(writtenName: $0) }
        report.timestamp = (value("captureTime")?.string ?? header["timestamp"]?.string ?? body["date"]?.string).map { Timestamp($0) }
        report.cause = cause
        report.sharedCache = AppleIPSImage.sharedCache(body["sharedCache"])
        return report
    }

    /// A report that is recognised and has nothing to look up.
    /// - Throws: `LogError` if the report should have stacks.
    func reportWithoutStacks() throws(LogError) -> CrashReport {
        let isCrash = bugType.map { ["309", "109"].contains($0.code) } ?? true
        guard !isCrash || body["processByPid"] != nil || body["panicString"] != nil else {
            let type = header["bug_type"]?.text.map { " (bug_type \($0))" } ?? ""
            throw LogError("the .ips\(type) holds no stacks", expected: "a crash report (bug_type 309) with \"threads\"")
        }
        var report = outline()
        let kind = bugType?.description ?? "report"
        var cause = report.cause ?? CrashCause(kind: .other)
        cause.type = cause.type ?? bugType?.name ?? "report"
        if let text = body["panicString"]?.string ?? body["macOSPanicString"]?.string {
            report.process = ProcessDescription()
            report.process.name = "kernel"
            cause.type = "panic"
            cause.message = text.split(whereSeparator: \.isNewline).first.map(String.init)
            report.notes.append("This .ips is a \(kind): its panicString has the cause, but no stack of the kernel.")
        } else if body["processByPid"] == nil {
            if let largest = body["largestProcess"]?.string { cause.message = "largest process: \(largest)" }
            report.notes.append("This .ips is a \(kind) and has no stacks" + (bugType?.reasonWithoutStacks.map { ": \($0)." } ?? "."))
        }
        report.cause = cause
        return report
    }

    func report() throws(LogError) -> CrashReport {
        var report = outline()
        var table = ImageTable()
        let list = body["usedImages"]?.elements ?? []
        let extras = body["legacyInfo"]?["imageExtraInfo"]?.elements ?? []
        for (index, element) in list.enumerated() {
            var image = element.isObject ? AppleIPSImage.object(element) : AppleIPSImage.pair(element)
            if !element.isObject, extras.indices.contains(index) { AppleIPSImage.add(extras[index], to: &image) }
            table.add(image)
        }
        if list.isEmpty { report.notes.append("The report has no list of images (usedImages).") }
        let images = table.images

        let faulting = body["faultingThread"]?.int
        for (index, element) in (body["threads"]?.elements ?? []).prefix(Limits.standard.threads).enumerated() {
            let isTriggered = element["triggered"]?.isTrue ?? false
            var thread = ThreadTrace(
                index: index, name: element["name"]?.string ?? element["queue"]?.string, crashed: isTriggered || index == faulting)
            thread.frames = AppleIPSBody.frames(element["frames"], images, origin: .thread)
            thread.registers = AppleIPSBody.registers(element["threadState"])
            report.threads.append(thread)
        }
        let exception = AppleIPSBody.frames(body["lastExceptionBacktrace"], images, origin: .exception)
        if !exception.isEmpty {
            report.exceptionBacktrace = ThreadTrace(index: 0, name: "Last Exception Backtrace", crashed: true, frames: exception)
        }
        addQuotedStacks(to: &report)
        guard report.exceptionBacktrace != nil || report.threads.contains(where: { !$0.frames.isEmpty }) else {
            throw LogError("no thread of the .ips has frames", expected: "\"threads\" with \"frames\"")
        }
        table.assign(to: &report)
        return report
    }

    // MARK: Stacks

    private static func frames(_ list: JSONValue?, _ images: [BinaryImage], origin: AppleStack.Origin) -> [Frame] {
        var frames = (list?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated().map { index, element in
            AppleIPSFrame.frame(element, index: index, images: images)
        }
        AppleStack.decideKinds(&frames, origin: origin)
        return frames
    }

    private func addQuotedStacks(to report: inout CrashReport) {
        for (number, stack) in quotedStacks.enumerated() {
            var frames = stack
            AppleStack.markInlined(&frames)
            AppleStack.decideKinds(&frames, origin: .exception)
            let name = "Application Specific Backtrace \(number + 1)"
            if report.exceptionBacktrace == nil {
                report.exceptionBacktrace = ThreadTrace(index: 0, name: name, crashed: true, frames: frames)
            } else {
                report.additionalBacktraces.append(ThreadTrace(index: report.additionalBacktraces.count, name: name, frames: frames))
            }
        }
    }

    /// `{"flavor":"ARM_THREAD_STATE64","x":[{"value":0},…],"lr":{"value":1},…}`: the numbered
    /// registers are an array.
    private static func registers(_ state: JSONValue?) -> RegisterState? {
        var values: [(name: String, value: UInt64)] = []
        for member in (state?.members ?? []).prefix(256) {
            if let value = member.value["value"]?.unsigned {
                values.append((member.key, value))
            } else {
                for (index, element) in member.value.elements.prefix(64).enumerated() {
                    if let value = element["value"]?.unsigned { values.append(("\(member.key)\(index)", value)) }
                }
            }
        }
        return values.isEmpty ? nil : RegisterState(values: values)
    }

    // MARK: What happened

    private var process: ProcessDescription {
        var process = ProcessDescription()
        process.name = body["procName"]?.string ?? header["app_name"]?.string ?? header["name"]?.string
        process.path = body["procPath"]?.string
        let bundle = body["bundleInfo"]
        process.identifier = bundle?["CFBundleIdentifier"]?.string ?? header["bundleID"]?.string ?? header["bundle_id"]?.string
        let version = bundle?["CFBundleShortVersionString"]?.string ?? header["app_version"]?.string
        let build = bundle?["CFBundleVersion"]?.string ?? header["build_version"]?.string
        let parts = [version, build.map { "(\($0))" }].compactMap { $0 }.filter { !$0.isEmpty && $0 != "()" }
        process.version = parts.isEmpty ? nil : parts.joined(separator: " ")
        process.pid = body["pid"]?.int
        return process
    }

    private var platform: String? {
        if let version = header["os_version"]?.string { return version }
        guard let version = body["osVersion"], let train = version["train"]?.string else { return nil }
        return version["build"]?.string.map { $0.isEmpty ? train : "\(train) (\($0))" } ?? train
    }

    private var cause: CrashCause? {
        let exception = value("exception")
        let termination = value("termination")
        guard exception != nil || termination != nil || value("asi") != nil else { return nil }
        var cause = CrashCause(
            kind: exception == nil ? .other : .machException, type: exception?["type"]?.string ?? termination?["namespace"]?.string,
            signal: exception?["signal"]?.string, codes: exception?["codes"]?.string ?? termination?["code"]?.text)
        if let reason = value("exceptionReason") {
            // An uncaught Objective-C exception explains more than the abort that followed.
            if let name = reason["name"]?.string { cause.type = name }
            cause.kind = .languageException
        }
        let subtype = exception?["subtype"]?.string
        cause.address = subtype.flatMap { AppleStack.faultAddress(Array($0.utf8).span) }
        cause.message = message(subtype)
        cause.subtype = subtype
        cause.detail = exception?["message"]?.string
        cause.termination = AppleIPSBody.termination(termination)
        return cause
    }

    /// `{"namespace": "FRONTBOARD", "code": 2343432205, "indicator": "…", "reasons": ["…"]}`; the
    /// code may be text.
    private static func termination(_ value: JSONValue?) -> CrashCause.Termination? {
        guard let value, value.isObject else { return nil }
        let texts = [value["indicator"]?.string, value["reason"]?.string] + (value["reasons"]?.elements ?? []).prefix(16).map(\.string)
        let text = value["code"]?.string.map { Array($0.utf8) } ?? []
        var digits = text.span
        return CrashCause.Termination(
            namespace: value["namespace"]?.string, code: value["code"]?.unsigned ?? digits.readAddress() ?? digits.readDecimal(),
            message: texts.compactMap { $0 }.joined(separator: "\n"))
    }

    private func message(_ subtype: String?) -> String? {
        if let reason = value("exceptionReason")?["composed_message"]?.string { return reason }
        // Messages of the libraries (`asi`), by library.
        let texts = (value("asi")?.members ?? []).flatMap { $0.value.elements.compactMap(\.string) }.filter { !$0.isEmpty }
        let termination = value("termination")
        return texts.isEmpty
            ? subtype ?? termination?["reason"]?.string ?? termination?["indicator"]?.string : texts.joined(separator: "\n")
    }
}
