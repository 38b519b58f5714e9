internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import MemoryReports
internal import Symbolication

/// Output of `cairn inspect` for a core file or a minidump: the process, why it ended, and the
/// loaded images, with the identities that symbol files are found by.
struct InspectedMemory {
    private let path: String
    private let kind: MemoryFormat
    private let report: CrashReport
    /// The auxiliary vector's.
    private let values: [(name: String, value: String)]

    init(_ kind: MemoryFormat, _ file: MappedFile, path: String) throws(LogError) {
        self.kind = kind
        self.path = path
        (report, values) = try MemoryReader(Symbolicator(provider: NoSymbols())).contents(kind, file)
    }

    private var cause: String? {
        guard let cause = report.cause else { return nil }
        let parts = [cause.type, cause.signal, cause.codes, cause.address.map { "at \($0)" }, cause.message].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    var lines: [String] {
        var rows = [
            ("kind", kind.kind.split(separator: " ").dropFirst().joined(separator: " ")),
            ("architecture", report.architecture?.name ?? "unknown"),
        ]
        if let name = report.process.path ?? report.process.name {
            rows.append(("process", name + (report.process.pid.map { " [\($0)]" } ?? "")))
        }
        if let command = report.process.commandLine { rows.append(("command line", PlainText.line(command))) }
        if let platform = report.platform { rows.append(("platform", platform)) }
        if let cause { rows.append(("cause", cause)) }
        rows.append(("threads", String(report.threads.count)))
        for (index, image) in report.images.enumerated() {
            let address = image.base.map { "\($0) " } ?? ""
            rows.append((index == 0 ? "images" : "", address + (image.path ?? image.name) + (image.id.map { " <\($0)>" } ?? "")))
        }
        for (index, value) in values.enumerated() {
            let name = value.name + String(repeating: " ", count: max(1, 18 - value.name.count))
            rows.append((index == 0 ? "auxv" : "", name + PlainText.line(value.value)))
        }
        rows += report.notes.map { ("note", $0) }
        return ["\(path):"] + rows.map { "  " + $0.0 + String(repeating: " ", count: 14 - $0.0.count) + $0.1 }
    }

    var json: WrittenJSON {
        .object([
            ("schema", .number(1)), ("path", .string(path)), ("container", .string(kind.rawValue)), ("kind", .string("memory")),
            ("architecture", report.architecture.map { .string($0.name) }),
            ("process", (report.process.path ?? report.process.name).map { .string($0) }), ("pid", report.process.pid.map { .number($0) }),
            ("commandLine", report.process.commandLine.map { .string($0) }),
            ("platform", report.platform.map { .string($0) }), ("cause", cause.map { .string($0) }),
            ("threads", .number(report.threads.count)),
            (
                "images",
                .array(
                    report.images.map { image in
                        .object([
                            ("name", .string(image.name)), ("path", image.path.map { .string($0) }),
                            ("id", image.id.map { .string($0.description) }), ("base", image.base.map { .string($0.description) }),
                            ("size", image.size.map { .unsigned($0) }),
                        ])
                    })
            ),
            ("auxiliaryVector", values.isEmpty ? nil : .object(values.map { ($0.name, .string($0.value)) })),
            ("notes", report.notes.isEmpty ? nil : .array(report.notes.map { .string($0) })),
        ])
    }
}
