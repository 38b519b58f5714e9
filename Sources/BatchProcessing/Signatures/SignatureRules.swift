internal import BinaryPrimitives
package import Reporting
package import Symbolication
internal import TestReports

/// Rules that signatures are made by, and their fingerprint. Signatures of different rules are not
/// comparable.
package struct SignatureRules: Sendable {
    /// Raised whenever the same report and lists give another signature than before.
    private static let version = 5

    package let lists: FrameLists
    package let ownCode: OwnCodeRule
    /// 16 hexadecimal digits: of the lists' texts, of what the user said of own code, and of the
    /// version.
    package let fingerprint: String
    private let memory = FrameCache()

    package init(lists: FrameLists = .standard, ownCode: OwnCodeRule = OwnCodeRule()) {
        self.lists = lists
        self.ownCode = ownCode
        let texts = lists.lists.map { "\($0.name)\u{1}\($0.text)" }
        fingerprint = StableHash.text((["\(Self.version)", ownCode.text] + texts).joined(separator: "\u{2}"))
    }

    package func signature(of report: SymbolicatedReport) -> CrashSignature {
        CrashSignature(report, lists: lists, ownCode: ownCode, memory: memory)
    }
}

/// Caps on what one report may make its signature do.
package struct SignatureLimits: Sendable {
    /// Functions of one stack that are looked at, innermost first, inlined calls counted. An
    /// endless recursion is longer; what it began in is then not seen.
    package var frames = 128
    /// Functions of own code that count at that level, innermost first, besides helpers.
    package var ownFrames = 3
    /// Functions that a title names.
    package var titleFrames = 3
    /// Bytes of a title.
    package var titleBytes = 200
    /// Own functions of a stack that similarity looks at, innermost first.
    package var comparedFrames = 32

    package init() {}

    /// Default limits.
    package static let standard = SignatureLimits()
}

/// Cache of the normalised names and roles of functions. Many logs of one program have mostly the
/// same functions.
package final class FrameCache: Sendable {
    /// Cache key: everything that the cached values depend on.
    struct Function: Hashable, Sendable {
        var name: String
        var mangled: String
        var file: String?
        var format: String
        var module: String
        var path: String?
    }

    struct Known: Sendable {
        var name: NormalizedName
        var roles: FrameLists.Roles
        var isOwn: Bool
    }

    /// At most 16,384 functions of some hundred bytes each.
    private let known = RecentlyUsed<Function, Known>(count: 16_384)

    package init() {}

    func known(_ function: Function, _ find: () -> Known) -> Known { known.value(for: function, make: find) }
}
