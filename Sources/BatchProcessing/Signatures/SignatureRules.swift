internal import BinaryPrimitives
public import Reporting
public import Symbolication
public import TestReports

/// What signatures are made by, and how it is told from other rules: what was known by other rules is not comparable.
public struct SignatureRules: Sendable {
    /// Raised whenever the same report and lists give another signature than before.
    private static let version = 3

    public let lists: FrameLists
    public let ownCode: OwnCodeRule
    /// 16 hexadecimal digits: of the lists' texts, of what the user said of own code, and of the version.
    public let fingerprint: String
    private let memory = FrameMemory()

    public init(lists: FrameLists = .standard, ownCode: OwnCodeRule = OwnCodeRule()) {
        self.lists = lists
        self.ownCode = ownCode
        let texts = lists.lists.map { "\($0.name)\u{1}\($0.text)" }
        fingerprint = StableHash.text((["\(Self.version)", ownCode.words] + texts).joined(separator: "\u{2}"))
    }

    public func signature(of report: SymbolicatedReport) -> CrashSignature {
        CrashSignature(report, lists: lists, ownCode: ownCode, memory: memory)
    }
}
