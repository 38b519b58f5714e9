internal import BinaryPrimitives
package import CrashLogModel
package import SymbolFiles

/// Facts about a report's images that are found before their symbols are looked up: their load addresses, and
/// which given files they are. The content of the log is not changed.
struct ImagePlacement {
    /// The report with these facts: images that have a base now, and frames that have a position in them.
    private(set) var report: CrashReport
    private(set) var notes: [String] = []
    let given: GivenImages
    /// Files that belong to an image without a search for it, by the image's index.
    private(set) var paths: [Int: String] = [:]
    /// Files among `paths` that the log's own functions have chosen.
    private(set) var filesByFunctions: Set<String> = []
    /// Bases that were found by return addresses, by the image's index.
    private(set) var bases: [Int: BaseFinding] = [:]
    /// Whether the log itself gives the images' addresses.
    let listsBases: Bool
    /// Why the log is from another machine; `nil` where nothing shows that it is, or where it is not checked.
    let otherMachine: String?

    /// - Parameter origin: origin of the log; `nil`: this machine's files are not used by their paths.
    init(_ report: CrashReport, options: SymbolicatorOptions, provider: any SymbolProvider, origin: LogOrigin?) {
        listsBases = report.images.contains { $0.base != nil || $0.textAddress != nil }
        let report = SharedCacheImages(report) { provider.sharedCache(id: $0) }.report
        let given = GivenImages(options.images, report: report) { image in
            GivenImages.size(of: image, architecture: report.architecture, among: provider.unslidImages(processName: nil))
        }
        self.given = given
        let called = Self.names(in: given.report)
        var names = given.paths
        otherMachine = origin.flatMap { OtherMachine.reason(report, from: $0) }
        let evidence = CodeEvidence(origin: origin, otherMachine: otherMachine, printedAt: options.printedAt)
        // If a list of images is damaged, no file is assigned to an image by its name or content.
        func files() -> [UnslidImage] {
            report.hasUnreadImages
                ? []
                : provider.provableImages(named: called).filter {
                    !given.isMoved($0) && !FileStamp.isModified($0.path, after: options.printedAt)
                }
        }

        let neighbours = NeighbourBases(given.report) { index in
            provider.symbols(for: ImageRequest(given.report.images[index], in: given.report, givenPath: names[index]))
        } given: {
            files()
        }
        names.merge(neighbours.paths) { own, _ in own }
        filesByFunctions = Set(neighbours.paths.values)
        let signed = SignedAddresses(neighbours.report)
        let found = FoundBases(signed.report) { index in
            let request = ImageRequest(
                signed.report.images[index], in: signed.report, givenPath: names[index], folders: origin?.folders ?? [])
            return provider.symbols(for: request, evidence: evidence)
        } given: {
            files()
        } running: {
            origin == nil ? [] : provider.runningPrograms()
        }
        names.merge(found.paths) { own, _ in own }
        self.report = found.report
        paths = names
        bases = found.findings
        notes = given.notes + neighbours.notes + signed.notes + found.notes
    }

    /// Names that files of the report's images may have: the process, and the images that rows name and the log
    /// does not list.
    private static func names(in report: CrashReport) -> [String] {
        let loose = report.stacks.lazy.flatMap { $0.frames }.compactMap { $0.image == nil ? $0.imageName : nil }
        var names = report.process.name.map { [$0] } ?? []
        for name in loose where names.count < maxNames && !names.contains(name) { names.append(name) }
        return names
    }

    /// A stack of a large app has rows of twenty images.
    private static let maxNames = 32
}

extension ImageRequest {
    /// - Parameters:
    ///   - givenPath: the file that the user named for the image, or that was found to be it.
    ///   - folders: directories from which a relative path may count.
    package init(_ image: BinaryImage, in report: CrashReport, givenPath: String?, folders: [String] = []) {
        let architecture = image.architecture ?? report.architecture
        // The load address is passed only where nothing gives the architecture. Without it, the
        // same image of many logs is one request, and is opened once.
        self.init(
            name: image.name, path: image.path, architecture: architecture, id: image.id,
            loadAddress: architecture == nil ? image.base : nil, size: image.size, startInFile: image.startInFile)
        self.givenPath = givenPath
        (debugFile, debugIdentifier, codeIdentifier) = (image.debugFile, image.debugIdentifier, image.codeIdentifier)
        hasKnownBase = image.base != nil
        isNamedWithoutEnding = image.isNamedWithoutEnding
        hasUnreadID = image.id == nil && report.hasUnreadImages
        if let path = image.path, !path.hasPrefix("/") { self.folders = folders }
    }
}
