public import BinaryPrimitives
public import CrashLogModel
package import SymbolFiles
public import SymbolSources

/// A report with an outcome for each of its frames. The content of the log is not changed.
public struct SymbolicatedReport: Sendable {
    /// The report as the log has it.
    public var report: CrashReport
    /// For each thread of the report, an outcome for each of its frames.
    public var threads: [[FrameOutcome]]
    /// For each frame of the report's exception backtrace; empty if it has none.
    public var exceptionBacktrace: [FrameOutcome]
    /// For each additional backtrace of the report, an outcome for each of its frames.
    public var additionalBacktraces: [[FrameOutcome]]
    /// The images of the report in its order, then the given files that were used for addresses
    /// which the log ties to no image.
    public var images: [ImageOutcome]
    /// The report's own notes, then those of the lookup, one sentence each.
    public var notes: [String]

    package init(report: CrashReport) {
        self.report = report
        threads = []
        exceptionBacktrace = []
        additionalBacktraces = []
        images = []
        notes = report.notes
    }

    /// Every frame with its outcome: the exception backtrace's, the additional ones', then each
    /// thread's.
    public var allFrames: FramesWithOutcomes {
        FramesWithOutcomes(
            [(report.exceptionBacktrace?.frames ?? [], exceptionBacktrace)]
                + zip(report.additionalBacktraces, additionalBacktraces).map { ($0.frames, $1) }
                + zip(report.threads, threads).map { ($0.frames, $1) })
    }

    /// The frames without a name, neither from the symbols nor in the log. Where no file could have
    /// it (`[stack]`), nothing is missing.
    package var unresolvedFrames: Int {
        allFrames.count { frame, outcome in
            guard case .unresolved = outcome.result else { return false }
            return frame.printed?.name == nil && !isInFilelessImage(frame, outcome)
        }
    }

    /// Why symbols have no result for a frame that they could have one for; `nil` where no file could have it, and for
    /// frames that the log names without an address, such as those of Java.
    package func missingResult(_ frame: Frame, _ outcome: FrameOutcome) -> String? {
        guard case .unresolved(let reason) = outcome.result, !isInFilelessImage(frame, outcome) else { return nil }
        return frame.printed?.name != nil && frame.address == nil && outcome.image == nil ? nil : reason
    }

    /// The frames that have a name and no line, neither from the symbols nor in the log: what
    /// `--strict=lines` is about.
    package var framesWithoutLine: Int {
        allFrames.count { frame, outcome in
            switch outcome.result {
            case .resolved(let result, _): !result.functions.contains { $0.location != nil } && frame.printed?.location == nil
            case .unresolved: frame.printed?.name != nil && frame.printed?.location == nil
            case .partOfNextFrame, .notLookedUp: false
            }
        }
    }

    func isInFilelessImage(_ frame: Frame, _ outcome: FrameOutcome) -> Bool {
        if let index = outcome.image ?? frame.image, images.indices.contains(index) { return FilelessImage.isFileless(images[index].image) }
        return frame.imageName.map { FilelessImage.isFileless(named: $0) } ?? false
    }

    /// Whether a frame that has an image has no name, neither from the symbols nor in the log: what
    /// `--strict` is about.
    package var lacksSymbols: Bool {
        allFrames.contains { frame, outcome in
            guard case .unresolved = outcome.result else { return false }
            return (outcome.image != nil || frame.imageName != nil) && frame.printed?.name == nil && !isInFilelessImage(frame, outcome)
        }
    }
}

/// Result of the lookup for one frame.
public struct FrameOutcome: Sendable {
    /// Whether a frame is resolved.
    public enum Result: Sendable {
        /// The functions at the frame, and the kind of information that they are from.
        case resolved(FrameResult, SourceFrame.Origin)
        /// Unresolved, and the reason in one sentence.
        case unresolved(String)
        /// A row that the log gives to an inlined call: the next frame that is not inlined (in a
        /// call tree, the last before) has the same address, and its result holds this call too.
        case partOfNextFrame
        /// Nothing to look up: frames that the log left out, or a thread that the user left out.
        case notLookedUp
    }

    /// The address that was looked up, in the process; `nil` where the frame has none.
    public var lookupAddress: RuntimeAddress?
    /// The image that the address is in, as an index into `SymbolicatedReport.images`.
    public var image: Int?
    /// The raw address as an offset into that image.
    public var imageOffset: ImageOffset?
    /// The functions, or the reason why there are none.
    public var result: Result
    /// The result comes from a file whose identity differs from the log's.
    public var isForced: Bool
    /// Evidence that the frame's address is of another kind than its format says; `nil` where the format's rule
    /// holds, or nothing is known. The kind is the one in the report's frame.
    package var kindEvidence: KindEvidence?
    /// If the kind of the address is undecided: the result for a return address, which differs from `result`.
    package var alternative: FrameResult?
    /// Why the result lacks a line, or may lack more: one sentence; `nil` where nothing is known to
    /// be missing.
    public var note: String?

    /// For an address that the symbols cannot resolve, what would bring a result: one sentence.
    public var remedy: String?

    package init(_ result: Result) {
        self.result = result
        isForced = false
    }

    /// The functions at the frame; `nil` if it is not resolved.
    public var resolved: FrameResult? {
        guard case .resolved(let result, _) = result else { return nil }
        return result
    }
}

/// An image and what was found for it.
public struct ImageOutcome: Sendable {
    /// Whether an image's symbols were found.
    public enum Status: String, Sendable {
        /// A file was found and searched.
        case found
        /// No file was found, or every one was refused.
        case missing
        /// No frame is in this image, so no file was searched for.
        case notNeeded = "not-needed"
    }

    /// The image, as the log lists it.
    public var image: BinaryImage
    /// Whether its symbols were found.
    public var status: Status
    package var files: [ImageSymbols.File]
    package var refusals: [SymbolFileRefusal]
    /// The request for its symbols; `nil` where nothing was requested.
    package var request: ImageRequest?
    /// Evidence of the report about its code; `nil` where nothing was requested.
    package var evidence: CodeEvidence?
    /// How its load address was found; `nil` where the log has it, or nothing found it.
    package var baseFinding: BaseFinding?

    package init(image: BinaryImage, status: Status, files: [ImageSymbols.File] = [], refusals: [SymbolFileRefusal] = []) {
        self.image = image
        self.status = status
        self.files = files
        self.refusals = refusals
    }

    /// Why there are no symbols, in one sentence; `nil` where there are.
    public var reason: String? {
        guard status == .missing else { return nil }
        if let refusal = refusals.first { return refusal.description }
        if FilelessImage.isFileless(image) { return "\(image.name): not a file-backed image" }
        if let file = image.debugFile {
            let id = image.debugIdentifier.map { " (\($0))" } ?? ""
            return "no symbol file for \(image.name): cairn reads \(file)\(id) as Breakpad's .sym, which dump_syms makes of it"
        }
        return "no symbol file for \(image.name)" + (image.id.map { " (\($0))" } ?? "")
    }
}

/// The frames of a report with their outcomes, in the order of `SymbolicatedReport.allFrames`: nothing is copied, however many there are.
public struct FramesWithOutcomes: Sequence, Sendable {
    private let stacks: [(frames: [Frame], outcomes: [FrameOutcome])]

    fileprivate init(_ stacks: [(frames: [Frame], outcomes: [FrameOutcome])]) { self.stacks = stacks }

    /// The number of frames that have an outcome: all of them.
    public var count: Int { stacks.reduce(0) { $0 + Swift.min($1.frames.count, $1.outcomes.count) } }

    public func makeIterator() -> Iterator { Iterator(stacks: stacks) }

    public struct Iterator: IteratorProtocol {
        fileprivate let stacks: [(frames: [Frame], outcomes: [FrameOutcome])]
        private var (stack, index) = (0, 0)

        fileprivate init(stacks: [(frames: [Frame], outcomes: [FrameOutcome])]) { self.stacks = stacks }

        public mutating func next() -> (frame: Frame, outcome: FrameOutcome)? {
            while stack < stacks.count {
                if index < stacks[stack].frames.count, index < stacks[stack].outcomes.count {
                    defer { index += 1 }
                    return (stacks[stack].frames[index], stacks[stack].outcomes[index])
                }
                (stack, index) = (stack + 1, 0)
            }
            return nil
        }
    }
}
