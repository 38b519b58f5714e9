package import CrashLogModel
internal import TestReports

/// The kind of failure, as far as it distinguishes bugs.
package struct CrashKind: Sendable, Hashable {
    /// Family of a crash. Crashes of different families are never grouped.
    package enum Family: Sendable, Hashable {
        /// Signals, failed checks, panics and a sanitizer's invalid accesses. One bug shows itself
        /// as one or the other by how the program was built and by who wrote the log, so these are
        /// together.
        case crash
        /// An exception of a language that nobody caught, by its type.
        case exception(type: String)
        case hang
        case leak
        case race
        /// A process used more than it may: processor time, writes to its disk.
        case resource
        /// Profiles, which report no failure.
        case profile
    }

    package var family: Family
    /// `SIGSEGV`, `heap-use-after-free`, `panic`, `NSRangeException`: as the log names it, unified
    /// across formats.
    package var label: String

    init(family: Family, label: String) {
        self.family = family
        self.label = label
    }

    package init(_ report: CrashReport) {
        var report = report
        // The first error of a chain decides, whatever it was wrapped into.
        if let root = report.rootCause { report.cause = root.cause }
        let rule = FailureRule(report)
        // Printed stacks and profiles have no cause: the rule has the name of the format instead.
        label = rule.kind == .stack || rule.kind == .noFailure ? "crash" : rule.label
        switch rule.kind {
        case .hang: family = .hang
        case .exception: family = .exception(type: Self.plainType(rule.label))
        case .sanitizer where rule.label == "leak": family = .leak
        case .sanitizer where rule.id == "sanitizer/data-race": family = .race
        case .resource: family = .resource
        // A list of addresses is what people copy out of a crash.
        case .noFailure where report.format != "address-list": family = .profile
        default: family = .crash
        }
    }

    /// The word at the beginning of keys.
    var familyKey: String { family.key }

    /// An exception's type without what Java writes after it, a module's name or a message.
    private static func plainType(_ text: String) -> String {
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") } ?? text.utf8.endIndex
        return String(decoding: Array(text.utf8[..<end].prefix(128)), as: UTF8.self)
    }
}

extension CrashKind.Family {
    var key: String {
        switch self {
        case .crash: "crash"
        case .exception(let type): "exception " + type
        case .hang: "hang"
        case .leak: "leak"
        case .race: "race"
        case .resource: "resource"
        case .profile: "profile"
        }
    }

    /// Parses a `key`; any other text gives `crash`.
    init(key: String) {
        switch key {
        case "hang": self = .hang
        case "leak": self = .leak
        case "race": self = .race
        case "resource": self = .resource
        case "profile": self = .profile
        default: self = key.hasPrefix("exception ") ? .exception(type: String(key.dropFirst(10))) : .crash
        }
    }
}
