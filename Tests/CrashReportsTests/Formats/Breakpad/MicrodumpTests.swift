import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct MicrodumpTests {
    @Test func `what a microdump tells`() throws {
        let log = SampleLog(fixture: "microdump/libshop-arm64/microdump.txt")
        let report = try log.report()
        #expect(report.process.name == "Shop" && report.process.version == "1.2.3" && report.architecture == .arm64)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0))
        #expect(report.threads.count == 1 && report.threads[0].frames.count == 1)
        let frame = report.threads[0].frames[0]
        #expect(frame.kind == .programCounter && frame.image == 0 && frame.index == 0)
        #expect(frame.address?.distance(from: RuntimeAddress(0x7b_0a5d_2000)) == 0x1170c)
        #expect(log.text(of: frame).hasPrefix("C 06000080"))
        // The GUID D8F9…'s first three numbers are reversed byte by byte: the build ID's first 16
        // bytes.
        let id = try #require(report.images[0].id)
        let file = try #require(ImageID(text: try recordedID()))
        #expect(id.bytes.count == 16 && id.matches(file))
        #expect(report.notes.count == 1 && report.notes[0].contains("16 bytes of stack"))
    }

    private func recordedID() throws -> String {
        let rows = String(decoding: try readFile(TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self).split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("Android/out/arm64-v8a/libshop.so\t") })
        return String(row.split(separator: "\t", omittingEmptySubsequences: false)[5])
    }

    /// Registers and modules as Breakpad's own minidump_stackwalk prints them; its further frames
    /// come from unwinding with Breakpad's symbol files.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `minidump_stackwalk reads the same`() throws {
        let root = TestPaths.corpus ?? ""
        let report = try SampleLog(bytes: TestPaths.bytes(of: root + "/logs/microdump/breakpad-microdump-arm64.dmp.txt")).report()
        let upstream = String(decoding: try readFile(root + "/expected/upstream/breakpad-microdump.stackwalk-arm64.out"), as: UTF8.self)
        var registers: [String: UInt64] = [:]
        var modules: [String] = []
        for line in upstream.split(separator: "\n") {
            let tokens = line.split(separator: " ")
            if tokens.first == "Found" { continue }
            var index = 0
            while index + 2 < tokens.count, tokens[index + 1] == "=" {
                // Those of frame 0 are the first of each name.
                let name = String(tokens[index])
                if registers[name] == nil { registers[name] = UInt64(tokens[index + 2].dropFirst(2), radix: 16) }
                index += 3
            }
            if tokens.count > 3, tokens[1] == "-", tokens[0].hasPrefix("0x") { modules.append("\(tokens[0]) \(tokens[2]) \(tokens[3])") }
        }
        #expect(registers.count == 33)
        #expect(Dictionary(uniqueKeysWithValues: (report.threads[0].registers?.values ?? []).map { ($0.name, $0.value) }) == registers)
        #expect(report.threads[0].frames.map { $0.address?.value } == [registers["pc"]])
        let own = report.images.map { image -> String in
            let base = image.base?.value ?? 0
            return "0x\(String(base, radix: 16)) 0x\(String(base + (image.size ?? 0) - 1, radix: 16)) \(image.name)"
        }
        #expect(own == modules && modules.count == 8)
        #expect(upstream.contains(" 0  breakpad_unittests!") && report.threads[0].frames[0].imageName == "breakpad_unittests")
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `of several, those with registers are read`() throws {
        let report = try SampleLog(
            bytes: TestPaths.bytes(of: (TestPaths.corpus ?? "") + "/logs/microdump/breakpad-microdump-multiple.dmp.txt")
        ).report()
        #expect(report.process.name == "WebView" && report.process.pid == 16162 && report.architecture == .arm)
        // The context begins with flags, then r0 to r15:
        // `… E5E897A3 C31774F2 E4F870F2 E4300007 A0 …` are fp, ip, sp, lr, pc and cpsr in
        // little-endian.
        let registers = report.threads[0].registers?.values ?? []
        #expect(registers.first { $0.name == "pc" }?.value == report.threads[0].frames[0].address?.value && registers.count == 17)
    }

    @Test func `without registers there is no report, and processors that are not read are none`() {
        let head = "-----BEGIN BREAKPAD MICRODUMP-----\nO A "
        let end = "-----END BREAKPAD MICRODUMP-----\n"
        #expect(SampleLog(head + "arm 02 x y\n" + end).parsed().reports.isEmpty)
        #expect(SampleLog(head + "vax 02 x y\nC " + String(repeating: "00", count: 2000) + "\n" + end).parsed().reports.isEmpty)
        #expect(SampleLog(head + "arm 02 x y\nC 0600\n" + end).parsed().reports.isEmpty)
    }

    /// The layouts of `minidump_cpu_x86.h`, `…_amd64.h`, `…_mips.h`: eip at 184, rip at 248, epc at
    /// 312.
    @Test(arguments: [("x86", 716, 184, 4), ("x86_64", 1232, 248, 8), ("mips", 564, 312, 8), ("arm", 368, 64, 4)])
    func `where each processor's context has its instruction pointer`(name: String, size: Int, offset: Int, width: Int) throws {
        var context = [UInt8](repeating: 0, count: size)
        for index in 0..<width { context[offset + index] = UInt8(index + 1) }
        let hex = context.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        let report = try SampleLog("-----BEGIN BREAKPAD MICRODUMP-----\nO L \(name) 02 x y\nC \(hex)\n-----END BREAKPAD MICRODUMP-----\n")
            .report()
        #expect(report.threads[0].frames[0].address?.value == (width == 8 ? 0x0807_0605_0403_0201 : 0x0403_0201))
    }
}
