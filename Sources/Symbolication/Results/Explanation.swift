internal import BinaryPrimitives
public import CrashReports
public import SymbolFiles

/// Why a report's frames have the answers they have: for each image that frames needed, where its symbols were looked for, what was there, and what would help.
public struct Explanation: Sendable {
    /// Frames of one image, or of none, that have no answer for one reason.
    public struct Reason: Sendable, Hashable {
        /// One sentence.
        public var sentence: String
        /// What would bring an answer; `nil` where the image's remedies say it.
        public var remedy: String?
        public var frames: Int
    }

    /// Something to do: a sentence, and the command of it.
    public struct Remedy: Sendable, Hashable {
        public enum Command: Sendable, Hashable {
            /// The command that was run, with these options more: `--image demo=PATH`. Words in capitals are for what only the user knows.
            case again(String)
            /// A command of the system's.
            case shell(String)
        }

        public var sentence: String
        public var command: Command?
    }

    public struct Image: Sendable {
        public var outcome: ImageOutcome
        /// The frames that lie in it.
        public var frames: Int
        /// Those that were answered.
        public var resolved: Int
        /// Those of the answered that have a function and no line.
        public var withoutLine: Int
        /// Those that were not answered, and that the log does not name itself.
        public var missing: Int
        public var trail: SearchTrail
        public var reasons: [Reason]
        /// What to do, the likeliest first. Empty where nothing is missing.
        public var remedies: [Remedy]

        /// No file of it exists: nothing is missing.
        public var isFileless: Bool { FilelessImage.isOne(outcome.image) }
    }

    public let report: CrashReport
    /// Images that frames needed; those that lack something first.
    public private(set) var images: [Image] = []
    /// Frames that lie in no image.
    public private(set) var reasonsWithoutImage: [Reason] = []
    public let notes: [String]
    /// All frames that were looked up.
    public private(set) var frames = 0
    /// Those that have no name, neither by an answer nor in the log.
    public let unresolved: Int

    /// Whether a frame that has an image has no name.
    public var lacksSymbols: Bool { images.contains { $0.missing > 0 } }

    /// - Parameters:
    ///   - symbolicated: the answered report.
    ///   - provider: what answered it.
    ///   - advice: knows what would help.
    public init(_ symbolicated: SymbolicatedReport, provider: any SymbolProvider, advice: Advice = Advice()) {
        report = symbolicated.report
        notes = symbolicated.notes
        unresolved = symbolicated.unansweredFrames
        var groups: [Int: [(frame: Frame, outcome: FrameOutcome)]] = [:]
        var loose: [(frame: Frame, outcome: FrameOutcome)] = []
        for (frame, outcome) in symbolicated.allFrames {
            if case .notLookedUp = outcome.result { continue }
            frames += 1
            if let image = outcome.image ?? frame.image, symbolicated.images.indices.contains(image) {
                groups[image, default: []].append((frame, outcome))
            } else {
                loose.append((frame, outcome))
            }
        }
        reasonsWithoutImage = Self.reasons(loose)
        let all = groups.keys.sorted().map { index in
            Self.explain(symbolicated.images[index], groups[index] ?? [], symbolicated.report, provider, advice)
        }
        images =
            all.filter { $0.missing > 0 } + all.filter { $0.missing == 0 && $0.resolved < $0.frames }
            + all.filter { $0.missing == 0 && $0.resolved >= $0.frames }
    }

    private static func explain(
        _ outcome: ImageOutcome, _ frames: [(frame: Frame, outcome: FrameOutcome)], _ report: CrashReport, _ provider: any SymbolProvider,
        _ advice: Advice
    ) -> Image {
        var image = Image(
            outcome: outcome, frames: frames.count, resolved: 0, withoutLine: 0, missing: 0, trail: SearchTrail(), reasons: reasons(frames),
            remedies: [])
        for (frame, outcome) in frames {
            switch outcome.result {
            case .answered(let answer, _):
                image.resolved += 1
                if !answer.functions.contains(where: { $0.location != nil }) { image.withoutLine += 1 }
            case .unresolved: if frame.printed?.name == nil, !image.isFileless { image.missing += 1 }
            case .partOfNextFrame: image.resolved += 1
            case .notLookedUp: break
            }
        }
        if let request = outcome.request {
            image.trail = outcome.evidence.map { provider.trail(for: request, evidence: $0) } ?? provider.trail(for: request)
        }
        if image.resolved < image.frames || image.withoutLine > 0 { image.remedies = advice.remedies(for: image, in: report) }
        return image
    }

    /// The reasons of unanswered frames, the most frequent first.
    private static func reasons(_ frames: [(frame: Frame, outcome: FrameOutcome)]) -> [Reason] {
        var reasons: [Reason] = []
        for (frame, outcome) in frames {
            guard case .unresolved(let sentence) = outcome.result else { continue }
            if let index = reasons.firstIndex(where: { $0.sentence == sentence }) {
                reasons[index].frames += 1
            } else {
                let remedy = outcome.remedy ?? (outcome.image == nil && frame.image == nil ? Advice.remedyWithoutImage(frame) : nil)
                reasons.append(Reason(sentence: sentence, remedy: remedy, frames: 1))
            }
        }
        return reasons.sorted { $0.frames > $1.frames }
    }
}
