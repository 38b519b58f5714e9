import BinaryPrimitives
import DWARF
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Why there is no line: a result from the symbol table says what of the debug information could
/// not be read.
struct NoteTests {
    private static func open(_ bytes: [UInt8]) throws -> ObjectFile {
        try ObjectFiles.openAll(try MappedFile(bytes: bytes.span.rawBytes, name: "changed"))[0]
    }

    /// Every function's first byte.
    private static func starts(of object: ObjectFile) throws -> [ImageOffset] {
        let functions = try elements { try object.forEachSymbol($0) }.filter { $0.kind == .function && $0.size > 0 }
        return Set(functions.map { $0.address.value - object.baseAddress.value }).sorted().map(ImageOffset.init)
    }

    private static func notes(_ found: [SymbolResult]) -> [String?] {
        found.map { symbolResult in
            guard case .found(let frames) = symbolResult else { return nil }
            return frames.last?.note
        }
    }

    /// The results of a fixture in which one byte of a section was changed.
    private func notes(_ name: String, _ section: String, at offset: Int, _ value: UInt8) throws -> [String?] {
        let path = TestPaths.fixture("binaries/" + name)
        let whole = try ObjectFiles.open(path: path)
        let range = try #require(whole.section(named: section)).fileRange
        var bytes = try readFile(path)
        bytes[range.lowerBound + offset] = value
        let object = try Self.open(bytes)
        return Self.notes(ObjectSource([object]).frames(at: try Self.starts(of: object)))
    }

    @Test func `files that are whole have no notes, but for the one whose split unit is missing`() throws {
        let index = try CorpusPair.table(TestPaths.fixture("binaries/INDEX.tsv")).map { $0[0] }
        var requested = 0
        for path in Set(index).sorted() {
            for object in try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + path)) where object.description.kind != .relocatable
            {
                let notes = Self.notes(ObjectSource([object]).frames(at: try Self.starts(of: object)))
                let isMissing = path == "SplitUnits/out/split-missing"
                #expect(notes.contains { $0 != nil } == isMissing, "\(path): \(notes.compactMap { $0 }.first ?? "")")
                requested += notes.count
            }
        }
        #expect(requested > 1000)
    }

    /// DWARF 5, section 7.5.1: the version follows the length of four bytes.
    @Test func `a unit of an unknown version`() throws {
        let notes = try notes("C/out/c-clang-dwarf5-O2", ".debug_info", at: 4, 9)
        #expect(
            Set(notes.compactMap { $0 }) == [
                "the debug information cannot be read in full: .debug_info at 0x0: DWARF unit at offset 0x00000000 has unsupported version 9, supported are 2-5"
            ])
        // The other units' functions have none.
        #expect(notes.contains(nil))
    }

    /// The kind of the first entry of the first list; offsets are counted by the header that
    /// precedes it.
    @Test func `a list of ranges that cannot be read`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/C/out/c-gcc-dwarf5-O2"))
        let section = try #require(object.section(named: ".debug_rnglists"))
        #expect(section.size > 12)
        // gcc's lists follow the header of 12 bytes without a table of offsets; all their kinds are
        // made unknown.
        let path = TestPaths.fixture("binaries/C/out/c-gcc-dwarf5-O2")
        var bytes = try readFile(path)
        for index in section.fileRange.dropFirst(12) { bytes[index] = 0xee }
        let aranges = try #require(object.section(named: ".debug_aranges")).fileRange
        // Without the table of ranges that would lead to the unit: its version is made unknown
        // (section 6.1.2).
        for index in aranges.indices where index % 4 == 0 { bytes[index] = 0xff }
        let changed = try Self.open(bytes)
        let notes = Self.notes(ObjectSource([changed]).frames(at: try Self.starts(of: changed))).compactMap { $0 }
        #expect(!notes.isEmpty)
        #expect(notes.allSatisfy { $0.contains(".debug_rnglists at 0x") && $0.contains("entry of kind 238: expected 0 to 7") }, "\(notes)")
    }

    @Test func `a string section that cannot be inflated`() throws {
        // After the header of the compressed section (Elf64_Chdr, 24 bytes) zlib's data begins with
        // 0x78.
        let notes = try notes("Stripped/out/shapes-zlib", ".debug_str", at: 24, 0).compactMap { $0 }
        #expect(!notes.isEmpty && notes.allSatisfy { $0.contains(": .debug_str at 0x0: ") }, "\(notes)")
    }

    /// A relocation of a type that no x86-64 linker knows, in the section that describes the
    /// functions.
    @Test func `a relocation that is not known`() throws {
        let path = TestPaths.fixture("binaries/Relocatable/out/gauge-x86_64.o")
        let object = try ObjectFiles.open(path: path)
        let range = try #require(object.section(named: ".rela.debug_info")).fileRange
        var bytes = try readFile(path)
        // `Elf64_Rela`: offset, then the type in the low half of the next eight bytes.
        bytes[range.lowerBound + 8] = 0xfe
        let changed = try Self.open(bytes)
        let symbolResult = ObjectSource([changed]).frames(at: [ImageOffset(0)])[0]
        guard case .found(let frames) = symbolResult else { return #expect(Bool(false), "\(symbolResult)") }
        #expect(frames.map(\.origin) == [.symbolTable])
        let note = try #require(frames.last?.note)
        #expect(note.contains("254") && note.contains("relocation"), "\(note)")
    }
}
