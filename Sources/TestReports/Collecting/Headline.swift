internal import BinaryPrimitives
internal import CrashLogModel
internal import Symbolication

/// The title of a failure: the message of the runtime if there is one, else the rule's label.
///
/// For example `Index out of range`, `panic: runtime error: index out of range [3] with length 3`, `SIGSEGV`.
enum Headline {
    /// - Parameter announced: the message that was printed before the report.
    static func text(_ report: SymbolicatedReport, _ rule: FailureRule, announced: String?) -> String {
        guard rule.kind == .crash || rule.kind == .panic else { return rule.label }
        return message(report, rule, announced).map { PlainText.line($0, limit: maxBytes) } ?? rule.label
    }

    /// Bytes of a title that are a message's.
    private static let maxBytes = 200

    private static func message(_ report: SymbolicatedReport, _ rule: FailureRule, _ announced: String?) -> String? {
        let cause = report.report.cause
        for text in [announced, cause?.message] {
            if let text, let found = swiftMessage(text) { return found }
        }
        if let inlined = runtimeFailure(report) { return inlined }
        guard let cause, let first = cause.message.flatMap(firstLine) else { return nil }
        switch report.report.format {
        case "rust-panic": return first
        case "go-panic": return rule.kind == .panic ? rule.label + ": " + first : nil
        default:
            if cause.messageSource != nil { return assertion(first) ?? first }
            return cause.kind == .runtimeError && cause.type == swiftFailure ? first : nil
        }
    }

    /// The assertion without the program, the line and the function, which the report has (glibc, `__assert_fail`):
    /// prog: cart.c:4: must: Assertion `n > 0' failed.
    private static func assertion(_ text: String) -> String? {
        text.firstRange(of: ": Assertion `").map { String(text[$0.lowerBound...].dropFirst(2)) }
    }

    private static func firstLine(_ text: String) -> String? {
        text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private static let swiftFailure = "Swift runtime failure"

    /// `Index out of range` of `Swift/Array.swift:692: Fatal error: Index out of range`, and what follows the line of a
    /// failed precondition or assertion.
    private static func swiftMessage(_ text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            if let mark = line.firstRange(of: "Fatal error: ") {
                let message = line[mark.upperBound...]
                return message.isEmpty ? nil : String(message)
            }
            for check in ["Precondition failed", "Assertion failed"] {
                if let mark = line.firstRange(of: ": " + check) { return String(line[mark.lowerBound...].dropFirst(2)) }
            }
        }
        return nil
    }

    /// A failed check, by the function that reports it: Swift's compiler makes an inlined one (`Swift runtime failure:
    /// arithmetic overflow`), Rust's standard library has one for each.
    private static func runtimeFailure(_ report: SymbolicatedReport) -> String? {
        guard let index = report.report.threads.firstIndex(where: \.crashed), report.threads.indices.contains(index) else { return nil }
        let stack = report.threads[index].dropFirst(report.report.threads[index].interruptedIndex)
        func names(_ count: Int) -> [String] { stack.prefix(count).flatMap { $0.resolved?.functions.map(\.name) ?? [] } }
        let prefix = swiftFailure + ": "
        if let name = names(2).first(where: { $0.hasPrefix(prefix) }) { return String(name.dropFirst(prefix.count)) }
        guard report.report.cause?.signal == "SIGABRT" else { return nil }
        return names(maxPanicFrames).lazy.compactMap { rustFailures[$0] }.first
    }

    /// Frames of a stack that can be a panic's own.
    private static let maxPanicFrames = 32

    /// Messages of Rust's functions without arguments (`library/core/src/panicking.rs`, `option.rs`).
    private static let rustFailures = [
        "core::panicking::panic_const::panic_const_add_overflow": "attempt to add with overflow",
        "core::panicking::panic_const::panic_const_sub_overflow": "attempt to subtract with overflow",
        "core::panicking::panic_const::panic_const_mul_overflow": "attempt to multiply with overflow",
        "core::panicking::panic_const::panic_const_div_overflow": "attempt to divide with overflow",
        "core::panicking::panic_const::panic_const_rem_overflow": "attempt to calculate the remainder with overflow",
        "core::panicking::panic_const::panic_const_neg_overflow": "attempt to negate with overflow",
        "core::panicking::panic_const::panic_const_shr_overflow": "attempt to shift right with overflow",
        "core::panicking::panic_const::panic_const_shl_overflow": "attempt to shift left with overflow",
        "core::panicking::panic_const::panic_const_div_by_zero": "attempt to divide by zero",
        "core::panicking::panic_const::panic_const_rem_by_zero": "attempt to calculate the remainder with a divisor of zero",
        "core::option::unwrap_failed": "called `Option::unwrap()` on a `None` value",
    ]
}
