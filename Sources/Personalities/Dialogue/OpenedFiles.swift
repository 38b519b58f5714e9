internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// Files in which a drop-in tool looks up addresses. A file is opened at its first use, and again
/// after it was replaced.
struct OpenedFiles {
    private var files: [ImageFile?] = []
    /// The files' paths as they were named. There are few, and mostly the first is meant; a dictionary would
    /// cost each start more than this search ever does.
    private var paths: [String] = []
    /// Version of each file when it was opened; `nil` for files found by build ID.
    private var versions: [FileVersion?] = []
    /// Number of requested addresses of each file.
    private var counts: [Int] = []
    /// Whether a change of the file was reported.
    private var hasReported: [Bool] = []
    private let architecture: Architecture?
    private let options: FileOptions
    /// Details that results need.
    enum Needs {
        case nothing
        /// Discriminators, which indexes have, but for those of older versions.
        case discriminators
        /// `ResultDetails`: discriminators, and the names of functions that have several (`GNUNames`).
        case rows
        /// `FrameDetails`.
        case details
        /// `FrameDetails`, and the details of rows.
        case rowDetails
    }

    private let needs: Needs
    private var needsFiles: Bool { needs != .nothing && needs != .discriminators }

    var needsDiscriminators: Bool { needs == .discriminators }

    /// The index that gives a file's results; `nil` if the file itself does.
    func index(of file: ImageFile?) -> SymbolIndex? {
        guard !needsFiles, let index = file?.index, needs != .discriminators || index.hasDiscriminators else { return nil }
        return index
    }

    /// The number of the file of the command line, once it was opened.
    private(set) var given: Int?

    /// Maximum number of files that stay open; beyond it, the first ones are read again.
    private static let maxFiles = 64

    /// - Parameters:
    ///   - architecture: the slice of universal files; `nil` for this machine's.
    ///   - options: the directories of debug files, and the way that files are searched.
    ///   - needs: the details that results need.
    init(architecture: Architecture? = nil, _ options: FileOptions = FileOptions(), needs: Needs = .nothing) {
        self.architecture = architecture
        self.options = options
        self.needs = needs
    }

    /// The number of the file at a path. A file that cannot be read is tried once.
    /// - Throws: the error of opening the file, at the first request; later the result is `nil`.
    mutating func number(of path: Span<UInt8>) throws(ObjectFileError) -> Int? {
        var number = 0
        while number < paths.count, !path.equals(paths[number]) { number += 1 }
        return number < paths.count ? (files[number] == nil ? nil : number) : try open(path.text)
    }

    mutating func number(of path: String) throws(ObjectFileError) -> Int? { try number(of: path.utf8.span) }

    /// Opens the file of the command line, which may get a million questions.
    mutating func number(ofGiven path: String) throws(ObjectFileError) -> Int? {
        if given == nil { given = try number(of: path) }
        return given
    }

    private mutating func open(_ path: String) throws(ObjectFileError) -> Int {
        let number = files.count
        add(path)
        versions[number] = FileVersion(path: path)
        files[number] = try ImageFile(path: path, architecture: architecture, options)
        return number
    }

    private mutating func add(_ path: String) {
        paths.append(path)
        files.append(nil)
        versions.append(nil)
        counts.append(0)
        hasReported.append(false)
    }

    /// Reopens files that were replaced or written to. A caller may wait for hours between two addresses
    /// and rebuild its program meanwhile. A file that was deleted, or is not a complete object file yet,
    /// stays open as it was.
    /// - Returns: whether a file was reopened.
    mutating func reopenReplaced() -> Bool {
        var isAny = false
        for number in files.indices {
            guard let known = versions[number], let current = FileVersion(path: known.path), current != known,
                var file = try? ImageFile(path: known.path, architecture: architecture, options), current.isCurrent
            else { continue }
            file.wantsPlacedAddresses = files[number]?.wantsPlacedAddresses ?? false
            (files[number], versions[number]) = (file, current)
            (counts[number], hasReported[number]) = (0, false)
            isAny = true
        }
        return isAny
    }

    /// Makes addresses of the file count from the addresses where its sections are placed.
    mutating func usePlacedSections(of number: Int) { files[number]?.wantsPlacedAddresses = true }

    /// Returns the number of the file with a build ID; `nil` if none is found.
    mutating func number(ofBuildID id: [UInt8]) throws(ObjectFileError) -> Int? {
        // No path begins with a zero byte.
        let name = "\0" + id.map { String($0) }.joined(separator: ".")
        if let number = paths.firstIndex(of: name) { return files[number] == nil ? nil : number }
        add(name)
        files[files.count - 1] = try ImageFile(buildID: id, options)
        return files[files.count - 1] == nil ? nil : files.count - 1
    }

    /// Results for a batch of questions.
    struct Results: Sendable {
        var plain: [SymbolResult] = []
        /// Used instead of `plain` if details are needed.
        var detailed: [DetailedResult] = []
        /// For each plain result the discriminator of its innermost row, if discriminators are needed.
        var discriminators: [UInt64] = []
        /// For each plain result whether the debug information has the name of the function that holds the
        /// code, if discriminators are needed.
        var areNamedByDebugInformation: [Bool] = []
        /// For each question the index of its result; -1 if there is none.
        var resultIndices: [Int]

        var count: Int { plain.count + detailed.count }

        /// Returns the reason why a result may be incomplete.
        func note(_ number: Int) -> String? {
            guard case .found(let frames) = detailed.isEmpty ? plain[number] : detailed[number].result else { return nil }
            return frames.last?.note
        }
    }

    subscript(number: Int) -> ImageFile? { files[number] }

    var areTooMany: Bool { files.count > Self.maxFiles }

    /// Forgets every file and every number; a file that is requested again is opened again.
    mutating func closeAll() { self = OpenedFiles(architecture: architecture, options, needs: needs) }

    /// Makes the indexes that are worth their cost: a file with many requested addresses gets one, if it is
    /// large.
    mutating func makeIndexes(for queries: [AddressQuery]) {
        if needsFiles { return }
        for query in queries { if let number = query.file { counts[number] += 1 } }
        for number in files.indices where counts[number] >= IndexRule.batchAddresses {
            // Tried once: a file that cannot have an index now never can.
            counts[number] = .min
            files[number]?.makeIndex()
        }
    }

    /// Returns the changes of files since they were opened, each file's once.
    mutating func newChanges() -> [FileChange] {
        var changes: [FileChange] = []
        for number in files.indices where !hasReported[number] {
            guard let change = files[number]?.change else { continue }
            hasReported[number] = true
            changes.append(change)
        }
        return changes
    }

    /// Drops indexes that were changed or removed.
    /// - Returns: whether there was one.
    mutating func forgetChangedIndexes() -> Bool {
        var isAny = false
        for number in files.indices where files[number]?.hasChangedIndex ?? false {
            files[number]?.forgetIndex()
            isAny = true
        }
        return isAny
    }

    /// Returns the end of the first questions of a range that are all about the code of one file that has an
    /// index.
    func endOfIndexed(_ queries: [AddressQuery], _ range: Range<Int>) -> Int {
        guard let number = queries[range.lowerBound].file, index(of: files[number]) != nil else { return range.lowerBound }
        var end = range.lowerBound
        while end < range.upperBound, queries[end].file == number, queries[end].subject == .code { end += 1 }
        return end
    }

    /// Looks up questions about any of the files, in any order: sorted, each address of a file once, all of a
    /// file together. Questions about files with an index are left out.
    func results(for queries: [AddressQuery]) -> Results {
        var resultIndices = [Int](repeating: -1, count: queries.count)
        var results = Results(resultIndices: [])
        if queries.count == 1, let query = queries.first {
            if query.subject == .code, let number = query.file, let file = files[number], index(of: file) == nil {
                resultIndices[0] = 0
                add([query.address], of: file.prepared(forPlacedAddresses: query.isSymbolAddress), to: &results)
            }
            results.resultIndices = resultIndices
            return results
        }
        for (number, file) in files.enumerated() {
            guard let file, index(of: file) == nil else { continue }
            for arePlacedAddresses in [false, true] {
                var order = queries.indices.filter {
                    queries[$0].file == number && queries[$0].subject == .code && queries[$0].isSymbolAddress == arePlacedAddresses
                }
                order.sort { queries[$0].address.value < queries[$1].address.value }
                var addresses: [LinkAddress] = []
                for index in order {
                    let address = queries[index].address
                    if addresses.last != address { addresses.append(address) }
                    resultIndices[index] = results.count + addresses.count - 1
                }
                if !addresses.isEmpty { add(addresses, of: file.prepared(forPlacedAddresses: arePlacedAddresses), to: &results) }
            }
        }
        results.resultIndices = resultIndices
        return results
    }

    private func add(_ addresses: [LinkAddress], of file: ImageFile, to results: inout Results) {
        switch needs {
        case .nothing: results.plain += file.results(at: addresses)
        case .discriminators:
            let (found, details) = file.resultsWithRows(at: addresses)
            results.plain += found
            results.discriminators += details.map(\.discriminator)
        case .rows:
            let (found, details) = file.resultsWithRows(at: addresses)
            for (result, row) in zip(found, details) {
                // Otherwise the order of preference has already chosen the symbol, as for every command.
                let isStrict = options.prefersLastSymbols
                var renamed = result
                if isStrict, let name = row.functionName { renamed = GNUNames.renamed(result, debugName: name) }
                results.plain.append(renamed)
                results.discriminators.append(row.discriminator)
                var isSame = false
                if case .found(let frames) = renamed, let name = row.functionName { isSame = frames.last?.name == name }
                results.areNamedByDebugInformation.append(isSame)
            }
        case .details, .rowDetails:
            results.detailed += file.detailedResults(at: addresses, withRows: needs == .rowDetails)
        }
    }
}
