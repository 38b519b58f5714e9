public import BinaryPrimitives

/// Another source's answers, with names and paths of files made readable: what stands in the binary is not what people wrote.
public struct RenamedSource: SymbolSource {
    private let source: any SymbolSource
    private let rename: @Sendable (String) -> String

    /// - Parameter rename: gives the readable form of a function's name, or of a file's path; what is readable comes back unchanged.
    public init(_ source: any SymbolSource, rename: @escaping @Sendable (String) -> String) {
        self.source = source
        self.rename = rename
    }

    public func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
        source.frames(at: offsets).map { answer in
            guard case .found(var frames) = answer else { return answer }
            for index in frames.indices {
                frames[index].name = rename(frames[index].name)
                if let location = frames[index].location {
                    frames[index].location = SourceLocation(file: rename(location.file), line: location.line, column: location.column)
                }
            }
            return .found(frames)
        }
    }
}
