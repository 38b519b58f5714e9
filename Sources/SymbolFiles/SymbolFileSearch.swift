public import BinaryPrimitives
public import ObjectFiles

/// What a search for an image's symbols found: the files to use, and every file that was looked into and not used, with the reason.
public struct SymbolFileSearch: Sendable {
    /// Files of one image, those with debug information first; empty if none was found.
    public private(set) var accepted: [AcceptedSymbolFile]
    public var refusals: [SymbolFileRefusal]

    public init(accepted: [AcceptedSymbolFile] = [], refusals: [SymbolFileRefusal] = []) {
        self.accepted = accepted
        self.refusals = refusals
    }

    var hasDebugInformation: Bool { accepted.first?.file.hasDebugInformation ?? false }

    /// Whether another file could add nothing.
    var isComplete: Bool { hasDebugInformation && accepted.contains(where: \.file.holdsCode) }

    /// Adds a file that says something which the others do not.
    mutating func add(_ file: AcceptedSymbolFile) {
        if file.file.hasDebugInformation {
            // The first file's debug information is used; a further one may be the binary.
            guard !hasDebugInformation || file.file.holdsCode else { return }
            accepted.insert(file, at: hasDebugInformation ? 1 : 0)
        } else {
            accepted.append(file)
        }
    }
}

/// A file whose symbols are used for an image.
public struct AcceptedSymbolFile: Sendable {
    /// What ties the file to the image.
    public enum Proof: Sendable, Hashable {
        /// Their UUIDs or build IDs are the same.
        case identity
        /// The log gives no identity; the names agree.
        case name
        /// Their identities differ and the user insists.
        case forced
    }

    public var candidate: SymbolFileCandidate
    public var file: any SymbolFile
    public var proof: Proof

    public init(candidate: SymbolFileCandidate, file: any SymbolFile, proof: Proof) {
        self.candidate = candidate
        self.file = file
        self.proof = proof
    }

    public var path: String { candidate.path }
}

/// Why a file was not used.
public struct SymbolFileRefusal: Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// The image's identity as the log has it, and those of the file (one for each architecture).
        case identityDiffers(log: ImageID, file: [ImageID])
        /// The log tells an identity and the file has none.
        case fileHasNoIdentity(log: ImageID)
        /// The log tells no identity, and this place needs one as a proof.
        case logHasNoIdentity
        /// None of the file's architectures is the image's; `wanted` is `nil` where the log does not tell it and the file has several.
        case otherArchitecture(wanted: Architecture?, file: [Architecture])
        /// The file could not be read as an object file: what is wrong.
        case unreadable(String)
    }

    public var path: String
    public var reason: Reason

    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// One sentence with both sides in it.
    public var description: String {
        switch reason {
        case .identityDiffers(let log, let file):
            "\(Self.word(for: log)) differs: the log has \(log), \(path) has \(Self.list(file.map(\.description)))"
        case .fileHasNoIdentity(let log): "no \(Self.word(for: log)) in \(path): the log has \(log)"
        case .logHasNoIdentity: "the log gives no UUID or build ID, so \(path) cannot be told to be the same file"
        case .otherArchitecture(let wanted?, let file): "\(path) is for \(Self.list(file.map(\.name))): the log has \(wanted)"
        case .otherArchitecture(nil, let file):
            "\(path) holds \(Self.list(file.map(\.name))): the log does not tell which one it was, so the architecture must be named"
        case .unreadable(let problem): problem
        }
    }

    /// Sixteen bytes are a UUID in all but the rarest builds; a build ID is the twenty bytes of a SHA-1, or eight.
    private static func word(for id: ImageID) -> String { id.uuid == nil ? "build ID" : "UUID" }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
