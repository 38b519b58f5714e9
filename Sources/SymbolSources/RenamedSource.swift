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

    public func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] { renamed(source.frames(at: offsets)) }

    public func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { renamed(source.frames(at: addresses)) }

    public func locate(_ places: [ImagePlace]) -> [LocatedPlace] { source.locate(places) }

    public func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    public func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        source.forEachFunction { body(rename($0), $1) }
    }

    private func renamed(_ answers: [SymbolAnswer]) -> [SymbolAnswer] {
        answers.map { answer in
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
