import BinaryPrimitives
import TestSupport
import Testing

@testable import ObjectFiles

/// Limits of the headers of object files (`Limits`): a file at the limit is read whole; one more is
/// rejected or left out, and the excess is reported.
struct ContainerLimitsTests {
    /// - Returns: the object, or why it was refused.
    private func opened(_ bytes: [UInt8], _ limits: Limits) throws -> Result<ObjectFile, ObjectFileError> {
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "test")
        do {
            let object = try ELFReader.open(file, limits) ?? MachOReader.open(file, 0..<file.size, limits)
            return .success(try #require(object))
        } catch let error as ObjectFileError { return .failure(error) }
    }

    private func problem(_ bytes: [UInt8], _ limits: Limits) throws -> String? {
        if case .failure(let error) = try opened(bytes, limits) { error.problem } else { nil }
    }

    /// Four sections: the null section, two, and the names. Their number is in the header, or in
    /// the first section header.
    @Test(arguments: [false, true])
    func `so many section headers are read`(usesExtendedNumbers: Bool) throws {
        var builder = ELFBuilder()
        builder.usesExtendedNumbers = usesExtendedNumbers
        builder.sections = [.init(name: ".text", type: 1, flags: 6, bytes: [1, 2]), .init(name: ".data", type: 1, flags: 3, bytes: [3])]
        var limits = Limits()
        limits.sections = 4
        #expect(try opened(builder.build(), limits).get().description.sections.map(\.name) == ["", ".text", ".data", ".shstrtab"])
        limits.sections = 3
        #expect(try problem(builder.build(), limits) == "4 section headers are declared, expected 3 or fewer")
    }

    @Test(arguments: [false, true])
    func `so many program headers are read`(usesExtendedNumbers: Bool) throws {
        var builder = ELFBuilder()
        builder.usesExtendedNumbers = usesExtendedNumbers
        builder.segments = (0..<5).map { .init(type: 1, address: 0x1000 * $0, fileSize: 0, memorySize: 0x1000) }
        var limits = Limits()
        limits.sections = 5
        #expect(try opened(builder.build(), limits).get().description.segments.count == 5)
        limits.sections = 4
        #expect(try problem(builder.build(), limits) == "5 program headers are declared, expected 4 or fewer")
    }

    /// A note of a build ID has 12 bytes of header, 4 of the owner and 20 of the ID.
    @Test(arguments: [true, false])
    func `notes of so many bytes are searched for a build ID, in a section and in a segment`(inSection: Bool) throws {
        let id = [UInt8](1...20)
        var builder = ELFBuilder()
        let note = builder.note(owner: "GNU", type: 3, contents: id)
        try #require(note.count == 36)
        builder.sections = [.init(name: ".note.gnu.build-id", type: inSection ? 7 : 1, flags: 2, bytes: note, alignment: 4)]
        // After the header of 64 bytes and one program header of 56.
        builder.segments = [.init(type: inSection ? 1 : 4, offset: 120, address: 0, fileSize: 36, memorySize: 36, alignment: 4)]
        var limits = Limits()
        limits.notes = 36
        let whole = try opened(builder.build(), limits).get()
        #expect(whole.identity == ImageID(bytes: id) && whole.description.notes == [])
        limits.notes = 35
        let cut = try opened(builder.build(), limits).get()
        #expect(cut.identity == nil)
        #expect(
            cut.description.notes == ["not all ELF notes were searched for a build ID, expected at most 35 bytes in a place and 280 in all"]
        )
    }

    /// Eight times as many bytes are searched in all: the eighth section is, and the ninth is not.
    @Test(arguments: [(7, true), (8, false)])
    func `notes of so many bytes are searched in all`(before: Int, isFound: Bool) throws {
        let id = [UInt8](1...20)
        var builder = ELFBuilder()
        let other = builder.note(owner: "GNU", type: 4, contents: id)
        let notes = [[UInt8]](repeating: other, count: before) + [builder.note(owner: "GNU", type: 3, contents: id)]
        builder.sections = notes.map { .init(name: ".note", type: 7, flags: 2, bytes: $0, alignment: 4) }
        var limits = Limits()
        limits.notes = 36
        let object = try opened(builder.build(), limits).get()
        #expect(object.identity == (isFound ? ImageID(bytes: id) : nil))
        #expect(object.description.notes.isEmpty == isFound)
    }

    @Test func `so many load commands are read`() throws {
        var builder = MachOBuilder()
        // A thread's state, which is not looked into, before the UUID.
        builder.otherCommands = [(0x4, [0, 0]), (0x4, [0, 0]), (0x1b, [1, 2, 3, 4])]
        var limits = Limits()
        limits.loadCommands = 3
        let id: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
        #expect(try opened(builder.build(), limits).get().identity == ImageID(bytes: id))
        limits.loadCommands = 2
        #expect(try problem(builder.build(), limits) == "3 load commands are declared, expected at most 2")
    }

    @Test(arguments: [false, true])
    func `so many slices of a universal file are read`(isWide: Bool) throws {
        let bytes = MachOBuilder.universal([[1], [2, 3], [4]], wide: isWide)
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "test")
        var limits = Limits()
        limits.slices = 3
        #expect(try UniversalFile.slices(file, limits)?.map(\.count) == [1, 2, 1])
        limits.slices = 2
        let error = #expect(throws: ObjectFileError.self) { try UniversalFile.slices(file, limits) }
        #expect(error?.problem == "the universal file declares 3 slices, expected 1 to 2")
    }

    @Test func `so many entries of a kernel cache are read`() throws {
        var builder = FilesetBuilder()
        builder.images = ["a", "b", "c"].map { ($0, MachOBuilder()) }
        let bytes = builder.build()
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "test")
        var limits = Limits()
        limits.filesetEntries = 3
        #expect(try ObjectFiles.openAll(file, limits: limits).map(\.description.entryName) == ["a", "b", "c"])
        limits.filesetEntries = 2
        let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.openAll(file, limits: limits) }
        #expect(error?.problem == "a kernel cache (MH_FILESET) of 3 entries, expected at most 2")
    }
}
