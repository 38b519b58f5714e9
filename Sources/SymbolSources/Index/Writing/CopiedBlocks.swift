internal import BinaryPrimitives

/// Brings blocks of an index one by one with `pread(2)`, so that no more than the block is
/// resident.
struct CopiedBlocks {
    private let file: MappedFile
    private let buffer = ReadBuffer()

    init(_ file: MappedFile) { self.file = file }

    /// Calls `body` with the bytes of a block.
    /// - Parameter range: byte range of the block in the file.
    func withBlock<Result>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
        // Its last fields are read as words of eight bytes.
        buffer.withBytes(of: file, range.lowerBound..<min(file.size, range.upperBound + 8), body)
    }
}
