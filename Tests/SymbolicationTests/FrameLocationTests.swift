import BinaryPrimitives
import CrashLogModel
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// Frames whose place the log gives by other means than an address: a real program's.
struct FrameLocationTests {
    private static let program = TestPaths.fixture("binaries/C/out/c-clang-dwarf4-O0")
    private static let other = TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0")

    private func results(_ frames: [Frame], images: [BinaryImage] = [], given: [String] = [program]) -> [FrameOutcome] {
        let provider = SourceProvider(
            SearchLocations(symbols: given), openFile: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) },
            openSource: { ObjectSource($0.compactMap { $0 as? ObjectFile }) })
        return Symbolicator(provider: provider).symbolicate(report(frames, images)).threads[0]
    }

    private func report(_ frames: [Frame], _ images: [BinaryImage]) -> CrashReport {
        var report = CrashReport(format: "test")
        report.images = images
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        return report
    }

    private func frame(_ location: ImageLocation, _ kind: Frame.Kind = .exact, image: Int? = 0) -> Frame {
        var frame = Frame(index: 0, kind: kind, address: nil, range: 0..<1)
        frame.imageLocation = location
        frame.image = image
        return frame
    }

    private func symbol(_ name: String, _ offset: UInt64, _ size: UInt64? = nil) -> ImageLocation {
        .symbol(SymbolLocation(name: name, offset: offset, size: size))
    }

    private let image = BinaryImage(name: "c-clang-dwarf4-O0")

    /// llvm-symbolizer 19: 0x830 is `check` at /src/ledger.c:12. For a return address after its
    /// call instruction the byte before is looked up.
    @Test func `a function and an offset are an address`() {
        let outcomes = results(
            [frame(symbol("check", 0, 0x4f)), frame(symbol("check", 0x4f, 0x50), .returnAddress)], images: [image])
        #expect(outcomes[0].text == "check+0:12")
        #expect(outcomes[1].text.hasPrefix("check+79:"))
        #expect(outcomes.map(\.imageOffset) == [ImageOffset(0x830), ImageOffset(0x87f)])
    }

    @Test func `several functions of one name are no answer unless they say the same`() {
        let outcomes = results([frame(symbol("check", 0)), frame(symbol("clamp", 0)), frame(symbol("gone", 0))], images: [image])
        #expect(outcomes[0].text.hasPrefix("2 functions have the name check (at 0x830, 0xa40)"))
        // The copies of an inline function of a header: llvm-symbolizer has both at ledger.h:9.
        #expect(outcomes[1].text == "clamp+0:9")
        #expect(outcomes[2].text == "the symbol file has no function gone")
    }

    @Test func `another size is another build`() {
        let outcomes = results([frame(symbol("main", 0, 0x80))], images: [image])
        #expect(outcomes[0].text == "the symbol file is of another build: main has 128 bytes in the log and 105 or 112 in the file")
    }

    @Test func `a function without an image is looked for in the given files`() {
        let own = [frame(symbol("clamp", 0), image: nil), frame(symbol("gone", 0), image: nil)]
        let one = results(own)
        #expect(one[0].text == "clamp+0:9")
        #expect(one[1].text == "the log does not name the image of gone, and no given file has it")
        let two = results(own, given: [Self.program, Self.other])
        #expect(two[0].text.hasPrefix("the log does not name the image of clamp, and 2 given files have it:"))
    }

    /// The program is linked at 0: link addresses are offsets. `.text` begins at 0x610, 0x220 below
    /// `check`.
    @Test func `link addresses, file offsets and the place of the section are understood`() {
        var mapped = image
        mapped.textAddress = RuntimeAddress(0x5555_0000_0610)
        var byAddress = Frame(index: 0, kind: .returnAddress, address: RuntimeAddress(0x5555_0000_0831), range: 0..<1)
        byAddress.image = 0
        let outcomes = results(
            [frame(.linkAddress(LinkAddress(0x830))), frame(.fileOffset(0x831), .returnAddress), byAddress], images: [mapped])
        #expect(outcomes.map(\.text) == ["check+0:12", "check+1:12", "check+1:12"])
    }

    @Test func `names of kernel files are spelled in several ways`() {
        for (image, file, isSame) in [
            ("vmlinux", "/boot/vmlinux-6.1.0-18-amd64", true), ("vmlinux", "/usr/lib/debug/vmlinux.debug", true),
            ("vmlinux", "/boot/vmlinuz", false),
            ("snd_hda_intel.ko", "/lib/snd-hda-intel.ko.debug", true), ("ext4.ko", "/lib/ext4.ko", true),
            ("ext4.ko", "/lib/ext3.ko", false),
            ("a_b", "/x/a-b", false),
        ] {
            #expect(ImageRequest(name: image).isNamedLike(fileAt: file) == isSame, "\(image) \(file)")
        }
    }
}
