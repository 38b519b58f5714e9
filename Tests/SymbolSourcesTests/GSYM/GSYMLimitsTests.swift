import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// The limits for writing a GSYM file (`Limits`): content up to a limit is written whole, more is rejected or
/// left out, and the excess is reported.
struct GSYMLimitsTests {
    private func build(_ limits: Limits) throws -> (image: GSYMImage, fileSize: Int) {
        let file = try MappedFile(path: TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2"))
        return (try GSYMBuilder.build(ObjectFiles.openAll(file, limits: limits)[0]), file.size)
    }

    /// `StrtabSize` of the header (LLVM's `GSYM/Header.h`): after the magic number, the version,
    /// two sizes, the base address, the number of addresses and the table's place.
    private func textsSize(_ image: GSYMImage) throws -> Int {
        let head = Array(image.parts.joined().prefix(48))
        var rest = try head.span.rawBytes.from(4 + 2 + 1 + 1 + 8 + 4 + 4)
        return Int(try rest.read(UInt32.self))
    }

    @Test func `names of so many bytes are written, or of so many times the file's`() throws {
        let (whole, fileSize) = try build(Limits())
        let size = try textsSize(whole)
        try #require(size > 100 && size < fileSize)
        var limits = Limits()
        limits.writtenNamesPerByte = 0
        limits.writtenNames = size
        #expect(try build(limits).image.parts == whole.parts)
        limits.writtenNames = size - 1
        let error = #expect(throws: ObjectFileError.self) { try build(limits) }
        #expect(error?.problem == "its names take more bytes than are written: expected at most \(size - 1)")
        // Once the file's size is enough for them, in all and of each unit.
        limits.writtenNamesPerByte = 1
        limits.writtenNames = size - 1
        #expect(try build(limits).image.parts == whole.parts)
    }

    /// How many ranges the calls have that were inlined into any one function is found by trying.
    @Test func `calls that were inlined into a function have so many ranges`() throws {
        let whole = try build(Limits()).image
        var limits = Limits()
        func built(_ maxRanges: Int) throws -> GSYMImage {
            limits.inlinedRanges = maxRanges
            return try build(limits).image
        }
        var (low, high) = (0, 1000)
        while low < high {
            let middle = low + (high - low) / 2
            if try built(middle).problems == [] { high = middle } else { low = middle + 1 }
        }
        try #require(low > 1 && low < 1000)
        #expect(try built(low).parts == whole.parts)
        for maxRanges in [low - 1, 0] {
            let cut = try built(maxRanges)
            #expect(cut.functionCount == whole.functionCount && cut.parts != whole.parts)
            #expect(
                cut.problems
                    == ["the calls that were inlined into one function have more than \(maxRanges) ranges: further ones are left out"])
        }
    }
}
