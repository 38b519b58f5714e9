internal import BinaryPrimitives
internal import CrashLogModel

/// The fields of a journal entry of a crash: with the names that `coredumpctl info` prints, and with the journal's own
/// names (`COREDUMP_EXE`), which `journalctl -o verbose` and `-o json` print.
struct SystemdFields {
    private var process = ProcessDescription()
    private var signal: String?
    private var signalName: String?
    private var timestamp: Timestamp?
    private var map = MemoryMap()

    /// Whether the text is the first line of `coredumpctl info`: `PID: 3252 (segv.sh)`.
    static func isFirst(_ text: Span<UInt8>) -> Bool {
        var rest = text
        return rest.consume("PID: ") && rest.readDecimal() != nil && rest.hasPrefix(" (") && rest.hasSuffix(")")
    }

    /// Reads a line with one field.
    static func line(_ text: Span<UInt8>) -> StackLine? {
        var fields = SystemdFields()
        guard fields.readField(text) else { return nil }
        return .fact { [fields] in fields.apply(to: &$0) }
    }

    private mutating func readField(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("COREDUMP_"), let equals = text.firstIndex(of: UInt8(ascii: "=")) {
            return read(text.upTo(equals).text, text.from(equals + 1).text)
        }
        guard let colon = text.firstRange(of: ": ") else { return false }
        let value = text.from(colon.upperBound).trimmed()
        switch text.upTo(colon.lowerBound).text {
        case "PID":
            var rest = value
            process.pid = rest.readDecimal().flatMap { Int(exactly: $0) }
            if rest.consume(" ("), rest.hasSuffix(")") { process.name = rest.upTo(rest.count - 1).text }
        case "Signal":
            var rest = value
            signal = rest.readDecimal().map { "\($0)" }
            if rest.consume(" ("), rest.hasSuffix(")") { signalName = "SIG" + rest.upTo(rest.count - 1).text }
        case "Timestamp": timestamp = Timestamp(value.upTo(value.firstRange(of: " (")?.lowerBound ?? value.count).text)
        case "Executable": process.path = value.text
        case "Hostname": process.host = value.text
        case "Container": process.container = value.text
        case "UID", "GID", "Command Line", "Control Group", "Unit", "User Unit", "Slice", "Owner UID", "Boot ID", "Machine ID", "Storage",
            "Disk Size", "Size on Disk", "Package",
            "build-id", "Coredump", "Session", "TID", "Root", "Extra Thread Name":
            break
        default: return false
        }
        return true
    }

    /// Stores the value of a field with the journal's name.
    mutating func read(_ key: String, _ value: String) -> Bool {
        switch key {
        case "COREDUMP_PID": process.pid = Int(value)
        case "COREDUMP_COMM": process.name = value
        case "COREDUMP_EXE": process.path = value
        case "COREDUMP_HOSTNAME": process.host = value
        case "COREDUMP_CONTAINER_CMDLINE": process.container = value
        case "COREDUMP_SIGNAL": signal = value
        case "COREDUMP_SIGNAL_NAME": signalName = value
        case "COREDUMP_TIMESTAMP": storeTimestamp(microseconds: value)
        case "COREDUMP_PROC_MAPS": storeMap(value)
        default: return key.hasPrefix("COREDUMP_")
        }
        return true
    }

    /// Stores a time: the journal's times are microseconds since 1970.
    private mutating func storeTimestamp(microseconds text: String) {
        timestamp = Int64(text).map { Timestamp(nanosecondsSince1970: Int128($0) * 1000, text: text) } ?? Timestamp(text)
    }

    private mutating func storeMap(_ text: String) {
        for line in text.split(separator: "\n") {
            if let row = MemoryMapRow(Array(line.utf8).span) { map.add(row) }
        }
    }

    func apply(to report: inout CrashReport) {
        report.process.name = report.process.name ?? process.name
        report.process.path = report.process.path ?? process.path
        report.process.pid = report.process.pid ?? process.pid
        report.process.host = report.process.host ?? process.host
        report.process.container = report.process.container ?? process.container
        report.timestamp = report.timestamp ?? timestamp
        if let signal = signalName ?? signal, signalName != nil || report.cause == nil {
            report.cause = CrashCause(kind: .signal, signal: signal)
        }
        guard !map.isEmpty else { return }
        // Frames have the short names of their modules; the map gives the paths and ends.
        var numbers: [UInt64: Int] = [:]
        for (index, image) in report.images.enumerated() {
            if let base = image.base, numbers[base.value] == nil { numbers[base.value] = index }
        }
        for image in map.all {
            if let index = image.base.flatMap({ numbers[$0.value] }) {
                report.images[index].path = report.images[index].path ?? image.path
                report.images[index].size = image.size
            }
        }
    }
}
