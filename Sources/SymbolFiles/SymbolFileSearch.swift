package import BinaryPrimitives
internal import ObjectFiles

/// Decides which candidates are files of an image: by identity alone where the log gives one.
package struct SymbolFileSearch: Sendable {
    private let cache: SymbolFileCache
    private let isForced: Bool

    /// - Parameters:
    ///   - force: accept a file of the right name whose identity differs.
    ///   - cache: opens the files.
    package init(force: Bool = false, _ cache: SymbolFileCache) {
        isForced = force
        self.cache = cache
    }

    /// The first of the candidates that are the image, until both its debug information and its
    /// code are there.
    package func search(for request: ImageRequest, among candidates: [SymbolFileCandidate]) -> FoundSymbolFiles {
        search(for: request, in: [CandidateList(candidates: candidates)])
    }

    /// Searches the locations one after another, each only while something is missing: debug
    /// information, or the binary itself, whose file offsets debug files no longer have.
    /// - Parameter judge: compares files that only their name or path ties to the image with the
    ///   report; without it no file is used by its path alone.
    package func search(
        for request: ImageRequest, in locators: [any DebugFileLocator], judge: CodeVerdict.Judge? = nil
    ) -> FoundSymbolFiles {
        var search = FoundSymbolFiles()
        // Files that differ only count where nothing matches, so that an old build in front does
        // not hide the right one after it.
        var insisted: [AcceptedSymbolFile] = []
        var seen: Set<String> = []
        for locator in locators {
            if locator.isCostly && search.hasDebugInformation || locator.completesOnly && search.accepted.isEmpty { continue }
            let folder = locator as? any WalkedFolder
            if let folder, search.needsNoWalk(of: folder, for: request) || !request.waitsForFolders && !folder.isAtHand {
                continue
            }
            var named = NamedFiles(request: request)
            for candidate in locator.candidates(for: request) where seen.insert(candidate.path).inserted {
                switch check(candidate, for: request, mayUsePath: judge != nil) {
                case .accepted(let file):
                    switch file.proof {
                    case .identity, .memory: search.add(file)
                    case .name, .path: named.add(file)
                    case .forced: insisted.append(file)
                    }
                case .refused(let reason): search.refusals.append(SymbolFileRefusal(path: candidate.path, reason: reason))
                case .unrelated: break
                }
                if search.isComplete { return search }
            }
            for file in named.choose(judge) { search.add(file) }
            search.refusals += named.refusals
            if let folder, !folder.isAtHand, !search.hasDebugInformation, seen.insert(folder.root).inserted {
                search.refusals.append(SymbolFileRefusal(path: folder.root, reason: .folderNotReadYet))
            }
            if search.isComplete { return search }
        }
        if search.accepted.isEmpty, let first = insisted.first(where: \.file.hasDebugInformation) ?? insisted.first { search.add(first) }
        return search
    }

    enum Verdict {
        case accepted(AcceptedSymbolFile)
        case refused(SymbolFileRefusal.Reason)
        /// The file belongs to another image, and is not mentioned in the reasons.
        case unrelated
    }

    /// - Parameter mayUsePath: the file at the image's own path is compared with the report later,
    ///   so it counts without an identity.
    func check(_ candidate: SymbolFileCandidate, for request: ImageRequest, mayUsePath: Bool = false) -> Verdict {
        var isNamed = request.isNamedLike(fileAt: candidate.path)
        if case .archiveOffset = candidate.origin { isNamed = true }
        if request.isUnnamed, candidate.origin == .given { isNamed = true }
        // A location that the identity gives holds this image's file or a wrong one.
        let isMeant = (isNamed || candidate.origin.isFoundByIdentity) && !candidate.origin.isLibraryFolder
        let objects: [SymbolFileCache.Identity]
        switch cache.identities(at: candidate.path) {
        case .unreadable(let problem): return isMeant ? .refused(.unreadable(problem.description)) : .unrelated
        case .objects(let list): objects = list
        }
        if let id = request.id, let index = objects.firstIndex(where: { $0.id.map(id.matches) ?? false }) {
            if let wanted = request.debugIdentifier?.lowercased(), let own = objects[index].debugIdentifier, own.lowercased() != wanted,
                !(isForced && isNamed)
            {
                return .refused(.ageDiffers(log: wanted, file: own))
            }
            return accept(candidate, object: index, proof: .identity)
        }
        if let verdict = checkCodeIdentifier(candidate, objects, for: request, isMeant: isMeant, isForced: isForced && isNamed) {
            return verdict
        }
        guard isMeant else { return .unrelated }
        if request.id == nil, request.hasUnreadID, request.givenPath == nil { return .refused(.identityNotRead(image: request.name)) }
        let isLocal = candidate.origin == .imagePath
        if isLocal, request.id == nil, !mayUsePath { return .refused(.logHasNoIdentity) }
        if let id = request.id, !(isForced && isNamed) {
            let identities = objects.compactMap(\.id)
            return .refused(identities.isEmpty ? .fileHasNoIdentity(log: id) : .identityDiffers(log: id, file: identities))
        }
        let architectures = objects.compactMap(\.architecture)
        // A format without architectures has one image in a file. The images of a kernel cache have
        // one architecture, and it chooses none of them.
        let isCache = objects.count > 1 && objects.contains(where: \.isFilesetEntry)
        let chosen =
            architectures.isEmpty && objects.count == 1 ? 0 : isCache ? nil : Self.choose(request.architecture, among: architectures)
        guard let index = chosen ?? unmoved(objects, request) else {
            return .refused(.otherArchitecture(wanted: request.architecture, file: architectures))
        }
        if request.id == nil, let size = request.size, let own = objects[index].size, size > own + Self.sizeTolerance {
            return .refused(.smallerThanImage(log: size, file: own))
        }
        return accept(candidate, object: index, proof: request.id == nil ? isLocal ? .path : .name : .forced)
    }

    /// Compares timestamps and sizes of a Windows image where there are no GUIDs to compare, as of a program whose linker made no
    /// debug information of its own.
    /// - Returns: `nil` if the log or the file has none.
    private func checkCodeIdentifier(
        _ candidate: SymbolFileCandidate, _ objects: [SymbolFileCache.Identity], for request: ImageRequest, isMeant: Bool, isForced: Bool
    ) -> Verdict? {
        guard let code = request.codeIdentifier, request.id == nil || objects.allSatisfy({ $0.id == nil }) else { return nil }
        if let index = objects.firstIndex(where: { $0.codeIdentifier == code }) {
            return accept(candidate, object: index, proof: .identity)
        }
        let others = objects.compactMap(\.codeIdentifier)
        guard isMeant, !others.isEmpty else { return nil }
        return isForced ? accept(candidate, object: 0, proof: .forced) : .refused(.codeIdentifierDiffers(log: code, file: others))
    }

    /// How many bytes more than the file maps a log may say that its image has. The log counts
    /// whole pages, of up to 64 KB. Fewer are always right: Apple's text reports count the segment
    /// `__TEXT` alone, memory maps perhaps one of several parts.
    private static let sizeTolerance: UInt64 = 1 << 16

    /// The one object of that architecture: exactly it, else the only one of its family. Without an
    /// architecture, the only one there is.
    package static func choose(_ wanted: Architecture?, among architectures: [Architecture]) -> Int? {
        guard let wanted else { return architectures.count == 1 ? 0 : nil }
        if let exact = architectures.firstIndex(of: wanted) { return exact }
        let relatives = architectures.indices.filter { architectures[$0].family == wanted.family }
        return relatives.count == 1 ? relatives.first : nil
    }

    /// For a log that names no architecture of a process whose executable was not moved: the only
    /// slice that is linked where the log has the image.
    private func unmoved(_ objects: [SymbolFileCache.Identity], _ request: ImageRequest) -> Int? {
        guard request.architecture == nil, let load = request.loadAddress else { return nil }
        let fitting = objects.indices.filter { objects[$0].base.value == load.value }
        return fitting.count == 1 ? fitting.first : nil
    }

    private func accept(_ candidate: SymbolFileCandidate, object index: Int, proof: AcceptedSymbolFile.Proof) -> Verdict {
        do throws(ObjectFileError) {
            let objects = try cache.open(candidate.path)
            guard objects.indices.contains(index) else { return .refused(.unreadable("\(candidate.path): it changed while it was read")) }
            var file = AcceptedSymbolFile(candidate: candidate, file: objects[index], proof: proof)
            if proof == .name { file.isReplacement = cache.isReplaced(candidate.path) }
            return .accepted(file)
        } catch {
            return .refused(.unreadable(error.description))
        }
    }
}

/// Candidates that are known already, as a location.
private struct CandidateList: DebugFileLocator {
    let candidates: [SymbolFileCandidate]
    var location: String { "the given files" }

    func expectedPaths(for request: ImageRequest) -> [String] { candidates.map(\.path) }
    func candidates(for request: ImageRequest) -> [SymbolFileCandidate] { candidates }
}

/// Whether the code of files that only their name or path ties to an image fits what a report says
/// about that image.
package enum CodeVerdict: Sendable, Hashable {
    /// It fits: so many of the report's addresses are where the code says that they can be.
    case fits(addresses: Int)
    /// The files have no code that could be compared, or the report has no address for it.
    case unknown
    /// It does not fit, or the path may hold another file by now.
    case refused(SymbolFileRefusal.Reason)

    /// Compares files of one image with a report.
    package typealias Judge = (_ files: [AcceptedSymbolFile]) -> CodeVerdict
}
