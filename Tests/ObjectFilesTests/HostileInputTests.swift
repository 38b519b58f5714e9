import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

/// Files that are cut, damaged or made to do harm: each opens or is refused, and nothing traps,
/// hangs or grows.
struct HostileInputTests {
    /// Does with a file what the upper layers do with it: sections, contents, symbols and their
    /// names, exception frames.
    /// - Returns: whether anything was opened.
    @discardableResult
    static func exercise(_ file: MappedFile) -> Bool {
        guard let objects = try? ObjectFiles.openAll(file) else { return false }
        for object in objects {
            for section in object.description.sections {
                _ = try? object.contents(of: section).withBytes { $0.byteCount }
                #expect(section.fileRange.lowerBound >= 0 && section.fileRange.upperBound <= file.size)
            }
            var address = LinkAddress(0)
            try? object.forEachSymbol { symbol in
                address = symbol.address
                _ = symbol.name.text(in: object)
                return true
            }
            if let frames = ExceptionFrames(object) {
                _ = frames.range(containing: address)
                _ = frames.range(containing: object.baseAddress)
            }
            _ = object.section(containing: address)
            for section in object.description.sections { _ = object.stub(containing: section.address) }
            for range in object.stubRanges { _ = object.stub(containing: LinkAddress(range.lowerBound)) }
            _ = try? object.exports()
            _ = try? object.debugMap()
        }
        return true
    }

    static let small: [(String, [UInt8])] = [
        ("ELF, 64 bits", ELFReaderTests.library(.little64).build()), ("ELF, 32 bits, big-endian", ELFReaderTests.library(.big32).build()),
        ("Mach-O", MachOReaderTests.program().build()), ("Mach-O, 32 bits, big-endian", MachOReaderTests.program(.big32).build()),
        ("universal", MachOBuilder.universal([MachOReaderTests.program().build(), MachOReaderTests.program(.little32).build()])),
    ]

    @Test(arguments: small)
    func `a file cut anywhere opens or is refused`(name: String, bytes: [UInt8]) throws {
        for length in 0..<bytes.count {
            Self.exercise(try MappedFile(bytes: bytes.span.rawBytes.prefix(length), name: name))
        }
    }

    @Test(arguments: small)
    func `a file with any byte changed opens or is refused`(name: String, bytes: [UInt8]) throws {
        for index in bytes.indices {
            for value: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var changed = bytes
                changed[index] = value
                Self.exercise(try MappedFile(bytes: changed.span.rawBytes, name: name))
            }
        }
    }

    /// A real file with sixteen changes at a time, half of them in its first and last kilobytes,
    /// where the headers are. The seed is fixed.
    @Test(arguments: [
        "CrashExample/out/CrashExample", "CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample",
        "SwiftCrash/out/SwiftCrash",
    ])
    func `a real file with many bytes changed opens or is refused`(name: String) throws {
        let bytes = try readFile(TestPaths.fixture("binaries/" + name))
        // xorshift64 (Marsaglia, 2003).
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        var opened = 0
        for _ in 0..<60 {
            var changed = bytes
            for change in 0..<16 {
                let position =
                    change % 4 == 0
                    ? random(min(4096, bytes.count))
                    : change % 4 == 1 ? bytes.count - 1 - random(min(4096, bytes.count)) : random(bytes.count)
                changed[position] = UInt8(random(256))
            }
            if Self.exercise(try MappedFile(bytes: changed.span.rawBytes, name: name)) { opened += 1 }
        }
        // The changes are not so many that only the refusals were tested.
        #expect(opened > 5)
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus is absent (CAIRN_CORPUS)"))
    func `every malformed file of the corpus opens or is refused, quickly`() throws {
        let files = try filesBelow((TestPaths.corpus ?? "") + "/malformed")
        #expect(files.count > 100)
        for path in files {
            let time = try processorTime { Self.exercise(try MappedFile(path: path)) }
            #expect(time < .seconds(5), "\(path)")
        }
    }

    /// Everything in the corpus's `objects` is an object file but these.
    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus is absent (CAIRN_CORPUS)"))
    func `every object of the corpus opens, or is refused for what it is`() throws {
        let otherwise = [".sym", ".plist", ".bcsymbolmap", ".a", "breakpad-sym/module1.out"]
        for path in try filesBelow((TestPaths.corpus ?? "") + "/objects") {
            do {
                let objects = try ObjectFiles.openAll(path: path)
                #expect(!objects.isEmpty)
                #expect(!otherwise.contains { path.hasSuffix($0) }, "\(path)")
            } catch {
                #expect(error.kind == .unknownFormat, "\(error)")
                #expect(otherwise.contains { path.hasSuffix($0) }, "\(error)")
            }
        }
    }

    @Test func `names in a table without an end are cut, so that each does not cost the table's length`() throws {
        // 5,000 names of up to 4 MB each, 20 GB together.
        var builder = ELFBuilder()
        builder.sections = (0..<5000).map { ELFBuilder.Section(name: "", nameOffset: UInt32($0 + 1), type: 1) }
        builder.sections.append(.init(name: String(repeating: "x", count: 4 << 20), type: 1))
        let file = try object(builder.build())
        #expect(file.description.sections[1].name == String(repeating: "x", count: 1024))
    }
}
