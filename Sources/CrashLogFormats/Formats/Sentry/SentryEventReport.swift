internal import BinaryPrimitives
internal import CrashLogModel

/// The parts of a Sentry event, and the report that they make.
struct SentryEventReport {
    private let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    /// - Parameter imagesOfFrames: leaves out images that contain no frame, if nothing about the
    ///   frames depends on them: an app lists some 400, and has frames in 20. All images are kept
    ///   if a frame is in none of them, or if the event does not say that it comes from an Apple
    ///   system: it may come from this machine, which the paths of its images decide.
    func report(imagesOfFrames: Bool) -> CrashReport {
        var report = head
        let elements = Array((root["debug_meta"]?["images"]?.elements ?? []).prefix(Limits.standard.images))
        let ranges = imagesOfFrames && report.platform != nil ? SentryImageRanges(elements) : nil
        var table = ImageTable()
        func add(_ elements: some Sequence<JSONValue>) {
            for element in elements { table.list(SentryEventReport.image(element)) }
        }
        if ranges == nil { add(elements) }
        addStacks(to: &report, images: &table)
        if let ranges {
            guard let needed = ranges.needed(by: report) else { return self.report(imagesOfFrames: false) }
            add(needed.lazy.map { elements[$0] })
        }
        table.assign(to: &report)
        noteAbsences(&report)
        return report
    }

    /// The report without stacks and images.
    private var head: CrashReport {
        var report = CrashReport(format: SentryEvent.name)
        report.process = process
        report.platform = platform
        report.device = contexts("device")?["model"]?.string
        report.architecture = contexts("device")?["arch"]?.string.map { Architecture(writtenName: $0) }
        report.timestamp = timestamp
        report.cause = SentryEventCause(exceptions.last, message: message).cause
        return report
    }

    private func noteAbsences(_ report: inout CrashReport) {
        if report.stacks.allSatisfy(\.frames.isEmpty) {
            report.notes.append("The event has no frames.")
        } else if report.images.isEmpty {
            report.notes.append("The event has no list of images (debug_meta.images).")
        }
    }

    // MARK: Stacks

    private func addStacks(to report: inout CrashReport, images: inout ImageTable) {
        addExceptions(to: &report, images: &images)
        addThreads(to: &report, images: &images)
    }

    /// `{"values":[…]}`, or the array alone, as old events have it.
    private static func values(_ value: JSONValue?) -> [JSONValue] {
        guard let value else { return [] }
        if let values = value["values"] { return values.elements }
        return value.isObject ? [value] : value.elements
    }

    private var exceptions: [JSONValue] { SentryEventReport.values(root["exception"] ?? root["sentry.interfaces.Exception"]) }

    /// Exceptions that caused one another are listed with the oldest first: the last is the one
    /// that ended the process.
    private func addExceptions(to report: inout CrashReport, images: inout ImageTable) {
        let signal = SentryEventCause(exceptions.last, message: nil).signal
        var traces: [ThreadTrace] = []
        var chain: [(exception: JSONValue, stack: Int)] = []
        for exception in exceptions.prefix(Limits.standard.threads) {
            let name = exception["type"]?.string
            addRaw(exception["raw_stacktrace"], besides: exception["stacktrace"], name: name, signal, to: &report, images: &images)
            let stack = SentryStack(exception["stacktrace"], signal: signal, isCrashed: true, isException: true)
            var trace = ThreadTrace(index: 0, name: name, crashed: true, frames: stack.frames(&images))
            trace.registers = stack.registers
            if !trace.frames.isEmpty {
                chain.append((exception, traces.count))
                traces.append(trace)
            }
        }
        report.exceptionBacktrace = traces.popLast()
        report.rootCause = rootCause(chain, report.additionalBacktraces.count)
        report.additionalBacktraces += traces
        // An event without exceptions may have one stack of its own.
        if let own = root["stacktrace"] {
            let stack = SentryStack(own, signal: nil, isCrashed: true, isException: false)
            let frames = stack.frames(&images)
            if !frames.isEmpty {
                report.additionalBacktraces.append(ThreadTrace(index: 0, name: "stacktrace", crashed: true, frames: frames))
            }
        }
    }

    /// The first of the exceptions that led to the last: `mechanism.source` of an exception says how the next one came
    /// of it. One that a handler met by itself has `__context__`; parts of a group are beside each other.
    /// - Parameter first: index of the first exception's stack in the report's further stacks.
    private func rootCause(_ chain: [(exception: JSONValue, stack: Int)], _ first: Int) -> RootCause? {
        guard chain.count > 1, let last = chain.indices.last,
            !chain.contains(where: { $0.exception["mechanism"]?["is_exception_group"]?.isTrue ?? false })
        else { return nil }
        var root = last
        while root > 0, chain[root - 1].exception["mechanism"]?["source"]?.string != "__context__" { root -= 1 }
        guard root < last, let cause = SentryEventCause(chain[root].exception, message: nil).cause else { return nil }
        return RootCause(cause: cause, stacks: chain[root..<last].map { first + $0.stack })
    }

    private func addThreads(to report: inout CrashReport, images: inout ImageTable) {
        let signal = SentryEventCause(exceptions.last, message: nil).signal
        for (index, element) in SentryEventReport.values(root["threads"]).prefix(Limits.standard.threads).enumerated() {
            // Old events call the number `uuid`.
            var thread = ThreadTrace(index: element["id"]?.int ?? element["uuid"]?.int ?? index, name: element["name"]?.string)
            if thread.name?.isEmpty ?? false { thread.name = nil }
            thread.crashed = element["crashed"]?.isTrue ?? false
            let isException = thread.crashed && (report.cause?.kind == .languageException)
            let stack = SentryStack(element["stacktrace"], signal: signal, isCrashed: thread.crashed, isException: isException)
            thread.frames = stack.frames(&images)
            thread.registers = stack.registers
            report.threads.append(thread)
            addRaw(
                element["raw_stacktrace"], besides: element["stacktrace"], name: "thread \(thread.index)", signal, to: &report,
                images: &images)
        }
    }

    /// Sentry keeps the stack that was sent as `raw_stacktrace` if it has symbolicated the other.
    /// It is read where there is nothing else.
    private func addRaw(
        _ raw: JSONValue?, besides stack: JSONValue?, name: String?, _ signal: String?, to report: inout CrashReport,
        images: inout ImageTable
    ) {
        guard let raw, raw.isObject, stack?["frames"]?.elements.isEmpty ?? true else { return }
        let frames = SentryStack(raw, signal: signal, isCrashed: true, isException: false).frames(&images)
        guard !frames.isEmpty else { return }
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: "raw_stacktrace" + (name.map { " of \($0)" } ?? ""), frames: frames))
    }

    // MARK: Images

    /// `{"type":"macho","debug_id":"…","image_addr":"0x…","image_size":16384,"code_file":"/…/App"}`;
    /// before 2019 `{"type":"apple","uuid":"…","name":"/…/App","cpu_type":12,…}`; without an address
    /// `{"type":"wasm","code_id":"…","code_file":"https://…/app.wasm","debug_id":"…0"}`.
    ///
    /// - Returns: `nil` for entries that are no images: source maps, ProGuard's tables.
    private static func image(_ element: JSONValue) -> BinaryImage? {
        let type = element["type"]?.string
        let path = element["code_file"]?.string ?? element["name"]?.string ?? ""
        if type == "wasm" {
            let id = element["code_id"]?.string.flatMap { ImageID(buildID: $0) } ?? element["debug_id"]?.withPlainString { debugID($0) }
            return BinaryImage(name: Path.foreignName(of: path), id: id, architecture: .wasm32)
        }
        guard let base = element["image_addr"]?.unsigned else { return nil }
        var image = BinaryImage(
            name: Path.foreignName(of: path), path: path.isEmpty ? nil : path, base: RuntimeAddress(base),
            size: element["image_size"]?.unsigned)
        image.id =
            type == "macho" || type == "apple" || type == nil
            ? (element["debug_id"] ?? element["uuid"])?.withPlainString { debugID($0) } : nil
        // An ELF file's whole build ID is in `code_id`; its debug identifier is a part of it with
        // its bytes swapped.
        if type == "elf" { image.id = element["code_id"]?.string.flatMap { ImageID(text: $0) } }
        if let name = element["arch"]?.string {
            image.architecture = Architecture(writtenName: name)
        } else if let cpu = element["cpu_type"]?.int {
            image.architecture = Architecture(machCPU: cpu, subtype: element["cpu_subtype"]?.int)
        }
        return image
    }

    /// A Mach-O's debug identifier is its UUID, with a trailing age (`…-0` or a single `0`) in
    /// Breakpad's spelling.
    private static func debugID(_ text: Span<UInt8>) -> ImageID? {
        var digits = 0
        for index in 0..<text.count where text[index] != UInt8(ascii: "-") { digits += 1 }
        return ImageID(text: digits == 33 ? text.upTo(text.count - 1) : text)
    }

    // MARK: What happened

    private func contexts(_ name: String) -> JSONValue? { root["contexts"]?[name] }

    private var message: String? {
        let message =
            root["logentry"]?["formatted"]?.string ?? root["logentry"]?["message"]?.string ?? root["message"]?.string
            ?? root["message"]?["formatted"]?.string
        return message.flatMap { $0.isEmpty ? nil : $0 }
    }

    private var process: ProcessDescription {
        let app = contexts("app")
        var process = ProcessDescription()
        process.name = app?["app_name"]?.string
        process.identifier = app?["app_identifier"]?.string ?? app?["app_id"]?.string
        let build = app?["app_build"]?.string ?? root["dist"]?.string
        process.version =
            app?["app_version"]?.string.map { version in build.map { "\(version) (\($0))" } ?? version } ?? root["release"]?.string
        return process
    }

    private var platform: String? {
        guard let system = contexts("os"), let name = system["name"]?.string else { return nil }
        let version = system["version"]?.string.map { "\(name) \($0)" } ?? name
        return system["build"]?.string.map { "\(version) (\($0))" } ?? version
    }

    /// A date in ISO 8601, which is UTC where it names no zone, or seconds since 1970, with a
    /// fraction.
    private var timestamp: Timestamp? {
        guard let value = root["timestamp"] ?? root["datetime"] else { return nil }
        guard let text = value.string else {
            guard let written = value.text, let seconds = Double(written), abs(seconds) < 1e11 else { return nil }
            return Timestamp(nanosecondsSince1970: Int128((seconds * 1e6).rounded()) * 1000, text: written)
        }
        let time = Timestamp(text)
        guard time.instant == nil, let local = time.local else { return time }
        return Timestamp(nanosecondsSince1970: local, text: text)
    }
}

/// Why the process ended, from the event's last exception and its `mechanism`.
struct SentryEventCause {
    private let exception: JSONValue?
    private let message: String?

    init(_ exception: JSONValue?, message: String?) {
        self.exception = exception
        self.message = message
    }

    /// Events of 2017 have the parts of `meta` in `mechanism` itself, as `posix_signal` and
    /// `mach_exception`.
    private var signalValue: JSONValue? {
        let mechanism = exception?["mechanism"]
        return mechanism?["meta"]?["signal"] ?? mechanism?["posix_signal"]
    }
    private var machValue: JSONValue? {
        let mechanism = exception?["mechanism"]
        return mechanism?["meta"]?["mach_exception"] ?? mechanism?["mach_exception"]
    }

    /// The signal's name; of a number alone, that of the three that matter to the rule for frame 0.
    var signal: String? {
        if let name = signalValue?["name"]?.string { return name }
        switch (signalValue?["number"] ?? signalValue?["signal"])?.int {
        case 4: return "SIGILL"
        case 10: return "SIGBUS"
        case 11: return "SIGSEGV"
        case let number: return number.map { "\($0)" }
        }
    }

    var cause: CrashCause? {
        guard let exception else {
            guard let message else { return nil }
            return CrashCause(kind: .other, type: "message", message: message)
        }
        let type = exception["type"]?.string
        let isMach = type.map { $0.hasPrefix("EXC_") } ?? false
        let isSignal = type.map { $0.hasPrefix("SIG") } ?? false
        var cause = CrashCause(
            kind: isMach ? .machException : isSignal ? .signal : .languageException, type: type ?? exception["mechanism"]?["type"]?.string,
            signal: signal)
        cause.signalCode = signalValue?["code_name"]?.string
        cause.message = exception["value"]?.string ?? message
        let codes = [machValue?["code"], machValue?["subcode"]].compactMap { $0?.text }
        cause.codes = codes.isEmpty ? nil : codes.joined(separator: ", ")
        if type == "EXC_BAD_ACCESS" {
            let mechanism = exception["mechanism"]
            cause.address = (mechanism?["data"]?["relevant_address"] ?? mechanism?["relevant_address"])?.unsigned.map { RuntimeAddress($0) }
        }
        return cause
    }
}

/// Address ranges of the images of a Sentry event, without their names and identifiers: enough to
/// find the image of a frame.
struct SentryImageRanges {
    private let images: SortedImages

    /// - Parameter elements: the elements of `debug_meta.images`.
    /// - Returns: `nil` if an image is not of Apple's systems, or has no base or size, or if images
    ///   overlap.
    init?(_ elements: [JSONValue]) {
        var ranges: [(base: UInt64, size: UInt64, index: Int)] = []
        ranges.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard element["type"]?.withPlainString({ $0.equals("macho") || $0.equals("apple") }) ?? false,
                let base = element["image_addr"]?.unsigned, let size = element["image_size"]?.unsigned
            else { return nil }
            ranges.append((base, size, index))
        }
        images = SortedImages(ranges: ranges)
        guard !ranges.isEmpty, !images.overlap else { return nil }
    }

    /// The indices of the images that the report's frames are in, in order, and of the first image,
    /// which shows that there is a list.
    /// - Returns: `nil` where a frame is in none.
    func needed(by report: CrashReport) -> [Int]? {
        var needed: Set<Int> = [0]
        for stack in report.stacks {
            for frame in stack.frames {
                guard let index = frame.address.flatMap({ images.index(containing: $0) }) else { return nil }
                needed.insert(index)
            }
        }
        return needed.sorted()
    }
}
