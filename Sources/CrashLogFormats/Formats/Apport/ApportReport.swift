internal import BinaryPrimitives
package import CrashLogModel

/// A crash report of Ubuntu's apport (`/var/crash/*.crash`), as it is on disk and as it is attached
/// to a bug:
///
///     ProblemType: Crash
///     ExecutablePath: /usr/bin/ferry
///     ProcMaps:
///      555555554000-555555555000 r--p 00000000 fe:00 1312340    /usr/bin/ferry
///     Signal: 11
///     Stacktrace:
///      #0  0x0000555555555540 in ?? ()
///      No symbol table info available.
///     StacktraceAddressSignature: /usr/bin/ferry:11:/usr/bin/ferry+540:…
///     ThreadStacktrace:
///      .
///      Thread 1 (Thread 0x7ffff7dcd740 (LWP 14352)):
///      #0  0x0000555555555540 in ?? ()
///
/// The stacks are gdb's (`add_gdb_info` of apport's report.py); a report that nothing was added to
/// has a core alone. Of the signature each element counts from the beginning of the mapping that
/// the address is in (`_address_to_offset`), so it is read only with the map, and only where
/// there is no stack.
package struct ApportReport: LineFormat {
    package static let name = "apport"
    package static let summary = "Ubuntu’s apport: /var/crash/*.crash"
    package static let triggers = ["ProblemType: Crash"]

    private var key = ""
    private var fields: [String: String] = [:]
    private var map = MemoryMap()
    private var mappings: [MemoryMapRow] = []
    private var stacks: [String: GDBStacks] = [:]
    private var signature: ApportSignature?
    private var registers: [(name: String, value: UInt64)] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence { line.trimmed().equals("ProblemType: Crash") ? .certain : .none }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if let first = line.at(0), isBlank(first) {
            guard !key.isEmpty else { return .rejected }
            readLine(line.from(1), at: range.lowerBound + 1..<range.upperBound)
            return .more
        }
        // Empty lines are no part of a control file, but trackers put some.
        guard line.count > 0 else { return .unknown }
        guard let found = ApportField.key(line) else { return .rejected }
        guard found.name != "ProblemType" || key.isEmpty else { return .rejected }
        key = found.name
        // The core ends the report: its lines are megabytes of base64.
        if key == "CoreDump" { return .done }
        if ApportReport.keptKeys.contains(key) { fields[key] = found.value }
        if key == "StacktraceAddressSignature" { signature = ApportSignature(line, at: range) }
        return .more
    }

    private static let keptKeys: Set = [
        "Architecture", "Date", "DistroRelease", "ExecutablePath", "Package", "ProcCmdline", "Signal", "SignalName", "Title", "SegvReason",
        "AssertionMessage",
    ]

    private mutating func readLine(_ line: Span<UInt8>, at range: Range<Int>) {
        switch key {
        case "ProcMaps":
            guard mappings.count < Limits.standard.images, let row = MemoryMapRow(line) else { return }
            mappings.append(row)
            map.add(row)
        case "Stacktrace", "ThreadStacktrace": _ = stacks[key, default: GDBStacks()].read(line, at: range)
        case "ProcStatus":
            var rest = line
            if rest.consume("Pid:") { fields["Pid"] = rest.trimmed().text }
            rest = line
            if rest.consume("Name:") { fields["Name"] = rest.trimmed().text }
        case "Registers":
            var rest = line
            let name = rest.readToken()
            rest.skipBlanks()
            if registers.count < 256, name.count > 0, let value = rest.readAddress() { registers.append((name.text, value)) }
        case "AssertionMessage": fields[key, default: ""] += line.text
        default: break
        }
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        for key in ["Stacktrace", "ThreadStacktrace"] { stacks[key]?.finish() }
        var report = CrashReport(format: ApportReport.name)
        let own = stacks["Stacktrace"].map { $0.threads + $0.others } ?? []
        let all = stacks["ThreadStacktrace"]?.threads ?? []
        report.threads = all.isEmpty ? own : all
        if report.threads.isEmpty, let signature {
            let frames = signature.frames(mappings)
            if !frames.isEmpty { report.threads = [ThreadTrace(index: 0, frames: frames)] }
        }
        guard !report.threads.isEmpty else { return [] }
        // The stack of the thread that crashed is in the report twice.
        if !all.isEmpty {
            for var stack in own {
                stack.name = "Stacktrace"
                report.additionalBacktraces.append(stack)
            }
        }
        let top = own.first?.frames.first?.address
        let crashed = report.threads.firstIndex { $0.frames.first?.address == top } ?? 0
        report.threads[crashed].crashed = true
        if !registers.isEmpty { report.threads[crashed].registers = RegisterState(values: registers) }
        describe(&report)
        var table = ImageTable(map.all)
        table.assign(to: &report)
        return [report]
    }

    private func describe(_ report: inout CrashReport) {
        report.process.path = fields["ExecutablePath"]
        report.process.name = fields["Name"] ?? report.process.path.map(Path.foreignName)
        report.process.pid = fields["Pid"].flatMap { Int($0) }
        report.process.version = fields["Package"]
        report.platform = fields["DistroRelease"]
        report.timestamp = fields["Date"].map { Timestamp($0) }
        let architectures: [String: Architecture] = [
            "amd64": .x86_64, "i386": .i386, "arm64": .arm64, "armhf": .arm, "ppc64el": .ppc64, "s390x": .s390x, "riscv64": .riscv64,
        ]
        report.architecture = fields["Architecture"].map { architectures[$0] ?? Architecture($0) }
        guard let signal = fields["SignalName"] ?? fields["Signal"] else { return }
        report.cause = CrashCause(
            kind: .signal, signal: signal, message: fields["AssertionMessage"] ?? fields["SegvReason"] ?? fields["Title"])
    }

    /// The rows are gdb's, and so are the results. A stack that is a signature alone holds none: it
    /// is compared as it is.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        GDBBacktrace.edit(of: frame, with: result, in: log)
    }
}

/// A line of an apport report, which is a Debian control file (`problem_report.py`): `Key: value`,
/// or `Key:` with the value's lines below, each indented by one blank.
enum ApportField {
    /// The key and what follows it on the line; `nil` for a line of a longer value.
    static func key(_ line: Span<UInt8>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 1 == line.count || line[colon + 1] == UInt8(ascii: " ")
        else { return nil }
        for index in 0..<colon {
            let byte = line[index]
            guard
                isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: "-")
            else { return nil }
        }
        return (line.upTo(colon).text, line.from(colon + 2).trimmed().text)
    }
}

/// A stack as one line, innermost frame first, by which apport recognises duplicates:
///
///     StacktraceAddressSignature: /usr/bin/ferry:11:/usr/bin/ferry+540:/usr/lib/libharbour.so.1+12b
struct ApportSignature {
    private var elements: [(path: String, offset: UInt64, range: Range<Int>)] = []

    init?(_ line: Span<UInt8>, at range: Range<Int>) {
        guard let mark = line.firstRange(of: ": ") else { return nil }
        var position = mark.upperBound
        while position < line.count, elements.count < Limits.standard.framesPerThread {
            let end = line.firstIndex(of: UInt8(ascii: ":"), from: position) ?? line.count
            var element = line.clamped(to: position..<end)
            if let offset = element.readHexadecimal(atEndBehind: "+"), element.count > 0 {
                elements.append((element.text, offset, range.lowerBound + position..<range.lowerBound + end))
            }
            position = end + 1
        }
        guard !elements.isEmpty else { return nil }
    }

    /// The frames whose mappings the report has. An offset counts from the beginning of a mapping
    /// that it does not name: the path's only mapping of code that is large enough.
    func frames(_ mappings: [MemoryMapRow]) -> [Frame] {
        elements.enumerated().map { index, element in
            let fitting = mappings.filter {
                $0.path == element.path && $0.permissions.contains("x") && element.offset < $0.end.value - $0.start.value
            }
            let address = fitting.count == 1 ? fitting[0].start.advanced(by: element.offset) : nil
            var frame = Frame(index: index, kind: index == 0 ? .programCounter : .returnAddress, address: address, range: element.range)
            frame.imageName = Path.foreignName(of: element.path)
            return frame
        }
    }
}
