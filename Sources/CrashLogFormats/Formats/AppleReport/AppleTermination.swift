internal import BinaryPrimitives
internal import CrashLogModel

/// `Termination Reason` of Apple's reports, in the spellings of the years:
///
///     Namespace SPRINGBOARD, Code 0x8badf00d                     iOS 10 and later; a namespace that ReportCrash does not know is a number: `Namespace <0xF>, Code 0xdead10cc`
///     Namespace SIGNAL, Code 11 Segmentation fault: 11           macOS 12 and later
///     FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D …     iOS 15 and later
///     DYLD, [0x4] Symbol missing                                 macOS 10.12 to 11
enum AppleTermination {
    static func read(_ value: Span<UInt8>) -> CrashCause.Termination {
        var termination = CrashCause.Termination(message: value.text)
        var rest = value
        _ = rest.consume("Namespace ")
        let token = rest.readToken()
        var name = token
        if name.hasSuffix(",") { name = name.upTo(name.count - 1) }
        guard let namespace = namespace(name) else { return termination }
        termination.namespace = namespace
        rest.skipBlanks()
        _ = rest.consume("Code ") || rest.consume("[")
        termination.code = rest.hasPrefix("0x") ? rest.readAddress() : rest.readDecimal()
        return termination
    }

    /// Appends the text of `Termination Description`: the same namespace again, then text.
    static func adding(_ value: Span<UInt8>, to known: CrashCause.Termination?) -> CrashCause.Termination {
        guard var known else { return read(value) }
        if known.message.utf8.count < 4096 { known.message += "\n" + value.text }
        return known
    }

    /// Capital letters and underscores, or a number in angle brackets.
    private static func namespace(_ name: Span<UInt8>) -> String? {
        var rest = name
        if rest.consume("<"), let number = rest.readAddress() { return names[number] }
        guard name.count > 1, (0..<name.count).allSatisfy({ isCapital(name[$0]) }) else { return nil }
        return name.text
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")) || byte == UInt8(ascii: "_")
    }

    /// `OS_REASON_…` of XNU's `bsd/sys/reason.h`.
    private static let names: [UInt64: String] = [
        1: "JETSAM", 2: "SIGNAL", 3: "CODESIGNING", 6: "DYLD", 7: "LIBXPC", 8: "OBJC", 9: "EXEC", 10: "SPRINGBOARD", 11: "TCC",
        13: "COREANIMATION", 15: "RUNNINGBOARD", 18: "LIBSYSTEM", 20: "WATCHDOG", 21: "METAL", 22: "WATCHKIT", 23: "GUARD", 25: "SANDBOX",
        26: "SECURITY", 28: "PAC_EXCEPTION", 30: "PORT_SPACE", 34: "ROSETTA",
    ]
}
