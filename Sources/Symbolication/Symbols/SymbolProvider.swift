package import BinaryPrimitives
package import ObjectFiles
package import SymbolFiles
package import SymbolSources

/// Provides the symbols of images. `SourceProvider` reads them from files; a test, or a program with symbols of
/// its own, provides others.
package protocol SymbolProvider: Sendable {
    /// Gets all images of a report before the first is requested, so that slow locations are searched
    /// for all of them at once.
    func prepare(for requests: [ImageRequest])

    /// The symbols of an image that a log lists, or the reasons why there are none.
    func symbols(for request: ImageRequest) -> ImageSymbols

    /// The symbols of an image, if files that only a name or a path ties to the image must fit the report's
    /// evidence about its code.
    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols

    /// Lists the search for an image: every location that is searched, and the result there.
    func trail(for request: ImageRequest) -> SearchTrail

    /// Lists the search for an image, with evidence of the report.
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail

    /// The files that the user named, as images at their link addresses: for logs that list no images.
    /// - Parameter processName: process that the log names: a file of that name in a directory that the user
    ///   named counts as named.
    func unslidImages(processName: String?) -> [UnslidImage]

    /// The files that may be images of a log which lists none, and must prove it by the log's
    /// functions or calls: those that the user named, files of these names in folders that the user
    /// named, and all files of a small folder.
    /// - Parameter names: names of the process, and of images in the log's rows.
    func provableImages(named names: [String]) -> [UnslidImage]

    /// The code that a process compiled while it ran, from files of it that the user named, or that are in folders that the user
    /// named: its functions at their addresses.
    /// - Parameter process: the process's number; `nil`: only files that have no number count.
    func generatedCode(ofProcess process: Int?) -> [UnslidImage]

    /// Problems of files that the user named and that cannot be read, one line each.
    func unreadableFiles() -> [String]

    /// Looks for what was not found once more, where it is requested again: files may have come.
    func refreshMissing()

    /// Files in folders and archives that the user named, by their names there, with their images.
    /// - Parameter found: gets the files.
    /// - Returns: the images of each file, in their order.
    func images(ofNames found: inout FoundNames) -> [[any SymbolFile]]

    /// A source file of a build, from the servers that have such: its path on this machine.
    /// - Parameter path: as the debug information has it, from `/` on.
    /// - Returns: `nil` where none has it.
    func downloadedSource(of id: ImageID, at path: String) -> String?

    /// The shared cache of Apple's systems with that UUID of its own; `nil` where none is found.
    func sharedCache(id: ImageID) -> SharedCache?

    /// Programs that run on this machine and may have written the log: `cairn ci`'s own command.
    func runningPrograms() -> [UnslidImage]
}

extension SymbolProvider {
    package func prepare(for requests: [ImageRequest]) {}
    package func provableImages(named names: [String]) -> [UnslidImage] { unslidImages(processName: names.first) }
    package func generatedCode(ofProcess process: Int?) -> [UnslidImage] { [] }
    package func refreshMissing() {}
    package func unreadableFiles() -> [String] { [] }
    package func images(ofNames found: inout FoundNames) -> [[any SymbolFile]] { [] }
    package func downloadedSource(of id: ImageID, at path: String) -> String? { nil }
    package func sharedCache(id: ImageID) -> SharedCache? { nil }
    package func runningPrograms() -> [UnslidImage] { [] }
    package func trail(for request: ImageRequest) -> SearchTrail { SearchTrail() }
    package func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols { symbols(for: request) }
    package func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { trail(for: request) }
}

/// Provides no symbols, for callers that need only the content of a log.
package struct NoSymbols: SymbolProvider {
    package init() {}

    package func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: nil) }
    package func unslidImages(processName: String?) -> [UnslidImage] { [] }
}

/// The symbols of one image: the source, its files, and the files that were rejected.
package struct ImageSymbols: Sendable {
    /// Resolves addresses; `nil` where no file was found.
    package var source: (any SymbolSource)?
    /// The files that the source reads, the one with debug information first.
    package var files: [File]
    /// Files that were looked into and not used.
    package var refusals: [SymbolFileRefusal]
    /// Source paths that the files themselves give, tried in this order.
    package var sourcePaths: [PathMap] = []
    /// The image's code as a witness; `nil` where no file has it.
    var code: CodeWitness?
    /// The files themselves, in the order of `files`.
    package var opened: [any SymbolFile] = []

    package struct File: Sendable, Hashable {
        package var candidate: SymbolFileCandidate
        package var proof: AcceptedSymbolFile.Proof

        package init(candidate: SymbolFileCandidate, proof: AcceptedSymbolFile.Proof) {
            self.candidate = candidate
            self.proof = proof
        }
    }

    package init(source: (any SymbolSource)?, files: [File] = [], refusals: [SymbolFileRefusal] = []) {
        self.source = source
        self.files = files
        self.refusals = refusals
    }

    /// All files have the image's identity from the log.
    var isProven: Bool { !files.isEmpty && files.allSatisfy { $0.proof == .identity } }

    /// Whether it is code that the process with that number compiled while it ran.
    func isCode(ofProcess process: Int?) -> Bool { process != nil && (opened.first as? GeneratedCodeFile)?.process == process }

    /// The file was taken although its identity differs from the log's.
    package var isForced: Bool { files.contains { $0.proof == .forced } }
}

/// A file as an image at its link addresses: 2008's executables were never moved.
package struct UnslidImage: Sendable {
    package var name: String
    package var path: String
    /// `nil` where the file does not give it.
    package var architecture: Architecture?
    package var id: ImageID?
    /// Link address of its first mapped byte.
    package var base: LinkAddress
    /// The ranges of its executable sections, ascending, none of which meet: an address outside all of them is not code of this file.
    package let code: [Range<UInt64>]
    package var symbols: ImageSymbols

    package init(
        name: String, path: String, architecture: Architecture?, id: ImageID?, base: LinkAddress, code: [Range<UInt64>],
        symbols: ImageSymbols
    ) {
        self.name = name
        self.path = path
        self.architecture = architecture
        self.id = id
        self.base = base
        self.code = code.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            guard let last = merged.last, range.lowerBound <= last.upperBound else { return merged.append(range) }
            merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        }
        self.symbols = symbols
    }

    /// Whether the address, taken as a link address, is code of this file.
    package func covers(_ address: RuntimeAddress) -> Bool {
        let address = linkAddress(address).value
        let next = code.partitionPoint { $0.lowerBound > address }
        return next > 0 && code[next - 1].contains(address)
    }

    /// An address of a process as one of this file.
    func linkAddress(_ address: RuntimeAddress) -> LinkAddress {
        let plain = LinkAddress(address.value)
        return architecture.map { plain.withoutSignExtension($0) } ?? plain
    }

    /// Whether it is code that a process compiled while it ran, and not a file that is mapped.
    var isGenerated: Bool { symbols.opened.first is GeneratedCodeFile }
}

/// Makes the source that resolves addresses from one image's files.
/// - Parameter files: files of one image; the one with debug information, if there is one, comes
///   first.
package typealias SymbolSourceOpener = @Sendable (_ files: [any SymbolFile]) -> any SymbolSource
