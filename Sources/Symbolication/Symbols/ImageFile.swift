package import BinaryPrimitives
package import ObjectFiles
package import SymbolFiles
package import SymbolSources

/// A file that the user named to look up addresses in it, with the debug file that belongs to it.
package struct ImageFile {
    /// The file as named: its sections and load address count.
    package let object: ObjectFile
    /// It and its companion, the one with debug information first.
    package let source: ObjectSource
    /// The source with the readable names of an app that was uploaded without them, or from an index.
    private var readable: any SymbolSource
    /// They, the one with debug information first.
    private let files: [ObjectFile]
    /// Addresses of a relocatable file are looked up as its sections are placed, not as they count
    /// from a section.
    package var wantsPlacedAddresses = false
    /// Index that is searched instead of the files, with the same results.
    package private(set) var index: SymbolIndex?

    /// - Parameters:
    ///   - objects: objects in the file at `path`, one for each slice.
    ///   - architecture: the slice; `nil` for the only one, or this machine's.
    ///   - companions: locations in which the debug file is searched for.
    ///   - options: further inputs of the files' source.
    ///   - usesTablesAlone: the files' own tables are used, and neither an index nor the names that
    ///     an app was uploaded without.
    package init(
        _ objects: [ObjectFile], path: String, architecture: Architecture?, _ companions: Companions,
        _ options: SourceOptions = SourceOptions(),
        usesTablesAlone: Bool = false
    ) throws(ObjectFileError) {
        let isOneOfMany = objects.count > 1
        try Self.requireEntry(objects, path: path)
        let wanted = architecture ?? (isOneOfMany && objects.contains { $0.architecture == .host } ? .host : nil)
        let object = try Self.choose(wanted, among: objects, path: path)
        self.object = object
        var files = [object]
        if let debugFile = companions.find(for: object)?.file as? ObjectFile { files.insert(debugFile, at: 0) }
        source = ObjectSource(files, options, keepsSections: true)
        self.files = files
        let indexes = CacheFolder.standard().map { IndexPolicy(cache: IndexCache(cacheFolder: $0)) }
        if let first = files.first, first.description.isCompleteAlone {
            index = options.splitPackage == nil && !usesTablesAlone ? indexes?.index(for: first) : nil
            readable = index.map { IndexSource($0, files) } ?? source
        } else {
            readable = usesTablesAlone ? source : ImageSource.open(files, hiddenNames: BCSymbolMapSearch(), indexes: indexes)
        }
    }

    /// The images that addresses of a file are looked up in: each entry of a kernel cache, a file of hundreds of
    /// images that are linked next to each other; of any other file the one that is meant.
    /// - Parameters:
    ///   - path: an object file or a dSYM bundle.
    ///   - architecture: the slice; `nil` for the only one, or this machine's.
    package static func openAll(path: String, architecture: Architecture?) throws(ObjectFileError) -> [ImageFile] {
        try openAll(mainMember(of: try ObjectFiles.openAll(path: path), path: path), path: path, architecture: architecture)
    }

    /// As `each(path:architecture:)`, of objects that are open.
    package static func openAll(
        _ objects: [ObjectFile], path: String, architecture: Architecture?
    ) throws(ObjectFileError) -> [ImageFile] {
        let companions = Companions(fetched: .inUse())
        guard objects.contains(where: \.isFilesetEntry) else {
            return [try ImageFile(objects, path: path, architecture: architecture, companions)]
        }
        // Each entry alone: another architecture is rejected as in any file.
        var files: [ImageFile] = []
        for object in objects { files.append(try ImageFile([object], path: object.path, architecture: architecture, companions)) }
        return files
    }

    /// - Parameter alternative: another way to name the entry, for the message.
    /// - Throws: `ObjectFileError` where an entry of a kernel cache has to be named and is not.
    package static func requireEntry(
        _ objects: [ObjectFile], path: String, or alternative: String? = nil
    ) throws(ObjectFileError) {
        guard objects.count > 1, let first = objects.first(where: \.isFilesetEntry) else { return }
        let example = objects.first { $0.description.entryName == "com.apple.kernel" } ?? first
        throw ObjectFileError(
            .noSuchSlice, path: path,
            "a kernel cache of \(objects.count) images: expected one of them, such as \(example.path)\(alternative.map { ", or \($0)" } ?? "")"
        )
    }

    /// Returns the member after which a dSYM bundle with several members is named: `App` of `App.dSYM` and of
    /// `App.app.dSYM`.
    package static func mainMember(of objects: [ObjectFile], path: String) -> [ObjectFile] {
        guard DSYMBundle.isNamed(path) else { return objects }
        let stem = Path.name(of: path).dropLast(".dSYM".count)
        let main = objects.filter { object in
            let name = Path.name(of: object.path)
            return stem == name || stem.hasPrefix(name + ".")
        }
        return main.isEmpty ? objects : main
    }

    private static func choose(_ wanted: Architecture?, among objects: [ObjectFile], path: String) throws(ObjectFileError) -> ObjectFile {
        if let index = SymbolFileSearch.choose(wanted, among: objects.map(\.architecture)) { return objects[index] }
        let architectures = objects.map(\.architecture.name).joined(separator: ", ")
        let expected = wanted.map { "expected \($0)" } ?? "expected an architecture to be named (-arch)"
        throw ObjectFileError(.noSuchSlice, path: path, "it holds \(architectures): \(expected)")
    }

    /// Whether the address is one that the file maps. Files without segments map their loaded
    /// sections.
    package func maps(_ address: LinkAddress) -> Bool {
        guard let address = linkAddress(of: address) else { return false }
        let segments = object.description.segments
        if segments.isEmpty { return object.section(containing: address) != nil }
        return segments.contains { segment in
            segment.name != "__PAGEZERO" && (address.distance(from: segment.address).map { $0 < segment.size } ?? false)
        }
    }

    /// Converts an address that a user typed: it is unchanged, but in a relocatable file it counts from a
    /// section and becomes the address at which the section was placed.
    package func linkAddress(of address: LinkAddress) -> LinkAddress? {
        guard let offset = address.offset(fromImageBase: object.baseAddress), case .address(let location) = object.resolve(offset) else {
            return nil
        }
        return location
    }

    /// The file whose symbol table is the fullest: this one, unless it was stripped and its debug
    /// file was not.
    package var symbolTableFile: ObjectFile { object.hasFullSymbolTable ? object : files.first { $0.hasFullSymbolTable } ?? object }

    /// Whether there are other files, which may resolve addresses that the file with an index does not.
    package var hasOtherFiles: Bool { files.count > 1 }

    /// Makes an index that is kept for this run, if one pays for a file of this size. Later lookups
    /// use it.
    package mutating func makeIndex() {
        guard index == nil, let first = files.first, first.description.isCompleteAlone, IndexRule.isLarge(first),
            let made = try? IndexWriter.make(first)
        else { return }
        index = made
        readable = IndexSource(made, files)
    }

    /// Change of one of the files since it was opened.
    package var change: FileChange? { source.change }

    /// Whether the index has changed, so that its results cannot be used any more.
    package var hasChangedIndex: Bool { index?.file.change(checksTime: false) != nil }

    /// Takes results from the files themselves from now on.
    package mutating func forgetIndex() {
        index = nil
        readable = source
    }

    /// Whether lookups use link addresses, not offsets from the base.
    private var usesLinkAddresses: Bool { wantsPlacedAddresses && object.description.sectionsArePlaced }

    /// Returns this file for lookups of placed addresses if `isWanted`.
    package func prepared(forPlacedAddresses isWanted: Bool) -> ImageFile {
        var file = self
        file.wantsPlacedAddresses = wantsPlacedAddresses || isWanted
        return file
    }

    /// The addresses that are to be looked up, sorted: their numbers.
    private func order(of addresses: [LinkAddress]) -> [Int] {
        addresses.indices.filter { usesLinkAddresses || addresses[$0] >= object.baseAddress }.sorted { addresses[$0] < addresses[$1] }
    }

    /// The results for link addresses in any order, in that order.
    package func results(at addresses: [LinkAddress]) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.outsideImage), count: addresses.count)
        let order = order(of: addresses)
        let inOrder =
            usesLinkAddresses ? readable.frames(at: order.map { addresses[$0] }) : readable.frames(at: offsets(order, addresses))
        for (index, result) in zip(order, inOrder) { results[index] = result }
        return results
    }

    /// Returns the same results, each with details of its innermost row from the debug information, read from
    /// the files without the index.
    package func resultsWithRows(at addresses: [LinkAddress]) -> ([SymbolResult], [ResultDetails]) {
        var results = [SymbolResult](repeating: .unresolved(.outsideImage), count: addresses.count)
        var details = [ResultDetails](repeating: ResultDetails(), count: addresses.count)
        let order = order(of: addresses)
        var found: [ResultDetails] = []
        let inOrder =
            usesLinkAddresses
            ? source.frames(at: order.map { addresses[$0] }, details: &found)
            : source.frames(at: offsets(order, addresses), details: &found)
        for (index, (number, result)) in zip(order, inOrder).enumerated() {
            results[number] = result
            details[number] = found[index]
        }
        return (results, details)
    }

    /// Returns the same results with details that only some tools print, read from the files without the index.
    /// - Parameter withRows: also returns rows' flags, and lines before code that has no line.
    package func detailedResults(at addresses: [LinkAddress], withRows: Bool = false) -> [DetailedResult] {
        var results = [DetailedResult](repeating: DetailedResult(.unresolved(.outsideImage)), count: addresses.count)
        let order = order(of: addresses)
        let inOrder =
            usesLinkAddresses
            ? source.detailedFrames(at: order.map { addresses[$0] }, withRows: withRows)
            : source.detailedFrames(at: offsets(order, addresses), withRows: withRows)
        for (index, result) in zip(order, inOrder) { results[index] = result }
        return results
    }

    private func offsets(_ order: [Int], _ addresses: [LinkAddress]) -> [ImageOffset] {
        order.compactMap { addresses[$0].offset(fromImageBase: object.baseAddress) }
    }
}

extension Architecture {
    /// This machine's.
    package static var host: Architecture {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .arm64
        #else
            Architecture("host")
        #endif
    }
}
