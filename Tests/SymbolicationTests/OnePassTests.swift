import BinaryPrimitives
import CallSites
import CrashLogModel
import DWARF
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import Synchronization
import TestSupport
import Testing

private let gcc = Installed.path("gcc")
private let objcopy = Installed.path("objcopy")

/// A report's addresses in one image are one request to its files, with the calls around them.
@Suite(.enabled(if: gcc != nil && objcopy != nil, "gcc and objcopy (package binutils) are not installed"))
struct OnePassTests {
    private final class Requests: Sendable {
        let all = Mutex<[[LinkAddress]]>([])
    }

    /// Records what is looked up in the files themselves.
    private struct Recording: SymbolSource {
        let source: ObjectSource
        let requests: Requests

        private func note(_ addresses: [LinkAddress]) { requests.all.withLock { $0.append(addresses) } }

        func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
            note(offsets.map { LinkAddress($0.value) })
            return source.frames(at: offsets)
        }
        func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
            note(addresses)
            return source.frames(at: addresses)
        }
        func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
            note(addresses)
            return source.frames(at: addresses, collecting: calls)
        }
        func locate(_ locations: [ImageLocation]) -> [LocateResult] { source.locate(locations) }
        func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }
        func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { source.forEachFunction(body) }
    }

    /// A program, its debug file, and where calls of the program return to, by its code.
    private func withProgram(_ body: (_ debug: String, _ returns: [LinkAddress]) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            let options = ["-O2", "-g", "-fPIC", "-shared", "-nostdlib", "-Wl,--build-id", TestPaths.fixture("calls/calls.c"), "-o", path]
            let (compiler, copier) = (try #require(gcc), try #require(objcopy))
            for (program, arguments) in [(compiler, options), (copier, ["--only-keep-debug", path, path + ".debug"])] {
                try run(program, arguments).requireSuccess()
            }
            var returns: [LinkAddress] = []
            try #require(CallSites([ObjectFiles.open(path: path)])).forEachCall { site in
                returns.append(site.returnAddress)
                return true
            }
            try #require(returns.count > 30)
            try body(path + ".debug", returns)
        }
    }

    /// - Parameter usesIdentity: the log has the build ID, so that nothing else has to prove the file.
    private func symbolicate(
        _ addresses: [LinkAddress], _ debug: String, usesIdentity: Bool, _ requests: Requests
    ) throws -> SymbolicatedReport {
        let provider = SourceProvider(
            SearchLocations(symbols: [debug]), openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { files in
                CachingSource(Recording(source: ObjectSource(files.compactMap { $0 as? ObjectFile }), requests: requests))
            })
        // A writer that does not know what was interrupted: each row may be.
        var report = CrashReport(format: "stack-rows")
        var image = BinaryImage(name: "calls.so")
        image.id = usesIdentity ? try ObjectFiles.open(path: debug).identity : nil
        report.images = [image]
        let frames = addresses.enumerated().map { number, address in
            var frame = Frame(index: number, kind: .returnAddress, address: nil, range: 0..<1)
            frame.imageLocation = .offset(ImageOffset(address.value))
            frame.image = 0
            return frame
        }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        return Symbolicator(provider: provider).symbolicate(report)
    }

    @Test(arguments: [true, false]) func `one request has the addresses, the bytes before them, and their calls`(usesIdentity: Bool) throws
    {
        try withProgram { debug, returns in
            let wanted = stride(from: 0, to: returns.count, by: 4).map { returns[$0] }
            let requests = Requests()
            let result = try symbolicate(wanted, debug, usesIdentity: usesIdentity, requests)
            let asked = requests.all.withLock { $0 }
            #expect(asked.count == 1)
            #expect(Set(asked.joined()) == Set(wanted + wanted.map { LinkAddress($0.value - 1) }))
            // Control returns to each, so that the byte before is shown.
            let direct = ObjectSource([try ObjectFiles.open(path: debug)]).frames(at: wanted.map { LinkAddress($0.value - 1) })
            for (outcome, expected) in zip(result.threads[0], direct) {
                guard case .resolved(let result, _) = outcome.result, case .found(let frames) = expected else {
                    Issue.record("\(outcome.result)")
                    continue
                }
                #expect(result.functions.map(\.location) == frames.map(\.location) && outcome.kindEvidence == nil)
            }
        }
    }

    /// gcc says of a function that all its calls have entries: what follows none was interrupted.
    @Test func `a row that follows no call is decided by the same request`() throws {
        try withProgram { debug, returns in
            let all = Set(returns)
            let calls = try #require(CallSites([try ObjectFiles.open(path: debug)]))
            let others = returns.map { LinkAddress($0.value + 3) }
            let odd = try #require(others.first { !all.contains($0) && calls.call(returningTo: $0) == .noCall })
            let requests = Requests()
            let result = try symbolicate([returns[2], odd, returns[9], returns[14]], debug, usesIdentity: true, requests)
            #expect(requests.all.withLock { $0.count } == 1)
            #expect(result.report.threads[0].frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress, .returnAddress])
            #expect(result.threads[0][1].kindEvidence == .noCall)
        }
    }
}
