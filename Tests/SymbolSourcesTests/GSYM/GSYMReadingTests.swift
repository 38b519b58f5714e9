import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Files that `llvm-gsymutil` writes, looked up by cairn and by `llvm-gsymutil` itself: every function's first,
/// middle and last byte, and the byte after it.
struct GSYMReadingTests {
    /// ELF of both byte orders and sizes of address, Mach-O; C, C++, Swift, Rust; inlined calls,
    /// parts of functions, code without debug information.
    static let objects: [(path: String, architecture: String?)] = [
        ("C/out/c-gcc-dwarf5-O2", nil), ("C/out/c-clang-dwarf5-O2", nil), ("C/out/c-clang-line-tables", nil),
        ("CXX/out/cxx-gcc-dwarf5-O2", nil),
        ("CXX/out/cxx-clang-dwarf4-O2", nil), ("CXX/out/cxx-gcc-lto", nil), ("Functions/out/cold", nil),
        ("Functions/out/folded-dwarf5", nil),
        ("SwiftCrash/out/SwiftCrash-O", nil), ("RustCrash/out/tank.debug", nil), ("Freestanding/out/machine-s390x", nil),
        ("Freestanding/out/machine-mips-be", nil), ("Freestanding/out/machine-i386", nil), ("SharedLibrary/out/libqueue.so.1", nil),
        ("MachOCXX/out/shapes.dSYM/Contents/Resources/DWARF/shapes", "arm64"),
        ("MachOCXX/out/shapes.dSYM/Contents/Resources/DWARF/shapes", "x86_64"),
        ("MachOCXX/out/shapes-arm64", nil),
    ]

    @Test(.enabled(if: GSYMPeer.isInstalled), arguments: objects + (GSYMPeer.system.map { [($0, nil)] } ?? []))
    func `what llvm-gsymutil writes is answered as it answers`(object: (path: String, architecture: String?)) throws {
        try withTemporaryFolder { folder in
            let gsym = folder + "/image.gsym"
            let path = object.path.hasPrefix("/") ? object.path : TestPaths.fixture("binaries/" + object.path)
            try GSYMPeer.convert(path, architecture: object.architecture, to: gsym)
            let file = try #require(try GSYMFile(MappedFile(path: gsym)))
            let choice = object.architecture.map { SliceChoice.architecture(Architecture($0)) } ?? .only
            let image = try ObjectFiles.open(path: path, choosing: choice)
            #expect(file.identity == image.identity)
            // A file without code below the first function shows where the image begins.
            #expect(file.imageBase == .known(image.baseAddress))
            let functions = try GSYMPeer.functions(of: gsym)
            #expect(functions.count == file.count && file.count > 0)
            var addresses = Set(
                functions.flatMap { [$0.range.lowerBound, ($0.range.lowerBound + $0.range.upperBound) / 2, $0.range.upperBound] })
            addresses.formUnion(functions.filter { !$0.range.isEmpty }.map { $0.range.upperBound - 1 })
            try compare(
                gsym, file, addresses.filter { $0 >= image.baseAddress.value }.sorted(), base: image.baseAddress,
                last: functions.last?.range)
        }
    }

    private func compare(_ gsym: String, _ file: GSYMFile, _ addresses: [UInt64], base: LinkAddress, last: Range<UInt64>?) throws {
        let offsets = addresses.map { ImageOffset($0 - base.value) }
        let found = GSYMSource(file).frames(at: offsets)
        var differences = 0
        for (address, (theirs, (offset, symbolResult))) in zip(
            addresses, zip(try GSYMPeer.results(gsym, at: addresses), zip(offsets, found)))
        {
            let ours = GSYMPeer.frames(symbolResult, at: offset)
            // After the last symbol without a size the peer goes on for ever.
            if let last, last.isEmpty, address >= last.lowerBound, ours.isEmpty { continue }
            if ours != theirs {
                differences += 1
                if differences <= 5 {
                    Issue.record("\(gsym) at 0x\(String(address, radix: 16)): the peer says \(theirs), cairn says \(ours)")
                }
            }
        }
        #expect(differences == 0, "of \(addresses.count)")
    }
}
