public import BinaryPrimitives
public import CrashLogModel
public import Demangling
package import SymbolFiles
package import SymbolSources

/// Symbolicates a report's frames.
///
/// A value without state of its own: the table of open symbol files is its provider's. Any number
/// of tasks may use one symbolicator at once, and none has to.
public struct Symbolicator: Sendable {
    /// How addresses are looked up.
    public typealias Options = SymbolicatorOptions
    /// Which threads are looked up.
    public typealias Threads = SymbolicatorOptions.Threads

    /// How addresses are looked up.
    public var options: Options
    package let provider: any SymbolProvider

    package init(provider: any SymbolProvider, options: Options = Options()) {
        self.provider = provider
        self.options = options
    }

    /// Returns this symbolicator with symbols from another provider.
    package func using(_ provider: any SymbolProvider) -> Symbolicator { Symbolicator(provider: provider, options: options) }

    /// Looks up every frame of a report: the addresses of each image sorted and in one call.
    /// - Parameter origin: origin of the log. With it, the files at the images' own paths on this machine count
    ///   where nothing contradicts them; without it, only if the log has their identifiers.
    public func symbolicate(_ report: CrashReport, from origin: LogOrigin? = nil) -> SymbolicatedReport {
        var report = report
        if report.architecture == nil { report.architecture = options.architecture }
        var lookup = ReportLookup(report: report, options: options, provider: provider, origin: origin)
        return lookup.run()
    }
}

/// How a report is symbolicated.
public struct SymbolicatorOptions: Sendable {
    /// Which threads' frames are looked up.
    public enum Threads: String, Sendable, CaseIterable {
        /// Every thread.
        case all
        /// The crashed thread and the exception's stack. A log that marks no thread is symbolicated
        /// in full.
        case crashed
    }

    /// How return addresses are looked up.
    public var adjustment = ReturnAddressAdjustment.auto
    /// Give inlined calls as functions of their own; else only the function that holds them, with
    /// the line of the call in it.
    public var showsInlinedCalls = true
    /// How names are demangled.
    public var demangler = Demangler()
    /// Which threads are looked up.
    public var threads = Threads.all
    /// The architecture, where the log does not give it: chooses the slice of a universal file.
    public var architecture: Architecture?
    /// Images that logs do not name, or whose bases they do not give.
    package var images: [GivenImage] = []
    /// Time at which the trace of a live log began, in nanoseconds since 1970; `nil` for logs that are not live.
    ///
    /// A file that is matched by name and was modified later is taken for another build, unless its call sites match the trace and it replaced no
    /// other file.
    package var printedAt: Int64?
    /// How source paths are shown.
    package var sourcePaths = SourcePathRules()

    /// The options of the command line without options.
    public init() {}

    /// A function of a symbol source as results show it: its plain name, and its path by the maps.
    /// - Parameters:
    ///   - raw: the frame's offset in the image, to which the function's offset counts.
    ///   - own: the symbol file's own maps of paths.
    ///   - read: reads a mangled name, as the demangler does.
    /// - Returns: the function, and what its name was read as.
    package func function(
        _ frame: SourceFrame, raw: ImageOffset?, _ own: [PathMap], read: (String) -> DemangledName
    ) -> (function: FrameResult.Function, name: DemangledName) {
        let plain = frame.name.withoutSymbolVersion
        let name = read(plain)
        var function = FrameResult.Function(
            name: name.text, mangledName: plain,
            offset: frame.isInlined ? nil : frame.entry.flatMap { entry in raw.flatMap { $0.distance(from: entry) } },
            isInlined: frame.isInlined, location: frame.location.map { sourcePaths.reported($0, own) })
        function.symbolVersion = frame.name.symbolVersion
        function.alsoAt = frame.alsoAt.map { demangler.read($0).text }
        return (function, name)
    }
}

/// Rules for source paths in results: the user's map of paths, the maps in symbol files, and the directories
/// from which relative paths count.
package struct SourcePathRules: Sendable {
    /// The user's.
    package var map: PathMap
    private let roots: PathMap

    /// - Parameters:
    ///   - map: what is tried first, and again on what a symbol file's own map has made of a path.
    ///   - roots: folders; the path of a file below one, if it is there, is shown relative to it.
    package init(map: PathMap = PathMap(), roots: [String] = []) {
        self.map = map
        // A root is a beginning that is left out.
        self.roots = PathMap(roots.map { PathMap.Entry(old: $0, new: "") })
    }

    /// - Parameter own: the symbol file's maps, in the order in which they are tried.
    func reported(_ location: SourceLocation, _ own: [PathMap]) -> SourceLocation {
        guard !map.isEmpty || !own.isEmpty || !roots.isEmpty else { return location }
        var location = location
        if let path = map.rewritten(location.file) {
            location.file = path
        } else if let path = own.lazy.compactMap({ $0.rewritten(location.file) }).first {
            location.file = map.rewritten(path) ?? path
        }
        if let path = roots.rewritten(location.file), PathKind(path: location.file) == .file { location.file = path }
        return location
    }
}
