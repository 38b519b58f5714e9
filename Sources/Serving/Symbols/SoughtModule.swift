internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// A module as a protocol names it.
protocol SoughtModule: Hashable, Sendable {
    /// Identities to look for, the likeliest first. Empty where the module has no identity: then no
    /// file could prove that it is the module's.
    var requests: [SoughtIdentity] { get }
}

/// One reading of a module's identity.
struct SoughtIdentity: Sendable {
    var request: ImageRequest
    /// It is the build ID of an ELF file.
    var isELF: Bool

    /// The same where no folder is waited for that is being read.
    var withoutWaiting: SoughtIdentity {
        var identity = self
        identity.request.waitsForFolders = false
        return identity
    }

    init(_ request: ImageRequest, isELF: Bool) {
        self.request = request
        self.isELF = isELF
    }

    /// An identity in a debug ID: a GUID in 32 hexadecimal digits, and the age.
    /// - Parameter debugFile: the name that the folders of symbol stores have; `nil` where they
    ///   are called by the module's name.
    /// - Returns: `nil` for a text that is no debug ID.
    init?(name: String, debugFile: String?, debugID: String, isELF: Bool) {
        guard let found = BreakpadID.identity(debugID, isELF: isELF), let id = isELF ? ImageID(buildID: found.bytes) : found else {
            return nil
        }
        request = ImageRequest(name: name, id: id)
        request.debugFile = debugFile
        // The digits of the age are in lower case, as `dump_syms` prints them.
        if debugFile != nil { request.debugIdentifier = debugID.prefix(32).uppercased() + debugID.dropFirst(32).lowercased() }
        self.isELF = isELF
    }
}

extension SymbolProvider {
    /// A module's symbols, also from places that are slow: debuginfod servers are queried for what
    /// is prepared alone.
    func prepared(for request: ImageRequest) -> ImageSymbols {
        prepare(for: [request])
        return symbols(for: request)
    }

    /// A module's symbols, or the reasons why there are none; `nil` for a module without identity.
    /// - Parameter identities: the readings of its identity.
    func symbols(for identities: [SoughtIdentity]) -> ImageSymbols? {
        // No reading waits for a folder where another one leads to a file's own location.
        for identity in identities.count > 1 ? identities.map(\.withoutWaiting) : [] {
            let found = symbols(for: identity.request)
            if found.opened.contains(where: { !($0 is ObjectFile) || $0.hasDebugInformation }) { return found }
        }
        var missing: (symbols: ImageSymbols, isMeant: Bool)?
        for identity in identities {
            let found = symbols(for: identity.request)
            if found.source != nil { return found }
            // A file of the name shows which of two identities is meant.
            let isMeant = found.refusals.contains { refusal in
                guard case .identityDiffers(_, let file) = refusal.reason else { return false }
                return file.contains { $0.isBuildID == identity.isELF }
            }
            if missing.map({ !$0.isMeant && isMeant }) ?? true { missing = (found, isMeant) }
        }
        return missing?.symbols
    }
}
