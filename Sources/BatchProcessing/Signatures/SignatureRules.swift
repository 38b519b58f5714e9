internal import BinaryPrimitives
package import Reporting
package import Symbolication
internal import TestReports

/// Rules that signatures are made by, and their fingerprint. Signatures of different rules are not
/// comparable.
package struct SignatureRules: Sendable {
    /// Raised whenever the same report and lists give another signature than before.
    private static let version = 3

    package let lists: FrameLists
    package let ownCode: OwnCodeRule
    /// 16 hexadecimal digits: of the lists' texts, of what the user said of own code, and of the
    /// version.
    package let fingerprint: String
    private let memory = FrameMemory()

    package init(lists: FrameLists = .standard, ownCode: OwnCodeRule = OwnCodeRule()) {
        self.lists = lists
        self.ownCode = ownCode
        let texts = lists.lists.map { "\($0.name)\u{1}\($0.text)" }
        fingerprint = StableHash.text((["\(Self.version)", ownCode.words] + texts).joined(separator: "\u{2}"))
    }

    package func signature(of report: SymbolicatedReport) -> CrashSignature {
        CrashSignature(report, lists: lists, ownCode: ownCode, memory: memory)
    }
}
