internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// Outcomes that do not depend on symbols.
extension ReportLookup {
    /// Returns the outcomes that are known before any symbols are looked up; the other frames are added to the
    /// lookups.
    mutating func outcomes(of thread: ThreadTrace, stack: FramePosition.Stack, map: ImageMap, isWanted: Bool) -> [FrameOutcome] {
        var outcomes: [FrameOutcome] = []
        outcomes.reserveCapacity(thread.frames.count)
        let inlined = Self.inlined(thread)
        for index in thread.frames.indices {
            outcomes.append(
                outcome(of: thread.frames[index], at: index, isPartOfNextFrame: inlined[index], stack: stack, map: map, isWanted: isWanted))
        }
        return outcomes
    }

    mutating func outcome(
        of frame: Frame, at index: Int, isPartOfNextFrame: Bool, stack: FramePosition.Stack, map: ImageMap, isWanted: Bool
    ) -> FrameOutcome {
        switch frame.kind {
        case .omitted, .truncated: return FrameOutcome(.notLookedUp)
        default: break
        }
        if let obstacle = report.obstacle { return FrameOutcome(isWanted ? .unresolved(obstacle) : .notLookedUp) }
        var outcome = FrameOutcome(.notLookedUp)
        outcome.lookupAddress = lookupAddress(frame)
        let position = map.position(of: frame, lookup: outcome.lookupAddress)
        outcome.image = position?.image
        outcome.imageOffset = position?.offset
        // Without a signature, where the address has one.
        if let address = frame.address, address.value >> 47 != 0, let offset = position?.offset,
            let base = report.images[safe: position?.image]?.base,
            let plain = offset.runtimeAddress(imageLoadedAt: base), plain != address
        {
            outcome.lookupAddress = frame.isAdjusted(options.adjustment) ? RuntimeAddress(plain.value &- 1) : plain
        }
        guard isWanted else { return outcome }
        guard !isPartOfNextFrame else {
            outcome.result = .partOfNextFrame
            return outcome
        }
        guard let position else {
            outcome.result = .unresolved(Self.reasonWithoutImage(frame, report: report, rivals: map.rivals(for: frame)))
            return outcome
        }
        let place = isThumb(position.image) ? position.place.withoutThumbBit : position.place
        let lookup = Lookup(
            position: FramePosition(stack: stack, frame: index), raw: place, isAdjusted: frame.isAdjusted(options.adjustment))
        guard !lookup.isAdjusted || place != .offset(ImageOffset(0)) else {
            outcome.result = .unresolved("the return address is the image's first byte")
            return outcome
        }
        lookups[position.image, default: []].append(lookup)
        return outcome
    }

    /// For each frame, whether it is an inlined call whose holder follows; in a call tree, whose
    /// callers come first, precedes it. A log may leave the holder out (Swift's backtracer hides
    /// the system's frames); then the row is looked up like any other.
    static func inlined(_ thread: ThreadTrace) -> [Bool] {
        let frames = thread.frames
        var inlined = [Bool](repeating: false, count: frames.count)
        // One way through the stack: a search for the holder from each call would read a run of
        // calls once for each of them.
        var holder: Int?
        for step in frames.indices {
            let index = thread.isCallTree ? step : frames.count - 1 - step
            if !frames[index].isInlined {
                holder = index
            } else if let holder {
                inlined[index] =
                    frames[holder].address == frames[index].address && frames[holder].imageLocation == frames[index].imageLocation
            }
        }
        return inlined
    }

    func isThumb(_ image: Int) -> Bool {
        let own = report.images.indices.contains(image) ? report.images[image].architecture : nil
        return (own ?? report.architecture)?.hasThumbBit ?? false
    }

    static func reasonWithoutImage(_ frame: Frame, report: CrashReport, rivals: [String]) -> String {
        if let symbol = frame.symbolLocation, frame.image == nil {
            if rivals.isEmpty { return "the log does not name the image of \(symbol.name), and no given file has it" }
            return
                "the log does not name the image of \(symbol.name), and \(rivals.count) given files have it: \(rivals.prefix(4).joined(separator: ", "))"
        }
        if frame.address == nil { return "the log has no address" }
        if report.images.isEmpty { return "the log lists no images, and no given file has code at this address" }
        let known = frame.image.flatMap { report.images.indices.contains($0) ? report.images[$0].name : nil }
        if let name = known ?? frame.imageName, name != "???" { return "the log has no load address of \(name)" }
        return "no image of the log holds this address"
    }
}
