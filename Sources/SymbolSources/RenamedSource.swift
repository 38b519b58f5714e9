package import BinaryPrimitives
package import DWARF

/// Source that makes the names and file paths in another source's results readable, where the binary has
/// altered forms.
package struct RenamedSource: SymbolSource {
    private let source: any SymbolSource
    private let rename: @Sendable (String) -> String
    private let change: @Sendable () -> FileChange?

    /// - Parameters:
    ///   - change: change of the file that the readable forms are read from.
    ///   - rename: returns the readable form of a function's name or a file's path; a readable text is returned
    ///     unchanged.
    package init(
        _ source: any SymbolSource, change: @escaping @Sendable () -> FileChange? = { nil }, rename: @escaping @Sendable (String) -> String
    ) {
        self.source = source
        self.change = change
        self.rename = rename
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] { renamed(source.frames(at: offsets)) }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { renamed(source.frames(at: addresses)) }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        renamed(source.frames(at: addresses, collecting: calls))
    }

    package var recordedCallSites: (any RecordedCallSites)? { source.recordedCallSites }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] { source.locate(locations) }

    package func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        source.forEachFunction { body(rename($0), $1) }
    }

    private func renamed(_ results: [SymbolResult]) -> [SymbolResult] {
        let renamed: [SymbolResult] = results.map { result in
            guard case .found(var frames) = result else { return result }
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
