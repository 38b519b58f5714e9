internal import BinaryPrimitives
internal import CrashLogModel

/// The `Key: value` lines at the head of Apple's text reports, in any order.
struct AppleCrashHeader {
    private(set) var crashedThread: Int?
    /// A line that only crash reports have was seen: the log is a crash report even if its other
    /// lines are unusual.
    private(set) var isReport = false
    /// A line `Process:` has been seen.
    private(set) var hasProcessLine = false
    /// The loader's message explains why the program could not be started: it had no stack yet.
    private(set) var hasLoaderMessage = false
    /// The system was short of memory: iOS 3 to 8 list in text how much each process held, and a
    /// process that was ended has no stack.
    private(set) var isLowMemory = false
    /// The last line opened a section of free text.
    private(set) var opensInformation = false

    /// The key of the latest line if nothing followed it, or if the line is as long as mailers
    /// break them. The next line may be the rest of its value.
    private var brokenKey: String?
    /// Mailers break lines at 72 characters or so, at a blank: what is shorter was not broken.
    static let shortestBroken = 56

    private var process = ProcessDescription()
    private var cause = CrashCause(kind: .machException)
    private var hasCause = false
    /// The header names the exception or signal that ended the process.
    var hasException: Bool { cause.type != nil }
    /// PowerPC code on an Intel Mac: the report continues below its images.
    private(set) var isTranslated = false
    private var platform: String?
    private var device: String?
    private var architecture: Architecture?
    private var timestamp: Timestamp?
    private var information: [String] = []
    private var subtype: String?

    /// First keys of a report: of iOS, of the Mac since 10.5, of 10.2 to 10.4, of 10.1; two that
    /// are first in reports whose other lines people have left out; and Sentry's.
    static let firstKeys = [
        "Incident Identifier:", "Process:", "Command:", "Host Name:", "Date/Time:", "Hardware Model:", "Exception Type:", "OS Version:",
    ]

    static func begins(_ line: Span<UInt8>) -> Bool {
        guard let key = firstKeys.first(where: { line.hasPrefix($0) }) else { return false }
        let value = line.from(key.utf8.count)
        // Columns are padded; in prose there is one space, or none.
        return value.hasPrefix("  ") || value.hasPrefix("\t") || key == "Incident Identifier:"
            || key == "Hardware Model:" || (key == "Process:" && value.trimmed().hasSuffix("]"))
            || (key == "OS Version:" && isSystem(value.trimmed())) || (key == "Exception Type:" && value.trimmed().hasPrefix("EXC_"))
    }

    /// `iOS 18.5 (22F76)`: a name of Apple's and a build.
    private static func isSystem(_ text: Span<UInt8>) -> Bool {
        ["iOS ", "iPhone OS ", "iPadOS ", "macOS ", "Mac OS X ", "tvOS ", "watchOS ", "visionOS "].contains { text.hasPrefix($0) }
            && text.hasSuffix(")")
    }

    /// Reads a header line.
    /// - Returns: whether it was one.
    mutating func read(_ text: Span<UInt8>, isInformation: Bool) -> Bool {
        opensInformation = false
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon <= 40 else { return false }
        let key = text.upTo(colon)
        let value = text.from(colon + 1).trimmed()
        let name = key.text
        brokenKey = value.count == 0 || text.count >= AppleCrashHeader.shortestBroken ? name : nil
        // Any other key may be in a header; inside free text it is text.
        return readProcessField(name, value) || readCauseField(name, value) || !isInformation && AppleCrashHeader.isKey(key)
    }

    /// Reads a field that describes the process, the system or the time.
    private mutating func readProcessField(_ key: String, _ value: Span<UInt8>) -> Bool {
        switch key {
        case "Process", "Command":
            hasProcessLine = hasProcessLine || key == "Process"
            readProcess(value)
        case "PID": process.pid = AppleCrashHeader.number(value)
        case "Path": process.path = value.text
        case "Identifier": process.identifier = value.text
        case "Version": process.version = value.equals("??? (???)") || value.equals("???") ? nil : value.text
        case "Code Type":
            isReport = true
            architecture = AppleCrashHeader.architecture(value)
            isTranslated = value.hasPrefix("PPC") && value.contains("Translated")
        case "OS Version": platform = value.text
        case "Hardware Model": device = value.count > 0 ? value.text : nil
        case "Date/Time": timestamp = Timestamp(value.text)
        case "Date": timestamp = timestamp ?? Timestamp(value.text)
        default: return false
        }
        return true
    }

    /// Reads a field that only crash reports have: the cause, the thread that crashed, messages of the program.
    private mutating func readCauseField(_ key: String, _ value: Span<UInt8>) -> Bool {
        switch key {
        case "Application Specific Information", "Dyld Error Message", "Dyld Error Information":
            opensInformation = true
            hasLoaderMessage = hasLoaderMessage || key.hasPrefix("Dyld")
            isReport = true
            if value.count > 0 { information.append(value.text) }
        case "Free pages":
            isReport = true
            isLowMemory = true
            hasCause = true
            cause = CrashCause(kind: .other, type: "Jetsam")
        case "Largest process" where isLowMemory: cause.message = "largest process: \(value.text)"
        case "Exception Type", "Exception":
            isReport = true
            readException(value)
        case "Exception Codes", "Codes":
            readCodes(value)
        case "Exception Subtype":
            subtype = value.text
            readAddress(value)
        case "Exception Message", "Exception Reason":
            // iOS 17 and later, as text: `Exception Message: Fatal error: …`.
            if information.count < 64 { information.append(value.text) }
            cause.detail = cause.detail ?? value.text
        case "Termination Reason", "Termination Signal":
            isReport = true
            hasCause = true
            cause.message = cause.message ?? value.text
            if key == "Termination Reason" { cause.termination = AppleTermination.read(value) }
        case "Termination Description":
            // iOS 8 to 13, as text after the namespace:
            // `DYLD, dependent dylib '@rpath/…' not found for '…'`.
            cause.termination = AppleTermination.adding(value, to: cause.termination)
        case "Crashed Thread", "Triggered by Thread", "Thread":
            isReport = true
            crashedThread = AppleCrashHeader.number(value)
        case "Report Version", "Exception Note": isReport = true
        default: return false
        }
        return true
    }

    /// Consumes a line that is not a header line, if it is the rest of a broken line before it.
    /// - Returns: whether it was.
    mutating func readContinuation(_ text: Span<UInt8>) -> Bool {
        guard let key = brokenKey else { return false }
        brokenKey = text.count >= AppleCrashHeader.shortestBroken ? key : nil
        switch key {
        case "Path": AppleCrashHeader.append(text, to: &process.path, behind: " ")
        case "Identifier": AppleCrashHeader.append(text, to: &process.identifier, behind: "")
        default: break
        }
        return true
    }

    mutating func addInformation(_ line: Span<UInt8>) {
        guard information.count < 64 else { return }
        information.append(line.trimmed().text)
    }

    /// `CrashExample [41720]`
    private mutating func readProcess(_ value: Span<UInt8>) {
        guard let open = value.lastIndex(of: UInt8(ascii: "[")), value.hasSuffix("]") else {
            process.name = value.text
            return
        }
        process.name = value.upTo(open).trimmed().text
        process.pid = AppleCrashHeader.number(value.from(open + 1))
    }

    /// `EXC_BAD_ACCESS (SIGBUS)`; before 10.5 the parentheses hold the number:
    /// `EXC_BAD_ACCESS (0x0001)`.
    private mutating func readException(_ value: Span<UInt8>) {
        hasCause = true
        let open = value.firstIndex(of: UInt8(ascii: "("))
        let type = value.upTo(open ?? value.count).trimmed().text
        cause.type = type
        cause.kind = type.hasPrefix("EXC_") ? .machException : type.hasPrefix("SIG") ? .signal : .other
        guard let open, let close = value.firstIndex(of: UInt8(ascii: ")")), close > open else {
            if cause.kind == .signal { cause.signal = type }
            return
        }
        let signal = value.clamped(to: open + 1..<close)
        if signal.hasPrefix("SIG") { cause.signal = signal.text }
    }

    private mutating func readCodes(_ value: Span<UInt8>) {
        // Reports since macOS 12 have two such lines, one as text and one as numbers.
        AppleCrashHeader.append(value, to: &cause.codes, behind: ", ")
        hasCause = true
        readAddress(value)
    }

    /// `KERN_INVALID_ADDRESS at 0x0000000000000001`
    private mutating func readAddress(_ value: Span<UInt8>) {
        cause.address = cause.address ?? AppleStack.faultAddress(value)
    }

    /// Adds what another line has of a value. A log can repeat such a line as often as it likes: a
    /// few thousand bytes are enough.
    private static func append(_ text: Span<UInt8>, to value: inout String?, behind separator: String) {
        guard let before = value, !before.isEmpty else { return value = text.text }
        guard before.utf8.count < 4096 else { return }
        value = before + separator + text.text
    }

    private static func number(_ value: Span<UInt8>) -> Int? { value.leadingDecimal.flatMap { Int(exactly: $0) } }

    /// `X86-64 (Native)`, `ARM-64`, `PPC (Translated)`
    static func architecture(_ value: Span<UInt8>) -> Architecture? {
        var rest = value
        let name = rest.readToken()
        return name.count > 0 ? Architecture(writtenName: name.text) : nil
    }

    /// Letters, digits, and what is between them in Apple's keys (`Date/Time`, `Sleep/Wake UUID`,
    /// `Code[0]`).
    private static func isKey(_ key: Span<UInt8>) -> Bool {
        for index in 0..<key.count {
            switch key[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                continue
            case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"): continue
            default: return false
            }
        }
        return key.count > 0
    }

    func apply(to report: inout CrashReport) {
        report.process = process
        report.platform = platform
        report.device = device
        report.architecture = architecture
        report.timestamp = timestamp
        let text = information.filter { !$0.isEmpty }.joined(separator: "\n")
        guard hasCause || !text.isEmpty else { return }
        var cause = cause
        cause.message = text.isEmpty ? subtype ?? cause.message : text
        cause.subtype = subtype
        report.cause = cause
    }
}
