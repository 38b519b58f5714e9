import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Every committed object file against `Fixtures/binaries/INDEX.tsv`, which `llvm-readelf`,
/// `llvm-lipo` and `llvm-objdump` wrote.
struct FixtureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var kind: String
        var machine: String
        var hasTable: Bool
        var identity: String
        var testDescription: String { "\(path) \(machine)" }
    }

    static let rows: [Row] = {
        let text = String(decoding: (try? readFile(TestPaths.fixture("binaries/INDEX.tsv"))) ?? [], as: UTF8.self)
        return text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Row(path: fields[0], kind: fields[1], machine: fields[2], hasTable: fields[4] == "yes", identity: fields[5])
        }
    }()

    /// `readelf`'s words for the machines that the fixtures are for.
    static let machines: [String: (Architecture, ByteOrder, Int)] = [
        "Advanced Micro Devices X86-64 64LE": (.x86_64, .littleEndian, 8), "Intel 80386 32LE": (.i386, .littleEndian, 4),
        "RISC-V 64LE": (.riscv64, .littleEndian, 8), "PowerPC64 64BE": (.ppc64, .bigEndian, 8), "IBM S/390 64BE": (.s390x, .bigEndian, 8),
        "AArch64 64LE": (.arm64, .littleEndian, 8), "AArch64 64BE": (.arm64, .bigEndian, 8), "ARM 32LE": (.arm, .littleEndian, 4),
        "MIPS R3000 32BE": (.mips, .bigEndian, 4), "MIPS R3000 64BE": (.mips64, .bigEndian, 8),
        "MIPS R3000 64LE": (.mips64, .littleEndian, 8),
        "PowerPC64 64LE": (.ppc64, .littleEndian, 8), "PowerPC 32BE": (.ppc, .bigEndian, 4), "RISC-V 32LE": (.riscv32, .littleEndian, 4),
        "EM_BPF 64LE": (Architecture("bpf"), .littleEndian, 8), "x86_64": (.x86_64, .littleEndian, 8), "arm64": (.arm64, .littleEndian, 8),
        "x86_64h": (.x86_64h, .littleEndian, 8), "arm64e": (.arm64e, .littleEndian, 8), "arm64_32": (.arm64_32, .littleEndian, 4),
        "armv7": (.armv7, .littleEndian, 4), "armv7k": (.armv7k, .littleEndian, 4), "i386": (.i386, .littleEndian, 4),
    ]

    static let kinds: [String: ObjectFile.Kind] = [
        "elf-executable": .executable, "elf-shared": .sharedLibrary, "elf-relocatable": .relocatable, "macho-execute": .executable,
        "macho-dylib": .sharedLibrary, "macho-dsym": .debugCompanion, "macho-object": .relocatable,
    ]

    @Test(arguments: rows)
    func `a fixture is what the index says`(row: Row) throws {
        let path = TestPaths.fixture("binaries/" + row.path)
        let (architecture, order, size) = try #require(Self.machines[row.machine], "\(row.machine)")
        let object = try ObjectFiles.open(path: path, choosing: .architecture(architecture))
        #expect(object.architecture == architecture)
        #expect(object.description.byteOrder == order)
        #expect(object.description.addressSize == size)
        #expect(object.identity == ImageID(text: row.identity))
        // `objcopy --only-keep-debug` leaves the file type as it was, and removes the code.
        #expect(object.description.kind == (row.path.hasSuffix(".debug") ? .debugCompanion : Self.kinds[row.kind]))
        #expect(object.description.notes == [])
        if object.description.container == .elf { #expect(object.hasFullSymbolTable == row.hasTable) }
        // The identity alone finds the same slice.
        if let identity = object.identity {
            #expect(try ObjectFiles.open(path: path, choosing: .identity(identity)).slice == object.slice)
        }
    }

    /// `readelf -wk` prints this name and checksum; it is also zlib's CRC-32 of the file of that
    /// name.
    @Test func `a stripped program names its debug file`() throws {
        let link = try ObjectFiles.open(path: TestPaths.fixture("binaries/Stripped/out/shapes-linked")).description.debugLink
        #expect(link?.name == "shapes-linked.debug")
        #expect(link?.checksum == 0x9f13_c6de)
    }

    @Test func `the index is there and lists both containers`() {
        #expect(Self.rows.contains { $0.kind.hasPrefix("elf") } && Self.rows.contains { $0.kind.hasPrefix("macho") })
    }
}
