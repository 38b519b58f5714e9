internal import BinaryPrimitives
internal import CrashLogModel
internal import Reporting
internal import Symbolication

/// Makes the frames of a symbolicated report those of a failure: each function with its place in
/// the repository, and whether it is the user's own.
struct FrameJudge: Sendable {
    let repository: RepositoryPaths
    let ownCode: OwnCodeRule

    /// Maximum number of frames of one stack. Deeper frames belong to a recursion, or are not read.
    static let frameLimit = 512

    /// Functions of a stack, innermost first: inlined calls from the result, or the log's own rows
    /// if there is no result.
    func frames(_ thread: ThreadTrace, _ outcomes: [FrameOutcome], _ report: SymbolicatedReport) -> [Failure.Frame] {
        var frames: [Failure.Frame] = []
        // A row that the log itself gives to an inlined call comes again out of the result of the
        // frame that holds it, if that knows of inlined calls: a symbol table, and the line table
        // of a stripped Go program, do not.
        var isHolderResolved = false
        var repetitions = RepeatedFrames.find(thread.frames)
        var repetition: Failure.Repetition?
        for index in (0..<min(thread.frames.count, outcomes.count)).reversed() {
            let (frame, outcome) = (thread.frames[index], outcomes[index])
            if let last = repetitions.last, last.range.contains(index) {
                guard index == last.range.lowerBound else { continue }
                repetition = Failure.Repetition(period: last.period, times: last.times)
                repetitions.removeLast()
                continue
            }
            if frame.isInlined, isHolderResolved, case .partOfNextFrame = outcome.result { continue }
            if !frame.isInlined { isHolderResolved = outcome.resolved.map { $0.functions.count > 1 } ?? false }
            switch frame.kind {
            case .omitted, .truncated: continue
            default:
                var functions = functions(frame, outcome, report)
                if let last = functions.indices.last { functions[last].repetition = repetition }
                repetition = nil
                frames += functions.reversed()
            }
        }
        frames = Array(frames.reversed().prefix(Self.frameLimit))
        let machinery = Machinery(
            frames.map { Machinery.Function($0.function ?? "", file: $0.file, module: $0.image ?? "") }, format: report.report.format)
        for index in frames.indices {
            // People may call a function of their own `signal_handler`.
            frames[index].isMachinery = machinery.contains(index) && (index < machinery.beginning || !frames[index].isOwn)
        }
        // A stripped library's functions have no names, as those that `std::terminate` calls.
        for index in frames.indices.dropLast().reversed()
        where frames[index].function == nil && frames[index].owner == .other && frames[index + 1].isMachinery {
            frames[index].isMachinery = true
        }
        return frames
    }

    private func functions(_ frame: Frame, _ outcome: FrameOutcome, _ report: SymbolicatedReport) -> [Failure.Frame] {
        let image =
            outcome.image.flatMap { report.images.indices.contains($0) ? report.images[$0].image : nil }
            ?? frame.image.flatMap { report.report.images.indices.contains($0) ? report.report.images[$0] : nil }
            ?? frame.imageName.map { BinaryImage(name: Path.name(of: $0), path: $0.hasPrefix("/") ? $0 : nil) }
        guard let result = outcome.resolved else {
            var reason: String?
            if case .unresolved(let sentence) = outcome.result { reason = sentence }
            return [judged(frame, frame.printed?.name, frame.isInlined, frame.printed?.location, image, unknown: reason)]
        }
        return result.functions.map { function in
            judged(frame, function.name.isEmpty ? nil : function.name, function.isInlined, function.location, image, unknown: nil)
        }
    }

    private func judged(
        _ frame: Frame, _ function: String?, _ isInlined: Bool, _ location: SourceLocation?, _ image: BinaryImage?, unknown: String?
    ) -> Failure.Frame {
        var verdict = verdict(location, image, unknown: unknown)
        // `crt1.o` is linked into every program, without lines.
        if location == nil, function == "_start" { verdict = Verdict(.other, "it is the C library’s entry point") }
        if frame.isUnreliable { verdict = Verdict(.other, "the log marks the frame as possibly left over from an earlier call") }
        return Failure.Frame(
            function: function, isInlined: isInlined, image: image?.name,
            address: frame.address?.description ?? frame.imageLocation.map(Self.text), file: location?.file,
            line: max(0, location?.line ?? 0), column: max(0, location?.column ?? 0), location: verdict.location, owner: verdict.owner,
            reason: verdict.reason)
    }

    /// A location that the log gives without an address: `app+0x1000`, `+0x1000` in an image,
    /// `0x401000`.
    private static func text(_ location: ImageLocation) -> String {
        func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
        return switch location {
        case .offset(let offset): "+" + hexadecimal(offset.value)
        case .linkAddress(let address): hexadecimal(address.value)
        case .fileOffset(let offset): "file offset " + hexadecimal(offset)
        case .relativePC(let value): hexadecimal(value)
        case .textOffset(let offset): ".text" + (offset < 0 ? "-" : "+") + hexadecimal(offset.magnitude)
        case .mapping(let mapping): "mapping+" + hexadecimal(mapping.offset)
        case .symbol(let symbol): "\(PlainText.line(symbol.name, limit: 400))+" + hexadecimal(symbol.offset)
        }
    }

    /// Whose code it is, why, and its line in the repository, if it has one.
    struct Verdict {
        var owner: Failure.Owner
        var reason: String
        var location: Failure.Location?

        init(_ owner: Failure.Owner, _ reason: String, _ location: Failure.Location? = nil) {
            self.owner = owner
            self.reason = reason
            self.location = location
        }
    }

    func verdict(_ location: SourceLocation?, _ image: BinaryImage?, unknown: String? = nil) -> Verdict {
        let imageRule = ownCode.userVerdict([image?.name, image?.path])
        guard let location else {
            if let imageRule {
                return Verdict(
                    imageRule.isOwn ? .unknown : .other, imageRule.reason + (imageRule.isOwn ? ", but no line is known" : ""))
            }
            if let reason = image.flatMap({ ownCode.foreignReason(image: $0) }) { return Verdict(.other, reason) }
            return Verdict(.unknown, unknown ?? "no line is known")
        }
        if let reason = ownCode.generatedCodeReason(location) { return Verdict(.other, reason) }
        let located = repository.located(location.file)
        let inside: String? = if case .inside(let path)? = located { path } else { nil }
        func repositoryLocation(_ path: String?) -> Failure.Location? {
            path.map { Failure.Location(path: $0, line: location.line, column: max(0, location.column)) }
        }
        // A rule for the source file takes precedence over a rule for the image that it was built
        // into.
        if let rule = ownCode.userVerdict([location.file, inside, inside.map { Path.join(repository.root, $0) }]) ?? imageRule {
            guard rule.isOwn, located == nil, case .inside(let path) = repository.similar(to: location.file) else {
                return Verdict(rule.isOwn ? .own : .other, rule.reason, repositoryLocation(inside))
            }
            return Verdict(.own, rule.reason, repositoryLocation(path))
        }
        if let image, let reason = ownCode.foreignReason(image: image) { return Verdict(.other, reason) }
        if let inside {
            if let reason = ownCode.foreignReason(inside: inside) { return Verdict(.other, "it is \(reason)", repositoryLocation(inside)) }
            return Verdict(.own, "\(inside) is in the repository", repositoryLocation(inside))
        }
        if let reason = ownCode.foreignReason(recorded: location.file) { return Verdict(.other, "it is \(reason)") }
        switch located ?? repository.similar(to: location.file) {
        case .inside(let path): return Verdict(.own, "\(path) is the only file of the repository that it can be", repositoryLocation(path))
        case .outside(let reason): return Verdict(.other, reason)
        case .undecided(let reason): return Verdict(.unknown, reason)
        }
    }
}
