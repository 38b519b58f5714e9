package import BinaryPrimitives
internal import Console
package import ObjectFiles
internal import SymbolFiles
package import SymbolSources
internal import Symbolication

/// A file that the user named to ask it addresses, with the debug file that belongs to it.
package struct ImageFile {
    /// The file as named: its sections and load address count.
    package let object: ObjectFile
    /// It and its companion, the one with debug information first.
    package let source: ObjectSource
    /// The same, with the names of an app that was uploaded without them, or from an index.
    private var readable: any SymbolSource
    /// They, the one with debug information first.
    private let files: [ObjectFile]
    /// Addresses of a relocatable file are asked for as its sections are placed, not as they count from a section.
    var isAskedForPlaces = false
    /// What answers in their place, as they would.
    private(set) var index: SymbolIndex?

    /// Where debug files are looked for beside the places where they are always.
    struct Places {
        /// Roots of GDB's layout (`.build-id/ab/cdef.debug`).
        var debugFileDirectories: [String] = []
        /// The root below which a debug link is followed at last, in the place of `/usr/lib/debug`.
        var fallbackDebugPath: String?
        var dsymHints: [String] = []
        /// The package of split units.
        var package: String?
        /// Debug files are looked for among those that LLVM's tools have fetched from servers, too; a file that is named by its build ID, where they may be used.
        var usesFetchedFiles = environmentVariable("DEBUGINFOD_URLS").map { !$0.isEmpty } ?? false
        var mayUseFetchedFiles = true
        /// Split units are looked for where the compiler wrote them alone, and debug information is asked about addresses that the file does not map.
        var asksAsLLVM = false
        /// How one of several symbols at an address is chosen; `nil` for LLVM's order where LLVM's ways are wanted, else the preferred one.
        var symbols: SymbolOrder?
        /// The name `-` means the object that standard input holds.
        var takesStandardInput = false
    }

    /// - Parameters:
    ///   - path: an object file or a dSYM bundle.
    ///   - architecture: the slice; `nil` for the only one, or this machine's.
    package init(path: String, architecture: Architecture?) throws(ObjectFileError) {
        let objects = ImageFile.mainMember(of: try ObjectFiles.openAll(path: path), path: path)
        try self.init(objects, path: path, architecture: architecture, Places())
    }

    /// - Parameters:
    ///   - path: an object file, a dSYM bundle, or `archive(member)`. With `:arch` behind it, it says which slice.
    ///   - architecture: the slice of universal files that are named without one.

    init(path: String, architecture: Architecture?, _ places: Places) throws(ObjectFileError) {
        let name = NamedImage(path)
        let isStandardInput = places.takesStandardInput && path == "-"
        let opened = isStandardInput ? try ImageFile.standardInput(path) : try name.open()
        let objects = ImageFile.mainMember(of: opened, path: name.path)
        // What is meant for universal files says nothing about a file with one object.
        try self.init(objects, path: path, architecture: objects.count > 1 ? name.architecture ?? architecture : nil, places)
    }

    /// The objects in what standard input holds, all of it.
    private static func standardInput(_ path: String) throws(ObjectFileError) -> [ObjectFile] {
        guard let bytes = try? readInput(path), let file = try? MappedFile(bytes: bytes.span.rawBytes, name: path) else {
            throw ObjectFileError(.unreadable, path: path, "standard input cannot be read")
        }
        return try ObjectFiles.openAll(file)
    }

    /// The file with a build ID, in one of the places; `nil` where none has it.
    init?(buildID: [UInt8], _ places: Places) throws(ObjectFileError) {
        let roots = places.debugFileDirectories.isEmpty ? ["/usr/lib/debug"] : places.debugFileDirectories
        let request = ImageRequest(name: "", architecture: nil, id: ImageID(bytes: buildID))
        var paths = roots.flatMap { BuildIDFolder(root: $0).expectedPaths(for: request) }
        if places.mayUseFetchedFiles, let id = request.id { paths += LLVMDebuginfodCache.standard()?.expectedPaths(for: id) ?? [] }
        guard let path = paths.first(where: { PathKind(path: $0) == .file }) else { return nil }
        try self.init(try ObjectFiles.openAll(path: path), path: path, architecture: nil, places)
    }

    private init(_ objects: [ObjectFile], path: String, architecture: Architecture?, _ places: Places) throws(ObjectFileError) {
        let isOneOfMany = objects.count > 1
        let wanted = architecture ?? (isOneOfMany && objects.contains { $0.architecture == .host } ? .host : nil)
        let object = try ImageFile.choose(wanted, among: objects, path: path)
        self.object = object
        var files = [object]
        if !object.hasDebugInformation, let companion = ImageFile.companion(of: object, places) { files.insert(companion, at: 0) }
        source = ObjectSource(
            files, SourcePlaces(splitPackage: places.package, asksAsLLVM: places.asksAsLLVM, symbols: places.symbols),
            keepsSections: true)
        self.files = files
        let indexes = CacheFolder.standard().map { IndexPolicy(cache: IndexCache(cacheFolder: $0)) }
        // A Mach-O binary beside its dSYM has a debug map, names of the dynamic linker's, and perhaps hidden ones.
        if let first = files.first, first.description.container == .elf {
            index = places.package == nil && !places.asksAsLLVM ? indexes?.index(for: first) : nil
            readable = index.map { IndexSource($0, files) } ?? source
        } else {
            readable = places.asksAsLLVM ? source : ImageSource.open(files, hiddenNames: BCSymbolMapSearch(), indexes: indexes)
        }
    }

    /// The debug file of a file that has no debug information itself.
    private static func companion(of object: ObjectFile, _ places: Places) -> ObjectFile? {
        for hint in places.dsymHints {
            let member = Path.join(hint, "Contents/Resources/DWARF/" + Path.name(of: object.path))
            let same = (try? ObjectFiles.openAll(path: member))?.first { $0.identity == object.identity && object.identity != nil }
            if let same { return same }
        }
        let roots = places.debugFileDirectories + (places.fallbackDebugPath.map { [$0] } ?? [])
        for companions in roots.map({ Companions(debugFolder: $0) }) + [Companions()] {
            let found = companions.find(for: object) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
            if let file = found?.file as? ObjectFile { return file }
        }
        guard places.usesFetchedFiles, let id = object.identity, let cache = LLVMDebuginfodCache.standard() else { return nil }
        for path in cache.expectedPaths(for: id) {
            let files = (try? ObjectFiles.openAll(path: path)) ?? []
            if let file = files.first(where: { $0.identity == id && $0.hasDebugInformation }) { return file }
        }
        return nil
    }

    /// Of a dSYM bundle with several members the one that the bundle is called by: `App` of `App.dSYM` and of `App.app.dSYM`.
    private static func mainMember(of objects: [ObjectFile], path: String) -> [ObjectFile] {
        guard DSYMBundle.isNamed(path) else { return objects }
        let stem = Path.name(of: path).dropLast(".dSYM".count)
        let main = objects.filter { object in
            let name = Path.name(of: object.path)
            return stem == name || stem.hasPrefix(name + ".")
        }
        return main.isEmpty ? objects : main
    }

    private static func choose(_ wanted: Architecture?, among objects: [ObjectFile], path: String) throws(ObjectFileError) -> ObjectFile {
        if let index = CandidateCheck.choose(wanted, among: objects.map(\.architecture)) { return objects[index] }
        let held = objects.map(\.architecture.name).joined(separator: ", ")
        let expected = wanted.map { "expected \($0)" } ?? "expected an architecture to be named (-arch)"
        throw ObjectFileError(.noSuchSlice, path: path, "it holds \(held): \(expected)")
    }

    /// Whether the address is one that the file maps. Files without segments map their loaded sections.
    func maps(_ address: LinkAddress) -> Bool {
        guard let address = place(of: address) else { return false }
        let segments = object.description.segments
        if segments.isEmpty { return object.section(containing: address) != nil }
        return segments.contains { segment in
            segment.name != "__PAGEZERO" && (address.distance(from: segment.address).map { $0 < segment.size } ?? false)
        }
    }

    /// Where an address as a user types it lies: itself, but in a relocatable file, where it counts from a section, the place that the section was given.
    package func place(of address: LinkAddress) -> LinkAddress? {
        guard let offset = address.offset(fromImageBase: object.baseAddress), case .address(let place) = object.place(of: offset) else {
            return nil
        }
        return place
    }

    /// The file whose symbol table is the fullest: this one, unless it was stripped and its debug file was not.
    var symbolTableFile: ObjectFile { object.hasFullSymbolTable ? object : files.first { $0.hasFullSymbolTable } ?? object }

    /// Whether files beside the one with an index know what that one does not.
    var hasOtherFiles: Bool { files.count > 1 }

    /// Makes an index that is kept for this run, if one pays for a file of this size, so that what follows is answered from it.
    mutating func makeIndex() {
        guard index == nil, let first = files.first, first.description.container == .elf, IndexRule.isLarge(first),
            let made = try? IndexWriter.make(first)
        else { return }
        index = made
        readable = IndexSource(made, files)
    }

    /// What has happened to one of the files since it was opened.
    package var change: FileChange? { source.change }

    /// Whether what the index says is not to be believed any more.
    var hasChangedIndex: Bool { index?.file.change(mindingTime: false) != nil }

    /// Answers from the files themselves from now on.
    mutating func forgetIndex() {
        index = nil
        readable = source
    }

    /// Whether questions are answered at link addresses, not at offsets from the base.
    private var answersPlaces: Bool { isAskedForPlaces && object.description.sectionsArePlaced }

    /// The same file, asked for places where `arePlaces`.
    func asked(arePlaces: Bool) -> ImageFile {
        var file = self
        file.isAskedForPlaces = isAskedForPlaces || arePlaces
        return file
    }

    /// The addresses that are to be looked up, sorted: their numbers.
    private func order(of addresses: [LinkAddress]) -> [Int] {
        addresses.indices.filter { answersPlaces || addresses[$0] >= object.baseAddress }.sorted { addresses[$0] < addresses[$1] }
    }

    /// The same answers, each with what GNU's tools need beside it, straight from the files.
    func answersWithRows(at addresses: [LinkAddress]) -> ([SymbolAnswer], [GNUDetails]) {
        var answers = [SymbolAnswer](repeating: .unresolved(.outsideImage), count: addresses.count)
        var details = [GNUDetails](repeating: GNUDetails(), count: addresses.count)
        let order = order(of: addresses)
        var found: [GNUDetails] = []
        let inOrder =
            answersPlaces
            ? source.frames(at: order.map { addresses[$0] }, details: &found)
            : source.frames(at: offsets(order, addresses), details: &found)
        for (index, (place, answer)) in zip(order, inOrder).enumerated() {
            answers[place] = answer
            details[place] = found[index]
        }
        return (answers, details)
    }

    /// The same answers with what only some tools print, straight from the files.
    /// - Parameter withRows: rows' flags, and lines before code that has none, are wanted, too.
    func detailedAnswers(at addresses: [LinkAddress], withRows: Bool = false) -> [DetailedAnswer] {
        var answers = [DetailedAnswer](repeating: DetailedAnswer(.unresolved(.outsideImage)), count: addresses.count)
        let order = order(of: addresses)
        let inOrder =
            answersPlaces
            ? source.detailedFrames(at: order.map { addresses[$0] }, withRows: withRows)
            : source.detailedFrames(at: offsets(order, addresses), withRows: withRows)
        for (index, answer) in zip(order, inOrder) { answers[index] = answer }
        return answers
    }

    private func offsets(_ order: [Int], _ addresses: [LinkAddress]) -> [ImageOffset] {
        order.compactMap { addresses[$0].offset(fromImageBase: object.baseAddress) }
    }

    /// The answers for link addresses in any order, in that order.
    package func answers(at addresses: [LinkAddress]) -> [SymbolAnswer] {
        if isAskedForPlaces, object.description.sectionsArePlaced {
            let order = addresses.indices.sorted { addresses[$0] < addresses[$1] }
            var answers = [SymbolAnswer](repeating: .unresolved(.outsideImage), count: addresses.count)
            for (index, answer) in zip(order, readable.frames(at: order.map { addresses[$0] })) { answers[index] = answer }
            return answers
        }
        let base = object.baseAddress
        var answers = [SymbolAnswer](repeating: .unresolved(.outsideImage), count: addresses.count)
        let order = addresses.indices.filter { addresses[$0] >= base }.sorted { addresses[$0] < addresses[$1] }
        let offsets = order.compactMap { addresses[$0].offset(fromImageBase: base) }
        for (index, answer) in zip(order, readable.frames(at: offsets)) { answers[index] = answer }
        return answers
    }
}

extension Architecture {
    /// This machine's.
    static var host: Architecture {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .arm64
        #else
            Architecture("host")
        #endif
    }
}
