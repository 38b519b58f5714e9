internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// What the options of a tool say about the files that it searches.
struct FileOptions {
    /// Roots of GDB's layout (`.build-id/ab/cdef.debug`).
    var debugFileDirectories: [String] = []
    /// The root below which a debug link is followed at last, in the place of `/usr/lib/debug`.
    var fallbackDebugPath: String?
    var dsymHints: [String] = []
    /// The package of split units.
    var package: String?
    /// Where debug files that LLVM's tools have fetched from servers are, if they are looked for
    /// there, too. A file that is named by its build ID is, where they may be used.
    var fetchedFiles = LLVMDebuginfodCache.inUse()
    var mayUseFetchedFiles = true
    /// As LLVM's tools do it: split units are looked for only where the compiler wrote them, debug
    /// information is searched for addresses that the file does not map, and of several symbols at
    /// an address the table's last one counts.
    var asksAsLLVM = false
    /// Of several symbols at an address the table's last one counts.
    var takesLastSymbols = false
    /// The name `-` means the object that standard input holds.
    var takesStandardInput = false

    fileprivate var companions: Companions {
        Companions(
            bundles: dsymHints, debugFolders: debugFileDirectories + (fallbackDebugPath.map { [$0] } ?? []), fetched: fetchedFiles)
    }

    fileprivate var sourcePlaces: SourcePlaces {
        SourcePlaces(
            splitPackage: package, besideProgram: !asksAsLLVM, asksUnmapped: asksAsLLVM,
            symbols: asksAsLLVM || takesLastSymbols ? .lastOfTable : .preferred)
    }
}

extension ImageFile {
    /// - Parameters:
    ///   - path: an object file, a dSYM bundle, or `archive(member)`. With `:arch` after it, it
    ///     says which slice.
    ///   - architecture: the slice of universal files that are named without one.
    init(path: String, architecture: Architecture?, _ options: FileOptions) throws(ObjectFileError) {
        let name = NamedImage(path)
        let isStandardInput = options.takesStandardInput && path == "-"
        let opened = isStandardInput ? try ImageFile.standardInput(path) : try name.open()
        let objects = ImageFile.mainMember(of: opened, path: name.path)
        // What is meant for universal files says nothing about a file with one object.
        try self.init(
            objects, path: path, architecture: objects.count > 1 ? name.architecture ?? architecture : nil, options.companions,
            options.sourcePlaces, usesTablesAlone: options.asksAsLLVM)
    }

    /// The objects in what standard input holds, all of it.
    private static func standardInput(_ path: String) throws(ObjectFileError) -> [ObjectFile] {
        guard let bytes = try? readInput(path), let file = try? MappedFile(bytes: bytes.span.rawBytes, name: path) else {
            throw ObjectFileError(.unreadable, path: path, "standard input cannot be read")
        }
        return try ObjectFiles.openAll(file)
    }

    /// The file with a build ID, in one of the places; `nil` where none has it.
    init?(buildID: [UInt8], _ options: FileOptions) throws(ObjectFileError) {
        let roots = options.debugFileDirectories.isEmpty ? [BuildIDFolder.system.root] : options.debugFileDirectories
        var places: [any DebugFileLocator] = roots.map { BuildIDFolder(root: $0) }
        if options.mayUseFetchedFiles, let cache = LLVMDebuginfodCache.standard() { places.append(cache) }
        let request = ImageRequest(name: "", id: ImageID(bytes: buildID))
        guard let path = LocatorChain(places).candidates(for: request).first?.path else { return nil }
        try self.init(
            try ObjectFiles.openAll(path: path), path: path, architecture: nil, options.companions, options.sourcePlaces,
            usesTablesAlone: options.asksAsLLVM)
    }
}
