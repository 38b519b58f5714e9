internal import BinaryPrimitives
internal import ObjectFiles

/// Resolves addresses of a Go program from the line table that it carries for its own panics:
/// names, files and lines, also of a stripped one.
struct GoLineSource {
    private let table: GoLineTable
    private let base: LinkAddress

    /// - Returns: `nil` if the object is no Go program.
    init?(_ object: ObjectFile) {
        guard let table = object.goLineTable() else { return nil }
        self.table = table
        base = object.baseAddress
    }

    /// The addresses around one that have its line in the table.
    func line(at address: LinkAddress) -> LinkedLine? {
        guard let found = table.lineRange(containing: address) else { return nil }
        return LinkedLine(file: found.location.file, line: found.location.line, range: found.range)
    }

    /// The function around an address.
    func function(at address: LinkAddress) -> (name: String, entry: LinkAddress)? {
        guard let result = table.results(for: [address])[0], let function = result.functions.last else { return nil }
        return (function.name, result.entry)
    }

    /// The frames at some addresses, in their order; `nil` outside of Go's functions.
    func frames(at addresses: [LinkAddress]) -> [[SourceFrame]?] {
        table.results(for: addresses).map { result in
            guard let result else { return nil }
            return result.functions.indices.map { index in
                let isInlined = index + 1 < result.functions.count
                return SourceFrame(
                    name: result.functions[index].name, entry: isInlined ? nil : result.entry.offset(fromImageBase: base),
                    isInlined: isInlined, location: result.functions[index].location, origin: .debugInformation)
            }
        }
    }
}
