internal import BinaryPrimitives
package import Reporting
package import Symbolication
internal import TestReports

/// Identity of a crash: the same for every log of one bug, as far as its result shows.
///
/// It depends only on the symbolicated report, the lists and the rules. The same report gives the
/// same signature in every run, on every machine, beside any other reports. When a report is
/// symbolicated again with more symbols, its signature changes, and it moves to its group.
///
/// **Frames without a name.** An offset into an image is meaningful in one build only. So frames
/// without a name count by their module alone if named functions of own code identify the bug. A
/// library without symbols never splits a bug by its builds, and neither does a caller without a
/// name. Only if the innermost frames of own code have no name, and belong to the image whose code
/// this is, do they count as `module+offset@build`. Nothing else distinguishes bugs there, and logs
/// of one build are together. Logs of another build stay apart until there are symbols, because to
/// merge them would be a guess. If the log does not name the build, equal offsets count as equal.
package struct CrashSignature: Sendable {
    /// One level: the text that is compared, and its hash.
    package struct Key: Sendable, Hashable {
        /// The compared text: the kind, then a function a line, innermost first.
        package var text: String
        /// 16 hexadecimal digits of `text`, the same in every version of cairn that makes the same
        /// text.
        package var hash: String

        init(_ text: String) {
            self.text = text
            hash = StableHash.text(text)
        }

        init(text: String, hash: String) {
            self.text = text
            self.hash = hash
        }
    }

    /// Why a report has no stack to be known by.
    package enum Absence: String, Sendable, Hashable {
        /// The log marks no thread as the one that crashed, and has several.
        case noCrashingThread = "the log marks no thread as crashed"
        /// The log has no frames, or no usable frames.
        case noFrames = "the log has no frames"
        /// The stack ends before it reaches a frame that could distinguish one bug from another.
        case onlyNoise = "the stack has only functions that every crash has"
    }

    package var kind: CrashKind
    /// Short title: `SIGSEGV in Mold::pour | Smelter::smelt | run`.
    package var title: String
    /// The kind as the log names it, and every function of the crashed stack that says something.
    package var exact: Key
    /// The kind's family and the innermost functions of own code alone, or of all code if no
    /// function is own code.
    package var ownCode: Key
    /// The frames that `CrashGroups` compares: the frames of `ownCode`, innermost first.
    package var frames: [SignatureFrame]
    /// The offsets of the innermost frames, and the build that they belong to. The build is given
    /// by its identity, or else by the offset of the outermost frame, which all crashes of a build
    /// share and those of two builds seldom do.
    let offsets: (inner: String, build: String)
    /// The innermost frames of own code have no name: logs of other builds cannot be compared until
    /// there are symbols.
    package var lacksSymbols: Bool
    /// Why there is nothing to compare; then all reports of one kind without a stack have one key,
    /// and `CrashGroups` leaves each alone.
    package var absence: Absence?

    /// Group of a report that is computed without other reports: 16 hexadecimal digits; `nil` if
    /// there is nothing to compare. `CrashGroups` compares more of the stacks, and joins similar
    /// groups.
    var group: String? {
        guard absence == nil else { return nil }
        // Two signals in one function whose lines are not known are different crashes.
        if frames.first?.showsInlinedCalls != true { return StableHash.text(ownCode.hash + "\n" + kind.label) }
        return ownCode.hash
    }

    /// One that was made before.
    init(
        kind: CrashKind, title: String, exact: Key, ownCode: Key, frames: [SignatureFrame], offsets: (inner: String, build: String),
        lacksSymbols: Bool, absence: Absence?
    ) {
        self.kind = kind
        self.title = title
        self.exact = exact
        self.ownCode = ownCode
        self.frames = frames
        self.offsets = offsets
        self.lacksSymbols = lacksSymbols
        self.absence = absence
    }

    /// - Parameters:
    ///   - lists: Functions that say nothing about bugs.
    ///   - ownCode: The user's rule for own code.
    ///   - memory: shared by reports whose signatures are made with the same lists, rule and
    ///     limits.
    package init(
        _ report: SymbolicatedReport, lists: FrameLists = .standard, ownCode rule: OwnCodeRule = OwnCodeRule(),
        memory: FrameCache = FrameCache(), limits: SignatureLimits = .standard
    ) {
        kind = CrashKind(report.report)
        let stack = SignatureStack(report, kind: kind, lists: lists, rule: rule, memory: memory, limits: limits)
        absence =
            switch stack.absence {
            case .noCrashingThread: .noCrashingThread
            case .noFrames: .noFrames
            case .onlyNoise: .onlyNoise
            case nil: nil
            }
        if let absence {
            title = SignatureTitle.text(kind.label + ": " + absence.rawValue, limits)
            exact = Key(([kind.label, absence.rawValue] + FrameLabels(stack.frames).labels(stack.frames)).joined(separator: "\n"))
            ownCode = Key(kind.familyKey + "\n" + absence.rawValue)
            frames = []
            offsets = ("", "")
            lacksSymbols = false
            return
        }
        let frames = stack.frames + stack.otherFrames
        let labels = FrameLabels(frames)
        exact = Key(kind.label + "\n" + labels.labels(frames).joined(separator: "\n"))
        // Both accesses of a data race identify it, each by its innermost functions.
        let parts = [stack.frames, stack.otherFrames].filter { !$0.isEmpty }.map(Self.compared)
        let compared = parts.count == 1 ? parts[0] : parts.flatMap { Self.telling($0, limits) }
        let telling = parts.flatMap { Self.telling($0, limits) }
        // Every program has a `main`, and many a `run`: one function identifies a bug within its
        // program only.
        let isShort = telling.count { !$0.isPrefix } < 2
        ownCode = Key(
            ([kind.familyKey] + labels.labels(telling) + (isShort ? ["in " + (compared.first?.module ?? "")] : [])).joined(separator: "\n"))
        self.frames = Array(compared.prefix(limits.comparedFrames))
        lacksSymbols = labels.countsOffsets
        // The crash's own program: what the walk met in libraries differs in nothing.
        let home = frames.filter { $0.module == compared.first?.module }
        self.offsets = (
            home.prefix(4).map(\.offsetLabel).joined(separator: " "), compared.first?.build?.hexadecimal ?? home.last?.offsetLabel ?? ""
        )
        title =
            SignatureTitle(kind: kind, stack: parts.count == 1 ? stack.frames : parts.compactMap(\.first), labels: labels, limits: limits)
            .text
    }

    /// The frames of own code, or all if there are none.
    private static func compared(_ frames: [SignatureFrame]) -> [SignatureFrame] {
        // `main` is below everything, and own code only where it crashed itself.
        let own = frames.enumerated().filter { $0.element.isOwn && (!$0.element.isEntry || $0.offset == 0) }.map(\.element)
        return own.isEmpty ? frames : own
    }

    /// The innermost frames, as many as identify a bug; helpers that many bugs end in do not count.
    /// Callers further out differ by version and by how the bug was reached.
    private static func telling(_ frames: [SignatureFrame], _ limits: SignatureLimits) -> [SignatureFrame] {
        var count = 0
        var result: [SignatureFrame] = []
        for frame in frames {
            guard count < limits.ownFrames else { break }
            result.append(frame)
            if !frame.isPrefix { count += 1 }
        }
        return result
    }
}

/// A group's name for people: the kind, and the functions where it happened.
private struct SignatureTitle: Sendable {
    let text: String

    /// The first informative function, whosever it is (`strlen`), then those of own code. Helpers
    /// that many bugs end in do not count toward the few that are shown.
    init(kind: CrashKind, stack: [SignatureFrame], labels: FrameLabels, limits: SignatureLimits) {
        var shown: [String] = []
        var counted = 0
        let hasOwn = stack.contains(where: \.isOwn)
        for (index, frame) in stack.enumerated() {
            guard counted < limits.titleFrames, shown.count < 2 * limits.titleFrames else { break }
            guard frame.isOwn || !hasOwn || index == 0 && !frame.name.isEmpty else { continue }
            let label = frame.name.isEmpty ? labels.label(frame).split(separator: "@").first.map(String.init) ?? "?" : frame.name
            guard shown.last != label else { continue }
            shown.append(label)
            if !frame.isPrefix { counted += 1 }
        }
        text = Self.text(kind.label + (shown.isEmpty ? "" : " in " + shown.joined(separator: " | ")), limits)
    }

    /// One line, cut to its limit, without what would move a terminal's cursor.
    static func text(_ text: String, _ limits: SignatureLimits) -> String {
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        var result = ""
        for scalar in line {
            guard result.utf8.count + 4 <= limits.titleBytes else { return result + "…" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
