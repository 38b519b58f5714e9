/// Caps on what one report may make its signature do.
package struct SignatureLimits: Sendable {
    /// Functions of one stack that are looked at, innermost first, inlined calls counted. An
    /// endless recursion is longer; what it began in is then not seen.
    package var frames = 128
    /// Bytes of one function's name that are looked at; the rest is cut off. C++ has names of 60
    /// KB, which differ long before.
    package var nameBytes = 4096
    /// Bytes of one normalised name.
    package var normalizedBytes = 512
    /// Functions of own code that count at that level, innermost first, besides helpers.
    package var ownFrames = 3
    /// Functions that a title names.
    package var titleFrames = 3
    /// Bytes of a title.
    package var titleBytes = 200
    /// Own functions of a stack that similarity looks at, innermost first.
    package var comparedFrames = 32
    /// Lines of one frame list.
    package var listLines = 65_536
    /// Bytes of one line of a frame list.
    package var listLineBytes = 1024

    package init() {}

    /// Default limits.
    package static let standard = SignatureLimits()
}
