public import BinaryPrimitives
public import CrashLogModel
public import Demangling
package import SymbolFiles
package import SymbolSources

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
    ///   - read: reads a mangled name, as the demangler does; its language is that of the source file, where that matters.
    /// - Returns: the function, and what its name was read as.
    package func function(
        _ frame: SourceFrame, raw: ImageOffset?, _ own: [PathMap], read: (String, FileLanguage?) -> DemangledName
    ) -> (function: FrameResult.Function, name: DemangledName) {
        let plain = frame.name.withoutSymbolVersion
        let language = frame.location.flatMap { FileLanguage(of: $0.file) }
        let name = read(plain, language)
        var function = FrameResult.Function(
            name: name.text, mangledName: plain,
            offset: frame.isInlined ? nil : frame.entry.flatMap { entry in raw.flatMap { $0.distance(from: entry) } },
            isInlined: frame.isInlined, location: frame.location.map { sourcePaths.reported($0, own) })
        function.symbolVersion = frame.name.symbolVersion
        function.alsoAt = frame.alsoAt.map { demangler.read($0, in: language).text }
        return (function, name)
    }
}
