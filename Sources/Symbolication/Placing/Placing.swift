internal import BinaryPrimitives
package import CrashLogModel
package import SymbolFiles

/// What is found out about a report's images before their symbols are looked up: where they were
/// loaded, and which given files they are. What the log says stays as it is.
struct Placing {
    /// The report with what was found: images that have a base now, and frames that have a place in
    /// them.
    private(set) var report: CrashReport
    private(set) var notes: [String] = []
    let given: GivenImages
    /// The files that are an image's without being found for it, by the image's index.
    private(set) var paths: [Int: String] = [:]
    /// Of those, the files that the log's own functions have chosen.
    private(set) var filesByFunctions: Set<String> = []
    /// How bases were found by return addresses, by the image's index.
    private(set) var bases: [Int: BaseFinding] = [:]
    /// The log itself says where images lie.
    let listsBases: Bool
    /// Why the log is another machine's; `nil` where nothing says so, or where it is not checked.
    let otherMachine: String?

    /// - Parameter origin: of the log; `nil`: this machine's files are not taken by their paths.
    init(_ report: CrashReport, options: SymbolicatorOptions, provider: any SymbolProvider, origin: LogOrigin?) {
        listsBases = report.images.contains { $0.base != nil || $0.textAddress != nil }
        let given = GivenImages(options.images, report: report) { image in
            GivenImages.size(of: image, architecture: report.architecture, among: provider.unslidImages(processName: nil))
        }
        self.given = given
        let called = Self.names(in: given.report)
        var names = given.paths
        otherMachine = origin.flatMap { OtherMachine.reason(report, from: $0) }
        let evidence = CodeEvidence(origin: origin, otherMachine: otherMachine, printedAt: options.printedAt)
        // Where a list of images is damaged, no file is an image's because of what it is called or
        // holds.
        func files() -> [UnslidImage] {
            report.hasUnreadImages
                ? []
                : provider.provableImages(named: called).filter {
                    !given.isPlaced($0) && !FileStamp.isModified($0.path, after: options.printedAt)
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

    /// What files may be called that are images of the report: the process, and the images that
    /// rows name and the log does not list.
    private static func names(in report: CrashReport) -> [String] {
        let loose = report.stacks.lazy.flatMap { $0.frames }.compactMap { $0.image == nil ? $0.imageName : nil }
        var names = report.process.name.map { [$0] } ?? []
        for name in loose where names.count < mostNames && !names.contains(name) { names.append(name) }
        return names
    }

    /// A stack of a large app has rows of twenty images.
    private static let mostNames = 32
}

extension ImageRequest {
    /// - Parameters:
    ///   - givenPath: the file that the user named for the image, or that was found to be it.
    ///   - folders: from which a relative path may count.
    package init(_ image: BinaryImage, in report: CrashReport, givenPath: String?, folders: [String] = []) {
        let architecture = image.architecture ?? report.architecture
        // The load address is passed only where nothing gives the architecture. Without it, the
        // same image of many logs is one request, and is opened once.
        self.init(
            name: image.name, path: image.path, architecture: architecture, id: image.id,
            loadAddress: architecture == nil ? image.base : nil, size: image.size, startInFile: image.startInFile)
        self.givenPath = givenPath
        (debugFile, debugIdentifier) = (image.debugFile, image.debugIdentifier)
        hasUnreadID = image.id == nil && report.hasUnreadImages
        if let path = image.path, !path.hasPrefix("/") { self.folders = folders }
    }
}
