internal import BinaryPrimitives
package import CrashLogModel
package import SymbolFiles

/// Why a report's frames have the results they have: for each image that frames needed, where its
/// symbols were looked for, what was there, and what would help.
package struct Explanation: Sendable {
    /// Frames of one image, or without an image, that are unresolved for one reason.
    package struct Reason: Sendable, Hashable {
        /// One sentence.
        package var sentence: String
        /// Step that would bring a result; `nil` where the image's remedies say it.
        package var remedy: String?
        package var frames: Int
    }

    /// A step for the user: a sentence, and its command.
    package struct Remedy: Sendable, Hashable {
        package enum Command: Sendable, Hashable {
            /// The command that was run, with these further options: `--image demo=PATH`. Text in capitals is a
            /// placeholder for facts that only the user has.
            case again(String)
            /// A command of the system's.
            case shell(String)
        }

        package var sentence: String
        package var command: Command?
    }

    package struct Image: Sendable {
        package var outcome: ImageOutcome
        /// Number of frames in it.
        package var frames: Int
        /// Those that were resolved.
        package var resolved: Int
        /// Those of the resolved that have a function and no line.
        package var withoutLine: Int
        /// Those that are unresolved, and that the log does not name itself.
        package var missing: Int
        package var trail: SearchTrail
        package var reasons: [Reason]
        /// Steps for the user, the likeliest first. Empty where nothing is missing.
        package var remedies: [Remedy]

        /// No file of it exists: nothing is missing.
        package var isFileless: Bool { FilelessImage.isFileless(outcome.image) }
    }

    package let report: CrashReport
    /// Images that frames needed; those that lack something first.
    package private(set) var images: [Image] = []
    /// Reasons for frames that are in no image.
    package private(set) var reasonsWithoutImage: [Reason] = []
    package let notes: [String]
    /// All frames that were looked up.
    package private(set) var frames = 0
    /// Those that have no name, neither by a result nor in the log.
    package let unresolved: Int

    /// Whether a frame that has an image has no name.
    package var lacksSymbols: Bool { images.contains { $0.missing > 0 } }

    /// - Parameters:
    ///   - symbolicated: the symbolicated report.
    ///   - provider: source of its symbols.
    ///   - advice: gives the remedies.
    package init(_ symbolicated: SymbolicatedReport, provider: any SymbolProvider, advice: Advice = Advice()) {
        report = symbolicated.report
        notes = symbolicated.notes
        unresolved = symbolicated.unresolvedFrames
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
            case .resolved(let result, _):
                image.resolved += 1
                if !result.functions.contains(where: { $0.location != nil }) { image.withoutLine += 1 }
            case .unresolved: if frame.printed?.name == nil, !image.isFileless { image.missing += 1 }
            case .partOfNextFrame: image.resolved += 1
            case .notLookedUp: break
            }
        }
        if let request = outcome.request {
            image.trail = outcome.evidence.map { provider.trail(for: request, evidence: $0) } ?? provider.trail(for: request)
            // Only the report shows that the images of a shared cache disagree.
            for refusal in outcome.refusals { if case .slideDiffers = refusal.reason { image.trail.reject(refusal) } }
        }
        if image.resolved < image.frames || image.withoutLine > 0 { image.remedies = advice.remedies(for: image, in: report) }
        return image
    }

    /// The reasons of unresolved frames, the most frequent first.
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
