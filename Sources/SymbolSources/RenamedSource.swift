public import BinaryPrimitives

/// Another source's answers, with names and paths of files made readable: what stands in the binary is not what people wrote.
public struct RenamedSource: SymbolSource {
    private let source: any SymbolSource
    private let rename: @Sendable (String) -> String
    private let change: @Sendable () -> FileChange?

    /// - Parameters:
    ///   - change: what has happened to the file that the readable forms are read from.
    ///   - rename: gives the readable form of a function's name, or of a file's path; what is readable comes back unchanged.
    public init(
        _ source: any SymbolSource, change: @escaping @Sendable () -> FileChange? = { nil }, rename: @escaping @Sendable (String) -> String
    ) {
        self.source = source
        self.change = change
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
        let renamed: [SymbolAnswer] = answers.map { answer in
            guard case .found(var frames) = answer else { return answer }
            for index in frames.indices {
                frames[index].name = rename(frames[index].name)
                if let location = frames[index].location {
                    frames[index].location = SourceLocation(file: rename(location.file), line: location.line, column: location.column)
                }
            }
            return .found(frames)
        }
        guard let change = change() else { return renamed }
        return renamed.map { _ in .unresolved(.changedFile(change)) }
    }
}
