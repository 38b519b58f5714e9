internal import BinaryPrimitives
internal import CrashReports
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// The symbols of the images that frames are in.
extension ReportLookup {
    /// What an image's symbols say about the frames in it.
    struct Asked {
        var request: ImageRequest
        var evidence: CodeEvidence
        var symbols: ImageSymbols
        /// Of the lookups that nothing decides, by their index: the answer at the address as it is, and whether it is another than the call's.
        var exact: [Int: PlaceLookup.Found] = [:]
        /// One answer for each lookup; empty without a source.
        var found: [PlaceLookup.Found] = []
    }

    /// What tells that two images of a log are one file.
    struct FileKey: Hashable {
        var id: ImageID
        var paths: [String]
    }

    /// Finds the symbols of each image that frames are in.
    func askImages() -> [Int: Asked] {
        var asked: [Int: Asked] = [:]
        for (number, image) in report.images.enumerated() {
            guard lookups[number] != nil, !image.isPlaceholder else { continue }
            let request = request(for: image, number: number)
            let evidence = evidence(of: number, request)
            asked[number] = Asked(request: request, evidence: evidence, symbols: provider.symbols(for: request, evidence: evidence))
        }
        return asked
    }

    /// Asks the symbols of each image, those that are one file together: a log may list it under thousands of names, and each ask unpacks what it reads.
    func askSources(_ asked: inout [Int: Asked]) {
        var groups: [FileKey: [Int]] = [:]
        for number in asked.keys.sorted() {
            guard let own = asked[number] else { continue }
            if let id = own.request.id, !own.symbols.files.isEmpty {
                groups[FileKey(id: id, paths: own.symbols.files.map(\.candidate.path)), default: []].append(number)
            } else {
                ask([number], &asked)
            }
        }
        for numbers in groups.values { ask(numbers, &asked) }
    }

    /// Of the lookups that nothing decides, by their index: the answer at the address as it is.
    func exactAnswers(_ lookups: [Lookup], _ sought: PlaceLookup) -> [Int: PlaceLookup.Found] {
        let open = lookups.indices.filter { lookups[$0].isUndecided }
        guard !open.isEmpty else { return [:] }
        return Dictionary(zip(open, sought.answers(for: open.map { (lookups[$0].raw, false) }))) { first, _ in first }
    }

    /// - Parameter numbers: of images of one file.
    func ask(_ numbers: [Int], _ asked: inout [Int: Asked]) {
        guard let source = numbers.first.flatMap({ asked[$0]?.symbols.source }) else { return }
        var places: [(place: ImagePlace, isAdjusted: Bool)] = []
        for number in numbers { for lookup in lookups[number] ?? [] { places.append((lookup.raw, lookup.isAdjusted)) } }
        let sought = PlaceLookup(source)
        var found = sought.answers(for: places)[...]
        for number in numbers {
            let own = lookups[number] ?? []
            asked[number]?.found = Array(found.prefix(own.count))
            found = found.dropFirst(own.count)
            asked[number]?.exact = exactAnswers(own, sought)
        }
    }

    mutating func answer(_ image: BinaryImage, number: Int, _ asked: Asked?) -> ImageOutcome {
        guard let wanted = lookups[number] else { return ImageOutcome(image: image, status: .notNeeded) }
        guard let asked else {
            let outcome = ImageOutcome(image: image, status: .missing)
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        var outcome = answer(wanted, asked.found, with: asked.symbols, image: image, exact: asked.exact, number: number)
        outcome.request = asked.request
        outcome.evidence = asked.evidence
        outcome.baseFinding = placing.bases[number]
        return outcome
    }

    func request(for image: BinaryImage, number: Int) -> ImageRequest {
        ImageRequest(image, in: report, givenPath: placing.paths[number], folders: origin?.folders ?? [])
    }
}
