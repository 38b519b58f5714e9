public import BinaryPrimitives

/// An image whose symbols are wanted, as far as the log (or the user) describes it.
public struct ImageRequest: Sendable, Hashable {
    /// The file's name without its folder.
    public var name: String
    /// Its path on the machine that crashed.
    public var path: String?
    /// The image's architecture, if the log gives it.
    public var architecture: Architecture?
    /// Build ID or UUID.
    public var id: ImageID?
    /// Address of its first byte in the process.
    public var loadAddress: RuntimeAddress?
    /// Number of bytes from there on that were mapped from it, all or some; `nil` if the log does
    /// not give the size.
    public var size: UInt64?
    /// The log gives an identity in a line that could not be read.
    package var hasUnreadID = false
    /// Whether the log has the image's address in the process, so that no file has to say where the image is linked.
    package var hasKnownBase = false
    /// Whether a folder that is being read is waited for. Not where other readings of the identity are tried afterwards, which may
    /// lead to a file's own location.
    package var waitsForFolders = true
    /// Windows only: the name of the PDB file, and its GUID and age.
    package var debugFile: String?
    package var debugIdentifier: String?
    /// Windows only: timestamp and size of the image, as symbol servers name it.
    package var codeIdentifier: String?
    /// The name is that of a file of Windows without its ending, in any letters.
    package var isNamedWithoutEnding = false
    /// The servers that are asked for this image, in place of those that the user named, each as `SymbolServer.text`; `nil`: the user's.
    package var servers: [String]?
    /// The file, or the dSYM bundle, that the user named for this image, under any name.
    package var givenPath: String?

    /// Folders that a relative `path` may count from, the likeliest first. Empty for an absolute
    /// one.
    package var folders: [String] = []
    /// Offset of the image in the file at `path`, in bytes, if the log gives only that for a
    /// library inside an archive.
    package var startInFile: UInt64?

    package init(
        name: String, path: String? = nil, architecture: Architecture? = nil, id: ImageID? = nil, loadAddress: RuntimeAddress? = nil,
        size: UInt64? = nil, startInFile: UInt64? = nil
    ) {
        self.name = name
        self.path = path
        self.architecture = architecture
        self.id = id
        self.loadAddress = loadAddress
        self.size = size
        self.startInFile = startInFile
    }

    /// The log does not name the image: any file may be it whose functions or calls are those of the log.
    package var isUnnamed: Bool { name == Self.unnamed }

    private static let unnamed = "<unknown>"

    /// The same image, whatever its file is called: bundlers rename modules of WebAssembly, and a page may have one from memory.
    /// - Returns: `nil` for other images that have a name.
    package var asUnnamed: ImageRequest? {
        guard isUnnamed || architecture == .wasm32 else { return nil }
        var request = self
        (request.name, request.path) = (Self.unnamed, nil)
        return request
    }

    /// Maximum number of files in a folder of which each is tried for an image that no file is named like.
    package static let maxTriedFiles = 16

    /// Whether a file may be this image under another name, by its first bytes.
    package func isPossible(fileAt path: String) -> Bool {
        architecture != .wasm32 || FileDescriptor.head(of: path, count: 4) == [0, 0x61, 0x73, 0x6d]
    }

    /// The endings that files with an image's symbols have after its name: debug files, whichever
    /// tool split them off, Breakpad's and GSYM.
    static let symbolEndings = [".debug", ".dbg", ".sym", ".gsym"]

    /// Whether a file at `path` is called like this image: `App` itself, or `App.debug`.
    public func isNamedLike(fileAt path: String) -> Bool {
        if let givenPath, path == givenPath || path.hasPrefix(givenPath + "/") { return true }
        let file = Path.name(of: path)
        let own = [name] + (self.path.map { [Path.name(of: $0)] } ?? [])
        if own.contains(where: { name in !name.isEmpty && (file == name || Self.symbolEndings.contains { file == name + $0 }) }) {
            return true
        }
        if let key = WindowsFileName.key(file) {
            if isNamedWithoutEnding, WindowsFileName.keys(named: name).contains(key) { return true }
            if own.contains(where: { WindowsFileName.key($0) == key }) { return true }
        }
        return KernelFileName.key(file).map { key in own.contains { KernelFileName.key($0) == key } } ?? false
    }
}

/// A file that may hold an image's symbols. Nobody has looked into it yet.
public struct SymbolFileCandidate: Sendable, Hashable {
    /// Source of a candidate, which decides the evidence that is required before it is used.
    public enum Origin: Sendable, Hashable {
        /// The user named this very file, or the dSYM bundle that it is in.
        case given
        /// Found below a folder that the user named.
        case tree(root: String)
        /// At the location that its build ID gives, below `root`.
        case buildID(root: String)
        /// At the location that its identity gives in a symbol store: the layout's name, and the
        /// store's folder.
        case store(_ layout: String, root: String)
        /// At the path that the log gives, or among the debug packages, below a folder that the
        /// user named as the other machine's file system.
        case systemRoot(root: String)
        /// In a folder of the system's libraries, below `root`, with the build ID that the log gives.
        case libraryFolder(root: String)
        /// At the path that the log gives, on this machine. Without an identity in the log it is
        /// used only where nothing contradicts it.
        case imagePath
        /// A member of an archive that the user named, or of one below a folder that the user
        /// named: the archive's path.
        case archive(String)
        /// The same, and stored in the archive from the very byte on that the log gives.
        case archiveOffset(String, UInt64)
        /// An image of a shared cache of Apple's systems: the path of the cache's main file.
        case sharedCache(String)
        /// In `X.dSYM` beside the binary `X`.
        case besideBinary
        /// The path that the `.gnu_debuglink` section of the binary gives.
        case debugLink
        /// In a memory dump: the path is the core file's.
        case memory
    }

    /// The file's path.
    public var path: String
    /// Which kind of location has the file.
    public var origin: Origin

    /// A file at a path, from a kind of location.
    public init(path: String, origin: Origin) {
        self.path = path
        self.origin = origin
    }
}

extension SymbolFileCandidate.Origin: CustomStringConvertible {
    /// The word that JSON reports use.
    public var description: String {
        switch self {
        case .given: "given"
        case .tree: "tree"
        case .buildID: "build-id"
        case .store(let layout, _): layout
        case .systemRoot: "sysroot"
        case .libraryFolder: "library-folder"
        case .imagePath: "image-path"
        case .archive: "archive"
        case .archiveOffset: "archive-offset"
        case .sharedCache: "shared-cache"
        case .besideBinary: "beside-binary"
        case .debugLink: "debuglink"
        case .memory: "memory"
        }
    }
}

extension SymbolFileCandidate.Origin {
    /// Whether the location was computed from the image's identity.
    var isFoundByIdentity: Bool {
        switch self {
        case .buildID: true
        case .store(let layout, _): layout != "xcode"
        case .given, .tree, .systemRoot, .libraryFolder, .imagePath, .archive, .archiveOffset, .sharedCache, .besideBinary, .debugLink,
            .memory:
            false
        }
    }

    /// Whether only a name leads to the file, and only its identity makes it the image's.
    var isLibraryFolder: Bool { if case .libraryFolder = self { true } else { false } }
}

/// A location where debug files may lie. It names files; `SymbolFileSearch` looks into them.
public protocol DebugFileLocator: Sendable {
    /// Description of the location in messages: "GDB's build IDs below /usr/lib/debug".
    var location: String { get }

    /// Paths at which this location would have a file of the image, whether it exists or not, the
    /// likeliest first. Empty if no path can be determined: the location is searched, or the request
    /// lacks data that its layout needs.
    func expectedPaths(for request: ImageRequest) -> [String]

    /// The files of this location that may be the image's, the likeliest first. They exist, as far as
    /// the location shows.
    func candidates(for request: ImageRequest) -> [SymbolFileCandidate]

    /// All files of the location of a kind, where they are few enough to be tried one by one.
    /// - Parameter isWanted: whether the file at a path is of that kind.
    func files(atMost count: Int, where isWanted: (_ path: String) -> Bool) -> [SymbolFileCandidate]

    /// Whether a search takes long (the network), so that the location is searched only for images
    /// without debug information anywhere else.
    var isCostly: Bool { get }

    /// Whether the location is searched only for the code of images whose debug file another location has.
    var completesOnly: Bool { get }

    /// Receives all images that will be requested, so that a costly location can look for them at
    /// once. Only costly locations get this call.
    func prepare(for requests: [ImageRequest])

    /// Problems of the location itself, and its remarks on the request: one sentence each.
    func remarks(for request: ImageRequest) -> [String]
}

extension DebugFileLocator {
    public func files(atMost count: Int, where isWanted: (_ path: String) -> Bool) -> [SymbolFileCandidate] { [] }
    public var isCostly: Bool { false }
    public var completesOnly: Bool { false }
    public func prepare(for requests: [ImageRequest]) {}
    public func remarks(for request: ImageRequest) -> [String] { [] }
}

/// A folder that is walked to find files: a location that may take long.
protocol WalkedFolder: DebugFileLocator {
    var root: String { get }
    /// Whether what is below the folder is known, or may be read by the request that needs it.
    var isAtHand: Bool { get }
    /// Whether the folder is being read: what a search finds in it now may be less than what is there.
    var isBeingRead: Bool { get }
}

/// A location with a layout: an image's name or its identity determines where its files are.
protocol FixedLayoutLocator: DebugFileLocator {
    var origin: SymbolFileCandidate.Origin { get }
}

extension FixedLayoutLocator {
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        expectedPaths(for: request).filter { PathKind(path: $0) == .file }.map { SymbolFileCandidate(path: $0, origin: origin) }
    }
}

/// Searches its members in their order.
package struct LocatorChain: DebugFileLocator {
    package let locators: [any DebugFileLocator]

    /// Whether a folder is being read, so that what is not found may be found a moment later.
    package var isBeingRead: Bool { locators.contains { ($0 as? any WalkedFolder)?.isBeingRead ?? false } }

    package init(_ locators: [any DebugFileLocator]) { self.locators = locators }

    package var location: String { "several places" }

    package func expectedPaths(for request: ImageRequest) -> [String] { locators.flatMap { $0.expectedPaths(for: request) } }

    /// Every member's candidates, the first member's first; a file that several members name comes
    /// once.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.candidates(for: request) }.filter { seen.insert($0.path).inserted }
    }

    /// Those of every member that has so few.
    package func files(atMost count: Int, where isWanted: (_ path: String) -> Bool) -> [SymbolFileCandidate] {
        var seen: Set<String> = []
        return locators.flatMap { $0.files(atMost: count, where: isWanted) }.filter { seen.insert($0.path).inserted }
    }
}

/// How files of Linux' kernel are called: not always as its logs call them.
enum KernelFileName {
    /// One spelling for all names of a kernel, or of one module; `nil` for other files.
    ///
    /// The image is `vmlinux` in logs, and distributions keep it as `vmlinux-6.1.0-18-amd64`. A
    /// module is `snd_hda_intel` in logs, because its name is an identifier in C, and
    /// `snd-hda-intel.ko` as a file (`KBUILD_MODNAME`).
    static func key(_ name: String) -> String? {
        var name = name
        for ending in [".debug", ".dbg"] where name.hasSuffix(ending) { name.removeLast(ending.utf8.count) }
        if name == "vmlinux" || name.hasPrefix("vmlinux-") { return "vmlinux" }
        guard name.hasSuffix(".ko") else { return nil }
        return String(name.map { $0 == "-" ? "_" : $0 })
    }
}

/// Names of programs and libraries of Windows, which has no difference between upper and lower case: `KERNEL32.DLL` in a dump is
/// `kernel32.dll` as a file.
enum WindowsFileName {
    private static let endings = [".exe", ".dll", ".sys", ".ocx", ".drv", ".acm"]

    /// One spelling for all names of a file, and of the debug file of that name (`Berth.exe.debug`); `nil` for files that are not of
    /// Windows.
    static func key(_ name: String) -> String? {
        var name = name.lowercased()
        if let ending = ImageRequest.symbolEndings.first(where: name.hasSuffix) { name.removeLast(ending.utf8.count) }
        return endings.contains(where: name.hasSuffix) ? name : nil
    }

    /// The spellings of the files that may be meant by a name without its ending.
    static func keys(named name: String) -> [String] { endings.map { name.lowercased() + $0 } }
}
