internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// A tool's options about the files that it searches.
struct FileOptions {
    /// Roots of GDB's layout (`.build-id/ab/cdef.debug`).
    var debugFileDirectories: [String] = []
    /// The root below which a debug link is followed last, instead of `/usr/lib/debug`.
    var fallbackDebugPath: String?
    var dsymHints: [String] = []
    /// The package of split units.
    var package: String?
    /// Cache of debug files that LLVM's tools have fetched from servers, if it is searched too. A file that
    /// is named by its build ID is searched there if `mayUseFetchedFiles`.
    var fetchedFiles = LLVMDebuginfodCache.inUse()
    var mayUseFetchedFiles = true
    /// Searches as LLVM's tools do: split units are looked for only at the path that the compiler wrote,
    /// debug information is searched for addresses that the file does not map, and of several symbols at an
    /// address the table's last one is used.
    var searchesAsLLVM = false
    /// If several symbols have an address, the table's last one is used.
    var prefersLastSymbols = false
    /// The name `-` means the object that standard input holds.
    var allowsStandardInput = false

    fileprivate var companions: Companions {
        Companions(
            bundles: dsymHints, debugFolders: debugFileDirectories + (fallbackDebugPath.map { [$0] } ?? []), fetched: fetchedFiles)
    }

    fileprivate var sourceOptions: SourceOptions {
        SourceOptions(
            splitPackage: package, besideProgram: !searchesAsLLVM, searchesUnmapped: searchesAsLLVM,
            symbols: searchesAsLLVM || prefersLastSymbols ? .lastOfTable : .preferred)
    }
}

extension ImageFile {
    /// - Parameters:
    ///   - path: an object file, a dSYM bundle, or `archive(member)`. A suffix `:arch` selects a slice.
    ///     says which slice.
    ///   - architecture: the slice of universal files that are named without an architecture.
    init(path: String, architecture: Architecture?, _ options: FileOptions) throws(ObjectFileError) {
        let name = NamedImage(path)
        let isStandardInput = options.allowsStandardInput && path == "-"
        let opened = isStandardInput ? try ImageFile.standardInput(path) : try name.open()
        let objects = ImageFile.mainMember(of: opened, path: name.path)
        // A selected architecture does not apply to a file with only one object.
        try self.init(
            objects, path: path, architecture: objects.count > 1 ? name.architecture ?? architecture : nil, options.companions,
            options.sourceOptions, usesTablesAlone: options.searchesAsLLVM)
    }

    /// Reads all of standard input, and returns the objects in it.
    private static func standardInput(_ path: String) throws(ObjectFileError) -> [ObjectFile] {
        guard let bytes = try? readInput(path), let file = try? MappedFile(bytes: bytes.span.rawBytes, name: path) else {
            throw ObjectFileError(.unreadable, path: path, "standard input cannot be read")
        }
        return try ObjectFiles.openAll(file)
    }

    /// Finds the file with a build ID in the directories of the options; `nil` if there is none.
    init?(buildID: [UInt8], _ options: FileOptions) throws(ObjectFileError) {
        let roots = options.debugFileDirectories.isEmpty ? [BuildIDFolder.system.root] : options.debugFileDirectories
        var locators: [any DebugFileLocator] = roots.map { BuildIDFolder(root: $0) }
        if options.mayUseFetchedFiles, let cache = LLVMDebuginfodCache.standard() { locators.append(cache) }
        let request = ImageRequest(name: "", id: ImageID(bytes: buildID))
        guard let path = LocatorChain(locators).candidates(for: request).first?.path else { return nil }
        try self.init(
            try ObjectFiles.openAll(path: path), path: path, architecture: nil, options.companions, options.sourceOptions,
            usesTablesAlone: options.searchesAsLLVM)
    }
}
