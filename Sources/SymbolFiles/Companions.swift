internal import BinaryPrimitives
public import ObjectFiles

/// Where the debug file of a binary lies that is at hand: in the dSYM bundle beside it, at its build ID's place among this machine's debug packages, and
/// where its `.gnu_debuglink` section points, in GDB's order (beside it, in `.debug/`, and below `/usr/lib/debug`).
public struct Companions: Sendable {
    private let debugFolder: String

    /// - Parameter debugFolder: the root of GDB's layout of debug files.
    public init(debugFolder: String = "/usr/lib/debug") { self.debugFolder = debugFolder }

    /// The files that may hold the debug information of `object`, the likeliest first.
    public func candidates(for object: ObjectFile) -> [SymbolFileCandidate] {
        let path = object.path
        let request = ImageRequest(name: Path.name(of: path), architecture: object.architecture, id: object.identity)
        var candidates = DSYMBundle.membersBeside(path).map { SymbolFileCandidate(path: $0, origin: .besideBinary) }
        candidates += BuildIDFolder(root: debugFolder).candidates(for: request)
        if let name = object.description.debugLink?.name, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) {
            let folder = Path.directory(of: path)
            var places = [Path.join(folder, name), Path.join(folder, ".debug/" + name)]
            if folder.hasPrefix("/") { places.append(debugFolder + Path.join(folder, name)) }
            candidates += places.map { SymbolFileCandidate(path: $0, origin: .debugLink) }
        }
        return candidates.filter { $0.path != path && PathKind(path: $0.path) == .file }
    }

    /// The first of them that holds debug information and is the same image: by identity, or, where neither file has one, by the
    /// link's own checksum.
    public func find(for object: ObjectFile, open: SymbolFileOpener) -> AcceptedSymbolFile? {
        for candidate in candidates(for: object) {
            guard let objects = try? open(candidate.path) else { continue }
            let same = objects.first { other in
                guard other.hasDebugInformation else { return false }
                if let id = object.identity { return other.identity == id }
                guard other.identity == nil, other.machine == object.architecture, let other = other as? ObjectFile,
                    let link = object.description.debugLink
                else {
                    return false
                }
                return other.file.withBytes { $0.debugLinkChecksum } == link.checksum
            }
            if let same { return AcceptedSymbolFile(candidate: candidate, file: same, proof: .identity) }
        }
        return nil
    }
}

extension RawSpan {
    /// The CRC-32 of `.gnu_debuglink` (GDB's manual, "Separate Debug Files": the polynomial of IEEE 802.3, reflected, 0xEDB88320).
    var debugLinkChecksum: UInt32 {
        var table = [UInt32](repeating: 0, count: 256)
        for index in table.indices {
            var value = UInt32(truncatingIfNeeded: index)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xedb8_8320 }
            table[index] = value
        }
        var checksum = ~UInt32(0)
        for index in 0..<byteCount {
            checksum = table[Int((checksum ^ UInt32(byte(at: index))) & 0xff)] ^ checksum >> 8
        }
        return ~checksum
    }
}
