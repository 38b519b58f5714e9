package import BinaryPrimitives
package import ObjectFiles

/// Result of a search for an image's symbols: the files to use, and every file that was checked and
/// not used, with the reason.
package struct FoundSymbolFiles: Sendable {
    /// Files of one image, those with debug information first; empty if none was found.
    package private(set) var accepted: [AcceptedSymbolFile]
    package var refusals: [SymbolFileRefusal]

    package init(accepted: [AcceptedSymbolFile] = [], refusals: [SymbolFileRefusal] = []) {
        self.accepted = accepted
        self.refusals = refusals
    }

    var hasDebugInformation: Bool { accepted.first?.file.hasDebugInformation ?? false }

    /// Whether another file could add nothing.
    var isComplete: Bool { hasDebugInformation && accepted.contains(where: \.file.holdsCode) }

    /// Whether a walk of a folder is not worth its time, since a file of this identity was found at the location that the identity
    /// gives.
    ///
    /// A Breakpad file has all that frames and unwinding need if the log has the image's address; it does not have the address at
    /// which the image is linked. Stores of such files have no binaries, and a million files. A binary's unwind rules and addresses
    /// are not waited for where there are lines; the debug file of a stripped binary is.
    func needsNoWalk(of folder: any WalkedFolder, for request: ImageRequest) -> Bool {
        accepted.contains { found in
            guard found.proof == .identity, found.candidate.origin.isFoundByIdentity else { return false }
            let isText = !(found.file is ObjectFile)
            return folder.isAtHand ? isText && request.hasKnownBase : isText || found.file.hasDebugInformation
        }
    }

    /// Adds a file that says something which the others do not, and is of the same image as far as
    /// identities show.
    mutating func add(_ file: AcceptedSymbolFile) {
        if let id = file.file.identity,
            accepted.contains(where: { $0.file.identity.map { $0 != id && !$0.matches(id) && !id.matches($0) } ?? false })
        {
            return
        }
        if file.file.hasDebugInformation {
            // The first file's debug information is used, except that DWARF comes before formats
            // made from it; a further file may be the binary.
            let isDWARF = file.file is ObjectFile && !(accepted.first?.file is ObjectFile)
            guard !hasDebugInformation || isDWARF || (file.file.holdsCode && !accepted.contains(where: \.file.holdsCode)) else { return }
            accepted.insert(file, at: hasDebugInformation && !isDWARF ? 1 : 0)
        } else if !accepted.contains(where: { $0.isCopy(of: file) }) {
            accepted.append(file)
        }
    }
}

/// A file whose symbols are used for an image.
package struct AcceptedSymbolFile: Sendable {
    /// Evidence that the file belongs to the image.
    package enum Proof: Sendable, Hashable {
        /// Their UUIDs or build IDs are the same.
        case identity
        /// The log gives no identity; the names agree.
        case name
        /// The log gives no identity; the file is at the image's own path on this machine, and
        /// nothing contradicts it.
        case path
        /// The log is a process's memory, and the file begins as the image in it does.
        case memory
        /// Their identities differ and the user insists.
        case forced
    }

    package var candidate: SymbolFileCandidate
    package var file: any SymbolFile

    /// Whether both are one file, by its build ID and its size: a library has several paths.
    fileprivate func isCopy(of other: AcceptedSymbolFile) -> Bool {
        guard let first = file as? ObjectFile, let second = other.file as? ObjectFile, let id = first.identity else { return false }
        return id == second.identity && first.file.size == second.file.size
    }

    package var proof: Proof
    /// The file replaced another one at its path while this process ran.
    package var isReplacement = false

    package init(candidate: SymbolFileCandidate, file: any SymbolFile, proof: Proof) {
        self.candidate = candidate
        self.file = file
        self.proof = proof
    }

    package var path: String { candidate.path }
}

/// Why a file was not used.
package struct SymbolFileRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The image's identity as the log has it, and those of the file (one for each
        /// architecture).
        case identityDiffers(log: ImageID, file: [ImageID])
        /// GUIDs agree and ages differ: another link of the program. Both values are GUID and age.
        case ageDiffers(log: String, file: String)
        /// Timestamps or sizes of a Windows image differ, where there is no GUID to compare: another link of the program. Each value
        /// has eight digits of the timestamp, then the size.
        case codeIdentifierDiffers(log: String, file: [String])
        /// The log gives an identity and the file has none.
        case fileHasNoIdentity(log: ImageID)
        /// The log gives no identity, and this location needs one as a proof.
        case logHasNoIdentity
        /// The log lists the image's identity in a line that could not be read: a file of its name
        /// may be of another build.
        case identityNotRead(image: String)
        /// No call of the file returns to this address, which the log has as a return address, so
        /// it was another build. `fitting` of the `addresses` that could be compared fit.
        case noCallReturnsTo(LinkAddress, fitting: Int, addresses: Int)
        /// No instruction begins at an address in the log that is not a return address.
        case noInstructionAt(LinkAddress)
        /// WebAssembly: the log has a function, by its number or name, at a position where the file has another, or none.
        case otherFunction(at: UInt64, log: String, file: String?)
        /// The code of a debug file that a module names is not the module's.
        case otherCode
        /// The log has an address past the last byte that the file maps.
        case outsideFile(LinkAddress)
        /// The file at the image's path was modified after the log was written.
        case modifiedSince
        /// The file was modified after the trace of a live log began, so another build printed the trace.
        case newerThanTrace
        /// The log was written by another machine: why.
        case otherMachine(String)
        /// None of the file's architectures is the image's; `wanted` is `nil` where the log does
        /// not name it and the file has several.
        case otherArchitecture(wanted: Architecture?, file: [Architecture])
        /// The image of the log has more bytes than the file maps, so it was another build. Checked
        /// only where the log gives no identity.
        case smallerThanImage(log: UInt64, file: UInt64)
        /// The log gives no identity, and other files of that name are other builds: their paths.
        case severalOfThatName([String])
        /// The checksum in the binary's `.gnu_debuglink`, and the checksum of the file, where
        /// neither has an identity.
        case checksumDiffers(link: UInt32, file: UInt32)
        /// It is the image's, and holds no debug information, which was looked for.
        case noDebugInformation
        /// The image of a shared cache is elsewhere in the log than others of the cache say: distances from its address in the
        /// cache to that in the log, of it and of the others.
        case slideDiffers(own: UInt64, others: UInt64?)
        /// The path is a folder's, which is being read for the first time: a file of the image may be in it.
        case folderNotReadYet
        /// The file could not be read as an object file, with the reason.
        case unreadable(String)
    }

    package var path: String
    package var reason: Reason

    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// One sentence with both sides in it.
    package var description: String {
        switch reason {
        case .identityDiffers(let log, let file):
            "\(Self.word(for: log)) differs: the log has \(log), \(path) has \(Self.list(file.map(\.description)))"
        case .ageDiffers(let log, let file):
            "age of the PDB file differs: the log has \(log.dropFirst(32).uppercased()), \(path) has \(file.dropFirst(32).uppercased())"
        case .codeIdentifierDiffers(let log, let file):
            "timestamp or size differs: the log has \(log), \(path) has \(Self.list(file))"
        case .fileHasNoIdentity(let log): "no \(Self.word(for: log)) in \(path): the log has \(log)"
        case .logHasNoIdentity:
            "did not use \(path): the log has no build ID to check it against. Use it anyway: --symbols \(ShellWord.quoted(path))"
        case .identityNotRead(let image):
            "did not use \(path): the log's list of images is damaged, so nothing shows that it is the same build. Use it anyway: --image \(ShellWord.quoted(image + "=" + path))"
        case .noCallReturnsTo(let address, let fitting, let addresses):
            "did not use \(path): it is another build. No call in it returns to \(address), where the log has a return address (\(fitting) of \(addresses) fit)"
        case .noInstructionAt(let address):
            "did not use \(path): it is another build. The log has the address \(address), and no instruction of the file begins there"
        case .otherFunction(let offset, let log, let file):
            "did not use \(path): it is another build. The log has the function \(PlainText.line(log)) at 0x\(String(offset, radix: 16)), and the file has \(file.map { "the function " + PlainText.line($0) } ?? "none")"
        case .otherCode: "did not use \(path): it is of another build. Its code is not that of the module that names it"
        case .outsideFile(let address):
            "did not use \(path): it is another build. The log has the address \(address) in it, and the file ends before that"
        case .modifiedSince:
            "did not use \(path): it has changed since the log was written. If it is the same build: --symbols \(ShellWord.quoted(path))"
        case .newerThanTrace: "did not use \(path): it was built after the trace was printed"
        case .otherMachine(let why): "did not use \(path) of this machine: \(why)"
        case .otherArchitecture(let wanted?, let file): "\(path) is for \(Self.list(file.map(\.name))): the log has \(wanted)"
        case .otherArchitecture(nil, let file):
            "\(path) has \(Self.list(file.map(\.name))): the log does not name its architecture. Choose one: --arch"
        case .smallerThanImage(let log, let file): "\(path) maps \(file) bytes: the log's image has \(log), so it was another build"
        case .severalOfThatName(let others):
            "the log has no build ID, and \(path) is not the only file of that name: \(Self.list(Array(others.prefix(4)))). Name the right one with --symbols"
        case .checksumDiffers(let link, let file):
            "the binary's debug link has the checksum \(Self.digits(link)), \(path) has \(Self.digits(file))"
        case .noDebugInformation: "\(path) has no debug information"
        case .slideDiffers(let own, let others?):
            "did not use \(path): the log has it 0x\(String(own, radix: 16)) after its address in the shared cache, and other images of the cache 0x\(String(others, radix: 16)), so that it was not loaded from this cache"
        case .slideDiffers(let own, nil):
            "did not use \(path): the log has it 0x\(String(own, radix: 16)) after its address in the shared cache, and each other image of the cache at another distance"
        case .folderNotReadYet: "\(path): its files are still being read: ask again in a moment"
        case .unreadable(let problem): problem
        }
    }

    /// Sixteen bytes are a UUID in all but the rarest builds; a build ID is the twenty bytes of a
    /// SHA-1, or eight.
    private static func word(for id: ImageID) -> String { id.uuid == nil ? "build ID" : "UUID" }

    private static func digits(_ value: UInt32) -> String { String(value, radix: 16) }

    private static func list(_ items: [String]) -> String { items.joined(separator: ", ") }
}
