import CrashSymbolication

/// The crash reports of the Acme server:
///
///     ACME CRASH signal 11
///       at 0x401136 /opt/acme/server
///     ACME END
struct AcmeCrash: LineFormat {
    static let name = "acme-crash"
    static let summary = "the Acme server’s crash report"
    /// Every first line has this text. The stream shows the format only such lines.
    static let triggers = ["ACME CRASH"]

    private var report = CrashReport(format: name)
    private var frames: [Frame] = []

    init() {}

    static func begins(_ line: Span<UInt8>) -> Confidence {
        text(line).hasPrefix("ACME CRASH signal ") ? .certain : .none
    }

    mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let tokens = Self.text(line).split(separator: " ")
        switch tokens.first {
        case "ACME" where tokens.last == "END": return .done
        case "ACME": return .more
        case "at" where tokens.count == 3:
            guard let address = UInt64(tokens[1].dropFirst(2), radix: 16) else { return .unknown }
            // The first row is the instruction that failed. The others are return addresses.
            var frame = Frame(
                index: frames.count, kind: frames.isEmpty ? .programCounter : .returnAddress,
                address: RuntimeAddress(address), range: range)
            frame.imageName = String(tokens[2])
            frames.append(frame)
            return .more
        default: return .unknown
        }
    }

    mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        // The rows name one program, which is linked where it runs.
        var image = BinaryImage(name: frames[0].imageName ?? "server")
        image.base = RuntimeAddress(0x400000)
        report.images = [image]
        for index in report.threads[0].frames.indices { report.threads[0].frames[index].image = 0 }
        return [report]
    }

    /// Writes each function after its row.
    static func edits(
        of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>
    ) -> [TextEdit] {
        results.map { frame, result in
            let end = frame.range.upperBound
            let names = result.functions.map(\.name).joined(separator: ", inlined in ")
            return TextEdit(range: end..<end, replacement: Array(" \(names)".utf8))
        }
    }

    private static func text(_ line: Span<UInt8>) -> String {
        do { return String(copying: try UTF8Span(validating: line)) } catch { return "" }
    }
}
