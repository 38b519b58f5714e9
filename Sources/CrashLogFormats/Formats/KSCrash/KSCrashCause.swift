internal import BinaryPrimitives
internal import CrashLogModel

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
