import BinaryPrimitives
import CrashLogModel
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// `--image NAME=PATH[@BASE]`: reports of Ferry's position-independent program at a base of our
/// own, 0x7000000000. llvm-symbolizer 21: 0x1540 of `ferry-pie.debug` is `fault` at ferry.c:66,
/// inlined into `count_crate` at ferry.c:77; 0x1469 (one byte before 0x146a) is `sail.constprop.0`
/// at ferry.c:93.
struct GivenImagesTests {
    private static let program = TestPaths.fixture("binaries/Ferry/out/ferry-pie.debug")
    private static let library = TestPaths.fixture("binaries/Ferry/out/libharbour.so.1.debug")
    private static let base: UInt64 = 0x70_0000_0000

    private func symbolicate(_ report: CrashReport, _ images: [GivenImage], also symbols: [String] = [], force: Bool = false)
        -> SymbolicatedReport
    {
        let provider = SourceProvider(
            SearchLocations(symbols: images.map(\.path) + symbols), force: force, openFile: SymbolFileReader.openAll,
            openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
        var options = Symbolicator.Options()
        options.images = images
        return Symbolicator(provider: provider, options: options).symbolicate(report)
    }

    private func report(_ addresses: [UInt64], images: [BinaryImage] = [], change: (inout Frame) -> Void = { _ in }) -> CrashReport {
        var report = CrashReport(format: "test")
        report.images = images
        let frames = addresses.enumerated().map { index, address in
            var frame = Frame(
                index: index, kind: index == 0 ? .programCounter : .returnAddress, address: RuntimeAddress(address),
                range: index..<index + 1)
            change(&frame)
            return frame
        }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        return report
    }

    private func frameTexts(_ report: SymbolicatedReport) -> [String] {
        report.threads[0].map { outcome in
            switch outcome.result {
            case .resolved(let result, _): result.functions.map { "\($0.name):\($0.location?.line ?? 0)" }.joined(separator: " < ")
            case .unresolved(let reason): reason
            case .partOfNextFrame: "part"
            case .notLookedUp: "-"
            }
        }
    }

    private static let addresses = [base + 0x1540, base + 0x146a, 0x7fff_f7fb_c12b]
    private static let results = ["fault:66 < count_crate:77", "sail.constprop.0:93"]

    private func image(_ name: String = "ferry", base: UInt64? = GivenImagesTests.base, path: String = program) -> GivenImage {
        GivenImage(name: name, path: path, base: base.map { RuntimeAddress($0) })
    }

    @Test func `a log of addresses is answered by an image with a base`() {
        let result = symbolicate(report(Self.addresses), [image()])
        #expect(frameTexts(result) == Self.results + ["no image of the log holds this address"])
        #expect(result.images.map(\.image.name) == ["ferry"] && result.images[0].image.base == RuntimeAddress(Self.base))
        #expect(result.notes == ["using \(Self.program) for ferry (as given; the log has no build ID)"])
        // Without a name it is the file's own.
        #expect(symbolicate(report(Self.addresses), [image("")]).images[0].image.name == "ferry-pie.debug")
    }

    /// 0x7ffff7fbc12b − 0x7ffff7fbb000 = 0x112b; llvm-symbolizer 21: 0x112a of the library is
    /// `weigh` at harbour.c:9 in `unload` at harbour.c:16.
    @Test func `several images, each at its base`() {
        let result = symbolicate(report(Self.addresses), [image(), image("libharbour.so.1", base: 0x7fff_f7fb_b000, path: Self.library)])
        #expect(frameTexts(result) == Self.results + ["weigh:9 < unload:16"])
    }

    @Test func `one byte beside is another answer or none, and outside the code is outside`() {
        let result = symbolicate(report([Self.base - 1, Self.base + 0x10_0000, .max - 0x1000]), [image()])
        #expect(frameTexts(result) == [String](repeating: "no image of the log holds this address", count: 3))
        // A base at the end of all addresses.
        #expect(frameTexts(symbolicate(report([.max, 0]), [image(base: .max)])).allSatisfy { !$0.contains(":") || $0.contains("address") })
    }

    @Test func `the log's image gets the base that it lacks`() {
        var named = BinaryImage(name: "ferry", path: "/opt/ferry")
        for name in ["ferry", "/opt/ferry", "/elsewhere/ferry"] {
            let result = symbolicate(report(Self.addresses, images: [named]) { $0.image = 0 }, [image(name)])
            #expect(Array(frameTexts(result).prefix(2)) == Self.results, "\(name)")
            #expect(result.images.count == 1)
        }
        // The command's word goes before the log's, and is shown.
        named.base = RuntimeAddress(0x1000)
        let result = symbolicate(report(Self.addresses, images: [named]) { $0.image = 0 }, [image()])
        #expect(Array(frameTexts(result).prefix(2)) == Self.results)
        #expect(result.notes.first == "the load address of ferry is 0x7000000000 (from --image), not 0x1000 (from the log)")
    }

    @Test func `a file of another identity is refused`() {
        var named = BinaryImage(name: "ferry")
        named.id = ImageID(text: "00112233445566778899aabbccddeeff00112233")
        let log = report(Self.addresses, images: [named]) { $0.image = 0 }
        let refused = symbolicate(log, [image()])
        #expect(frameTexts(refused).allSatisfy { $0.contains("00112233445566778899aabbccddeeff00112233") }, "\(frameTexts(refused))")
        #expect(Array(frameTexts(symbolicate(log, [image()], force: true)).prefix(2)) == Self.results)
    }

    @Test func `two images of a name have no base from a name alone`() {
        let images = [BinaryImage(name: "ferry", path: "/a/ferry"), BinaryImage(name: "ferry", path: "/b/ferry")]
        let result = symbolicate(report(Self.addresses, images: images), [image()])
        #expect(frameTexts(result).allSatisfy { !$0.contains(":6") && !$0.contains(":9") })
        #expect(
            result.notes == [
                "2 images of the log have the name ferry, so 0x7000000000 is used for none of them. Use the path of the image: --image PATH=FILE@BASE"
            ])
        #expect(Array(frameTexts(symbolicate(report(Self.addresses, images: images), [image("/b/ferry")])).prefix(2)) == Self.results)
    }

    /// gdb's rows of a program that may be position-independent have their addresses as links; rows
    /// that give their place keep it.
    @Test func `a place that is no more than the address gives way, and others do not`() {
        let images = [BinaryImage(name: "ferry")]
        let guess = report(Self.addresses, images: images) { frame in
            frame.image = 0
            frame.imageLocation = frame.address.map { .linkAddress(LinkAddress($0.value)) }
        }
        #expect(Array(frameTexts(symbolicate(guess, [image()])).prefix(2)) == Self.results)
        let reported = report([Self.base + 0x1540], images: images) { frame in
            frame.image = 0
            frame.imageLocation = .linkAddress(LinkAddress(0x1469))
        }
        #expect(frameTexts(symbolicate(reported, [image()])) == ["sail.constprop.0:93"])
    }

    /// The base is missing: what is known of the image is the file, and the result says so for a
    /// log that does not name it.
    @Test func `a file without a base serves the image of its name`() {
        let log = report([0], images: [BinaryImage(name: "boat")]) { frame in
            frame.image = 0
            frame.imageLocation = .linkAddress(LinkAddress(0x1540))
        }
        #expect(frameTexts(symbolicate(log, [image("boat", base: nil)])) == ["fault:66 < count_crate:77"])
        #expect(frameTexts(symbolicate(log, [])) == ["no symbol file for boat"])
        let other = symbolicate(log, [image("ship", base: nil)])
        #expect(
            other.notes == [
                "no image of the log has the name ship, and --image has no @BASE for it, so addresses are looked up in \(Self.program) as linked"
            ])
    }

    /// `ferry-nopie` is where it was linked, beside an image with a base; llvm-symbolizer 21:
    /// 0x4013b0 of `ferry-nopie.debug` is `print_stack` at ferry.c:22.
    @Test func `given files that were not moved answer beside images with a base`() throws {
        let table = String(decoding: try readFile(TestPaths.fixture("logs/glibc-backtrace/ferry-nopie/expected.tsv")), as: UTF8.self)
        #expect(table.contains("0x4013b1\t0x4013b0\tprint_stack\t/src/ferry.c\t22"))
        let result = symbolicate(
            report([Self.base + 0x1540, 0x4013b1]), [image()], also: [TestPaths.fixture("binaries/Ferry/out/ferry-nopie.debug")])
        #expect(frameTexts(result) == [Self.results[0], "print_stack:22"])
    }
}
