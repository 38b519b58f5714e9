internal import BinaryPrimitives
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
        let last = report.cause?.message ?? ""
        var report = report
        // The first error of a chain decides, whatever it was wrapped into.
        if let root = report.rootCause { report.cause = root.cause }
        let rule = FailureRule(report)
        // Printed stacks and profiles have no cause: the rule has the name of the format instead.
        label = rule.kind == .stack || rule.kind == .noFailure ? "crash" : rule.label
        // A panic of an error with causes is the check's (`unwrap`), whatever they are.
        let check = CheckedError(message: report.cause?.message ?? "") ?? CheckedError(message: last)
        if rule.kind == .panic, let check { label += ": " + check.rawValue }
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

    /// Distinguishes two crashes in one function: the kind of error that a runtime or a
    /// sanitizer checked for. Empty for signals, which any error may end in.
    var detail: String {
        guard family == .crash else { return "" }
        if let mark = label.firstRange(of: ": "), let error = CheckedError(rawValue: String(label[mark.upperBound...])) {
            return error.rawValue
        }
        return MemoryError(label).map(\.rawValue) ?? ""
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

/// Errors that Go's and Rust's runtimes check for, by the beginnings of their messages
/// (`runtime/error.go`, `runtime/panic.go`, `runtime/chan.go`; `core::panicking`, `core::option`,
/// `core::result`, `core::cell`). A program's own message says nothing that is sure to be equal in
/// two logs.
enum CheckedError: String, CaseIterable {
    case nilPointer = "nil dereference"
    case nilMap = "nil map"
    case index = "index out of range"
    case slice = "slice bounds"
    case division = "division by zero"
    case overflow = "arithmetic overflow"
    case conversion = "interface conversion"
    case closedChannel = "closed channel"
    case nilChannel = "close of nil channel"
    case none = "unwrap of None"
    case failure = "unwrap of Err"
    case borrowed = "already borrowed"
    case unreachable = "unreachable code"

    private static let beginnings: [(String, CheckedError)] = [
        ("invalid memory address or nil pointer dereference", .nilPointer), ("assignment to entry in nil map", .nilMap),
        ("index out of range", .index), ("index out of bounds", .index), ("slice bounds out of range", .slice),
        ("range start index", .slice), ("range end index", .slice), ("slice index starts at", .slice),
        ("integer divide by zero", .division),
        ("attempt to divide by zero", .division), ("interface conversion: ", .conversion), ("close of closed channel", .closedChannel),
        ("send on closed channel", .closedChannel), ("close of nil channel", .nilChannel),
        ("called `Option::unwrap()` on a `None` value", .none), ("called `Result::unwrap()` on an `Err` value", .failure),
        ("already borrowed", .borrowed), ("already mutably borrowed", .borrowed),
        ("internal error: entered unreachable code", .unreachable),
    ]

    init?(message: String) {
        let text = message.hasPrefix("runtime error: ") ? message.dropFirst("runtime error: ".count) : message[...]
        if let found = Self.beginnings.first(where: { text.hasPrefix($0.0) }) {
            self = found.1
        } else if text.hasPrefix("attempt to "), text.hasSuffix(" with overflow") {
            self = .overflow
        } else {
            return nil
        }
    }
}

/// Invalid accesses by what is wrong with the memory, as sanitizers name them. Two of them in one
/// function are two bugs; heap, stack and globals are one, because the function is given the memory.
enum MemoryError: String {
    case outOfBounds = "out of bounds"
    case useAfterEnd = "use after its end"
    case invalidFree = "invalid free"
    case uninitialized = "uninitialized"

    init?(_ label: String) {
        let text = label.utf8.span
        if text.contains("buffer-overflow") || text.contains("buffer-underflow") || text.contains("container-overflow")
            || text.contains("out-of-bounds")
        {
            self = .outOfBounds
        } else if text.contains("use-after-") {
            self = .useAfterEnd
        } else if text.contains("double-free") || text.contains("bad-free") || text.contains("alloc-dealloc-mismatch") {
            self = .invalidFree
        } else if text.contains("use-of-uninitialized-value") {
            self = .uninitialized
        } else {
            return nil
        }
    }
}
