internal import BinaryPrimitives
internal import CrashLogModel

/// Decides whether another machine wrote a report: then the files of this one are not evidence about it.
enum OtherMachine {
    /// Why the report is from another machine, as text; `nil` if nothing shows that it is.
    /// - Parameter origin: origin of the report's log.
    static func reason(_ report: CrashReport, from origin: LogOrigin) -> String? {
        if let host = report.process.host, let own = Program.hostName, host != own, host != own.prefix(while: { $0 != "." }) {
            return "the log is of the host \(host)"
        }
        if let container = report.process.container { return "the log is of the container \(container)" }
        if let system = otherSystem(report) { return "the log is of \(system)" }
        // A container's libraries, or another machine's: nothing else of the log is this machine's
        // then.
        for image in report.images.prefix(256) {
            guard let path = image.path, !isHere(path, origin) else { continue }
            return "the log has \(path), which is not there"
        }
        if let architecture = report.architecture, !runs(architecture.family) { return "the log is of \(architecture.name)" }
        return nil
    }

    /// Whether a file exists at an image's path. A relative path (`./berth`) is tried in the log's folder
    /// and in the working directory.
    private static func isHere(_ path: String, _ origin: LogOrigin) -> Bool {
        if path.hasPrefix("/") { return PathKind(path: path) != nil }
        guard path.utf8.contains(UInt8(ascii: "/")), !origin.isOfThisMachine else { return true }
        return origin.folders.contains { PathKind(path: Path.join($0, path)) != nil }
    }

    private static func otherSystem(_ report: CrashReport) -> String? {
        let platform = report.platform ?? ""
        #if os(Linux)
            let others = [
                "macOS", "Mac OS", "OS X", "iOS", "iPhone", "iPad", "tvOS", "watchOS", "visionOS", "Windows", "Android", "FreeBSD",
                "NetBSD", "Fuchsia",
            ]
            if let found = others.first(where: { platform.contains($0) }) { return found }
            if report.format.hasPrefix("apple-") { return "Apple's systems" }
            if report.format.hasPrefix("android-") { return "Android" }
            if report.format.hasPrefix("windows-") { return "Windows" }
            if report.format.hasPrefix("fuchsia-") { return "Fuchsia" }
            return report.format.hasPrefix("bsd-") ? "BSD" : nil
        #else
            return platform.contains("Linux") ? "Linux" : nil
        #endif
    }

    /// Whether this machine runs programs of the architecture.
    private static func runs(_ family: String) -> Bool {
        #if arch(x86_64)
            family == "x86_64" || family == "i386"
        #elseif arch(arm64)
            family == "arm64" || family == "arm"
        #else
            true
        #endif
    }
}
