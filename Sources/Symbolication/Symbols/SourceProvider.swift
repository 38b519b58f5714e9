package import BinaryPrimitives
internal import ObjectFiles
package import SymbolFiles
internal import SymbolSources
internal import Synchronization

/// Finds and opens symbol files, each image's once. Requests for an image that is being opened wait
/// for it instead of opening it again.
package final class SourceProvider: SymbolProvider {
    private let places: SearchPlaces
    private let isForced: Bool
    private let limits: Limits
    private let programs: [String]
    private let search: Mutex<Search>
    private let companions: Companions
    private let openFile: SymbolFileOpener
    private let openSource: SymbolSourceOpener
    private let entries = Mutex<[ImageRequest: Entry]>([:])
    private let unslid = Mutex<[UnslidKey: [UnslidImage]]>([:])
    /// A log may list one file as many images, which differ in their names alone, and so may
    /// requests of strangers: it is open once, and what is in memory of it is there once.
    private let opened = Mutex<[[FileKey]: ImageSymbols]>([:])
    /// The symbols of files that only a name or a path ties to an image.
    private let named = Mutex<[[FileKey]: ImageSymbols]>([:])
    /// The code of files.
    private let witnesses = Mutex<[[FileKey]: CodeWitness]>([:])

    /// Where files are looked for, and what is known of those that were looked at.
    private struct Search: Sendable {
        var locators: LocatorChain
        var given: GivenFiles
        var check: CandidateCheck

        init(_ places: SearchPlaces, force: Bool, open: @escaping SymbolFileOpener) {
            locators = places.locators(open: open)
            given = GivenFiles(places.symbols)
            check = CandidateCheck(force: force, open: open)
        }
    }

    private var locators: LocatorChain { search.withLock(\.locators) }
    private var given: GivenFiles { search.withLock(\.given) }
    private var check: CandidateCheck { search.withLock(\.check) }

    /// One image's part of a file.
    private struct FileKey: Hashable {
        var path: String
        var machine: Architecture?
        var identity: ImageID?

        init(_ file: AcceptedSymbolFile) { (path, machine, identity) = (file.path, file.file.machine, file.file.identity) }
    }

    /// A list of files that may be images of a log.
    private struct UnslidKey: Hashable {
        var names: [String]
        var hasSmallFolders: Bool
    }

    /// One image's symbols. The lock is held while they are opened, so other threads that request
    /// them wait here.
    private final class Entry: Sendable {
        let symbols = Mutex<ImageSymbols?>(nil)
    }

    /// - Parameters:
    ///   - places: where symbol files are looked for.
    ///   - force: use files of the right name whose identity differs.
    ///   - openFile: how a file is opened.
    ///   - openSource: how an image's files are opened as a source of results.
    package init(
        _ places: SearchPlaces, force: Bool = false, limits: Limits = .standard, openFile: @escaping SymbolFileOpener,
        openSource: @escaping SymbolSourceOpener
    ) {
        self.places = places
        isForced = force
        self.limits = limits
        programs = places.usesImagePaths ? places.programs : []
        companions = Companions(systemRoots: places.systemRoots)
        search = Mutex(Search(places, force: force, open: openFile))
        self.openFile = openFile
        self.openSource = openSource
    }

    /// Files may have come since the places were searched: what was not found is looked for again.
    /// What is open stays open.
    package func lookAgain() {
        let anew = Search(places, force: isForced, open: openFile)
        search.withLock { $0 = anew }
        let known = entries.withLock { $0 }
        // Of an entry that is being opened, the lock is another thread's.
        let missing = known.filter { _, entry in entry.symbols.withLockIfAvailable { $0 != nil && $0?.source == nil } ?? true }
        entries.withLock { entries in
            for (request, entry) in missing where entries[request] === entry { entries[request] = nil }
        }
        unslid.withLock { $0 = [:] }
    }

    /// Closes everything, as soon as nobody uses it any more: a service that runs for months opens
    /// the files of thousands of builds.
    private func forget() {
        let anew = Search(places, force: isForced, open: openFile)
        search.withLock { $0 = anew }
        entries.withLock { $0 = [:] }
        named.withLock { $0 = [:] }
        witnesses.withLock { $0 = [:] }
        unslid.withLock { $0 = [:] }
    }

    package func symbols(for request: ImageRequest) -> ImageSymbols {
        let entry = entries.withLock { entries in
            if let entry = entries[request] { return entry }
            // As many as one report may have. What they have found is open once more in a moment.
            if entries.count >= limits.images { entries = [:] }
            let entry = Entry()
            entries[request] = entry
            return entry
        }
        return entry.symbols.withLock { symbols in
            if let symbols { return symbols }
            let opened = open(request)
            symbols = opened
            return opened
        }
    }

    package func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        // What an identity proves needs no other proof.
        guard request.id == nil else { return symbols(for: request) }
        let search = check.search(for: request, in: locators.locators, judge: judge(evidence))
        let key = search.accepted.map(FileKey.init)
        if var known = named.withLock({ $0[key] }) {
            known.refusals = search.refusals
            known.files = known.files.map { file in
                var file = file
                if let own = search.accepted.first(where: { $0.path == file.candidate.path }) {
                    file = ImageSymbols.File(candidate: own.candidate, proof: own.proof)
                }
                return file
            }
            return known
        }
        let opened = symbols(of: search.accepted, refusals: search.refusals)
        if !key.isEmpty { named.withLock { $0[key] = opened } }
        return opened
    }

    private func judge(_ evidence: CodeEvidence) -> CodeVerdict.Judge {
        { [self] files in evidence.verdict(on: files, witness(of: files)) }
    }

    /// One for the files of an image, however many logs need it.
    private func witness(of files: [AcceptedSymbolFile]) -> CodeWitness? {
        let key = files.map(FileKey.init)
        if let known = witnesses.withLock({ $0[key] }) { return known }
        guard let witness = CodeWitness(files.map(\.file)) else { return nil }
        witnesses.withLock { $0[key] = witness }
        return witness
    }

    private func open(_ request: ImageRequest) -> ImageSymbols {
        let search = check.search(for: request, in: locators.locators)
        return symbols(of: search.accepted, refusals: search.refusals)
    }

    /// One source over all files of an image, the companion of a binary without debug information
    /// among them.
    private func symbols(of accepted: [AcceptedSymbolFile], refusals: [SymbolFileRefusal]) -> ImageSymbols {
        var accepted = accepted
        if let first = accepted.first, !first.file.hasDebugInformation, let binary = first.file as? ObjectFile,
            let companion = companions.find(for: binary, open: openFile)
        {
            accepted.insert(companion, at: 0)
        }
        guard !accepted.isEmpty else { return ImageSymbols(source: nil, refusals: refusals) }
        var symbols = open(accepted)
        symbols.files = accepted.map { ImageSymbols.File(candidate: $0.candidate, proof: $0.proof) }
        symbols.refusals = refusals
        return symbols
    }

    private func open(_ accepted: [AcceptedSymbolFile]) -> ImageSymbols {
        // A file without an identifier may have become another file meanwhile, and nothing would
        // show it.
        guard accepted.allSatisfy({ $0.file.identity != nil }) else { return made(of: accepted) }
        let key = accepted.map(FileKey.init)
        if let known = opened.withLock({ $0[key] }) { return known }
        let made = made(of: accepted)
        let (symbols, isFull) = opened.withLock { opened in
            // Another thread may have opened it first.
            if let known = opened[key] { return (known, false) }
            let isFull = opened.count >= limits.openModules
            if isFull { opened = [:] }
            opened[key] = made
            return (made, isFull)
        }
        if isFull { forget() }
        return symbols
    }

    private func made(of accepted: [AcceptedSymbolFile]) -> ImageSymbols {
        var symbols = ImageSymbols(source: openSource(accepted.map(\.file)))
        symbols.opened = accepted.map(\.file)
        symbols.code = CodeWitness(symbols.opened)
        symbols.sourcePaths = accepted.map { DSYMSourcePaths.maps(for: $0.path, identity: $0.file.identity) }.first { !$0.isEmpty } ?? []
        return symbols
    }

    package func prepare(for requests: [ImageRequest]) {
        let costly = locators.locators.filter(\.isCostly)
        guard !costly.isEmpty else { return }
        // What was looked for before is known, whatever came of it.
        let requests = entries.withLock { known in requests.filter { known[$0] == nil } }
        guard !requests.isEmpty else { return }
        let near = locators.locators.filter { !$0.isCostly }
        let missing = requests.filter { request in
            let found = check.search(for: request, in: near).accepted
            guard let first = found.first, !first.file.hasDebugInformation else { return found.isEmpty }
            return (first.file as? ObjectFile).map { companions.find(for: $0, open: openFile) == nil } ?? true
        }
        guard !missing.isEmpty else { return }
        for locator in costly { locator.prepare(for: missing) }
    }

    package func trail(for request: ImageRequest) -> SearchTrail { trail(for: request, judge: nil) }

    package func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail {
        trail(for: request, judge: request.id == nil ? judge(evidence) : nil)
    }

    private func trail(for request: ImageRequest, judge: CodeVerdict.Judge?) -> SearchTrail {
        var trail = check.trail(for: request, in: locators.locators, judge: judge)
        let accepted = check.search(for: request, in: locators.locators.filter { !$0.isCostly }, judge: judge).accepted
        if let first = accepted.first, !first.file.hasDebugInformation, let binary = first.file as? ObjectFile {
            trail.places.append(companions.trail(for: binary, open: openFile))
        }
        return trail
    }

    package func unslidImages(processName: String?) -> [UnslidImage] {
        let names = processName.map { [$0] } ?? []
        return listed(UnslidKey(names: names, hasSmallFolders: false)) { self.candidates(called: names) }
    }

    package func provableImages(named names: [String]) -> [UnslidImage] {
        listed(UnslidKey(names: names, hasSmallFolders: true)) {
            var seen: Set<String> = []
            return (self.candidates(called: names) + locators.files(atMost: Self.smallFolder)).filter { seen.insert($0.path).inserted }
        }
    }

    /// Files that a folder may have, so that each is tried.
    private static let smallFolder = 16
    /// Lists of images that are kept: those of logs of one program are the same.
    private static let mostLists = 64

    private func listed(_ key: UnslidKey, _ candidates: () -> [SymbolFileCandidate]) -> [UnslidImage] {
        unslid.withLock { images in
            if let known = images[key] { return known }
            if images.count >= Self.mostLists { images = [:] }
            let opened = self.images(in: candidates())
            images[key] = opened
            return opened
        }
    }

    package func runningPrograms() -> [UnslidImage] {
        guard !programs.isEmpty else { return [] }
        return images(in: programs.map { SymbolFileCandidate(path: $0, origin: .imagePath) })
    }

    private func candidates(called names: [String]) -> [SymbolFileCandidate] {
        var candidates = given.candidates
        for name in names {
            let request = ImageRequest(name: name)
            candidates += locators.candidates(for: request).filter { found in
                request.isNamedLike(fileAt: found.path) && !candidates.contains { $0.path == found.path }
            }
        }
        return candidates
    }

    /// A binary and the dSYM member of its identity are one image.
    private func images(in candidates: [SymbolFileCandidate]) -> [UnslidImage] {
        var groups: [(id: ImageID?, files: [AcceptedSymbolFile])] = []
        for candidate in candidates {
            guard let objects = try? openFile(candidate.path) else { continue }
            for object in objects {
                let file = AcceptedSymbolFile(candidate: candidate, file: object, proof: .name)
                if let id = object.identity, let index = groups.firstIndex(where: { $0.id == id }) {
                    groups[index].files.append(file)
                } else {
                    groups.append((object.identity, [file]))
                }
            }
        }
        return groups.compactMap { group in
            let files = group.files.filter(\.file.hasDebugInformation) + group.files.filter { !$0.file.hasDebugInformation }
            // The name is the binary's where it is given: a dSYM's member may be called otherwise.
            guard let first = group.files.first else { return nil }
            let code = (first.file as? ObjectFile)?.description.sections.compactMap { section -> Range<UInt64>? in
                guard section.isLoaded, section.isExecutable, let end = section.address.advanced(by: section.size) else { return nil }
                return section.address.value..<end.value
            }
            return UnslidImage(
                name: Path.name(of: first.path), path: first.path, architecture: first.file.machine, id: group.id,
                base: first.file.baseAddress, code: code ?? [], symbols: symbols(of: files, refusals: []))
        }
    }
}
