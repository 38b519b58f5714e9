internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// Looks up the symbols of the images that frames are in.
extension ReportLookup {
    /// An image's request, its symbols, and the results for the frames in it.
    struct Requested {
        var request: ImageRequest
        var evidence: CodeEvidence
        var symbols: ImageSymbols
        /// Second results of undecided lookups, by the lookups' index: the result at the address as it is, and
        /// whether it differs from the result of the call.
        var exact: [Int: PlaceLookup.Found] = [:]
        /// One result for each lookup; empty without a source.
        var found: [PlaceLookup.Found] = []
    }

    /// Identifies images of a log that are one file.
    struct FileKey: Hashable {
        var id: ImageID
        var paths: [String]
    }

    /// Finds the symbols of each image that frames are in.
    ///
    /// If one file at an image's path is another build than the log's, the log was written on another
    /// machine. Then no other file is used only because of its path.
    func requestSymbols() -> [Int: Requested] {
        var requested: [Int: Requested] = [:]
        var otherBuild: String?
        for (number, image) in report.images.enumerated() {
            guard lookups[number] != nil, !image.isPlaceholder else { continue }
            let request = request(for: image, number: number)
            let evidence = evidence(of: number, request)
            let symbols = provider.symbols(for: request, evidence: evidence)
            otherBuild = otherBuild ?? symbols.refusals.first { $0.reason.provesOtherBuild && request.ownPaths.contains($0.path) }?.path
            requested[number] = Requested(request: request, evidence: evidence, symbols: symbols)
        }
        guard let otherBuild else { return requested }
        for (number, var own) in requested where own.symbols.files.contains(where: { $0.proof == .path }) {
            own.evidence.otherMachine = "\(otherBuild) is another build than the log's"
            own.symbols = provider.symbols(for: own.request, evidence: own.evidence)
            requested[number] = own
        }
        return requested
    }

    /// Searches the symbols of each image, together for images that are one file: a log may list it
    /// under thousands of names, and each search unpacks what it reads.
    func lookUpFrames(_ requested: inout [Int: Requested]) {
        var groups: [FileKey: [Int]] = [:]
        for number in requested.keys.sorted() {
            guard let own = requested[number] else { continue }
            if let id = own.request.id, !own.symbols.files.isEmpty {
                groups[FileKey(id: id, paths: own.symbols.files.map(\.candidate.path)), default: []].append(number)
            } else {
                lookUpFrames(ofImages: [number], &requested)
            }
        }
        for numbers in groups.values { lookUpFrames(ofImages: numbers, &requested) }
    }

    /// Returns the results of some lookups, all at once; for undecided lookups, by their index, also the result
    /// at the address as it is.
    func results(of lookups: [Lookup], in source: any SymbolSource) -> (found: [PlaceLookup.Found], exact: [Int: PlaceLookup.Found]) {
        let open = lookups.indices.filter { lookups[$0].isUndecided }
        let places = lookups.map { ($0.raw, $0.isAdjusted) } + open.map { (lookups[$0].raw, false) }
        let found = PlaceLookup(source).answers(for: places)
        return (Array(found.prefix(lookups.count)), Dictionary(zip(open, found.dropFirst(lookups.count))) { first, _ in first })
    }

    /// - Parameter numbers: indices of images of one file.
    func lookUpFrames(ofImages numbers: [Int], _ requested: inout [Int: Requested]) {
        guard let source = numbers.first.flatMap({ requested[$0]?.symbols.source }) else { return }
        let all = results(of: numbers.flatMap { lookups[$0] ?? [] }, in: source)
        var start = 0
        for number in numbers {
            let end = start + (lookups[number]?.count ?? 0)
            requested[number]?.found = Array(all.found[start..<end])
            for (index, found) in all.exact where (start..<end).contains(index) { requested[number]?.exact[index - start] = found }
            start = end
        }
    }

    mutating func answer(_ image: BinaryImage, number: Int, _ requested: Requested?) -> ImageOutcome {
        guard let wanted = lookups[number] else { return ImageOutcome(image: image, status: .notNeeded) }
        guard let requested else {
            let outcome = ImageOutcome(image: image, status: .missing)
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        var outcome = answer(wanted, requested.found, with: requested.symbols, image: image, exact: requested.exact, number: number)
        outcome.request = requested.request
        outcome.evidence = requested.evidence
        outcome.baseFinding = placing.bases[number]
        return outcome
    }

    func request(for image: BinaryImage, number: Int) -> ImageRequest {
        ImageRequest(image, in: report, givenPath: placing.paths[number], folders: origin?.folders ?? [])
    }
}

extension SymbolFileRefusal.Reason {
    /// Whether the refusal proves another build. A file modified after the log was written proves nothing
    /// about other files.
    fileprivate var provesOtherBuild: Bool {
        switch self {
        case .identityDiffers, .noCallReturnsTo, .noInstructionAt, .outsideFile, .smallerThanImage: true
        default: false
        }
    }
}
