import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// GSYM files that cairn writes: `llvm-gsymutil` and cairn resolve from them what `ObjectSource` resolves from
/// the object itself, and LLVM's check of them against the DWARF finds no other difference.
struct GSYMWritingTests {
    typealias Object = (path: String, architecture: String?)

    static let objects: [Object] =
        GSYMReadingTests.objects
        + [
            ("CXX/out/cxx-clang-dwarf5-O2", nil), ("CXX/out/cxx-gcc-types", nil), ("LineRules/out/order", nil),
            ("LineRules/out/removed", nil), ("LineRules/out/vliw", nil), ("Functions/out/nested", nil), ("GoCrash/out/tank.debug", nil),
            ("SplitUnits/out/split-gcc5", nil), ("SplitUnits/out/package-clang5", nil), ("SplitUnits/out/dwz-one", nil),
            ("Supplementary/out/sup-one", nil),
            ("Stripped/out/shapes-zstd", nil), ("SharedLibrary/out/libqueue-prelinked.so.1", nil),
            ("Android/out/armeabi-v7a/libshop.so.debug", nil),
            ("Ferry/out/ferry-static.debug", nil), ("CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample", "x86_64"),
        ].filter { TestPaths.isReadable(TestPaths.fixture("binaries/" + $0.0)) }

    private func withImage(_ object: Object, _ body: (ObjectFile, String, GSYMFile) throws -> Void) throws {
        let choice = object.architecture.map { SliceChoice.architecture(Architecture($0)) } ?? .only
        let path = object.path.hasPrefix("/") ? object.path : TestPaths.fixture("binaries/" + object.path)
        let image = try ObjectFiles.open(path: path, choosing: choice)
        try withTemporaryFolder { folder in
            let gsym = folder + "/image.gsym"
            let built = try GSYMBuilder.build(image)
            #expect(built.problems == [])
            try writeFile(gsym, Array(built.parts.joined()))
            let file = try #require(try GSYMFile(MappedFile(path: gsym)))
            #expect(file.identity == image.identity && file.count == built.functionCount && file.count > 0)
            try body(image, gsym, file)
        }
    }

    /// Every function's first, middle and last byte.
    private func addresses(_ gsym: String) throws -> [UInt64] {
        let functions = try GSYMPeer.functions(of: gsym).map(\.range).filter { !$0.isEmpty }
        return Set(functions.flatMap { [$0.lowerBound, $0.lowerBound + ($0.upperBound - $0.lowerBound) / 2, $0.upperBound - 1] }).sorted()
    }

    /// The object's own result as far as GSYM can hold it: no columns; a call whose place is not
    /// known is left out, and so is a file without a line's number; offsets count from where the
    /// code begins that is together.
    private func frames(_ symbolResult: SymbolResult, at offset: ImageOffset, part: UInt64?) -> [GSYMPeer.Frame] {
        guard case .found(let frames) = symbolResult else { return [] }
        var result: [GSYMPeer.Frame] = []
        var location = frames.first?.location
        for (index, frame) in frames.enumerated() {
            if frame.isInlined, frames[index + 1].location == nil { continue }
            let start = frame.isInlined ? nil : frame.entry.map { offset.value &- $0.value }
            result.append(
                GSYMPeer.Frame(
                    name: frame.name, offset: frame.isInlined ? nil : part ?? start, file: location?.file ?? "", line: location?.line ?? 0))
            location = index + 1 < frames.count ? frames[index + 1].location : nil
        }
        return result
    }

    @Test(.enabled(if: GSYMPeer.isInstalled), arguments: objects + (GSYMPeer.system.map { [($0, nil)] } ?? []))
    func `llvm-gsymutil and cairn answer from the file as cairn from the object`(object: Object) throws {
        try withImage(object) { image, gsym, file in
            let addresses = try addresses(gsym)
            let offsets = addresses.map { ImageOffset($0 - image.baseAddress.value) }
            let direct = ObjectSource([image]).frames(at: offsets)
            let own = GSYMSource(file, base: image.baseAddress).frames(at: offsets)
            let theirs = try GSYMPeer.results(gsym, at: addresses)
            var differences = 0
            for index in addresses.indices {
                // A name of the debug information alone is that of all parts of the function.
                let isApart = Self.isApart(direct[index], offsets[index])
                let expected = frames(direct[index], at: offsets[index], part: isApart ? theirs[index].last?.offset : nil)
                let read = GSYMPeer.frames(own[index], at: offsets[index])
                guard read != expected || theirs[index] != expected else { continue }
                differences += 1
                if differences <= 5 {
                    Issue.record(
                        "\(object.path) at 0x\(String(addresses[index], radix: 16)): expected \(expected), cairn reads \(read), the peer \(theirs[index])"
                    )
                }
            }
            #expect(differences == 0, "of \(addresses.count)")
        }
    }

    private static func isApart(_ symbolResult: SymbolResult, _ offset: ImageOffset) -> Bool {
        guard case .found(let frames) = symbolResult, let entry = frames.last?.entry else { return false }
        return entry > offset
    }

    /// `--verify` compares each byte of each function with the DWARF, and prints the differences. It reads the
    /// file given after `--out-file`, and does not change it if segments are to be written. Allowed
    /// differences: names, if the symbol table has another one than the debug information, because only the
    /// latter is compared; and swiftc's file of a call that is somewhere else (`GeneratedCallFiles`).
    @Test(
        .enabled(if: GSYMPeer.isInstalled),
        arguments: objects.filter { !$0.path.hasPrefix("SplitUnits/") && !$0.path.hasPrefix("Supplementary/") })
    func `llvm-gsymutil --verify finds no other line, path or call in the DWARF`(object: Object) throws {
        try withImage(object) { image, gsym, file in
            let arguments = [
                "--convert=" + image.path, "--out-file=" + gsym, "--segment-size=1000000000", "--verify", "--num-threads=1", "--quiet",
            ]
            let before = try readFile(gsym)
            let result = try run(GSYMPeer.path, arguments + (object.architecture.map { ["--arch=" + $0] } ?? []))
            #expect(try readFile(gsym) == before)
            let lines = (result.output + result.errors).split(separator: "\n")
            try #require(lines.contains { $0.hasPrefix("Verifying GSYM file") })
            let complaints = lines.filter {
                $0.hasPrefix("error: address ") && !$0.contains("doesn't match GSYM function")
                    && !($0.contains("DWARF path \"/<compiler-generated>\"") && $0.contains(".swift\""))
            }
            #expect(complaints.isEmpty, "\(complaints.count), the first: \(complaints.first ?? "")")
        }
    }

    @Test func `what has no place in the format is refused`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Relocatable/out/gauge-x86_64.o"))
        #expect(throws: ObjectFileError.self) { _ = try GSYMBuilder.build(object) }
    }
}
