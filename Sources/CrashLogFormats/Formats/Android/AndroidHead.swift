internal import BinaryPrimitives
internal import CrashLogModel

/// The lines of an Android log before its stacks, key by key.
struct AndroidHead {
    var process = ProcessDescription()
    var cause: CrashCause?
    var platform: String?
    /// The maker and the model's short name.
    var device: String?
    var architecture: Architecture?
    /// Architecture of the code that the process translates: an app for ARM on an x86 emulator.
    var guestArchitecture: Architecture?
    var timestamp: Timestamp?
    var unwinder = AndroidUnwinder()
    /// xCrash's `anr`, `java`, `native`.
    var crashType: String?
    var map = AndroidMemoryMap()
    private var fatalSignal: AndroidFatalSignal?

    /// `google/sailfish` of
    /// `google/sailfish/sailfish:10/QP1A.190711.020/5800535:user/release-keys`: brand, product and
    /// device, then the release (`Build.FINGERPRINT`).
    private static func device(fingerprint: String) -> String? {
        let parts = fingerprint.prefix { $0 != ":" }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty else { return nil }
        return "\(parts[0])/\(parts[2])"
    }

    mutating func read(fingerprint: Span<UInt8>) {
        platform = "Android, " + fingerprint.text
        device = AndroidHead.device(fingerprint: fingerprint.text)
        unwinder.release = unwinder.release ?? AndroidUnwinder.release(fingerprint: fingerprint)
    }

    /// Takes the process' first argument, which names it: an app's identifier, or a program's path.
    mutating func set(processName name: String) {
        if name.hasPrefix("/") { process.path = name }
        process.name = Path.foreignName(of: name)
    }

    /// Reads a line of the head: `ABI: 'arm64'`, `signal 11 (SIGSEGV), …`.
    /// - Returns: whether it is one.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("signal ") || text.hasPrefix("signal: ") { return readSignal(text) }
        guard let colon = text.firstRange(of: ":"), colon.lowerBound > 0, colon.lowerBound <= 24 else { return false }
        var value = text.from(colon.upperBound).trimmed()
        // In quotes since Android 5.
        let quote = UInt8(ascii: "'")
        if value.count >= 2, value.at(0) == quote, value.at(value.count - 1) == quote { value = value.clamped(to: 1..<value.count - 1) }
        let key = text.upTo(colon.lowerBound).text
        switch key {
        case "Build fingerprint": read(fingerprint: value)
        case "ABI": architecture = AndroidHead.architecture(value.text)
        case "Guest architecture": guestArchitecture = AndroidHead.architecture(value.text)
        case "Timestamp", "Crash time", "Time":
            timestamp = timestamp ?? Timestamp(value.text)
        case "Abort message", "LastFatalMessage": note(message: value.text)
        case "Reason" where value.hasPrefix("Signal:"): readReason(value)
        case "Module name" where process.identifier == nil: process.identifier = value.text
        case "Process name" where process.name == nil: set(processName: value.text)
        case "Pid" where process.pid == nil: process.pid = value.leadingDecimal.flatMap { Int(exactly: $0) }
        case "Build info": platform = platform ?? value.text
        case "Cause": note(message: value.text)
        case "Cmdline", "Cmd line":
            var name = value
            process.name = process.name ?? Path.foreignName(of: name.readToken().text)
        case "App version": process.version = value.text
        case "App ID": process.identifier = value.text
        case "Tombstone maker": unwinder.isXCrash = value.hasPrefix("xCrash")
        case "Crash type": crashType = value.text
        case "OS version":
            if let release = value.leadingDecimal { unwinder.release = Int(exactly: release) }
        default: return AndroidHead.otherKeys.contains(key)
        }
        // crash_dump prints the time since Android 11.
        if key == "Timestamp", unwinder.release == nil { unwinder.release = 11 }
        return true
    }

    /// OpenHarmony: `Signal:SIGSEGV(SEGV_MAPERR)@0x0000000000000010`, `Signal:SIGABRT(SI_TKILL)@0x01317b9f from:20010044:4242`
    /// (`PrintReason` of faultloggerd's `dfx_signal.cpp`).
    private mutating func readReason(_ text: Span<UInt8>) {
        var rest = text.from("Signal:".utf8.count)
        let end = rest.firstIndex(of: UInt8(ascii: "(")) ?? rest.count
        let name = rest.upTo(end)
        guard name.hasPrefix("SIG") else { return }
        rest = rest.from(end)
        var codes: String?
        if rest.consume("("), let close = rest.firstIndex(of: UInt8(ascii: ")")) {
            codes = rest.upTo(close).text
            rest = rest.from(close + 1)
        }
        set(signal: name.text, codes: codes)
        // For a signal that a process sent, the number identifies the sender and is not an address.
        guard rest.consume("@"), !rest.contains(" from:"), let address = rest.readAddress() else { return }
        cause?.address = RuntimeAddress(address)
    }

    private static let otherKeys: Set<String> = [
        "Revision", "Process uptime", "uid", "tagged_addr_ctrl", "pac_enabled_keys", "esr", "Android Version", "LineageOS Version",
        "Page size", "Has been in 16kb mode", "Extra crash detail", "Start time", "Rooted", "API level", "Kernel version", "ABI list",
        "Manufacturer",
        "Brand", "Model", "Build type", "Subject", "Executable", "Note",
    ]

    mutating func note(message: String) {
        if cause == nil { cause = CrashCause(kind: .signal) }
        guard !message.isEmpty else { return }
        if let known = cause?.message, known != message {
            cause?.message = known + "; " + message
        } else {
            cause?.message = message
        }
    }

    /// `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010 (read)`,
    /// `signal 6 (SIGABRT), code -6 (SI_TKILL), fault addr --------`, before Android 5
    /// `signal 11 (SIGSEGV), fault addr deadbaad`.
    private mutating func readSignal(_ text: Span<UInt8>) -> Bool {
        // With colons: `signal: 11 (SIGSEGV), code: 1 (SEGV_MAPERR) fault addr: 0x4`.
        var rest = text.from("signal".utf8.count)
        _ = rest.consume(":")
        guard rest.consume(" "), let number = rest.readDecimal(), rest.consume(" (") else { return false }
        guard let close = rest.firstIndex(of: UInt8(ascii: ")")) else { return false }
        let name = rest.upTo(close).text
        rest = rest.from(close + 1)
        var codes: String?
        if let code = rest.firstRange(of: ", code") {
            var codeText = rest.from(code.upperBound)
            _ = codeText.consume(":")
            codeText = codeText.upTo(codeText.firstRange(of: "fault addr")?.lowerBound ?? codeText.count).trimmed()
            if codeText.hasSuffix(",") { codeText = codeText.upTo(codeText.count - 1) }
            codes = "code " + codeText.text
        }
        set(signal: name == "?" || name.isEmpty ? "\(number)" : name, codes: codes)
        if let fault = rest.firstRange(of: "fault addr") {
            var address = rest.from(fault.upperBound)
            _ = address.consume(":")
            address.skipBlanks()
            _ = address.consume("0x")
            cause?.address = address.readHexadecimal().map { RuntimeAddress($0) }
        }
        return true
    }

    /// - Parameter codes: `code 1 (SEGV_MAPERR)`; `nil` leaves those that are known.
    mutating func set(signal: String, codes: String?) {
        var reason = cause ?? CrashCause(kind: .signal)
        reason.signal = signal
        reason.type = signal
        reason.codes = codes ?? reason.codes
        cause = reason
    }

    /// The C library's line is the cause until the stack's writer has one of its own.
    mutating func read(_ fatal: AndroidFatalSignal, _ text: Span<UInt8>) {
        cause = nil
        _ = readSignal(text.clamped(to: fatal.range))
        if let address = fatal.address { cause?.address = RuntimeAddress(address) }
        if let codes = fatal.codes { cause?.codes = codes }
        fatalSignal = fatal
    }

    /// The process, which the stack's writer names better: Linux keeps 15 bytes of a name.
    var namedProcess: ProcessDescription {
        var process = process
        process.pid = process.pid ?? fatalSignal?.pid
        process.name = process.name ?? fatalSignal?.processName
        return process
    }

    /// Thread of the fatal signal's line, for a stack without a heading.
    var thread: (index: Int, name: String?)? { fatalSignal.flatMap { fatal in fatal.thread.map { ($0, fatal.threadName) } } }

    /// Before Android 5 the log has the registers' names, but not the ABI.
    mutating func noteRegisters(_ values: [(name: String, value: UInt64)]) {
        guard architecture == nil, let first = values.first?.name else { return }
        architecture = ["r0": .arm, "x0": .arm64, "eax": .i386, "rax": .x86_64, "zr": .mips][first]
    }

    /// Android's names of its ABIs.
    static func architecture(_ name: String) -> Architecture? {
        switch name {
        case "arm", "armeabi-v7a", "armeabi": .arm
        case "arm64", "arm64-v8a": .arm64
        case "x86": .i386
        case "x86_64": .x86_64
        case "riscv64": .riscv64
        case "mips": .mips
        case "mips64": .mips64
        default: nil
        }
    }
}

/// `pid: 21829, tid: 21850, name: Jit thread pool >>> xcrash.sample <<<`; before Android 4.1
/// without a name, xCrash's of an ANR without a thread.
struct AndroidThreadHeading {
    var pid: Int?
    var thread: Int?
    var name: String?
    var processName: String?

    init?(_ text: Span<UInt8>) {
        if text.hasPrefix("Tid:") {
            // OpenHarmony's faultloggerd: `Tid:813, Name:berth`.
            var rest = text.from(4)
            guard let thread = rest.readDecimal(), rest.consume(", Name:") else { return nil }
            self.thread = Int(exactly: thread)
            name = rest.trimmed().count > 0 ? rest.trimmed().text : nil
            return
        }
        guard let open = text.firstRange(of: ">>> ") else { return nil }
        var rest = text.upTo(open.lowerBound)
        guard rest.consume("pid: "), let pid = rest.readDecimal() else { return nil }
        self.pid = Int(exactly: pid)
        if rest.consume(", tid: ") { thread = rest.readDecimal().flatMap { Int(exactly: $0) } }
        if rest.consume(", name: ") {
            let name = rest.trimmed()
            self.name = name.count > 0 ? name.text : nil
        }
        var process = text.from(open.upperBound).trimmed()
        if process.hasSuffix("<<<") { process = process.upTo(process.count - 3).trimmed() }
        processName = process.count > 0 ? process.text : nil
    }
}
