public import BinaryPrimitives
public import CrashReports
public import Demangling
internal import SymbolFiles
internal import SymbolSources

/// Answers a report's frames.
///
/// A value without state of its own: the table of open symbol files is its provider's. Any number of tasks may use one symbolicator at once, and none has to.
public struct Symbolicator: Sendable {
    /// Which threads' frames are looked up.
    public enum Threads: String, Sendable, CaseIterable {
        case all
        /// The crashed thread and the exception's stack. A log that marks no thread is answered in full.
        case crashed
    }

    public struct Options: Sendable {
        public var adjustment = ReturnAddressAdjustment.auto
        /// Give inlined calls as functions of their own; else only the function that holds them, with the line of the call in it.
        public var showsInlinedCalls = true
        public var demangler = Demangler()
        public var threads = Threads.all
        /// The architecture, where the log does not tell it: chooses the slice of a universal file.
        public var architecture: Architecture?
        /// Images that logs do not name, or whose bases they do not tell.
        public var images: [GivenImage] = []
        /// How source paths are told.
        public var sourcePaths = SourcePaths()

        public init() {}
    }

    public var options: Options
    private let provider: any SymbolProvider

    public init(provider: any SymbolProvider, options: Options = Options()) {
        self.provider = provider
        self.options = options
    }

    /// Looks up every frame of a report: the addresses of each image sorted and asked for at once.
    /// - Parameter origin: where the log is from. With it, the files at the images' own paths on this machine count where nothing contradicts them; without, only where the log has
    ///   their identities.
    public func symbolicate(_ report: CrashReport, from origin: LogOrigin? = nil) -> SymbolicatedReport {
        var report = report
        if report.architecture == nil { report.architecture = options.architecture }
        var lookup = ReportLookup(report: report, options: options, provider: provider, origin: origin)
        return lookup.run()
    }
}
