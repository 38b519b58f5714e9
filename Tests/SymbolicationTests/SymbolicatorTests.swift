import BinaryPrimitives
import CrashLogModel
import Demangling
import SymbolFiles
import SymbolSources
import Symbolication
import Synchronization
import TestSupport
import Testing

/// A source of one function every 0x100 bytes: `f1` at 0x100, `f2` at 0x200, with its line the
/// offset in it. Records the lookups.
private final class FunctionGrid: SymbolSource {
    let requested = Mutex<[[ImageOffset]]>([])

    func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        requested.withLock { $0.append(offsets) }
        return offsets.map { offset in
            let number = offset.value / 0x100
            guard number > 0 else { return .unresolved(.betweenSymbols) }
            let location = SourceLocation(file: "/src/f.c", line: Int(offset.value % 0x100))
            let outer = SourceFrame(
                name: "f\(number)", entry: ImageOffset(number * 0x100), isInlined: false, location: location, origin: .debugInformation)
            guard number == 9 else { return .found([outer]) }
            let inner = SourceFrame(name: "_Z2inv", entry: nil, isInlined: true, location: location, origin: .debugInformation)
            return .found([inner, outer])
        }
    }

    func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        locations.map { location in
            guard case .symbol(let symbol) = location, let number = UInt64(symbol.name.dropFirst()) else {
                return .unresolved(.needsImageOffset)
            }
            return .found([LinkAddress(number * 0x100 + symbol.offset)])
        }
    }

    func offset(of address: LinkAddress) -> ImageOffset? { ImageOffset(address.value) }
}

private struct Provider: SymbolProvider {
    var sources: [String: FunctionGrid] = [:]
    var unslid: [UnslidImage] = []

    func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: sources[request.name]) }
    func unslidImages(processName: String?) -> [UnslidImage] { unslid }
}

private func frame(_ index: Int, _ kind: Frame.Kind, _ address: UInt64, image: Int? = nil) -> Frame {
    var frame = Frame(index: index, kind: kind, address: RuntimeAddress(address), range: index..<index + 1)
    frame.image = image
    return frame
}

private func image(_ name: String, base: UInt64, size: UInt64) -> BinaryImage {
    var image = BinaryImage(name: name)
    image.base = RuntimeAddress(base)
    image.size = size
    return image
}

private func report(_ frames: [Frame], images: [BinaryImage] = [image("App", base: 0x10000, size: 0x1000)]) -> CrashReport {
    var report = CrashReport(format: "test")
    report.images = images
    report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
    return report
}

extension FrameOutcome {
    var text: String {
        switch result {
        case .resolved(let result, _):
            result.functions.map { "\($0.name)\($0.offset.map { "+\($0)" } ?? " inlined"):\($0.location?.line ?? 0)" }.joined(
                separator: " < ")
        case .unresolved(let reason): reason
        case .partOfNextFrame: "part"
        case .notLookedUp: "-"
        }
    }
}

struct SymbolicatorTests {
    @Test func `a return address is looked up one byte earlier, its offset counts from the raw address`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        let kinds: [Frame.Kind] = [.programCounter, .returnAddress, .exact, .asyncResumePoint]
        let result = symbolicator.symbolicate(report(kinds.enumerated().map { frame($0, $1, 0x10110) }))
        #expect(result.threads[0].map(\.text) == ["f1+16:16", "f1+16:15", "f1+16:16", "f1+16:16"])
        #expect(result.threads[0].map(\.lookupAddress) == [0x10110, 0x1010f, 0x10110, 0x10110].map { RuntimeAddress($0) })
        #expect(result.threads[0].map(\.imageOffset) == Array(repeating: ImageOffset(0x110), count: 4))
    }

    @Test func `a return address past the last byte of a function that never returns belongs to that function`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        let result = symbolicator.symbolicate(report([frame(0, .returnAddress, 0x10200), frame(1, .returnAddress, 0x11000)]))
        #expect(result.threads[0].map(\.text) == ["f1+256:255", "f15+256:255"])
    }

    @Test func `a row whose own function and offset contradict the result stays, and a note says so`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        func row(_ index: Int, _ address: UInt64, _ name: String, _ offset: UInt64?) -> Frame {
            var row = frame(index, .returnAddress, address)
            row.printed = PrintedSymbol(name: name, offset: offset)
            return row
        }
        let rows = [
            // 0x110 is f1 + 16.
            row(0, 0x10110, "f1", 16), row(1, 0x10110, "f2", 16), row(2, 0x10110, "f3", 12),
            // The nearest exported symbol, and its distance: right, and the file knows more.
            row(3, 0x10310, "f1", 0x210),
            // A name that the file does not have, and one without an offset.
            row(4, 0x10110, "exported", 16), row(5, 0x10110, "f2", nil),
        ]
        let result = symbolicator.symbolicate(report(rows))
        let reason = "the log names f2 + 16, and that is not where this address is: it is in f1. The row stays as the log has it"
        #expect(
            result.threads[0].map(\.text) == [
                "f1+16:15", reason, reason.replacing("f2 + 16", with: "f3 + 12"), "f3+16:15", "f1+16:15", "f1+16:15",
            ])
        #expect(result.notes == ["frame 1: \(reason) (1 more rows of App are like it)"])
    }

    @Test func `--adjust overrides the format's rule`() {
        var symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        let both = report([frame(0, .programCounter, 0x10110), frame(1, .returnAddress, 0x10110)])
        symbolicator.options.adjustment = .never
        #expect(symbolicator.symbolicate(both).threads[0].map(\.text) == ["f1+16:16", "f1+16:16"])
        symbolicator.options.adjustment = .always
        #expect(symbolicator.symbolicate(both).threads[0].map(\.text) == ["f1+16:15", "f1+16:15"])
    }

    @Test func `the Thumb bit is no part of an address`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        var thumb = report([frame(0, .programCounter, 0x10111), frame(1, .returnAddress, 0x10111)])
        thumb.architecture = .armv7
        #expect(symbolicator.symbolicate(thumb).threads[0].map(\.text) == ["f1+16:16", "f1+16:15"])
    }

    @Test func `each image is asked once, for its addresses in ascending order, each once`() {
        let app = FunctionGrid()
        let library = FunctionGrid()
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": app, "Lib": library]))
        let images = [
            image("App", base: 0x10000, size: 0x1000), image("Lib", base: 0x20000, size: 0x1000), image("Unused", base: 0x30000, size: 1),
        ]
        let frames = [0x10310, 0x20110, 0x10110, 0x10310].enumerated().map { frame($0, .exact, $1) }
        let result = symbolicator.symbolicate(report(frames, images: images))
        #expect(app.requested.withLock { $0 } == [[ImageOffset(0x110), ImageOffset(0x310)]])
        #expect(library.requested.withLock { $0 } == [[ImageOffset(0x110)]])
        #expect(result.threads[0].map(\.text) == ["f3+16:16", "f1+16:16", "f1+16:16", "f3+16:16"])
        #expect(result.images.map(\.status) == [.found, .found, .notNeeded])
    }

    @Test func `the first byte of an image is in it, and not in the one that ends there`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid(), "Lib": FunctionGrid()]))
        // 0x10000 + 0x1000 = 0x11000.
        let images = [image("App", base: 0x10000, size: 0x1000), image("Lib", base: 0x11000, size: 0x1000)]
        let frames = [0x10fff, 0x11000, 0x11001].enumerated().map { frame($0, .exact, $1) }
        let result = symbolicator.symbolicate(report(frames, images: images))
        #expect(result.threads[0].map(\.image) == [0, 1, 1])
        #expect(result.threads[0].map(\.imageOffset) == [0xfff, 0, 1].map { ImageOffset($0) })
    }

    @Test func `inlined calls are functions of their own, or not`() {
        var symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        let one = report([frame(0, .exact, 0x10904)])
        #expect(symbolicator.symbolicate(one).threads[0].map(\.text) == ["in() inlined:4 < f9+4:4"])
        symbolicator.options.showsInlinedCalls = false
        #expect(symbolicator.symbolicate(one).threads[0].map(\.text) == ["f9+4:4"])
        symbolicator.options.showsInlinedCalls = true
        symbolicator.options.demangler = Demangler(style: .none)
        #expect(symbolicator.symbolicate(one).threads[0].map(\.text) == ["_Z2inv inlined:4 < f9+4:4"])
    }

    @Test func `every frame without an answer has its reason`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        var named = frame(3, .exact, 0x50)
        named.imageName = "Elsewhere"
        let frames = [
            frame(0, .exact, 0x10010), frame(1, .exact, 0x20010), frame(2, .exact, 0x90000), named,
            Frame(index: 4, kind: .exact, address: nil, range: 4..<5),
            Frame(index: 5, kind: .omitted(count: 7), address: nil, range: 5..<6),
        ]
        var library = image("Lib", base: 0x20000, size: 0x1000)
        library.id = ImageID(text: "abcdef")
        let result = symbolicator.symbolicate(report(frames, images: [image("App", base: 0x10000, size: 0x1000), library]))
        #expect(
            result.threads[0].map(\.text) == [
                "no function of the symbol table has the address", "no symbol file for Lib (abcdef)",
                "no image of the log holds this address",
                "the log has no load address of Elsewhere", "the log has no address", "-",
            ])
        #expect(result.lacksSymbols)
    }

    @Test func `a log that lists no images is answered from the given files at their link addresses`() {
        let code = [UInt64(0x1000)..<0x2000]
        let symbols = ImageSymbols(source: FunctionGrid())
        let app = UnslidImage(
            name: "App", path: "/x/App", architecture: .x86_64, id: nil, base: LinkAddress(0x1000), code: code, symbols: symbols)
        let symbolicator = Symbolicator(provider: Provider(unslid: [app]))
        let frames = [frame(0, .returnAddress, 2_528_013_804), frame(1, .returnAddress, 0x1111), frame(2, .returnAddress, 0x2000)]
        let result = symbolicator.symbolicate(report(frames, images: []))
        let reason = "the log has no module list, and no given symbol file has code at this address"
        #expect(result.threads[0].map(\.text) == [reason, "f1+17:16", "f15+256:255"])
        #expect(result.images.map(\.image.name) == ["App"])
        #expect(!result.lacksSymbols)
    }

    @Test(arguments: [0, UInt64.max])
    func `the end of a stack, which some unwinders print as a row, needs no name`(end: UInt64) {
        let symbolicator = Symbolicator(provider: NoSymbols())
        let whole = symbolicator.symbolicate(report([frame(0, .returnAddress, 0x1111), frame(1, .returnAddress, end)], images: []))
        #expect(whole.threads[0].map(\.text) == ["the log has no module list, and no given symbol file has code at this address", "-"])
        #expect(whole.unresolvedFrames == 1)
        // A call of a null pointer is the innermost frame.
        let call = symbolicator.symbolicate(report([frame(0, .programCounter, end), frame(1, .returnAddress, 0x1111)], images: []))
        #expect(call.unresolvedFrames == 2)
    }

    @Test func `of a universal file the slice is chosen by the architecture, else by which one has code at the addresses, never by luck`() {
        func slice(_ architecture: Architecture, _ code: Range<UInt64>) -> UnslidImage {
            UnslidImage(
                name: "App", path: "/x/App", architecture: architecture, id: nil, base: LinkAddress(0x1000), code: [code],
                symbols: ImageSymbols(source: FunctionGrid()))
        }
        let apart = Symbolicator(provider: Provider(unslid: [slice(.arm64, 0x4000..<0x5000), slice(.x86_64, 0x1000..<0x2000)]))
        let one = report([frame(0, .exact, 0x1111)], images: [])
        #expect(apart.symbolicate(one).images.map(\.image.architecture) == [.x86_64])

        var both = Symbolicator(provider: Provider(unslid: [slice(.arm64, 0x1000..<0x2000), slice(.x86_64, 0x1000..<0x2000)]))
        let undecided = both.symbolicate(one)
        #expect(undecided.images.isEmpty)
        #expect(undecided.notes == ["/x/App has arm64 and x86_64, and the log's addresses fit both. Choose one: --arch"])
        both.options.architecture = .arm64
        #expect(both.symbolicate(one).images.map(\.image.architecture) == [.arm64])
    }

    @Test func `only the crashed thread, if the user wants only that and the log marks one`() {
        var symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        symbolicator.options.threads = .crashed
        var two = report([frame(0, .exact, 0x10110)])
        two.threads.append(ThreadTrace(index: 1, frames: [frame(0, .exact, 0x10110)]))
        two.exceptionBacktrace = ThreadTrace(index: -1, frames: [frame(0, .returnAddress, 0x10110)])
        let result = symbolicator.symbolicate(two)
        #expect(result.threads.map { $0.map(\.text) } == [["f1+16:16"], ["-"]])
        #expect(result.exceptionBacktrace.map(\.text) == ["f1+16:15"])
        two.threads[0].crashed = false
        #expect(symbolicator.symbolicate(two).threads.map { $0.map(\.text) } == [["f1+16:16"], ["f1+16:16"]])
    }

    @Test func `a row of an inlined call is part of the frame that holds it`() {
        let symbolicator = Symbolicator(provider: Provider(sources: ["App": FunctionGrid()]))
        var inlined = frame(0, .exact, 0x10904)
        inlined.isInlined = true
        let result = symbolicator.symbolicate(report([inlined, frame(1, .exact, 0x10904)]))
        #expect(result.threads[0].map(\.text) == ["part", "in() inlined:4 < f9+4:4"])
    }

    /// Whoever symbolicates many logs opens an image once, wherever each of the logs had it.
    @Test func `where an image was loaded is asked of its symbols only without an architecture`() {
        final class Requests: SymbolProvider {
            let all = Mutex<[ImageRequest]>([])
            func symbols(for request: ImageRequest) -> ImageSymbols {
                all.withLock { $0.append(request) }
                return ImageSymbols(source: nil)
            }
            func unslidImages(processName: String?) -> [UnslidImage] { [] }
        }
        let requests = Requests()
        let symbolicator = Symbolicator(provider: requests)
        for (base, architecture) in [(0x10000, Architecture.arm64), (0x40000, .arm64), (0x10000, nil)] as [(UInt64, Architecture?)] {
            var one = report([frame(0, .exact, base + 0x110)], images: [image("App", base: base, size: 0x1000)])
            one.architecture = architecture
            _ = symbolicator.symbolicate(one)
        }
        let requested = requests.all.withLock { $0 }
        #expect(requested.count == 3 && requested[0] == requested[1])
        #expect(requested.map(\.loadAddress) == [nil, nil, RuntimeAddress(0x10000)])
    }

    @Test(arguments: [
        ("_RNvC1a1", "mangled names that cannot be demangled are shown as they are"),
        // One byte more than are read: `_Z` and a length of five digits.
        ("_Z65530" + String(repeating: "a", count: 65530), "mangled names of more than 65536 bytes are shown as they are"),
    ])
    func `names that nothing here reads are said to be left as they are`(name: String, note: String) {
        struct Broken: SymbolSource {
            var name: String
            func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
                offsets.map { _ in
                    .found([SourceFrame(name: name, entry: ImageOffset(0), isInlined: false, location: nil, origin: .symbolTable)])
                }
            }
        }
        struct BrokenProvider: SymbolProvider {
            var name: String
            func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: Broken(name: name)) }
            func unslidImages(processName: String?) -> [UnslidImage] { [] }
        }
        let result = Symbolicator(provider: BrokenProvider(name: name)).symbolicate(report([frame(0, .exact, 0x10110)]))
        #expect(result.notes == [note])
    }
}
