internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources

/// One report's lookup.
struct ReportLookup {
    /// Position of a frame: its stack, by the index in the report's own list, and the frame's index in the stack.
    struct FramePosition: Hashable {
        enum Stack: Hashable {
            case exception
            case additional(Int)
            case thread(Int)
        }
        var stack: Stack
        var frame: Int
    }

    struct Lookup {
        var position: FramePosition
        /// The frame's own address in the image, without a Thumb bit: a function's `+ offset` counts to it.
        var raw: ImageLocation
        /// Whether the byte before is looked up.
        var isAdjusted: Bool
        /// Nothing decides whether the address is a return address: both are looked up.
        var isUndecided = false
    }

    private struct NameKey: Hashable {
        var mangled: String
        var language: FileLanguage?
    }

    let report: CrashReport
    private let placing: ImagePlacement
    let options: SymbolicatorOptions
    private let provider: any SymbolProvider
    let origin: LogOrigin?
    /// Why the log is another machine's.
    let otherMachine: String?
    var result: SymbolicatedReport
    /// Files of this machine that are used by the images' paths.
    private var localPaths: [String] = []
    var lookups: [Int: [Lookup]] = [:]
    /// The functions of the frame before in the same image, which those of a recursion share.
    private var latest: (frames: [SourceFrame], raw: ImageOffset?, functions: [FrameResult.Function])?
    /// Names that were demangled.
    private var names = RecentValues<NameKey, DemangledName>(count: 4096)
    private var meetsUnreadName = false
    private var meetsLongName = false

    init(report: CrashReport, options: SymbolicatorOptions, provider: any SymbolProvider, origin: LogOrigin?) {
        // A crash has a time of its own, often to the second.
        var origin = origin
        if let instant = report.timestamp?.instant, let writtenAt = origin?.writtenAt {
            origin?.writtenAt = min(writtenAt, Int64(clamping: instant + 1_000_000_000))
        }
        placing = ImagePlacement(report, options: options, provider: provider, origin: origin)
        self.report = placing.report
        self.options = options
        self.provider = provider
        self.origin = origin
        otherMachine = placing.otherMachine
        result = SymbolicatedReport(report: placing.report)
        result.notes += placing.notes
    }

    mutating func run() -> SymbolicatedReport {
        // Loops rather than closures, here and below: a closure that calls a method of this
        // structure copies all of it, frame by frame.
        var addresses: [RuntimeAddress] = []
        for stack in report.stacks {
            for frame in stack.frames { if let address = lookupAddress(frame) { addresses.append(address) } }
        }
        let map = ImageMap(report: report, lookups: addresses, listsBases: placing.listsBases, isMoved: placing.given.isMoved) {
            [provider, report] in
            provider.generatedCode(ofProcess: report.process.pid)
        } given: {
            [provider, options] in
            provider.unslidImages(processName: report.process.name).filter { !FileStamp.isModified($0.path, after: options.printedAt) }
        }
        result.notes += map.notes
        // Without a list of images the named files are all there is to look into.
        if report.images.isEmpty { result.notes += provider.unreadableFiles() }
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
        var requested = requestSymbols()
        if options.adjustment == .auto { decideKinds(requested, map.unslid) }
        lookUpFrames(&requested)
        for (index, image) in report.images.enumerated() { result.images.append(resolveFrames(of: image, number: index, requested[index])) }
        for (index, file) in map.unslid.enumerated() { result.images.append(resolveFrames(of: file, number: report.images.count + index)) }
        if !localPaths.isEmpty {
            result.notes.append(
                "using \(localPaths.joined(separator: ", ")) (found by path; not modified since the log was written)"
            )
        }
        if meetsUnreadName { result.notes.append("mangled names that cannot be demangled are shown as they are") }
        if meetsLongName {
            result.notes.append("mangled names of more than \(options.demangler.limits.mangledNameLength) bytes are shown as they are")
        }
        return result
    }

    func lookupAddress(_ frame: Frame) -> RuntimeAddress? {
        frame.lookupAddress(hasThumbBit: isThumb(frame.image), adjustment: options.adjustment)
    }

    /// Returns the outcomes that are known before any symbols are looked up; the other frames are added to the
    /// lookups.
    private mutating func outcomes(of thread: ThreadTrace, stack: FramePosition.Stack, map: ImageMap, isWanted: Bool) -> [FrameOutcome] {
        var outcomes: [FrameOutcome] = []
        outcomes.reserveCapacity(thread.frames.count)
        let inlined = Self.inlined(thread)
        for index in thread.frames.indices {
            outcomes.append(
                outcome(
                    of: thread.frames[index], at: index, isEnd: Self.isEnd(index, of: thread), isPartOfNextFrame: inlined[index],
                    stack: stack, map: map, isWanted: isWanted))
        }
        return outcomes
    }

    private mutating func outcome(
        of frame: Frame, at index: Int, isEnd: Bool, isPartOfNextFrame: Bool, stack: FramePosition.Stack, map: ImageMap, isWanted: Bool
    ) -> FrameOutcome {
        switch frame.kind {
        case .omitted, .truncated: return FrameOutcome(.notLookedUp)
        default: break
        }
        if isEnd { return FrameOutcome(.notLookedUp) }
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
            outcome.lookupAddress = frame.isAdjusted(options.adjustment) ? RuntimeAddress(ReturnAddress.call(before: plain.value)) : plain
        }
        guard isWanted else { return outcome }
        guard !isPartOfNextFrame else {
            outcome.result = .partOfNextFrame
            return outcome
        }
        guard let position else {
            guard !isNamedBelow(frame, stack) else { return outcome }
            outcome.result = .unresolved(Self.reasonWithoutImage(frame, report: report, rivals: map.rivals(for: frame)))
            return outcome
        }
        let location = isThumb(position.image) ? position.location.withoutThumbBit : position.location
        let lookup = Lookup(
            position: FramePosition(stack: stack, frame: index), raw: location, isAdjusted: frame.isAdjusted(options.adjustment))
        guard !lookup.isAdjusted || location != .offset(ImageOffset(0)) else {
            outcome.result = .unresolved("the return address is the image's first byte")
            return outcome
        }
        lookups[position.image, default: []].append(lookup)
        return outcome
    }

    /// Whether a frame is the end of its stack, which some unwinders print as a row: `0x0 - <unknown>` (Rust), `[(nil)]` and
    /// `[0xffffffffffffffff]` (glibc's `backtrace`). A crash of a call of a null pointer has it as the innermost frame.
    private static func isEnd(_ index: Int, of thread: ThreadTrace) -> Bool {
        guard index > 0, index == thread.frames.count - 1, !thread.isCallTree, let address = thread.frames[index].address?.value else {
            return false
        }
        return (address == 0 || address == .max) && thread.frames[index].printed?.name == nil
    }

    /// Whether the address of a signal, which Go prints above its stacks, needs no name: the crashed stack has the name of
    /// each frame, and the log has no image that the address could be in.
    private func isNamedBelow(_ frame: Frame, _ stack: FramePosition.Stack) -> Bool {
        guard case .additional = stack, frame.kind == .programCounter, report.images.isEmpty,
            let crashed = report.threads.first(where: \.crashed)
        else { return false }
        return !crashed.frames.isEmpty && crashed.frames.allSatisfy { $0.printed?.name != nil && $0.printed?.location != nil }
    }

    /// For each frame, whether it is an inlined call whose holder follows; in a call tree, whose
    /// callers come first, precedes it. A log may leave the holder out (Swift's backtracer hides
    /// the system's frames); then the row is looked up like any other.
    private static func inlined(_ thread: ThreadTrace) -> [Bool] {
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

    private func isThumb(_ image: Int?) -> Bool { (report.images[safe: image]?.architecture ?? report.architecture)?.hasThumbBit ?? false }

    private static func reasonWithoutImage(_ frame: Frame, report: CrashReport, rivals: [String]) -> String {
        if let symbol = frame.symbolLocation, frame.image == nil {
            if rivals.isEmpty { return "the log does not name the image of \(symbol.name), and no given file has it" }
            return
                "the log does not name the image of \(symbol.name), and \(rivals.count) given files have it: \(rivals.prefix(4).joined(separator: ", "))"
        }
        if frame.address == nil { return "the log has no address" }
        if report.images.isEmpty { return "the log has no module list, and no given symbol file has code at this address" }
        let known = report.images[safe: frame.image]?.name
        if let name = known ?? frame.imageName, FilelessImage.isFileless(named: name) { return "no file has this memory" }
        if let name = known ?? frame.imageName, name != "???" { return "the log has no load address of \(name)" }
        return "no image of the log holds this address"
    }

    /// An image's request, its symbols, and the results for the frames in it.
    struct Requested {
        var request: ImageRequest
        var evidence: CodeEvidence
        var symbols: ImageSymbols
        /// Second results of undecided lookups, by the lookups' index: the result at the address as it is, and
        /// whether it differs from the result of the call.
        var exact: [Int: LocationLookup.Found] = [:]
        /// One result for each lookup; empty without a source.
        var found: [LocationLookup.Found] = []
    }

    /// Identifies images of a log that are one file.
    private struct FileKey: Hashable {
        var id: ImageID
        var paths: [String]
    }

    /// Finds the symbols of each image that frames are in.
    ///
    /// If one file at an image's path is another build than the log's, the log was written on another
    /// machine. Then no other file is used only because of its path.
    private func requestSymbols() -> [Int: Requested] {
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
        refuseOtherSlides(&requested)
        guard let otherBuild else { return requested }
        for (number, var own) in requested where own.symbols.files.contains(where: { $0.proof == .path }) {
            own.evidence.otherMachine = "\(otherBuild) is another build than the log's"
            own.symbols = provider.symbols(for: own.request, evidence: own.evidence)
            requested[number] = own
        }
        return requested
    }

    /// Refuses images of a shared cache that the log has elsewhere than the others: all images of a cache move by one distance, which
    /// the log gives (`sharedCache`), or most of its images prove.
    private func refuseOtherSlides(_ requested: inout [Int: Requested]) {
        var slides: [String: [UInt64: [Int]]] = [:]
        for (number, own) in requested {
            guard case .sharedCache(let cache)? = own.symbols.files.first?.candidate.origin, let base = report.images[number].base,
                let linked = own.symbols.opened.first?.baseAddress
            else { continue }
            slides[cache, default: [:]][base.value &- linked.value, default: []].append(number)
        }
        for (_, votes) in slides where votes.count > 1 {
            let most = votes.values.map(\.count).max() ?? 0
            let leading = votes.filter { $0.value.count == most }
            let right = leading.count == 1 ? leading.first?.key : nil
            for (slide, numbers) in votes where slide != right {
                for number in numbers {
                    guard let file = requested[number]?.symbols.files.first else { continue }
                    let refusal = SymbolFileRefusal(path: file.candidate.path, reason: .slideDiffers(own: slide, others: right))
                    requested[number]?.symbols = ImageSymbols(source: nil, refusals: [refusal])
                }
            }
        }
    }

    /// Images of one file, and their lookups.
    private struct FileLookups: Sendable {
        var images: [Int]
        var lookups: [Lookup]
        var source: any SymbolSource
    }

    /// Results of lookups, one for each; for undecided lookups, by their index, also the result at the address as it is.
    private typealias Results = (found: [LocationLookup.Found], exact: [Int: LocationLookup.Found])

    /// Files below which no further thread is worth being started.
    private static let minFilesPerThread = 32

    /// Searches the symbols of each image, together for images that are one file: a log may list it
    /// under thousands of names, and each search unpacks what it reads. Many files are searched on all processors.
    private func lookUpFrames(_ requested: inout [Int: Requested]) {
        var groups: [FileKey: Int] = [:]
        var files: [FileLookups] = []
        for number in requested.keys.sorted() {
            guard let own = requested[number], let source = own.symbols.source else { continue }
            let lookups = lookups[number] ?? []
            if let id = own.request.id, !own.symbols.files.isEmpty {
                let key = FileKey(id: id, paths: own.symbols.files.map(\.candidate.path))
                if let index = groups[key] {
                    files[index].images.append(number)
                    files[index].lookups += lookups
                    continue
                }
                groups[key] = files.count
            }
            files.append(FileLookups(images: [number], lookups: lookups, source: source))
        }
        let results = Parallel.map(files, chunk: 4, minPerThread: Self.minFilesPerThread, state: {}) { _, file in
            Self.results(of: file.lookups, in: file.source)
        }
        for (file, all) in zip(files, results) {
            var start = 0
            for number in file.images {
                let end = start + (lookups[number]?.count ?? 0)
                requested[number]?.found = Array(all.found[start..<end])
                for (index, found) in all.exact where (start..<end).contains(index) { requested[number]?.exact[index - start] = found }
                start = end
            }
        }
    }

    /// Returns the results of some lookups, all at once.
    private static func results(of lookups: [Lookup], in source: any SymbolSource) -> Results {
        let open = lookups.indices.filter { lookups[$0].isUndecided }
        let locations = lookups.map { ($0.raw, $0.isAdjusted) } + open.map { (lookups[$0].raw, false) }
        let found = LocationLookup(source).results(for: locations)
        return (Array(found.prefix(lookups.count)), Dictionary(zip(open, found.dropFirst(lookups.count))) { first, _ in first })
    }

    private func request(for image: BinaryImage, number: Int) -> ImageRequest {
        ImageRequest(image, in: report, givenPath: placing.paths[number], folders: origin?.folders ?? [])
    }

    /// Writes the results of a listed image's frames into the report.
    private mutating func resolveFrames(of image: BinaryImage, number: Int, _ requested: Requested?) -> ImageOutcome {
        guard let wanted = lookups[number] else { return ImageOutcome(image: image, status: .notNeeded) }
        guard let requested else {
            let outcome = ImageOutcome(image: image, status: .missing)
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        var outcome = resolveFrames(
            wanted, requested.found, with: requested.symbols, image: image, exact: requested.exact, number: number)
        outcome.request = requested.request
        outcome.evidence = requested.evidence
        outcome.baseFinding = placing.bases[number]
        return outcome
    }

    /// Writes the results of the frames in a file that the log does not list into the report.
    private mutating func resolveFrames(of file: UnslidImage, number: Int) -> ImageOutcome {
        var image = BinaryImage(name: file.name, path: file.path)
        image.architecture = file.architecture
        image.id = file.id
        image.base = RuntimeAddress(file.base.value)
        let wanted = lookups[number] ?? []
        guard let source = file.symbols.source else { return resolveFrames(wanted, [], with: file.symbols, image: image) }
        let (found, exact) = Self.results(of: wanted, in: source)
        return resolveFrames(wanted, found, with: file.symbols, image: image, exact: exact)
    }

    /// - Parameter found: one result for each wanted lookup.
    private mutating func resolveFrames(
        _ wanted: [Lookup], _ found: [LocationLookup.Found], with symbols: ImageSymbols, image: BinaryImage,
        exact: [Int: LocationLookup.Found] = [:], number: Int? = nil
    ) -> ImageOutcome {
        var outcome = ImageOutcome(image: image, status: .found, files: symbols.files, refusals: symbols.refusals)
        guard let source = symbols.source else {
            outcome.status = .missing
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        noteFiles(of: symbols, for: image, number: number)
        // Source paths are an image's own.
        latest = nil
        let contradictions = contradictions(wanted, found, image: number, source)
        noteContradictions(contradictions, of: wanted, image.name)
        var notes: [String] = []
        for (index, (lookup, call)) in zip(wanted, found).enumerated() {
            if let reason = contradictions[index] {
                update(lookup.position) { $0.result = .unresolved(reason) }
            } else if let note = resolveFrame(of: lookup, call, exact: exact[index], image.name, symbols), !notes.contains(note) {
                notes.append(note)
            }
        }
        // A program may have been linked from thousands of object files.
        result.notes += notes.prefix(10).map { "\(image.name): \($0)" }
        if notes.count > 10 { result.notes.append("\(image.name): and \(notes.count - 10) more like these") }
        return outcome
    }

    /// Notes files that are used although the log has no identifier that proves them.
    private mutating func noteFiles(of symbols: ImageSymbols, for image: BinaryImage, number: Int?) {
        // Files that the process itself has, or wrote under its own number.
        let isOwn = symbols.files.contains { $0.candidate.origin == .memory } || symbols.isCode(ofProcess: report.process.pid)
        guard !isOwn else { return }
        if symbols.isForced, let path = symbols.files.first?.candidate.path {
            result.notes.append("using \(path) for \(image.name) although the build ID or UUID differs (--force)")
        } else if symbols.files.contains(where: { $0.proof == .path }) {
            for file in symbols.files where file.proof == .path && !localPaths.contains(file.candidate.path) {
                localPaths.append(file.candidate.path)
            }
        } else if image.id == nil, !symbols.isProven, !report.images.isEmpty, let candidate = symbols.files.first?.candidate,
            number.flatMap({ placing.bases[$0] }) == nil
        {
            var tie = placing.given.names(candidate.path) ? "as given" : "matched by name"
            if placing.filesByFunctions.contains(candidate.path) { tie = "matched by the functions that the log names" }
            // `CodeEvidence` has compared them.
            let isNumbered = number.flatMap { lookups[$0] }?.contains { frame($0.position).functionNumber != nil } ?? false
            if isNumbered { tie = "its functions are where the log has them" }
            if case .archiveOffset = candidate.origin { tie = "matched by its offset in the archive" }
            if symbols.files.contains(where: { $0.proof == .memory }) { tie = "it begins as the one in memory" }
            result.notes.append("using \(candidate.path) for \(image.name) (\(tie); the log has no build ID)")
        }
    }

    /// Notes the first of the rows that contradict their results, and how many more there are.
    private mutating func noteContradictions(_ contradictions: [Int: String], of wanted: [Lookup], _ imageName: String) {
        guard let first = contradictions.min(by: { $0.key < $1.key }) else { return }
        let more = contradictions.count > 1 ? " (\(contradictions.count - 1) more rows of \(imageName) are like it)" : ""
        result.notes.append("frame \(frame(wanted[first.key].position).index): \(first.value)\(more)")
    }

    /// Writes the result of one lookup into the report.
    /// - Parameters:
    ///   - call: the result if the address is a return address, or the only one.
    ///   - exact: the result at the address as it is, of an undecided lookup.
    /// - Returns: the symbols' note on the result.
    private mutating func resolveFrame(
        of lookup: Lookup, _ call: LocationLookup.Found, exact: LocationLookup.Found?, _ imageName: String, _ symbols: ImageSymbols
    ) -> String? {
        var found = call
        // An undecided address is looked up as it is, and the other result is kept as the alternative.
        if let exact, !exact.result.hasSameText(as: call.result) {
            found = exact
            useExact(lookup, instead: call, imageName, symbols.sourcePaths)
        }
        update(lookup.position) {
            $0.isForced = symbols.isForced
            $0.imageOffset = $0.imageOffset ?? found.raw
        }
        switch found.result {
        case .found(let frames):
            var functions: [FrameResult.Function] = []
            if let latest, latest.raw == found.raw, latest.frames == frames {
                functions = latest.functions
            } else {
                functions = self.functions(frames, raw: found.raw, symbols.sourcePaths)
                latest = (frames, found.raw, functions)
            }
            let origin = frames.last?.origin ?? .symbolTable
            let note = frames.last?.note
            update(lookup.position) {
                $0.result = .resolved(FrameResult(functions: functions, imageName: imageName), origin)
                $0.note = note
            }
            return note
        case .unresolved(let reason):
            update(lookup.position) {
                $0.result = .unresolved(reason.sentence)
                $0.remedy = reason.remedy
            }
            return nil
        }
    }

    /// Takes a frame that may be a return address, or what a signal interrupted, for the latter: its two results
    /// differ.
    private mutating func useExact(_ lookup: Lookup, instead call: LocationLookup.Found, _ imageName: String, _ own: [PathMap]) {
        result.report.changeFrame(at: lookup.position) { $0.kind = .programCounter }
        var alternative: FrameResult?
        if case .found(let frames) = call.result {
            alternative = FrameResult(functions: functions(frames, raw: call.raw, own), imageName: imageName)
        }
        let number = frame(lookup.position).index
        update(lookup.position) {
            $0.kindEvidence = .undecided
            $0.alternative = alternative
            if let address = $0.lookupAddress, lookup.isAdjusted { $0.lookupAddress = RuntimeAddress(address.value &+ 1) }
        }
        let other = alternative?.functions.first.map { function in
            ": as a return address it would be in \(function.name)"
                + (function.location.map { ", \(Path.name(of: $0.file)):\($0.line)" } ?? "")
        }
        result.notes.append(
            "frame \(number) may be what a signal interrupted, and is looked up unadjusted\(other ?? ""). The C library's file would decide it"
        )
    }

    private mutating func functions(_ frames: [SourceFrame], raw: ImageOffset?, _ own: [PathMap]) -> [FrameResult.Function] {
        let shown = options.showsInlinedCalls ? frames[...] : frames.suffix(1)
        return shown.map { frame in
            let (function, name) = options.function(frame, raw: raw, own) { mangled, language in
                // Most functions of a report occur many times.
                let key = NameKey(mangled: mangled, language: language)
                if let known = names.value(for: key) { return known }
                let name = options.demangler.read(mangled, in: language)
                names.insert(name, for: key)
                return name
            }
            if name.staysMangled, options.demangler.style != .none {
                let isLong = function.mangledName.utf8.count > options.demangler.limits.mangledNameLength
                if isLong { meetsLongName = true } else { meetsUnreadName = true }
            }
            if !function.alsoAt.isEmpty { note(function) }
            return function
        }
    }

    /// Says that a function shares its code with others.
    private mutating func note(_ function: FrameResult.Function) {
        var names = [function.name] + function.alsoAt.prefix(3)
        if function.alsoAt.count > 3 { names.append("\(function.alsoAt.count - 3) more") }
        let note =
            "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]) share this address; "
            + (names.count == 2 ? "either may have been called" : "any of them may have been called")
        if !result.notes.contains(note), result.notes.count < Self.maxNotes { result.notes.append(note) }
    }

    private static let maxNotes = 32

    private mutating func fail(_ wanted: [Lookup], with reason: String) {
        for lookup in wanted { update(lookup.position) { $0.result = .unresolved(reason) } }
    }

    mutating func update(_ position: FramePosition, _ change: (inout FrameOutcome) -> Void) {
        switch position.stack {
        case .exception: change(&result.exceptionBacktrace[position.frame])
        case .additional(let index): change(&result.additionalBacktraces[index][position.frame])
        case .thread(let index): change(&result.threads[index][position.frame])
        }
    }

    /// Returns a reason for each row whose own function contradicts the result at its address, by the row's
    /// index in `wanted`.
    ///
    /// If a row prints `first + 12` and its address is not 12 bytes into `first`, the address has another
    /// meaning than the format says, for example the start of a symbol. The printed function is right, and
    /// the result at the address would replace it by a wrong one.
    private func contradictions(
        _ wanted: [Lookup], _ found: [LocationLookup.Found], image: Int?, _ source: any SymbolSource
    ) -> [Int: String] {
        var rows: [(index: Int, own: SymbolLocation, result: SourceFrame)] = []
        for (index, (lookup, located)) in zip(wanted, found).enumerated() {
            guard let own = printedSymbol(lookup, image), case .found(let frames) = located.result, let holder = frames.last,
                !frames.contains(where: { $0.name == own.name || $0.alsoAt.contains(own.name) })
            else { continue }
            rows.append((index, own, holder))
        }
        guard !rows.isEmpty else { return [:] }
        var reasons: [Int: String] = [:]
        for ((index, own, result), located) in zip(rows, source.locate(rows.map { .symbol($0.own) })) {
            guard case .found(let addresses) = located, let raw = found[index].raw,
                !addresses.contains(where: { source.offset(of: $0) == raw })
            else { continue }
            reasons[index] =
                "the log names \(own.name) + \(own.offset), and that is not where this address is: it is in \(result.name). The row stays as the log has it"
        }
        return reasons
    }

    /// Function and offset printed in a row beside its address.
    private func printedSymbol(_ lookup: Lookup, _ image: Int?) -> SymbolLocation? {
        let frame = frame(lookup.position)
        guard !frame.isInlined, frame.address != nil, frame.symbolLocation == nil, let name = frame.printed?.name,
            let offset = frame.printed?.offset
        else { return nil }
        return SymbolLocation(name: name, offset: image != nil && isThumb(image) ? offset & ~1 : offset)
    }

    func frame(_ position: FramePosition) -> Frame { thread(position.stack).frames[position.frame] }

    func thread(_ stack: FramePosition.Stack) -> ThreadTrace {
        switch stack {
        case .exception: report.exceptionBacktrace ?? ThreadTrace(index: 0)
        case .additional(let index): report.additionalBacktraces[index]
        case .thread(let index): report.threads[index]
        }
    }
}

extension CrashReport {
    mutating func changeFrame(at position: ReportLookup.FramePosition, _ change: (inout Frame) -> Void) {
        switch position.stack {
        case .exception:
            if var stack = exceptionBacktrace {
                change(&stack.frames[position.frame])
                exceptionBacktrace = stack
            }
        case .additional(let index): change(&additionalBacktraces[index].frames[position.frame])
        case .thread(let index): change(&threads[index].frames[position.frame])
        }
    }
}

extension Array {
    subscript(safe index: Int?) -> Element? { index.flatMap { indices.contains($0) ? self[$0] : nil } }
}

extension SymbolFileRefusal.Reason {
    /// Whether the refusal proves another build. A file modified after the log was written proves nothing
    /// about other files.
    fileprivate var provesOtherBuild: Bool {
        switch self {
        case .identityDiffers, .noCallReturnsTo, .noInstructionAt, .otherFunction, .outsideFile, .smallerThanImage: true
        default: false
        }
    }
}
