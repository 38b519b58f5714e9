package import BinaryPrimitives
package import ObjectFiles

/// An image's bytes, by their addresses in the linked file.
package struct ImageBytes: Sendable {
    private let file: MappedFile
    private let segments: [Segment]

    package init(_ object: ObjectFile) {
        file = object.file
        segments = object.description.segments
    }

    /// Calls `body` with the bytes from an address to the end of its segment.
    /// - Returns: `nil` if the file has no byte of that address.
    package func withBytes<Result>(at address: LinkAddress, _ body: (RawSpan) -> Result) -> Result? {
        segments.fileRange(from: address).map { range in file.withBytes { body($0.clamped(to: range)) } }
    }
}
