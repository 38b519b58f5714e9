internal import BinaryPrimitives
package import ObjectFiles

/// Finds a binary's debug file on this machine: in the dSYM bundle beside it, by its build ID among
/// this machine's debug packages, and at the paths that its `.gnu_debuglink` section gives, in
/// GDB's order (beside it, in `.debug/`, and below `/usr/lib/debug`). Logs and tools thus find the
/// same file.
package struct Companions: Sendable {
    /// dSYM bundles that may belong to a binary, regardless of their names.
    private let bundles: [String]
    /// Roots of GDB's layout: of this machine, and of other machines' file systems, with the folder
    /// that represents their `/`.
    private let debugFolders: [(folder: String, systemRoot: String)]
    private let fetched: LLVMDebuginfodCache?

    /// - Parameters:
    ///   - bundles: dSYM bundles that may be a binary's, under any name; tried first.
    ///   - systemRoots: folders that are another machine's file system, with a layout of their own
    ///     below `usr/lib/debug`.
    ///   - debugFolders: roots of GDB's layout of debug files, before this machine's own.
    ///   - fetched: the download cache of LLVM's tools; tried last.
    package init(
        bundles: [String] = [], systemRoots: [String] = [], debugFolders: [String] = [], fetched: LLVMDebuginfodCache? = nil
    ) {
        self.bundles = bundles
        self.debugFolders =
            systemRoots.map { (Path.join($0, "usr/lib/debug"), $0) } + (debugFolders + [BuildIDFolder.system.root]).map { ($0, "/") }
        self.fetched = fetched
    }

    /// Possible locations of the debug information of `object`, the likeliest first, whether a file
    /// exists there or not.
    package func expectedFiles(for object: ObjectFile) -> [SymbolFileCandidate] {
        let path = object.path
        let request = ImageRequest(name: Path.name(of: path), architecture: object.architecture, id: object.identity)
        let members = object.description.usesBundles ? DSYMBundle.membersBeside(path) : []
        var candidates = bundles.map { SymbolFileCandidate(path: DSYMBundle.member(Path.name(of: path), of: $0), origin: .given) }
        candidates += members.map { SymbolFileCandidate(path: $0, origin: .besideBinary) }
        for (folder, _) in debugFolders {
            candidates += BuildIDFolder(root: folder).expectedPaths(for: request).prefix(1)
                .map { SymbolFileCandidate(path: $0, origin: .buildID(root: folder)) }
        }
        if let name = object.description.debugLink?.name, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) {
            let folder = Path.directory(of: path)
            var paths = [Path.join(folder, name), Path.join(folder, ".debug/" + name)]
            for (debugFolder, systemRoot) in debugFolders {
                // The folder as the other machine calls it.
                let root = systemRoot.hasSuffix("/") ? String(systemRoot.dropLast()) : systemRoot
                guard folder.hasPrefix(root + "/") || folder == root else { continue }
                let own = String(folder.dropFirst(root.utf8.count).drop { $0 == "/" })
                paths.append(Path.join(debugFolder, own.isEmpty ? name : own + "/" + name))
            }
            candidates += paths.map { SymbolFileCandidate(path: $0, origin: .debugLink) }
        }
        // A path or a URL; what it names is looked for beside the module.
        if let external = object.description.externalDebugFile, case let name = Path.foreignName(of: external), !name.isEmpty {
            candidates.append(SymbolFileCandidate(path: Path.join(Path.directory(of: path), name), origin: .debugLink))
        }
        if let fetched { candidates += fetched.expectedPaths(for: request).map { SymbolFileCandidate(path: $0, origin: fetched.origin) } }
        return candidates.filter { $0.path != path }
    }

    /// The files that may hold the debug information of `object`, the likeliest first.
    package func candidates(for object: ObjectFile) -> [SymbolFileCandidate] {
        expectedFiles(for: object).filter { PathKind(path: $0.path) == .file }
    }

    /// Returns the debug file of a binary that has no debug information itself: the first candidate that has
    /// it and belongs to the same image, by identity, or, if neither file has one, by the link's own checksum.
    package func find(
        for file: any SymbolFile,
        open: SymbolFileOpener = { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
    ) -> AcceptedSymbolFile? {
        guard let object = strippedBinary(file) else { return nil }
        for candidate in candidates(for: object) {
            if case .success(let file) = check(candidate, of: object, open: open) { return file }
        }
        return nil
    }

    /// Returns the files that are checked for the debug information of a binary that has none itself.
    package func trail(for file: any SymbolFile, open: SymbolFileOpener) -> SearchTrail.Location? {
        guard let object = strippedBinary(file) else { return nil }
        let files = candidates(for: object).map { candidate in
            switch check(candidate, of: object, open: open) {
            case .success(let file): SearchTrail.File(path: candidate.path, verdict: .fits(file.proof, hasDebugInformation: true))
            case .failure(let refusal): SearchTrail.File(path: candidate.path, verdict: .refused(refusal.reason))
            }
        }
        return SearchTrail.Location(
            name: "the debug file of \(object.path)", expected: expectedFiles(for: object).map(\.path), files: files)
    }

    private func strippedBinary(_ file: any SymbolFile) -> ObjectFile? { file.hasDebugInformation ? nil : file as? ObjectFile }

    private func check(_ candidate: SymbolFileCandidate, of object: ObjectFile, open: SymbolFileOpener) -> Result<
        AcceptedSymbolFile, SymbolFileRefusal
    > {
        func refuse(_ reason: SymbolFileRefusal.Reason) -> Result<AcceptedSymbolFile, SymbolFileRefusal> {
            .failure(SymbolFileRefusal(path: candidate.path, reason: reason))
        }
        let files: [any SymbolFile]
        do throws(ObjectFileError) { files = try open(candidate.path) } catch { return refuse(.unreadable(error.description)) }
        if let id = object.identity {
            guard let same = files.first(where: { $0.identity == id }) else {
                let identities = files.compactMap(\.identity)
                return refuse(identities.isEmpty ? .fileHasNoIdentity(log: id) : .identityDiffers(log: id, file: identities))
            }
            guard same.hasDebugInformation else { return refuse(.noDebugInformation) }
            return .success(AcceptedSymbolFile(candidate: candidate, file: same, proof: .identity))
        }
        if object.description.externalDebugFile != nil, let file = files.first(where: { $0.machine == object.architecture }) {
            guard file.hasDebugInformation else { return refuse(.noDebugInformation) }
            return file.hasSameCode(as: object)
                ? .success(AcceptedSymbolFile(candidate: candidate, file: file, proof: .identity)) : refuse(.otherCode)
        }
        guard let same = files.first(where: { $0.identity == nil && $0.machine == object.architecture }) as? ObjectFile,
            let link = object.description.debugLink
        else { return refuse(.otherArchitecture(wanted: object.architecture, file: files.compactMap(\.machine))) }
        guard same.hasDebugInformation else { return refuse(.noDebugInformation) }
        let checksum = same.file.withBytes { $0.debugLinkChecksum }
        guard checksum == link.checksum else { return refuse(.checksumDiffers(link: link.checksum, file: checksum)) }
        return .success(AcceptedSymbolFile(candidate: candidate, file: same, proof: .identity))
    }
}

extension RawSpan {
    /// The CRC-32 of `.gnu_debuglink` (GDB's manual, "Separate Debug Files": the polynomial of IEEE
    /// 802.3, reflected, 0xEDB88320).
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
