import TestSupport
import Testing

@testable import DWARFInspection

/// A name index (DWARF 5, section 6.1.1) of one function: what is written of it, what is found by
/// it, and what is wrong with it.
struct NameIndexTests {
    /// `main` at 0x0d: a header of 12 bytes, and one byte of the unit's entry.
    private static let function: UInt32 = 0x0d
    private static let unit = MadeEntry(0x11, "", [], [MadeEntry(0x2e, "", [.name("main")] + MadeEntry.Attribute.code(0x1000, size: 4))])

    /// The standard's hash (section 7.33): Bernstein's, of the folded name.
    private static func hash(_ name: String) -> UInt32 { name.utf8.reduce(5381) { $0 &* 33 &+ UInt32($1) } }

    private static func object(
        hash: UInt32 = hash("main"), entry: UInt32 = function, unit: UInt32 = 0, tag: UInt8 = 0x2e, bucket: UInt32 = 1
    ) -> MadeObject {
        // An abbreviation: a subprogram with `DW_IDX_die_offset` as `DW_FORM_ref4`.
        let abbreviations: [UInt8] = [1, tag, 3, 0x13, 0, 0, 0]
        var index = ByteWriter()
        index.put(UInt32(0))
        index.put(UInt16(5))
        index.put(UInt16(0))
        // One unit, no type units, one bucket, one name; the size of the abbreviations; no
        // augmentation.
        for count in [1, 0, 0, 1, 1, UInt32(abbreviations.count), 0] { index.put(count) }
        index.put(unit)
        index.put(bucket)
        index.put(hash)
        // The name's place in `.debug_str`, and its entries' place.
        index.put(UInt32(0))
        index.put(UInt32(0))
        index.bytes += abbreviations
        index.put(UInt8(1))
        index.put(entry)
        index.put(UInt8(0))
        index.patch(UInt32(index.count - 4), at: 0)
        return MadeObject([Self.unit], sections: [(".debug_str", Array("main\0".utf8)), (".debug_names", index.bytes)])
    }

    @Test func `an index is written with its hashes, names and entries`() throws {
        let (text, problems) = try Self.object().dump { $0.sections = [.names] }
        // The hash of `main` in LLVM's own tests.
        #expect(Self.hash("main") == 0x7c9a_7f6a)
        for line in [
            "Hash: 0x7C9A7F6A", #"String: 0x00000000 "main""#, "Tag: DW_TAG_subprogram", "DW_IDX_die_offset: 0x0000000d",
            "CU[0]: 0x00000000",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(problems.isEmpty)
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence)) func `LLVM writes the same index`() throws {
        #expect(try Self.object().dump { $0.sections = [.names] }.text == Self.object().peer(["--debug-names"]))
    }

    @Test func `an entry is found by its name`() throws {
        #expect(try Self.object().dump { $0.found = ["main"] }.text.contains("0x0000000d: DW_TAG_subprogram"))
        #expect(try !Self.object().dump { $0.found = ["other"] }.text.contains("DW_TAG"))
    }

    /// Each index has one thing wrong, and the words are LLVM's.
    private static let damaged: [(object: MadeObject, message: String)] = [
        (object(hash: 0x1234), "String (main) at index 1 hashes to 0x7c9a7f6a, but the Name Index hash is 0x1234"),
        (object(entry: 0x0e), "references a non-existing DIE @ 0xe"), (object(unit: 0x40), "references a non-existing CU @ 0x40"),
        (object(tag: 0x34), "mismatched Tag of DIE @ 0xd"),
        (object(bucket: 9), "Bucket 0 of Name Index @ 0x0 contains invalid value 9. Valid range is [0, 1]."),
        (object(bucket: 0), "Name table entries [1, 1] are not covered by the hash table."),
    ]

    @Test(arguments: damaged.indices) func `what is wrong with an index is found`(number: Int) throws {
        let text = try Self.damaged[number].object.verify()
        #expect(text.contains(Self.damaged[number].message) && text.hasSuffix("Errors detected.\n"), "\(text)")
    }

    @Test(.enabled(if: MadeObject.isPeerThere, MadeObject.absence), arguments: damaged.indices)
    func `LLVM finds the same in it`(number: Int) throws {
        #expect(try Self.damaged[number].object.verify() == Self.damaged[number].object.peer(["--verify"]))
    }

    @Test func `an index that fits its units has nothing wrong`() throws { #expect(try Self.object().verify().hasSuffix("No errors.\n")) }
}
