public import BinaryPrimitives
public import ObjectFiles
internal import Synchronization

/// Opens every object in a file: one, or one for each architecture of a universal file.
public typealias ObjectFileOpener = @Sendable (_ path: String) throws(ObjectFileError) -> [ObjectFile]

/// Looks into candidates and says which of them are the image: by identity alone where the log tells one.
///
/// A file is read for its identity once, however many images ask; it stays open only if it is used.
public final class CandidateCheck: Sendable {
    private let open: ObjectFileOpener
    private let isForced: Bool
    private let known = Mutex<[String: Summary]>([:])

    /// Who the objects of a file are.
    private enum Summary: Sendable {
        case objects([Identity])
        case unreadable(String)
    }

    private struct Identity: Sendable {
        var architecture: Architecture
        var id: ImageID?
        var base: LinkAddress
    }

    /// - Parameters:
    ///   - force: accept a file of the right name whose identity differs.
    ///   - open: how files are opened.
    public init(force: Bool = false, open: @escaping ObjectFileOpener) {
        isForced = force
        self.open = open
    }

    /// The first candidates that are the image, up to one with debug information.
    public func search(for request: ImageRequest, among candidates: [SymbolFileCandidate]) -> SymbolFileSearch {
        var search = SymbolFileSearch()
        // Files that differ only count where nothing matches, so that an old build in front does not hide the right one behind it.
        var insisted: [AcceptedSymbolFile] = []
        for candidate in candidates {
            switch check(candidate, for: request) {
            case .accepted(let file) where file.proof == .forced: insisted.append(file)
            case .accepted(let file):
                search.accepted.append(file)
                if file.object.hasDebugInformation { return finished(search) }
            case .refused(let reason): search.refusals.append(SymbolFileRefusal(path: candidate.path, reason: reason))
            case .unrelated: break
            }
        }
        if search.accepted.isEmpty, let first = insisted.first(where: \.object.hasDebugInformation) ?? insisted.first {
            search.accepted.append(first)
        }
        return finished(search)
    }

    private func finished(_ search: SymbolFileSearch) -> SymbolFileSearch {
        var search = search
        search.accepted =
            search.accepted.filter(\.object.hasDebugInformation) + search.accepted.filter { !$0.object.hasDebugInformation }
        return search
    }

    private enum Verdict {
        case accepted(AcceptedSymbolFile)
        case refused(SymbolFileRefusal.Reason)
        /// Another image's file: not worth a word in this one's reasons.
        case unrelated
    }

    private func check(_ candidate: SymbolFileCandidate, for request: ImageRequest) -> Verdict {
        let isNamed = request.isNamedLike(fileAt: candidate.path)
        let objects: [Identity]
        switch summary(of: candidate.path) {
        case .unreadable(let problem): return isNamed ? .refused(.unreadable(problem)) : .unrelated
        case .objects(let list): objects = list
        }
        if let id = request.id, let index = objects.firstIndex(where: { $0.id.map(id.tells) ?? false }) {
            return accept(candidate, object: index, proof: .identity)
        }
        guard isNamed else { return .unrelated }
        if case .imagePath = candidate.origin, request.id == nil { return .refused(.logHasNoIdentity) }
        if let id = request.id, !isForced {
            let identities = objects.compactMap(\.id)
            return .refused(identities.isEmpty ? .fileHasNoIdentity(log: id) : .identityDiffers(log: id, file: identities))
        }
        guard let index = Self.choose(request.architecture, among: objects.map(\.architecture)) ?? unmoved(objects, request) else {
            return .refused(.otherArchitecture(wanted: request.architecture, file: objects.map(\.architecture)))
        }
        return accept(candidate, object: index, proof: request.id == nil ? .name : .forced)
    }

    /// The one object of that architecture: exactly it, else the only one of its family. Without an architecture, the only one there is.
    public static func choose(_ wanted: Architecture?, among architectures: [Architecture]) -> Int? {
        guard let wanted else { return architectures.count == 1 ? 0 : nil }
        if let exact = architectures.firstIndex(of: wanted) { return exact }
        let relatives = architectures.indices.filter { architectures[$0].family == wanted.family }
        return relatives.count == 1 ? relatives.first : nil
    }

    /// A log that tells no architecture of a process whose executable was not moved: the only slice that is linked where the log has the image.
    private func unmoved(_ objects: [Identity], _ request: ImageRequest) -> Int? {
        guard request.architecture == nil, let load = request.loadAddress else { return nil }
        let fitting = objects.indices.filter { objects[$0].base.value == load.value }
        return fitting.count == 1 ? fitting.first : nil
    }

    private func accept(_ candidate: SymbolFileCandidate, object index: Int, proof: AcceptedSymbolFile.Proof) -> Verdict {
        do throws(ObjectFileError) {
            let objects = try open(candidate.path)
            guard objects.indices.contains(index) else { return .refused(.unreadable("\(candidate.path): it changed while it was read")) }
            return .accepted(AcceptedSymbolFile(candidate: candidate, object: objects[index], proof: proof))
        } catch {
            return .refused(.unreadable(error.description))
        }
    }

    private func summary(of path: String) -> Summary {
        if let summary = known.withLock({ $0[path] }) { return summary }
        let summary: Summary
        do throws(ObjectFileError) {
            summary = .objects(try open(path).map { Identity(architecture: $0.architecture, id: $0.identity, base: $0.baseAddress) })
        } catch {
            summary = .unreadable(error.description)
        }
        known.withLock { $0[path] = summary }
        return summary
    }
}

extension ObjectFile {
    /// Whether the file itself holds DWARF (not only names of a file that does).
    public var hasDebugInformation: Bool {
        [".debug_info", "__debug_info", ".zdebug_info", "__zdebug_info"].contains { name in
            section(named: name).map { !$0.fileRange.isEmpty } ?? false
        }
    }
}
