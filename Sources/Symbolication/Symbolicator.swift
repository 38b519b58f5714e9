internal import BinaryPrimitives
public import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

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
