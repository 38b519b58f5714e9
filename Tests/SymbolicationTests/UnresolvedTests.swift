import BinaryPrimitives
import CrashLogModel
import ObjectFiles
import SymbolFiles
import SymbolSources
import TestSupport
import Testing

@testable import Symbolication

/// Every reason why an address is unresolved: real files and places that bring it about, and the
/// words that `explain` has for it.
struct UnresolvedTests {
    private static let program = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")

    /// Fails to compile when a reason is added, and then fails until the list below has a way to
    /// produce it.
    private static func name(_ reason: Unresolved) -> String {
        switch reason {
        case .outsideImage: "outsideImage"
        case .ambiguousSection: "ambiguousSection"
        case .noSymbol: "noSymbol"
        case .betweenSymbols: "betweenSymbols"
        case .unboundedSymbol: "unboundedSymbol"
        case .missingNames: "missingNames"
        case .noSectionHeaders: "noSectionHeaders"
        case .corrupt: "corrupt"
        case .unusedObject: "unusedObject"
        case .changedFile: "changedFile"
        case .noResult: "noAnswer"
        case .needsImageOffset: "placesAreNotKnown"
        case .unknownImageBase: "unknownImageBase"
        case .fileOffsetNotMapped: "fileOffsetNotMapped"
        case .mappingSizeDiffers: "mappingSizeDiffers"
        case .noTextSection: "noTextSection"
        case .noSuchSymbol: "noSuchSymbol"
        case .symbolSizeDiffers: "symbolSizeDiffers"
        case .ambiguousSymbol: "ambiguousSymbol"
        }
    }

    /// A reason with the place that is looked up and the file that is given.
    struct Case: Sendable, CustomTestStringConvertible {
        var reason: Unresolved
        var location: ImageLocation
        /// Makes `folder/image` from the fixture's program, or from what it writes itself; `$P` is
        /// the program.
        var script: String
        /// The sentence has words of its own from the file; this much of it is compared.
        var isPrefix = false
        /// The log gives the address where `.text` was mapped.
        var hasTextAddress = false
        var testDescription: String { UnresolvedTests.name(reason) }
    }

    /// Addresses are those of `llvm-nm` and `readelf -S` of the fixture: `check` at 0x830 and,
    /// another, at 0xa40; `main` 105 and 112 bytes; `.text` from 0x610, after `.plt`.
    static let cases: [Case] = [
        Case(reason: .outsideImage, location: .offset(ImageOffset(0x1000_0000)), script: "cp $P image"),
        Case(
            reason: .ambiguousSection([".text.one", ".text.two"]), location: .offset(ImageOffset(1)),
            script:
                "printf 'int one(void) { return 1; }\\nint two(void) { return 2; }\\n' > a.c && clang -c -ffunction-sections a.c -o image",
            isPrefix: true),
        Case(reason: .noSymbol, location: .offset(ImageOffset(0x840)), script: "llvm-objcopy --strip-all $P image"),
        Case(reason: .noSectionHeaders, location: .offset(ImageOffset(0x840)), script: "llvm-objcopy-19 --strip-sections $P image"),
        // Between `main`, which is 105 bytes long from 0x700, and `twice` at 0x770.
        Case(reason: .betweenSymbols, location: .offset(ImageOffset(0x76c)), script: "llvm-objcopy --strip-debug $P image"),
        Case(
            reason: .unboundedSymbol, location: .offset(ImageOffset(0)),
            // An exported function without a size, then a hidden one, in a stripped library.
            script: """
                printf '.text\\n.globl f\\n.type f,@function\\nf: ret\\n.skip 64,0x90\\nhidden: ret\\n.skip 64,0x90\\n' > a.s &&
                clang -shared -nostdlib -Wl,-Ttext=0x4000 a.s -o image && llvm-objcopy --strip-all image
                """),
        Case(
            reason: .corrupt(""), location: .offset(ImageOffset(0x840)),
            script: "printf garbage > g && llvm-objcopy --strip-all --add-section=.gnu_debugdata=g $P image", isPrefix: true),
        Case(
            reason: .fileOffsetNotMapped, location: .fileOffset(0x830), script: "llvm-objcopy --only-keep-debug $P image"),
        // `LOAD 0x000000 … 0x000db8 R E`: one page of code.
        Case(
            reason: .mappingSizeDiffers(log: 0x2000, file: [0x1000]), location: .mapping(MappingLocation(offset: 0x840, size: 0x2000)),
            script: "cp $P image"),
        Case(
            reason: .noTextSection, location: .offset(ImageOffset(0)), script: "llvm-objcopy --rename-section=.text=.code $P image",
            hasTextAddress: true),
        Case(reason: .noSuchSymbol("gone"), location: .symbol(SymbolLocation(name: "gone", offset: 0)), script: "cp $P image"),
        Case(
            reason: .symbolSizeDiffers(name: "main", log: 128, file: [105, 112]),
            location: .symbol(SymbolLocation(name: "main", offset: 0, size: 128)), script: "cp $P image"),
        Case(
            reason: .ambiguousSymbol(name: "check", [LinkAddress(0x830), LinkAddress(0xa40)]),
            location: .symbol(SymbolLocation(name: "check", offset: 0)), script: "cp $P image"),
        Case(
            reason: .unknownImageBase, location: .linkAddress(LinkAddress(0x400014)),
            script: "printf 'MODULE Linux x86_64 20AD60B0B4C68177552708AA192E77390 image\\nFUNC 10 10 0 f\\n' > image"),
    ]

    private func frame(_ location: ImageLocation) -> Frame {
        var frame = Frame(index: 0, kind: .exact, address: nil, range: 0..<1)
        frame.imageLocation = location
        frame.image = 0
        return frame
    }

    private func explain(_ frame: Frame, _ image: BinaryImage, by provider: any SymbolProvider) -> (
        outcome: FrameOutcome, text: Explanation
    ) {
        var report = CrashReport(format: "test")
        report.images = [image]
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: [frame])]
        let answered = Symbolicator(provider: provider).symbolicate(report)
        return (answered.threads[0][0], Explanation(answered, provider: provider))
    }

    private func check(_ reason: Unresolved, isPrefix: Bool = false, _ outcome: FrameOutcome, _ explanation: Explanation) {
        guard case .unresolved(let sentence) = outcome.result else {
            Issue.record("it was answered: \(outcome)")
            return
        }
        let expected = isPrefix ? String(reason.sentence.prefix { $0 != "(" && $0 != ":" }) : reason.sentence
        #expect(isPrefix ? sentence.hasPrefix(expected) : sentence == expected)
        #expect(outcome.remedy == reason.remedy)
        #expect(explanation.images[0].reasons == [Explanation.Reason(sentence: sentence, remedy: reason.remedy, frames: 1)])
        #expect(explanation.lacksSymbols)
    }

    @Test(arguments: cases) func `a reason is produced, with its words and what would help`(of one: Case) throws {
        try withTemporaryFolder { folder in
            try Toolchain.shell("P='\(Self.program)'; \(one.script)", directory: folder).requireSuccess()
            var location = one.location
            var image = BinaryImage(name: "image")
            var frame = frame(location)
            if one.reason == .unboundedSymbol {
                // The linker has put the hidden function 70 bytes after `f`.
                let row = try #require(
                    try Toolchain.run("llvm-nm", ["--dynamic", folder + "/image"]).lines.first { $0.hasSuffix(" f") })
                let start = try #require(UInt64(row.prefix { $0 != " " }, radix: 16))
                let object = try ObjectFiles.open(path: folder + "/image")
                location = .offset(ImageOffset(start - object.baseAddress.value + 70))
                frame = self.frame(location)
            }
            if one.hasTextAddress {
                image.textAddress = RuntimeAddress(0x5555_0000_0610)
                frame = Frame(index: 0, kind: .exact, address: RuntimeAddress(0x5555_0000_0831), range: 0..<1)
                frame.image = 0
            }
            let provider = SourceProvider(
                SearchLocations(symbols: [folder + "/image"]),
                openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch()) })
            let (outcome, explanation) = explain(frame, image, by: provider)
            check(one.reason, isPrefix: one.isPrefix, outcome, explanation)
        }
    }

    /// The file is written to after it was opened, and before it is searched.
    @Test func `a file that changes while it is read`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/image"
            try writeFile(path, try readFile(Self.program))
            let provider = SourceProvider(
                SearchLocations(symbols: [path]), openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { files in
                    let source = ImageSource.open(files, hiddenNames: BCSymbolMapSearch())
                    _ = try? run("truncate", ["-s", "+1", path])
                    return source
                })
            // `check`, as above.
            let (outcome, explanation) = explain(frame(.offset(ImageOffset(0x840))), BinaryImage(name: "image"), by: provider)
            check(.changedFile(.rewritten(path)), outcome, explanation)
        }
    }

    /// The object files of a Mach-O program without a dSYM are not where its debug map says, and
    /// the function's own symbol is gone: only the map knows it.
    @Test func `an object file that is not used`() throws {
        try withTemporaryFolder { folder in
            var bytes = try readFile(TestPaths.fixture("binaries/DebugMap/out/arm64/meter"))
            func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << ($1 * 8) } }
            // mach_header_64 has 32 bytes, ncmds at 16; LC_SYMTAB is command 2: symoff, nsyms,
            // stroff from byte 8 on.
            var command = 32
            for _ in 0..<word(16) where word(command) != 2 { command += word(command + 4) }
            let (symbols, count, strings) = (word(command + 8), word(command + 12), word(command + 16))
            var address: UInt64?
            for index in 0..<count {
                // nlist_64: n_strx, n_type (0x0e: defined in a section; 0xe0: stabs), …, n_value at
                // 8.
                let entry = symbols + index * 16
                let name = bytes[(strings + word(entry))...].prefix { $0 != 0 }
                guard name.elementsEqual("_clamp".utf8), bytes[entry + 4] & 0xe0 == 0 else { continue }
                address = UInt64(word(entry + 8)) | UInt64(word(entry + 12)) << 32
                bytes[entry + 4] = 0
            }
            try writeFile(folder + "/image", bytes)
            let start = try #require(address)
            let provider = SourceProvider(
                SearchLocations(symbols: [folder + "/image"]),
                openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch()) })
            let (outcome, explanation) = explain(
                frame(.offset(ImageOffset(start + 8 - 0x1_0000_0000))), BinaryImage(name: "image"), by: provider)
            guard case .unresolved(let sentence) = outcome.result else {
                Issue.record("it was answered: \(outcome)")
                return
            }
            #expect(outcome.remedy == Unresolved.unusedObject("").remedy)
            #expect(explanation.images[0].reasons.map(\.sentence) == [sentence])
        }
    }

    /// Sources of symbols from outside the package, which break their promise, or know offsets
    /// alone.
    private struct Custom: SymbolProvider, SymbolSource {
        func frames(at offsets: [ImageOffset]) -> [SymbolResult] { [] }
        func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: self) }
        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }

    @Test func `a source that answers too little, and one that knows offsets alone`() {
        for (reason, location) in [
            (Unresolved.noResult, ImageLocation.offset(ImageOffset(4))), (.needsImageOffset, .linkAddress(LinkAddress(4))),
        ] {
            let (outcome, explanation) = explain(frame(location), BinaryImage(name: "image"), by: Custom())
            check(reason, outcome, explanation)
        }
    }

    @Test func `no reason is without a test`() {
        let tested = Set(Self.cases.map { Self.name($0.reason) } + ["unusedObject", "noAnswer", "placesAreNotKnown"])
        let all: [Unresolved] = [
            .outsideImage, .ambiguousSection([]), .noSymbol, .betweenSymbols, .unboundedSymbol, .noSectionHeaders, .corrupt(""),
            .unusedObject(""),
            .noResult, .needsImageOffset,
            .unknownImageBase, .fileOffsetNotMapped, .mappingSizeDiffers(log: 0, file: []), .noTextSection, .noSuchSymbol(""),
            .symbolSizeDiffers(name: "", log: 0, file: []),
            .ambiguousSymbol(name: "", []),
        ]
        #expect(Set(all.map(Self.name)) == tested)
        // Different reasons have different words.
        #expect(Set(all.map(\.sentence)).count == all.count && Set(all.map(\.remedy)).count == all.count)
    }
}
