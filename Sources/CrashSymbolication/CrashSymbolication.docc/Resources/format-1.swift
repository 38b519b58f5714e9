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
}
