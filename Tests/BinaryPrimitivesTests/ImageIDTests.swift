import BinaryPrimitives
import Testing

/// Which identity of a log means which file, across the spellings that keep a part of it.
struct ImageIDTests {
    private func id(_ text: String) throws -> ImageID { try #require(ImageID(text: text)) }

    /// SHA-1's 20 bytes and the 16 that Breakpad keeps: whichever of both is the log's.
    @Test func `the first sixteen bytes of a longer identity are that identity`() throws {
        let whole = try id("b060ad20c6b47781552708aa192e7739fac7c84a")
        let cut = try id("b060ad20c6b47781552708aa192e7739")
        #expect(whole.matches(cut) && cut.matches(whole) && whole.matches(whole) && cut.matches(cut))
        let other = try id("b060ad20c6b47781552708aa192e7738")
        #expect(!whole.matches(other) && !other.matches(whole) && !cut.matches(other))
    }

    @Test func `a shorter identity with zeros up to sixteen bytes is that identity`() throws {
        let short = try id("9f0a3b6c11d2e488")
        let padded = try id("9f0a3b6c11d2e4880000000000000000")
        #expect(short.matches(padded) && padded.matches(short))
        #expect(!short.matches(try id("9f0a3b6c11d2e4880000000000000001")))
        // 15 and 17 bytes of it are a form that no tool writes.
        #expect(!short.matches(try id("9f0a3b6c11d2e488000000000000000000")))
        #expect(!(try id("b060ad20c6b47781552708aa192e77")).matches(try id("b060ad20c6b47781552708aa192e7739")))
        // Too few bytes to be anybody's.
        #expect(!(try id("9f0a3b")).matches(try id("9f0a3b00000000000000000000000000")))
    }

    /// The sixteen bytes are the MD5 of no bytes (RFC 1321, A.5): `ld --build-id=md5` makes such ones.
    @Test func `sixteen bytes are spelled as a UUID unless they are a build ID`() throws {
        let digits = "d41d8cd98f00b204e9800998ecf8427e"
        let uuid = try id(digits)
        #expect(uuid.uuid == "D41D8CD9-8F00-B204-E980-0998ECF8427E" && uuid.description == uuid.uuid)
        let build = try #require(ImageID(buildID: digits))
        #expect(build.uuid == nil && build.description == digits)
        #expect(build == uuid && build.matches(uuid))
    }

    @Test func `an odd number of digits was cut off and is no identity`() throws {
        let whole = "b060ad20c6b47781552708aa192e7739fac7c84a"
        for count in [1, 9, 39] { #expect(ImageID(text: whole.prefix(count)) == nil, "\(count)") }
        #expect(try id(whole).bytes.count == 20)
    }

    /// The pair of ids that Mozilla's dump_syms wrote for one file:
    /// `MODULE Linux x86_64 20AD…390 basic.full`, `INFO CODE_ID B060…C84A`.
    @Test func `Breakpad's ids`() throws {
        let whole = try id("B060AD20C6B47781552708AA192E7739FAC7C84A")
        #expect(BreakpadID.elf(whole) == "20AD60B0B4C68177552708AA192E77390")
        #expect(BreakpadID.identity("20AD60B0B4C68177552708AA192E77390", isELF: true)?.matches(whole) == true)
        // MODULE Mac x86_64 67E9247C814E392BA027DBDE6748FCBF0 crash
        let uuid = try id("67E9247C-814E-392B-A027-DBDE6748FCBF")
        #expect(BreakpadID.machO(uuid) == "67E9247C814E392BA027DBDE6748FCBF0")
        #expect(BreakpadID.identity("67E9247C814E392BA027DBDE6748FCBF0", isELF: false) == uuid)
        #expect(BreakpadID.machO(whole) == nil)
        // Eight bytes, filled up: 9f0a3b6c 11d2 e488.
        #expect(BreakpadID.elf(try id("9f0a3b6c11d2e488")) == "6C3B0A9FD21188E400000000000000000")
        for text in ["", "0", "67E9247C814E392BA027DBDE6748FCBF", "67E9247C814E392BA027DBDE6748FCBX0", "000000000000000000000000000000000"]
        {
            #expect(BreakpadID.identity(text, isELF: false) == nil, "\(text)")
        }
    }
}
