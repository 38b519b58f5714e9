import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Debug information that is kept between calls: address after address is looked up in a program,
/// and in between one that nothing is known of.
struct KeptReaderTests {
    @Test(arguments: ["Stripped/out/shapes-zlib", "Stripped/out/shapes-zstd", "Stripped/out/shapes-symbols-only", "C/out/c-gcc-dwarf5-O2"])
    func `the answers are those of one call for all`(name: String) throws {
        let object = try #require(try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + name)).first)
        let code = try #require(object.description.sections.first { $0.isExecutable && $0.name == ".text" })
        let addresses = (0..<min(code.size, 600)).compactMap { code.address.advanced(by: $0) }
        let expected = ObjectSource([object]).frames(at: addresses)
        try #require(expected.contains { if case .found = $0 { true } else { false } })
        let kept = ObjectSource([object], keepsSections: true)
        let nothing = ObjectSource([object]).frames(at: [LinkAddress(0)])
        for (address, answer) in zip(addresses, expected) {
            #expect(kept.frames(at: [LinkAddress(0), address]) == nothing + [answer])
        }
        #expect(kept.frames(at: addresses) == expected)
        // More addresses that nothing is known of than are remembered.
        let behind = (0..<20).compactMap { object.description.sections.last?.address.advanced(by: 1 << 40 + $0) }
        #expect(behind.map { kept.frames(at: [$0]) } == behind.map { ObjectSource([object]).frames(at: [$0]) })
    }
}
