public import BinaryPrimitives

/// Result of symbolicating one frame, in the terms that a log is written in. A format turns it into
/// its own rows.
public struct FrameResult: Sendable, Hashable {
    /// A function at a frame.
    public struct Function: Sendable, Hashable {
        /// The name to print.
        public var name: String
        /// The name as the binary has it, without a symbol's version.
        public var mangledName: String
        /// Bytes from the function's entry to the raw address of the frame; `nil` for inlined
        /// functions.
        public var offset: UInt64?
        /// An inlined call: the next function is the one it was inlined into.
        public var isInlined: Bool
        /// The file and line; `nil` if the symbols have none.
        public var location: SourceLocation?
        /// The version of the symbol in a shared library: `GLIBC_2.2.5`; `nil` if it has none.
        public var symbolVersion: String?
        /// Other functions with the same code, any of which may have been called: identical
        /// functions were folded into one. Names to print.
        public var alsoAt: [String] = []

        /// - Parameters:
        ///   - name: the demangled name.
        ///   - mangledName: the name in the symbol file.
        ///   - offset: bytes from the function's first instruction.
        ///   - isInlined: whether the function was inlined into the next.
        ///   - location: the file and line.
        public init(name: String, mangledName: String, offset: UInt64?, isInlined: Bool, location: SourceLocation?) {
            self.name = name
            self.mangledName = mangledName
            self.offset = offset
            self.isInlined = isInlined
            self.location = location
        }
    }

    /// Innermost first; never empty. Only the last is not inlined.
    public var functions: [Function]
    /// The name of the image it was found in.
    public var imageName: String

    /// - Parameters:
    ///   - functions: innermost first; the last one is not inlined.
    ///   - imageName: the name of the image that has the code.
    public init(functions: [Function], imageName: String) {
        self.functions = functions
        self.imageName = imageName
    }
}
