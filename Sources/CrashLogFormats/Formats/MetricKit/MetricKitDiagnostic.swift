internal import BinaryPrimitives
internal import CrashLogModel

/// One diagnostic of a MetricKit payload.
struct MetricKitDiagnostic {
    /// Kinds of diagnostics, by the key of a payload's list.
    enum Kind: String, CaseIterable {
        case crash = "crashDiagnostics"
        case hang = "hangDiagnostics"
        case cpu = "cpuExceptionDiagnostics"
        case diskWrite = "diskWriteExceptionDiagnostics"
        case launch = "appLaunchDiagnostics"
        case memory = "memoryExceptionDiagnostics"

        /// The class in MetricKit that it is a JSON form of.
        var className: String {
            switch self {
            case .crash: "MXCrashDiagnostic"
            case .hang: "MXHangDiagnostic"
            case .cpu: "MXCPUExceptionDiagnostic"
            case .diskWrite: "MXDiskWriteExceptionDiagnostic"
            case .launch: "MXAppLaunchDiagnostic"
            case .memory: "MXMemoryExceptionDiagnostic"
            }
        }
    }

    private let value: JSONValue
    private let kind: Kind?
    private let times: JSONValue
    private var data: JSONValue? { value["diagnosticMetaData"] }

    /// - Parameters:
    ///   - kind: `nil` if the document is a diagnostic or a tree without the list it was in: then
    ///     its content decides.
    ///   - times: the object that has `timeStampEnd`.
    init(_ value: JSONValue, kind: Kind?, times: JSONValue) {
        self.value = value
        self.times = times
        self.kind = kind ?? MetricKitDiagnostic.kind(of: value["diagnosticMetaData"])
    }

    /// The kind that follows from a diagnostic's own keys.
    private static func kind(of data: JSONValue?) -> Kind? {
        guard let data else { return nil }
        if data["exceptionType"] != nil || data["signal"] != nil || data["terminationReason"] != nil { return .crash }
        if data["hangDuration"] != nil || data["hangType"] != nil { return .hang }
        if data["totalCPUTime"] != nil { return .cpu }
        if data["writesCaused"] != nil { return .diskWrite }
        if data["launchDuration"] != nil { return .launch }
        // App Store Connect: `DiagnosticSignature`'s types.
        switch data["event"]?.string {
        case "hang": return .hang
        case "disk write", "disk writes", "diskwrites": return .diskWrite
        case "launch", "launches": return .launch
        default: return nil
        }
    }

    func report() -> CrashReport {
        var report = CrashReport(format: MetricKit.name)
        report.platform = data?["osVersion"]?.string
        report.device = data?["deviceType"]?.string
        report.architecture = data?["platformArchitecture"]?.string.map { Architecture(writtenName: $0) }
        report.timestamp = (times["timeStampEnd"] ?? times["timeStampBegin"])?.string.map { Timestamp($0) }
        report.process.identifier = (data?["bundleIdentifier"] ?? data?["bundleId"])?.string
        report.process.pid = data?["pid"]?.int
        let build = data?["appBuildVersion"]?.text
        let version = data?["appVersion"]?.text.map { version in build.map { "\(version) (\($0))" } ?? version } ?? build
        report.process.version = version == " ()" || version == "" ? nil : version
        report.cause = cause

        var table = ImageTable()
        // App Store Connect has a list of trees.
        let tree = value["callStackTree"] ?? value
        for tree in tree.isObject ? [tree] : tree.elements { MetricKitTree(tree, kind: kind).add(to: &report, images: &table) }
        table.assign(to: &report)
        if report.stacks.allSatisfy(\.frames.isEmpty) { report.notes.append("The diagnostic has no call stacks.") }
        if kind == nil { report.notes.append("The log has call stacks without the diagnostic that they belong to.") }
        return report
    }

    private var cause: CrashCause? {
        guard let kind else { return nil }
        guard kind == .crash else {
            var cause = CrashCause(kind: .other, type: kind.className)
            cause.message =
                ["hangDuration", "totalCPUTime", "writesCaused", "launchDuration"].compactMap { key in
                    data?[key]?.text.map { "\(key) \($0)" }
                }.first
            return cause
        }
        var cause = CrashCause(
            kind: .machException,
            type: data?["exceptionType"]?.int.map { MachExceptions.names[$0] ?? "exception \($0)" } ?? kind.className,
            signal: data?["signal"]?.int.map { MetricKitDiagnostic.signalNames[$0] ?? "\($0)" }, codes: data?["exceptionCode"]?.text,
            message: data?["terminationReason"]?.string)
        cause.termination = cause.message.flatMap { text in
            let bytes = Array(text.utf8)
            return bytes.span.hasPrefix("Namespace ") ? AppleTermination.read(bytes.span) : nil
        }
        // Since iOS 17: {"composedMessage":…,"exceptionName":…,"exceptionType":…}
        if let reason = data?["objectiveCexceptionReason"] ?? data?["exceptionReason"], reason.isObject {
            cause.kind = .languageException
            cause.type = reason["exceptionName"]?.string ?? cause.type
            cause.message = reason["composedMessage"]?.string ?? cause.message
        }
        if let region = data?["virtualMemoryRegionInfo"]?.string, cause.type == "EXC_BAD_ACCESS" {
            // `0 is not in any region. Bytes before following region: …`; the address is decimal or
            // has `0x`.
            cause.address = region.split(separator: " ").first.flatMap { word in
                (word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word)).map { RuntimeAddress($0) }
            }
        }
        return cause
    }

    /// `sys/signal.h`
    private static let signalNames = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV", 12: "SIGSYS",
        13: "SIGPIPE", 15: "SIGTERM",
    ]
}
