package import CrashLogModel

/// Classification of a report's failure, for targets other than test reports: by the rules that
/// annotate failures.
package struct ReportRule: Sendable {
    package let kind: Failure.Kind
    /// `crash/SIGSEGV`
    package let id: String
    /// `SIGSEGV`
    package let words: String

    package init(_ report: CrashReport) {
        let rule = FailureRule(report)
        (kind, id, words) = (rule.kind, rule.id, rule.label)
    }
}
