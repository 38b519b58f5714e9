package import CrashLogModel

/// What sort of failure a report describes, for others than test reports: the same rule by which
/// failures are annotated.
package struct ReportRule: Sendable {
    package let kind: Failure.Kind
    /// `crash/SIGSEGV`
    package let id: String
    /// `SIGSEGV`
    package let words: String

    package init(_ report: CrashReport) {
        let rule = FailureRule(report)
        (kind, id, words) = (rule.kind, rule.id, rule.words)
    }
}
