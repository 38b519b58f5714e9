internal import BinaryPrimitives
internal import CrashLogModel

/// The parts of a KSCrash report, and the report that they make.
struct KSCrashReport {
    private let root: JSONValue
    /// The report that was being written when the reporter itself crashed (or, of KSCrash 2, the
    /// crash inside the reporter): the same process a moment earlier or later.
    private let second: JSONValue?

    init(_ root: JSONValue) {
        self.root = root
        second = root["recrash_report"]
    }

    func report(in document: Span<UInt8>) -> CrashReport {
        var report = CrashReport(format: KSCrash.name)
        report.process = process
        report.platform = platform
        report.device = root["system"]?["machine"]?.string
        report.architecture = architecture
        report.timestamp = KSCrashReport.timestamp(root["report"]?["timestamp"])
        report.cause = KSCrashCause(root["crash"]).cause

        var table = ImageTable(images)
        add(stacksOf: root, to: &report)
        if let second {
            report.notes.append(
                "The reporter crashed while it wrote a report (recrash_report): the data about that crash may be incomplete.")
            addRecrash(second, to: &report)
        }
        // An error that the program reported to Bugsnag.
        if let event = VendorEvent(root["user"]?["event"], .bugsnag) ?? VendorEvent(root["user"]?["overrides"]?["event"], .bugsnag) {
            event.add(to: &report, images: &table, document)
        }
        table.assign(to: &report)
        addReasons(to: &report)
        return report
    }

    // MARK: Stacks

    private func add(stacksOf document: JSONValue, to report: inout CrashReport) {
        let crash = document["crash"]
        let stack = KSCrashStack(error: crash?["error"])
        for (index, element) in (crash?["threads"]?.elements ?? []).prefix(Limits.standard.threads).enumerated() {
            report.threads.append(stack.thread(element, index: index))
        }
        // A “minimal” report has one thread only.
        if let element = crash?["crashed_thread"], element.isObject {
            report.threads.append(stack.thread(element, index: report.threads.count))
        }
    }

    private func addRecrash(_ document: JSONValue, to report: inout CrashReport) {
        var other = CrashReport(format: KSCrash.name)
        add(stacksOf: document, to: &other)
        for thread in other.threads where !thread.frames.isEmpty {
            var thread = thread
            let heading = "Recrash, thread \(thread.index)" + (thread.crashed ? " crashed" : "")
            thread.name = thread.name.map { "\(heading): \($0)" } ?? heading
            report.additionalBacktraces.append(thread)
        }
        if report.cause == nil { report.cause = KSCrashCause(document["crash"]).cause }
    }

    /// Why there is nothing to look up, where there is not.
    private func addReasons(to report: inout CrashReport) {
        if report.stacks.allSatisfy(\.frames.isEmpty) {
            let type = root["crash"]?["error"]?["type"]?.string
            report.notes.append(
                type == "memory_termination"
                    ? "The report has no stacks: the system ended the process for its use of memory (crash.error.type “memory_termination”), and no code of the process ran then."
                    : "The report has no stacks: neither crash.threads nor crash.crashed_thread is there.")
        } else if report.images.isEmpty {
            report.notes.append("The report has no list of images (binary_images).")
        }
    }

    // MARK: Images

    private var images: [BinaryImage] {
        let own = root["binary_images"]?.elements ?? []
        // The two reports of a recrash are of one process; only one of them may have got as far as
        // the images.
        let list = own.isEmpty ? second?["binary_images"]?.elements ?? [] : own
        return list.map(KSCrashReport.image)
    }

    /// `{"image_addr":4360257536,"image_vmaddr":4294967296,"image_size":311296,"name":"/…/App","uuid":"9B407C12-…","cpu_type":16777223,"cpu_subtype":3}`
    static func image(_ element: JSONValue) -> BinaryImage {
        let path = element["name"]?.string ?? ""
        return BinaryImage(
            name: Path.foreignName(of: path), path: path.isEmpty ? nil : path, id: element["uuid"]?.string.flatMap { ImageID(text: $0) },
            base: element["image_addr"]?.unsigned.map { RuntimeAddress($0) }, size: element["image_size"]?.unsigned,
            architecture: element["cpu_type"]?.int.flatMap { Architecture(machCPU: $0, subtype: element["cpu_subtype"]?.int) })
    }

    // MARK: What happened

    private var process: ProcessDescription {
        let system = root["system"]
        var process = ProcessDescription()
        process.name =
            root["report"]?["process_name"]?.string ?? system?["CFBundleExecutable"]?.string ?? second?["report"]?["process_name"]?.string
        process.path = system?["CFBundleExecutablePath"]?.string
        process.identifier = system?["CFBundleIdentifier"]?.string
        let build = system?["CFBundleVersion"]?.string
        process.version =
            system?["CFBundleShortVersionString"]?.string.map { version in build.map { "\(version) (\($0))" } ?? version } ?? build
        process.pid = system?["process_id"]?.int
        return process
    }

    private var platform: String? {
        let system = root["system"]?["system_name"]?.string == nil ? second?["system"] ?? root["system"] : root["system"]
        guard let name = system?["system_name"]?.string, let version = system?["system_version"]?.string else { return nil }
        return system?["os_version"]?.string.map { "\(name) \(version) (\($0))" } ?? "\(name) \(version)"
    }

    private var architecture: Architecture? {
        let system = root["system"]
        if let type = system?["binary_cpu_type"]?.int, let found = Architecture(machCPU: type, subtype: system?["binary_cpu_subtype"]?.int)
        {
            return found
        }
        return system?["cpu_arch"]?.string.map { Architecture(writtenName: $0) }
    }

    /// A date in ISO 8601, seconds since 1970, or, since report version 3.3, microseconds. The size
    /// of a number shows which of the two it is: as seconds, 10^11 is the year 5138; as
    /// microseconds, a day of 1970.
    static func timestamp(_ value: JSONValue?) -> Timestamp? {
        guard let value else { return nil }
        if let text = value.string { return Timestamp(text) }
        guard let number = value.int, let text = value.text else { return nil }
        return abs(Double(number)) < 1e11
            ? Timestamp(secondsSince1970: Int64(number), text: text)
            : Timestamp(nanosecondsSince1970: Int128(number) * 1000, text: text)
    }
}

/// Why the process ended, from `crash.error` and `crash.diagnosis`.
struct KSCrashCause {
    private let crash: JSONValue?

    init(_ crash: JSONValue?) { self.crash = crash }

    var cause: CrashCause? {
        guard let error = crash?["error"], error.isObject else { return nil }
        let type = error["type"]?.string
        var cause = CrashCause(
            kind: .other, type: type, signal: error["signal"]?["name"]?.string ?? error["signal"]?["signal"]?.text,
            message: error["reason"]?.string ?? crash?["diagnosis"]?.string)
        let mach = error["mach"]
        switch type {
        case "nsexception", "cpp_exception":
            cause.kind = .languageException
            let exception = error["nsexception"] ?? error["cpp_exception"]
            cause.type = exception?["name"]?.string ?? type
            cause.message = exception?["reason"]?.string ?? cause.message
        case "user":
            cause.type = error["user_reported"]?["name"]?.string ?? type
        case "memory_termination":
            let memory = error["memory_termination"]
            let parts = ["memory_footprint", "memory_limit", "memory_level"].compactMap { key in memory?[key]?.text.map { "\(key) \($0)" } }
            cause.message = parts.isEmpty ? nil : parts.joined(separator: ", ")
        case "deadlock":
            cause.message = cause.message ?? "the main thread did not respond in time"
        default:
            guard mach != nil || error["signal"] != nil else { break }
            cause.kind = mach != nil ? .machException : .signal
            cause.type = mach?["exception_name"]?.string ?? cause.signal
            cause.codes = mach.flatMap(KSCrashCause.codes)
            cause.address = faultAddress(error)
        }
        return cause
    }

    /// `KERN_INVALID_ADDRESS`, or the exception's two numbers.
    private static func codes(_ mach: JSONValue) -> String? {
        if let name = mach["code_name"]?.string { return name }
        let numbers = [mach["code"], mach["subcode"]].compactMap { $0?.text }
        return numbers.isEmpty ? nil : numbers.joined(separator: ", ")
    }

    /// `address` is where memory was wanted, after a bad access only; otherwise it repeats the
    /// program counter.
    private func faultAddress(_ error: JSONValue) -> RuntimeAddress? {
        let isBadAccess = error["mach"]?["exception_name"]?.string == "EXC_BAD_ACCESS" || error["mach"]?["exception"]?.int == 1
        let isSignal = error["mach"] == nil && ["SIGSEGV", "SIGBUS"].contains(error["signal"]?["name"]?.string)
        return isBadAccess || isSignal ? error["address"]?.unsigned.map { RuntimeAddress($0) } : nil
    }
}

extension Architecture {
    /// The architecture of a Mach-O image from the numbers of its header (`cputype`, `cpusubtype`
    /// of `mach/machine.h`); `nil` for numbers that Apple never shipped.
    ///
    /// The subtype's highest byte holds capabilities (`CPU_SUBTYPE_MASK`) and is not part of it; a
    /// reporter that read it as a signed number writes it negative.
    init?(machCPU type: Int, subtype: Int?) {
        let subtype = subtype.map { $0 & 0x00FF_FFFF }
        switch type {
        case 7: self = .i386
        case 0x0100_0007: self = subtype == 8 ? .x86_64h : .x86_64
        case 12:
            switch subtype {
            case 6: self = .armv6
            case 9: self = .armv7
            case 11: self = .armv7s
            case 12: self = .armv7k
            default: self = .arm
            }
        case 0x0100_000C: self = subtype == 2 ? .arm64e : .arm64
        case 0x0200_000C: self = .arm64_32
        case 18: self = .ppc
        case 0x0100_0012: self = .ppc64
        default: return nil
        }
    }
}
