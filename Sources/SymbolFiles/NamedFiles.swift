internal import BinaryPrimitives
internal import ObjectFiles

/// The files that only their name ties to an image, because the log gives no identity: which of
/// them it is, as far as that can be determined.
struct NamedFiles {
    private let request: ImageRequest
    /// Files of one image together: a binary and its debug file.
    private var groups: [[AcceptedSymbolFile]] = []
    private(set) var refusals: [SymbolFileRefusal] = []

    init(request: ImageRequest) { self.request = request }

    mutating func add(_ file: AcceptedSymbolFile) {
        for index in groups.indices {
            switch Self.relation(of: file, to: groups[index]) {
            case .sameImage:
                // Debug information first, as in every list of an image's files: an index is found by the first.
                let isFirst = file.file.hasDebugInformation && groups[index].first?.file.hasDebugInformation == false
                return groups[index].insert(file, at: isFirst ? 0 : groups[index].count)
            case .otherChecksum(let link, let sum):
                return refusals.append(SymbolFileRefusal(path: file.path, reason: .checksumDiffers(link: link, file: sum)))
            case .rival: break
            }
        }
        groups.append([file])
    }

    /// The files of the one image that is meant.
    ///
    /// Files whose code does not fit the report are another build's. Of the others, those whose
    /// code fits go before those of which nothing is known. Then several builds of a program are
    /// called alike. Then the folders decide, from the last on: of `/opt/new/bin/app` and
    /// `/opt/old/bin/app`, a log's `/srv/new/bin/app` means the first. Where they do not either,
    /// none is taken: any would be a guess.
    mutating func choose(_ judge: CodeVerdict.Judge? = nil) -> [AcceptedSymbolFile] {
        if let judge { dropOtherBuilds(judge) }
        guard groups.count > 1 else { return groups.first ?? [] }
        let scores = groups.map { group in group.map { Self.commonEnd($0.path, request.path ?? "") }.max() ?? 0 }
        let best = scores.max() ?? 0
        if best > 1, scores.filter({ $0 == best }).count == 1, let index = scores.firstIndex(of: best) { return groups[index] }
        let paths = groups.compactMap { $0.first?.path }
        for path in paths { refusals.append(SymbolFileRefusal(path: path, reason: .severalOfThatName(paths.filter { $0 != path }))) }
        return []
    }

    private static let fitsOfUnnamed = 4

    private mutating func dropOtherBuilds(_ judge: CodeVerdict.Judge) {
        var fitting: [[AcceptedSymbolFile]] = []
        var unknown: [[AcceptedSymbolFile]] = []
        for group in groups {
            switch judge(group) {
            // Any file may be an image without a name: calls are where the log has them by chance, too.
            case .fits(let count) where request.isUnnamed && request.architecture != .wasm32 && count < Self.fitsOfUnnamed: break
            case .fits: fitting.append(group)
            case .unknown: unknown.append(group)
            case .refused(let reason): refusals += group.map { SymbolFileRefusal(path: $0.path, reason: reason) }
            }
        }
        groups = fitting.isEmpty && !request.isUnnamed ? unknown : fitting
    }

    /// How many parts of two paths agree, from the last on.
    private static func commonEnd(_ path: String, _ other: String) -> Int {
        zip(path.split(separator: "/").reversed(), other.split(separator: "/").reversed()).prefix { $0 == $1 }.count
    }

    private enum Relation {
        case sameImage
        case rival
        /// The debug file is another build's: the binary's `.gnu_debuglink` has another checksum.
        case otherChecksum(link: UInt32, file: UInt32)
    }

    private static func relation(of file: AcceptedSymbolFile, to group: [AcceptedSymbolFile]) -> Relation {
        for member in group {
            if let id = file.file.identity, let other = member.file.identity {
                if id.matches(other) { continue }
                return .rival
            }
            let (own, other) = (file.file, member.file)
            if own.hasDebugInformation != other.hasDebugInformation, own.hasSameCode(as: other) { continue }
            if own.hasDebugInformation && other.hasDebugInformation || own.holdsCode && other.holdsCode {
                guard isCopy(file.path, member.path) else { return .rival }
            }
            // One of them is the binary, the other its debug file.
            let (binary, debug) = own.holdsCode ? (own, other) : (other, own)
            guard let object = debug as? ObjectFile, !object.holdsCode,
                let link = (binary as? ObjectFile)?.description.debugLink, Path.name(of: debug.path) == link.name
            else { continue }
            let sum = object.file.withBytes { $0.debugLinkChecksum }
            if sum != link.checksum { return .otherChecksum(link: link.checksum, file: sum) }
        }
        return .sameImage
    }

    private static func open(_ path: String) -> MappedFile? {
        ((try? OpenArchives.shared.contents(at: path)) ?? nil) ?? (try? MappedFile(path: path))
    }

    /// The same bytes in two places.
    private static func isCopy(_ path: String, _ other: String) -> Bool {
        guard let first = open(path), let second = open(other), first.size == second.size else { return false }
        return first.hasSameBytes(as: second)
    }
}

extension SymbolFile {
    /// Whether both files have code, and the same, byte by byte: a program, and what is left of it when it is stripped.
    func hasSameCode(as other: any SymbolFile) -> Bool {
        guard let own = self as? ObjectFile, let other = other as? ObjectFile else { return false }
        let (parts, others) = (own.codeParts, other.codeParts)
        guard !parts.isEmpty, parts.count == others.count else { return false }
        return zip(parts, others).allSatisfy { part, other in
            part.address == other.address && part.bytes.size == other.bytes.size && part.bytes.hasSameBytes(as: other.bytes)
        }
    }
}

extension ObjectFile {
    fileprivate var codeParts: [(address: LinkAddress, bytes: MappedFile)] {
        description.sections.filter { $0.isLoaded && $0.isExecutable && !$0.fileRange.isEmpty }.map {
            ($0.address, MappedFile(file, $0.fileRange, path: path))
        }
    }
}

extension MappedFile {
    /// Compares files of one size.
    fileprivate func hasSameBytes(as other: MappedFile) -> Bool {
        withBytes { bytes in
            other.withBytes { others in
                guard bytes.byteCount == others.byteCount else { return false }
                var index = 0
                while index < bytes.byteCount {
                    guard bytes.byte(at: index) == others.byte(at: index) else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}
