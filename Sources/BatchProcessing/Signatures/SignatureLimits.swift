/// Caps on what one report may make its signature do.
public struct SignatureLimits: Sendable {
    /// Functions of one stack that are looked at, innermost first, inlined calls counted. An endless recursion is longer; what it began in is then not seen.
    public var frames = 128
    /// Bytes of one function's name that are looked at; the rest is cut off. C++ has names of 60 KB, which differ long before.
    public var nameBytes = 4096
    /// Bytes of one normalised name.
    public var normalizedBytes = 512
    /// Functions of own code that count at that level, innermost first, besides helpers.
    public var ownFrames = 3
    /// Functions that a title names.
    public var titleFrames = 3
    /// Bytes of a title.
    public var titleBytes = 200
    /// Own functions of a stack that similarity looks at, innermost first.
    public var comparedFrames = 32
    /// Lines of one frame list.
    public var listLines = 65_536
    /// Bytes of one line of a frame list.
    public var listLineBytes = 1024

    public init() {}

    /// The caps that are used where none are given.
    public static let standard = SignatureLimits()
}
