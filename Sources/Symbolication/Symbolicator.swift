public import BinaryPrimitives
public import CrashReports
public import Demangling
internal import SymbolFiles
internal import SymbolSources

/// Answers a report's frames.
///
/// A value without state of its own: the table of open symbol files is its provider's. Any number of tasks may use one symbolicator at once, and none has to.
public struct Symbolicator: Sendable {
    /// Which threads' frames are looked up.
    public enum Threads: String, Sendable, CaseIterable {
        case all
        /// The crashed thread and the exception's stack. A log that marks no thread is answered in full.
        case crashed
    }

    public struct Options: Sendable {
        public var adjustment = ReturnAddressAdjustment.auto
        /// Give inlined calls as functions of their own; else only the function that holds them, with the line of the call in it.
        public var showsInlinedCalls = true
        public var demangler = Demangler()
        public var threads = Threads.all
        /// The architecture, where the log does not tell it: chooses the slice of a universal file.
        public var architecture: Architecture?
        /// Images that logs do not name, or whose bases they do not tell.
        public var images: [GivenImage] = []
        /// How source paths are told.
        public var sourcePaths = SourcePaths()

        public init() {}
    }

    public var options: Options
    private let provider: any SymbolProvider

    public init(provider: any SymbolProvider, options: Options = Options()) {
        self.provider = provider
        self.options = options
    }

    /// Looks up every frame of a report: the addresses of each image sorted and asked for at once.
    public func symbolicate(_ report: CrashReport) -> SymbolicatedReport {
        var report = report
        if report.architecture == nil { report.architecture = options.architecture }
        var work = Work(report: report, options: options, provider: provider)
        return work.run()
    }
}

/// One report's lookup.
private struct Work {
    /// A frame by its place: its stack, by the index in the report's own list, and the frame's index in the stack.
    private struct Place: Hashable {
        enum Stack: Hashable {
            case exception
            case additional(Int)
            case thread(Int)
        }
        var stack: Stack
        var frame: Int
    }

    private struct Lookup {
        var place: Place
        /// The frame's own place in the image, without a Thumb bit: a function's `+ offset` counts to it.
        var raw: ImagePlace
        /// Whether the byte before is asked for.
        var isAdjusted: Bool
    }

    private let report: CrashReport
    private let given: GivenImages
    /// The files that are an image's without being found for it, by the image's index.
    private let paths: [Int: String]
    /// Those that the log's own functions have chosen.
    private let neighbourPaths: Set<String>
    /// The log itself tells where images lie.
    private let listsBases: Bool
    private let options: Symbolicator.Options
    private let provider: any SymbolProvider
    private var result: SymbolicatedReport
    private var lookups: [Int: [Lookup]] = [:]
    private var meetsUnreadName = false

    init(report: CrashReport, options: Symbolicator.Options, provider: any SymbolProvider) {
        let given = GivenImages(options.images, report: report) { image in
            GivenImages.size(of: image, architecture: report.architecture, among: provider.unslidImages(processName: nil))
        }
        let neighbours = NeighbourBases(given.report) { index in
            provider.symbols(for: Self.request(for: given.report.images[index], in: given.report, givenPath: given.paths[index]))
        } given: {
            provider.unslidImages(processName: report.process.name).filter { !given.isPlaced($0) }
        }
        self.given = given
        neighbourPaths = Set(neighbours.paths.values)
        paths = given.paths.merging(neighbours.paths) { own, _ in own }
        listsBases = report.images.contains { $0.base != nil || $0.textAddress != nil }
        self.report = neighbours.report
        self.options = options
        self.provider = provider
        result = SymbolicatedReport(report: neighbours.report)
        result.notes += given.notes + neighbours.notes
    }

    mutating func run() -> SymbolicatedReport {
        // Loops rather than closures, here and below: a closure that calls a method of this structure copies all of it, frame by frame.
        var addresses: [RuntimeAddress] = []
        for stack in report.stacks {
            for frame in stack.frames { if let address = lookupAddress(frame) { addresses.append(address) } }
        }
        let map = ImageMap(report: report, lookups: addresses, listsBases: listsBases, isPlaced: given.isPlaced) { [provider] in
            provider.unslidImages(processName: report.process.name)
        }
        result.notes += map.notes
        let crashedOnly = options.threads == .crashed && report.threads.contains(where: \.crashed)
        for (index, thread) in report.threads.enumerated() {
            result.threads.append(outcomes(of: thread, stack: .thread(index), map: map, isWanted: !crashedOnly || thread.crashed))
        }
        if let backtrace = report.exceptionBacktrace {
            result.exceptionBacktrace = outcomes(of: backtrace, stack: .exception, map: map, isWanted: true)
        }
        for (index, backtrace) in report.additionalBacktraces.enumerated() {
            result.additionalBacktraces.append(outcomes(of: backtrace, stack: .additional(index), map: map, isWanted: true))
        }
        var requests: [ImageRequest] = []
        for (index, image) in report.images.enumerated() where lookups[index] != nil && !image.isPlaceholder {
            requests.append(request(for: image, number: index))
        }
        provider.prepare(for: requests)
        let asked = askImages()
        for (index, image) in report.images.enumerated() { result.images.append(answer(image, number: index, asked[index])) }
        for (index, file) in map.unslid.enumerated() { result.images.append(answer(file, number: report.images.count + index)) }
        if meetsUnreadName { result.notes.append("mangled names that are not understood are given as they are") }
        return result
    }

    private func lookupAddress(_ frame: Frame) -> RuntimeAddress? {
        let architecture = frame.image.flatMap { report.images.indices.contains($0) ? report.images[$0].architecture : nil }
        let hasThumbBit = (architecture ?? report.architecture)?.hasThumbBit ?? false
        return frame.lookupAddress(hasThumbBit: hasThumbBit, adjustment: options.adjustment)
    }

    /// The outcomes that are known before any symbols are asked; the others are put on the list.
    private mutating func outcomes(of thread: ThreadTrace, stack: Place.Stack, map: ImageMap, isWanted: Bool) -> [FrameOutcome] {
        var outcomes: [FrameOutcome] = []
        outcomes.reserveCapacity(thread.frames.count)
        let held = Self.held(thread)
        for index in thread.frames.indices {
            outcomes.append(outcome(of: thread.frames[index], at: index, isHeld: held[index], stack: stack, map: map, isWanted: isWanted))
        }
        return outcomes
    }

    private mutating func outcome(
        of frame: Frame, at index: Int, isHeld: Bool, stack: Place.Stack, map: ImageMap, isWanted: Bool
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
        guard isWanted else { return outcome }
        guard !isHeld else {
            outcome.result = .partOfNextFrame
            return outcome
        }
        guard let position else {
            outcome.result = .unresolved(Self.reasonWithoutImage(frame, report: report, rivals: map.rivals(for: frame)))
            return outcome
        }
        let place = isThumb(position.image) ? position.place.withoutThumbBit : position.place
        let lookup = Lookup(place: Place(stack: stack, frame: index), raw: place, isAdjusted: frame.isAdjusted(options.adjustment))
        guard !lookup.isAdjusted || place != .offset(ImageOffset(0)) else {
            outcome.result = .unresolved("the return address is the image's first byte")
            return outcome
        }
        lookups[position.image, default: []].append(lookup)
        return outcome
    }

    /// For each frame, whether it is an inlined call whose holder follows; in a call tree, whose callers come first, precedes it. A log may leave the holder out
    /// (Swift's backtracer hides the system's frames); then the row is looked up like any other.
    private static func held(_ thread: ThreadTrace) -> [Bool] {
        let frames = thread.frames
        var held = [Bool](repeating: false, count: frames.count)
        // One way through the stack: a search for the holder from each call would read a run of calls once for each of them.
        var holder: Int?
        for step in frames.indices {
            let index = thread.isCallTree ? step : frames.count - 1 - step
            if !frames[index].isInlined {
                holder = index
            } else if let holder {
                held[index] = frames[holder].address == frames[index].address && frames[holder].imagePlace == frames[index].imagePlace
            }
        }
        return held
    }

    private func isThumb(_ image: Int) -> Bool {
        let own = report.images.indices.contains(image) ? report.images[image].architecture : nil
        return (own ?? report.architecture)?.hasThumbBit ?? false
    }

    private static func reasonWithoutImage(_ frame: Frame, report: CrashReport, rivals: [String]) -> String {
        if let symbol = frame.symbolPlace, frame.image == nil {
            if rivals.isEmpty { return "the log does not say which image \(symbol.name) is in, and no given file has it" }
            return
                "the log does not say which image \(symbol.name) is in, and \(rivals.count) given files have it: \(rivals.prefix(4).joined(separator: ", "))"
        }
        if frame.address == nil { return "the log gives no address" }
        if report.images.isEmpty { return "the log lists no images, and no given file has code at this address" }
        let known = frame.image.flatMap { report.images.indices.contains($0) ? report.images[$0].name : nil }
        if let name = known ?? frame.imageName, name != "???" { return "the log does not say where \(name) was loaded" }
        return "no image of the log holds this address"
    }

    /// What an image's symbols say about the frames in it.
    private struct Asked {
        var request: ImageRequest
        var symbols: ImageSymbols
        /// One answer for each lookup; empty without a source.
        var found: [PlaceLookup.Found] = []
    }

    /// What tells that two images of a log are one file.
    private struct FileKey: Hashable {
        var id: ImageID
        var paths: [String]
    }

    /// Asks the symbols of each image, those that are one file together: a log may list it under thousands of names, and each ask unpacks what it reads.
    private func askImages() -> [Int: Asked] {
        var asked: [Int: Asked] = [:]
        var groups: [FileKey: [Int]] = [:]
        for (number, image) in report.images.enumerated() {
            guard lookups[number] != nil, !image.isPlaceholder else { continue }
            let request = request(for: image, number: number)
            let symbols = provider.symbols(for: request)
            asked[number] = Asked(request: request, symbols: symbols)
            if let id = image.id, !symbols.files.isEmpty {
                groups[FileKey(id: id, paths: symbols.files.map(\.candidate.path)), default: []].append(number)
            } else {
                ask([number], &asked)
            }
        }
        for numbers in groups.values { ask(numbers, &asked) }
        return asked
    }

    /// - Parameter numbers: of images of one file.
    private func ask(_ numbers: [Int], _ asked: inout [Int: Asked]) {
        guard let source = numbers.first.flatMap({ asked[$0]?.symbols.source }) else { return }
        var places: [(place: ImagePlace, isAdjusted: Bool)] = []
        for number in numbers { for lookup in lookups[number] ?? [] { places.append((lookup.raw, lookup.isAdjusted)) } }
        var found = PlaceLookup(source).answers(for: places)[...]
        for number in numbers {
            let count = lookups[number]?.count ?? 0
            asked[number]?.found = Array(found.prefix(count))
            found = found.dropFirst(count)
        }
    }

    private mutating func answer(_ image: BinaryImage, number: Int, _ asked: Asked?) -> ImageOutcome {
        guard let wanted = lookups[number] else { return ImageOutcome(image: image, status: .notNeeded) }
        guard let asked else {
            let outcome = ImageOutcome(image: image, status: .missing)
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        var outcome = answer(wanted, asked.found, with: asked.symbols, image: image)
        outcome.request = asked.request
        return outcome
    }

    private func request(for image: BinaryImage, number: Int) -> ImageRequest {
        Self.request(for: image, in: report, givenPath: paths[number])
    }

    private static func request(for image: BinaryImage, in report: CrashReport, givenPath: String?) -> ImageRequest {
        let architecture = image.architecture ?? report.architecture
        // Where it lay is asked only where nothing tells the architecture; without it, the same image of many logs is one request, and is opened once.
        var request = ImageRequest(
            name: image.name, path: image.path, architecture: architecture, id: image.id,
            loadAddress: architecture == nil ? image.base : nil, size: image.size, startInFile: image.startInFile)
        request.givenPath = givenPath
        return request
    }

    private mutating func answer(_ file: UnslidImage, number: Int) -> ImageOutcome {
        var image = BinaryImage(name: file.name, path: file.path)
        image.architecture = file.architecture
        image.id = file.id
        image.base = RuntimeAddress(file.base.value)
        let wanted = lookups[number] ?? []
        let found = file.symbols.source.map { PlaceLookup($0).answers(for: wanted.map { ($0.raw, $0.isAdjusted) }) }
        return answer(wanted, found ?? [], with: file.symbols, image: image)
    }

    /// - Parameter answers: one for each of those that are wanted.
    private mutating func answer(
        _ wanted: [Lookup], _ answers: [PlaceLookup.Found], with symbols: ImageSymbols, image: BinaryImage
    ) -> ImageOutcome {
        var outcome = ImageOutcome(image: image, status: .found, files: symbols.files, refusals: symbols.refusals)
        guard symbols.source != nil else {
            outcome.status = .missing
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        if symbols.isForced, let path = symbols.files.first?.candidate.path {
            result.notes.append("\(path) is used for \(image.name) although its identity differs")
        } else if image.id == nil, !report.images.isEmpty, let candidate = symbols.files.first?.candidate {
            var tie = given.names(candidate.path) ? "as the command says" : "by its name"
            if neighbourPaths.contains(candidate.path) { tie = "because it has the functions that the log names" }
            if case .archiveOffset = candidate.origin { tie = "by its place in the archive" }
            result.notes.append("\(candidate.path) is used for \(image.name) \(tie): the log gives no identity")
        }
        var notes: [String] = []
        for (lookup, found) in zip(wanted, answers) {
            update(lookup.place) {
                $0.isForced = symbols.isForced
                $0.imageOffset = $0.imageOffset ?? found.raw
            }
            switch found.answer {
            case .found(let frames):
                let answered = functions(frames, raw: found.raw, symbols.sourcePaths)
                let origin = frames.last?.origin ?? .symbolTable
                let note = frames.last?.note
                update(lookup.place) {
                    $0.result = .answered(FrameAnswer(functions: answered, imageName: image.name), origin)
                    $0.note = note
                }
                if let note, !notes.contains(note) { notes.append(note) }
            case .unresolved(let reason):
                update(lookup.place) {
                    $0.result = .unresolved(reason.sentence)
                    $0.remedy = reason.remedy
                }
            }
        }
        // A program may have been linked from thousands of object files.
        result.notes += notes.prefix(10).map { "\(image.name): \($0)" }
        if notes.count > 10 { result.notes.append("\(image.name): and \(notes.count - 10) more like these") }
        return outcome
    }

    private mutating func functions(_ frames: [SourceFrame], raw: ImageOffset?, _ own: [PathMap]) -> [FrameAnswer.Function] {
        let shown = options.showsInlinedCalls ? frames[...] : frames.suffix(1)
        return shown.map { frame in
            let name = options.demangler.read(frame.name)
            if name.staysMangled, options.demangler.style != .none { meetsUnreadName = true }
            return FrameAnswer.Function(
                name: name.text, mangledName: frame.name,
                offset: frame.isInlined ? nil : frame.entry.flatMap { entry in raw.flatMap { $0.distance(from: entry) } },
                isInlined: frame.isInlined,
                location: frame.location.map { options.sourcePaths.told($0, own) })
        }
    }

    private mutating func fail(_ wanted: [Lookup], with reason: String) {
        for lookup in wanted { update(lookup.place) { $0.result = .unresolved(reason) } }
    }

    private mutating func update(_ place: Place, _ change: (inout FrameOutcome) -> Void) {
        switch place.stack {
        case .exception: change(&result.exceptionBacktrace[place.frame])
        case .additional(let index): change(&result.additionalBacktraces[index][place.frame])
        case .thread(let index): change(&result.threads[index][place.frame])
        }
    }
}
