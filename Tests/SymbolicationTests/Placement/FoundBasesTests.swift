import BinaryPrimitives
import CallSites
import CrashLogModel
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

@testable import Symbolication

/// Load addresses of given files for a log that lists no images. The truth is the load bias that the
/// test chooses: return addresses are call sites of a real program, moved by it.
struct FoundBasesTests {
    private static let bias: UInt64 = 0x55d3_1c92_6000

    private static func report(_ addresses: [UInt64]) -> CrashReport {
        var report = CrashReport(format: "rust-panic")
        var thread = ThreadTrace(index: 0, crashed: true)
        thread.frames = addresses.enumerated().map {
            Frame(index: $0, kind: .returnAddress, address: RuntimeAddress($1), range: 0..<0)
        }
        report.threads = [thread]
        return report
    }

    private static func image(_ object: ObjectFile, code: CodeWitness?) -> UnslidImage {
        var symbols = ImageSymbols(source: nil)
        symbols.code = code
        return UnslidImage(
            name: "ferry", path: object.path, architecture: .x86_64, id: object.identity, base: LinkAddress(0), code: [], symbols: symbols)
    }

    @Test(arguments: [true, false])
    func `a given file is found once, also if it is the program that runs`(isRunning: Bool) throws {
        let object = try #require(try ObjectFiles.openAll(path: TestPaths.fixture("binaries/SwiftFerry/out/ferry")).first)
        let witness = try #require(CodeWitness([object]))
        var sites: [UInt64] = []
        try #require(witness.callSites).forEachCall {
            sites.append($0.returnAddress.value)
            return sites.count < 12
        }
        let image = Self.image(object, code: witness)
        let found = FoundBases(
            Self.report(sites.map { $0 + Self.bias }), symbols: { _ in ImageSymbols(source: nil) }, given: { [image] },
            running: { isRunning ? [image] : [] })
        #expect(found.report.images.map(\.base) == [RuntimeAddress(witness.base.value + Self.bias)])
        #expect(found.paths == [0: object.path])
        // By it the debug file of a stripped program is found.
        #expect(try #require(found.report.images[0].id) == object.identity)
    }

    /// gcc describes calls of optimised code in debug information, and the program has all of them.
    @Test func `of a program that runs and its given debug file the program's calls decide`() throws {
        try withTemporaryFolder { folder in
            let calls = (0..<16).map { "    puts(text + \($0));\n" }.joined()
            try writeFile(
                folder + "/a.c", Array("#include <stdio.h>\nint main(int n, char **text_) {\n    char *text = *text_;\n\(calls)}\n".utf8))
            let commands = "gcc -g -O2 a.c -o a && objcopy --only-keep-debug a a.debug && strip a"
            try run("sh", ["-c", commands], directory: folder).requireSuccess()
            let program = try #require(try ObjectFiles.openAll(path: folder + "/a").first)
            let debug = try #require(try ObjectFiles.openAll(path: folder + "/a.debug").first)
            let witness = try #require(CodeWitness([program]))
            #expect(CodeWitness([debug])?.isDescribed == true && program.identity == debug.identity)
            var sites: [UInt64] = []
            try #require(witness.callSites).forEachCall {
                sites.append($0.returnAddress.value)
                return sites.count < 16
            }
            let found = FoundBases(
                Self.report(sites.map { $0 + Self.bias }), symbols: { _ in ImageSymbols(source: nil) },
                given: { [Self.image(debug, code: CodeWitness([debug]))] }, running: { [Self.image(program, code: witness)] })
            #expect(found.paths == [0: program.path])
        }
    }

    @Test func `a debug file has no code, and the advice is to give its program`() throws {
        let object = try #require(try ObjectFiles.openAll(path: TestPaths.fixture("binaries/RustCrash/out/tank.debug")).first)
        let witness = CodeWitness([object])
        #expect(witness?.callSites == nil)
        let found = FoundBases(
            Self.report([0x5555_5555_1000, 0x5555_5555_2000]), symbols: { _ in ImageSymbols(source: nil) },
            given: { [Self.image(object, code: witness)] }, running: { [] })
        #expect(
            found.notes == [
                "\(object.path) has no code to find its load address from: it is a debug file. Give its program, too: --symbols PROGRAM"
            ])
    }
}
