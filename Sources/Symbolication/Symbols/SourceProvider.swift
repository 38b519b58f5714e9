package import BinaryPrimitives
package import ObjectFiles
package import SymbolFiles
internal import SymbolSources
internal import Synchronization

/// Finds and opens symbol files. Results for an image are cached until one of its files changes.
package final class SourceProvider: SymbolProvider {
    private let locations: SearchLocations
    private let programs: [String]
    private let companions: Companions
    private let hiddenNames: BCSymbolMapSearch
    private let cache: SymbolFileCache
    private let check: SymbolFileSearch
    private let openSource: SymbolSourceOpener
    private let search: Mutex<Search>
    /// Search results by request.
    private let images: RecentlyUsed<ImageRequest, Found>
    /// `Search.round` in which slow locations were last searched for an image.
    private let prepared: RecentlyUsed<ImageRequest, Int>
    /// Opened symbols by files. A log or a request may list one file under many image names; the file's tables are in memory once.
    private let sources: RecentlyUsed<[FileKey], ImageSymbols>
    /// Call sites by files.
    private let witnesses: RecentlyUsed<[FileKey], CodeWitness>
    /// Candidate images of logs that list no images, by the candidates' versions.
    private let lists: RecentlyUsed<[SymbolFileVersion], [UnslidImage]>

    /// Locations in which files are searched for.
    private struct Search: Sendable {
        var locators: LocatorChain
        var given: GivenFiles
        /// Increases when files may have come: a missing file is then searched for again.
        var round = 0
        /// Versions of the files that the user named, as of the last report; `nil` before the first.
        var versions: [SymbolFileVersion?]?

        init(_ locations: SearchLocations, after earlier: LocatorChain? = nil, open: @escaping SymbolFileOpener) {
            locators = locations.locators(after: earlier, open: open)
            given = GivenFiles(locations.symbols)
        }
    }

    private var locators: LocatorChain { search.withLock(\.locators) }
    private var given: GivenFiles { search.withLock(\.given) }

    /// One image's part of a file.
    private struct FileKey: Hashable {
        var version: SymbolFileVersion
        var machine: Architecture?
        var identity: ImageID?
        /// Distinguishes the images of a kernel cache.
        var base: LinkAddress
        /// Files beside a Mach-O file that its names and source paths depend on.
        var supplements: [SymbolFileVersion]

        init(_ version: SymbolFileVersion, _ file: any SymbolFile, _ hiddenNames: BCSymbolMapSearch) {
            self.version = version
            (machine, identity, base) = (file.machine, file.identity, file.baseAddress)
            supplements = hiddenNames.versions(for: file)
        }

        var isCurrent: Bool { version.isCurrent && supplements.allSatisfy(\.isCurrent) }
    }

    /// Search result for an image. It refers to opened symbols by their key, so that it keeps no file open.
    private struct Found: Sendable {
        /// Key of the opened symbols; empty if no file was found.
        var key: [FileKey]
        var files: [ImageSymbols.File]
        var refusals: [SymbolFileRefusal]
        /// `Search.round` at the time of the search.
        var round: Int
    }

    /// - Parameters:
    ///   - locations: locations in which symbol files are searched for.
    ///   - force: use files of the right name whose identity differs.
    ///   - openFile: how a file is opened.
    ///   - openSource: how an image's files are opened as a source of results.
    package init(
        _ locations: SearchLocations, force: Bool = false, limits: Limits = .standard, openFile: @escaping SymbolFileOpener,
        openSource: @escaping SymbolSourceOpener
    ) {
        self.locations = locations
        programs = locations.usesImagePaths ? locations.programs : []
        companions = Companions(systemRoots: locations.systemRoots)
        hiddenNames = BCSymbolMapSearch(symbols: locations.symbols)
        let cache = SymbolFileCache(limits: limits, open: openFile)
        self.cache = cache
        check = SymbolFileSearch(force: force, cache)
        self.openSource = openSource
        search = Mutex(Search(locations, open: cache.open))
        images = RecentlyUsed(.init(count: limits.images))
        prepared = RecentlyUsed(.init(count: limits.images))
        let bounds = CacheBounds(count: limits.openModules, bytes: limits.openModuleBytes)
        sources = RecentlyUsed(bounds)
        witnesses = RecentlyUsed(.init(count: bounds.count, bytes: bounds.bytes))
        lists = RecentlyUsed(.init(count: limits.imageLists))
    }

    /// Files may have come since the last search: files that were not found are searched for again.
    package func refreshMissing() {
        let anew = Search(locations, after: locators, open: cache.open)
        search.withLock { search in
            let (round, versions) = (search.round + 1, search.versions)
            search = anew
            (search.round, search.versions) = (round, versions)
        }
    }

    package func symbols(for request: ImageRequest) -> ImageSymbols {
        let round = search.withLock(\.round)
        if let known = images[request] {
            if let symbols = symbols(known, round) { return symbols }
            images.remove(request)
        }
        let locators = locators
        let isBeingRead = locators.isBeingRead
        let search = check.search(for: request, in: locators.locators)
        let accepted = completed(search.accepted)
        let key = key(of: accepted)
        let symbols = symbols(of: accepted, key, refusals: search.refusals)
        // Without a key a file changed while it was opened: the next request searches again. So it does where a folder was being
        // read, which may have better files.
        // Nor is kept what no server was asked for since files may have come.
        let isAsked = !search.accepted.isEmpty || !locators.locators.contains(where: \.isCostly) || prepared[request] == round
        if let key, !isBeingRead, isAsked {
            _ = images.keep(Found(key: key, files: symbols.files, refusals: symbols.refusals, round: round), for: request)
        }
        return symbols
    }

    /// Returns the symbols of a cached result; `nil` if the search must be repeated.
    private func symbols(_ known: Found, _ round: Int) -> ImageSymbols? {
        var symbols = ImageSymbols(source: nil)
        if known.key.isEmpty {
            guard known.round == round else { return nil }
        } else {
            guard known.key.allSatisfy(\.isCurrent), let kept = sources[known.key] else { return nil }
            symbols = kept
        }
        (symbols.files, symbols.refusals) = (known.files, known.refusals)
        return symbols
    }

    /// Returns the cache key of some files; `nil` if a file changed since it was opened.
    private func key(of accepted: [AcceptedSymbolFile]) -> [FileKey]? {
        var keys: [FileKey] = []
        for file in accepted {
            guard let (objects, version) = try? cache.openVersion(file.path), let version, objects.contains(where: { $0 === file.file })
            else { return nil }
            keys.append(FileKey(version, file.file, hiddenNames))
        }
        return keys
    }

    package func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        // An identifier needs no other proof.
        guard request.id == nil else { return symbols(for: request) }
        var search =
            request.isUnnamed ? FoundSymbolFiles() : check.search(for: request, in: locators.locators, judge: judge(evidence))
        if search.accepted.isEmpty, let unnamed = request.asUnnamed {
            // Each file of a small folder is tried.
            let files = locators.files(atMost: ImageRequest.maxTriedFiles, where: request.isPossible)
            let earlier = search.refusals
            search = check.search(for: unnamed, in: locators.locators + [GivenFiles(files.map(\.path))], judge: judge(evidence))
            search.refusals = earlier + search.refusals.filter { refusal in !earlier.contains { $0.path == refusal.path } }
        }
        let accepted = completed(search.accepted)
        return symbols(of: accepted, key(of: accepted), refusals: search.refusals)
    }

    private func judge(_ evidence: CodeEvidence) -> CodeVerdict.Judge {
        { [self] files in
            // A stripped program's debug file knows where functions begin.
            let all = completed(files)
            return evidence.verdict(on: files, witness(of: all, key(of: all)))
        }
    }

    /// Returns the call sites of an image's files, from the cache if there is a key.
    private func witness(of files: [AcceptedSymbolFile], _ key: [FileKey]?) -> CodeWitness? {
        guard let key else { return CodeWitness(files.map(\.file)) }
        if let known = witnesses[key] { return known }
        let made = CodeWitness(files.map(\.file)) { [weak self] in self?.symbols(of: files, key, refusals: []).source }
        return made.map { witnesses.keep($0, for: key) }
    }

    /// Adds the separate debug file of a binary that has no debug information.
    private func completed(_ accepted: [AcceptedSymbolFile]) -> [AcceptedSymbolFile] {
        guard let first = accepted.first, let companion = companions.find(for: first.file, open: cache.open) else { return accepted }
        return [companion] + accepted
    }

    /// Returns one source over all files of an image, from the cache if there is a key.
    private func symbols(of accepted: [AcceptedSymbolFile], _ key: [FileKey]?, refusals: [SymbolFileRefusal]) -> ImageSymbols {
        guard !accepted.isEmpty else { return ImageSymbols(source: nil, refusals: refusals) }
        let size = key?.reduce(0) { $0 + $1.version.size } ?? 0
        var symbols = key.map { key in sources.value(for: key, size: size) { opened(accepted, key) } } ?? opened(accepted, nil)
        symbols.files = accepted.map { ImageSymbols.File(candidate: $0.candidate, proof: $0.proof) }
        symbols.refusals = refusals
        return symbols
    }

    private func opened(_ accepted: [AcceptedSymbolFile], _ key: [FileKey]?) -> ImageSymbols {
        SymbolFileFigures.opened.add(1, ordering: .relaxed)
        var symbols = ImageSymbols(source: openSource(accepted.map(\.file)))
        symbols.opened = accepted.map(\.file)
        symbols.code = witness(of: accepted, key)
        symbols.sourcePaths = accepted.map { DSYMSourcePaths.maps(for: $0.path, identity: $0.file.identity) }.first { !$0.isEmpty } ?? []
        return symbols
    }

    package func prepare(for requests: [ImageRequest]) {
        noteFileVersions()
        let costly = locators.locators.filter(\.isCostly)
        guard !costly.isEmpty else { return }
        // Results of earlier searches are kept, also if nothing was found; until files may have come.
        let round = search.withLock(\.round)
        let requests = requests.filter { request in images[request].map { symbols($0, round) == nil } ?? true }
        guard !requests.isEmpty else { return }
        let near = locators.locators.filter { !$0.isCostly }
        let missing = requests.filter { request in
            let found = check.search(for: request, in: near).accepted
            guard let first = found.first else { return true }
            return !first.file.hasDebugInformation && companions.find(for: first.file, open: cache.open) == nil
        }
        guard !missing.isEmpty else { return }
        for locator in costly { locator.prepare(for: missing) }
        for request in missing {
            prepared.remove(request)
            prepared.keep(round, for: request)
        }
    }

    package func images(ofNames found: inout FoundNames) -> [[any SymbolFile]] {
        let locators = locators
        locators.addNames(to: &found)
        if locators.isBeingRead { found.noteGap() }
        return found.files.map { (try? cache.open($0.path)) ?? [] }
    }

    package func downloadedSource(of id: ImageID, at path: String) -> String? {
        locators.locators.lazy.compactMap { $0 as? SymbolServers }.compactMap { $0.sourceFile(of: id, at: path) }.first
    }

    /// Compares the versions of the files that the user named with those of the report before: once a report,
    /// not once an image.
    private func noteFileVersions() {
        let versions = locations.symbols.map { SymbolFileVersion($0) }
        let known = search.withLock { search in
            defer { search.versions = versions }
            if let known = search.versions, known != versions { search.round += 1 }
            return search.versions ?? versions
        }
        // Directories may be large: the server that uses them decides when they are searched again.
        let hasCome = zip(known, versions).contains { $0 == nil && $1.map { !$0.isFolder || DSYMBundle.isNamed($0.path) } ?? false }
        if hasCome { refreshMissing() }
    }

    /// Problems of files that the user named and that cannot be read.
    package func unreadableFiles() -> [String] {
        given.candidates.compactMap { candidate in
            if case .unreadable(let problem) = cache.identities(at: candidate.path) { problem.description } else { nil }
        }
    }

    package func trail(for request: ImageRequest) -> SearchTrail { trail(for: request, judge: nil) }

    package func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail {
        trail(for: request, judge: request.id == nil ? judge(evidence) : nil)
    }

    private func trail(for request: ImageRequest, judge: CodeVerdict.Judge?) -> SearchTrail {
        var trail = check.trail(for: request, in: locators.locators, judge: judge)
        let accepted = check.search(for: request, in: locators.locators.filter { !$0.isCostly }, judge: judge).accepted
        if let first = accepted.first, let location = companions.trail(for: first.file, open: cache.open) {
            trail.locations.append(location)
        }
        return trail
    }

    package func unslidImages(processName: String?) -> [UnslidImage] {
        listed(candidates(called: processName.map { [$0] } ?? [])).filter { !$0.isGenerated }
    }

    package func provableImages(named names: [String]) -> [UnslidImage] {
        var seen: Set<String> = []
        return listed(
            (candidates(called: names) + locators.files(atMost: ImageRequest.maxTriedFiles) { _ in true }).filter {
                seen.insert($0.path).inserted
            }
        )
        .filter { !$0.isGenerated }
    }

    /// Returns the candidate images in some files, from the cache if all are unchanged.
    private func listed(_ candidates: [SymbolFileCandidate]) -> [UnslidImage] {
        let versions = candidates.compactMap { SymbolFileVersion($0.path) }
        return versions.count == candidates.count ? lists.value(for: versions) { images(in: candidates) } : images(in: candidates)
    }

    package func sharedCache(id: ImageID) -> SharedCache? { locators.sharedCache(id: id) }

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

    package func generatedCode(ofProcess process: Int?) -> [UnslidImage] {
        guard !locations.symbols.isEmpty else { return [] }
        let names = process.map { GeneratedCodeFile.names(ofProcess: $0) } ?? []
        return listed(candidates(called: names).filter { isGeneratedCode($0, ofProcess: process) })
    }

    /// Whether a file has the code of that process. A file that the user named and that has no number may be any process's.
    private func isGeneratedCode(_ candidate: SymbolFileCandidate, ofProcess process: Int?) -> Bool {
        guard let file = (try? cache.open(candidate.path))?.first as? GeneratedCodeFile else { return false }
        return file.process == process || file.process == nil && candidate.origin == .given
    }

    /// A binary and the dSYM member of its identity are one image.
    private func images(in candidates: [SymbolFileCandidate]) -> [UnslidImage] {
        var groups: [(id: ImageID?, files: [AcceptedSymbolFile])] = []
        for candidate in candidates {
            guard let objects = try? cache.open(candidate.path) else { continue }
            for object in objects {
                let file = AcceptedSymbolFile(candidate: candidate, file: object, proof: .name)
                if let id = object.identity, let index = groups.firstIndex(where: { $0.id == id }) {
                    groups[index].files.append(file)
                } else {
                    groups.append((object.identity, [file]))
                }
            }
        }
        return groups.compactMap { group -> UnslidImage? in
            let files = group.files.filter(\.file.hasDebugInformation) + group.files.filter { !$0.file.hasDebugInformation }
            let accepted = completed(files)
            // The name is the binary's where it is given: a dSYM's member may be called otherwise.
            guard let first = group.files.first else { return nil }
            let code = (first.file as? ObjectFile)?.codeRanges ?? (first.file as? GeneratedCodeFile)?.code
            return UnslidImage(
                name: Path.name(of: first.path), path: first.path, architecture: first.file.machine, id: group.id,
                base: first.file.baseAddress, code: code ?? [], symbols: symbols(of: accepted, key(of: accepted), refusals: []))
        }
    }
}
