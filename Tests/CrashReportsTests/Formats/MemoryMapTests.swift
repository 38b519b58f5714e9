import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

struct MemoryMapTests {
    private func images(_ rows: String) -> [String] {
        var map = MemoryMap()
        for row in rows.split(separator: "\n") {
            if let row = MemoryMapRow(Array(row.utf8).span) { map.add(row) }
        }
        return map.all.map { "\($0.name) \($0.base?.description ?? "-") \($0.size.map { String($0, radix: 16) } ?? "-")" }
    }

    /// proc(5); the mappings of one file are one image. 0x7f1c2a1c5000 − 0x7f1c2a000000 = 0x1c5000.
    @Test func `mappings of a file are an image`() {
        let rows = """
            55d000000000-55d000001000 r--p 00000000 08:01 131 /usr/bin/my program
            55d000001000-55d000005000 r-xp 00001000 08:01 131 /usr/bin/my program
            55d000010000-55d000031000 rw-p 00000000 00:00 0          [heap]
            7f1c2a000000-7f1c2a021000 r-xp 00000000 08:01 132    /usr/lib/libc.so.6 (deleted)
            7f1c2a021000-7f1c2a1c5000 rw-p 00021000 08:01 132    /usr/lib/libc.so.6 (deleted)
            7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0
            7ffc00100000-7ffc00102000 r-xp 00000000 00:00 0 [vdso]
            """
        #expect(images(rows) == ["my program 0x55d000000000 5000", "libc.so.6 0x7f1c2a000000 1c5000", "[vdso] 0x7ffc00100000 2000"])
    }

    /// A map that was cut at its beginning: the file's first byte is where the mapping would have
    /// put it. A second mapping from the file's beginning is another copy.
    @Test func `an image begins where its first byte is mapped`() {
        let rows = """
            00401000-00402000 r-xp 00001000 08:01 131 /opt/a
            00500000-00501000 r-xp 00000000 08:01 131 /opt/a
            """
        #expect(images(rows) == ["a 0x400000 2000", "a 0x500000 1000"])
    }

    /// The rows of `Fixtures/logs/gdb-bt/tide`: a small program by LLVM's linker, whose first page
    /// of the file holds three segments. It is one image.
    @Test func `a page of the file that is mapped several times in a row is one image`() {
        let rows = """
            555555554000-555555555000 r--p 00000000 fe:00 13 /srv/tide
            555555555000-555555556000 r-xp 00000000 fe:00 13 /srv/tide
            555555556000-555555558000 r--p 00000000 fe:00 13 /srv/tide
            555555558000-555555559000 rw-p 00001000 fe:00 13 /srv/tide
            """
        #expect(images(rows) == ["tide 0x555555554000 5000"])
    }

    @Test(arguments: [
        "", "main.c:12", "55d0-55d0 r-xp 0 08:01 1 /a", "55d1-55d0 r-xp 0 08:01 1 /a", "10-20 r-xp 30 08:01 x /a", "10-20 rx 0 08:01 1 /a",
        "ffffffffffffffffff-1 r-xp 0 08:01 1 /a", "10-20 r-xp 0 0801 1 /a",
    ]) func `other lines are no rows`(line: String) { #expect(MemoryMapRow(Array(line.utf8).span) == nil) }

    /// A mapping below its file offset cannot be.
    @Test func `impossible rows are no images`() { #expect(images("10-20 r-xp 30 08:01 1 /a") == []) }
}
