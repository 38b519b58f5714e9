import TestSupport
import Testing

/// A file that is no log: named with the command that helps, and passed on as it is.
struct ForeignFileTests {
    @Test func `a compressed log says how it is read`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/crash.log.gz"
            try writeFile(path, [0x1F, 0x8B, 8, 0, 1, 2, 3, 4])
            let answered = try cairn(path)
            #expect(answered.status == 1)
            #expect(
                answered.errors
                    == "cairn: \(path): this is compressed (gzip) and no log: expected what this prints: gzip -dc \(path) | cairn -\n")
            let named = try cairn("formats", path)
            #expect(named.status == 0)
            #expect(named.output == "\(path): gzip (compressed (gzip); to read it: gzip -dc \(path) | cairn -)\n")
        }
    }
}
