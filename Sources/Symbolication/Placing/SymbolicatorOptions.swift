public import BinaryPrimitives
public import CrashLogModel
public import Demangling

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
    /// When the trace of a live log began: nanoseconds since 1970. A file that only a name ties to an image, and that was written later, is another build's,
    /// unless the calls in it fit and no other file was there. `nil`: the log is not live, and may be older than all files.
    package var printedAt: Int64?
    /// How source paths are shown.
    package var sourcePaths = SourcePaths()

    /// The options of the command line without options.
    public init() {}
}
