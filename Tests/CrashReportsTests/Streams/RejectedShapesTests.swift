import BinaryPrimitives
import CrashLogModel
import Foundation
import TestSupport
import Testing

@testable import CrashReports

/// Lines with an address that are not rows are rejected by their shape once two of them were read.
struct RejectedShapesTests {
    private static func line(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func contains(_ shapes: RejectedShapes, _ line: [UInt8]) -> Bool { shapes.entry(of: line.span)?.isRejected == true }

    @Test func `lines that differ in their numbers have one shape`() {
        var shapes = RejectedShapes()
        let first = Self.line("10:41:07.331 DEBUG [3] socket.cc:120: queued buffer 0x7f12c4a01b30 refs=2")
        let other = Self.line("10:41:09.002 DEBUG [7] socket.cc:88: queued buffer 0x7f12c4a7e2f0 refs=10")
        shapes.add(first.span, nil)
        #expect(!Self.contains(shapes, other))
        shapes.add(other.span, nil)
        #expect(Self.contains(shapes, first) && Self.contains(shapes, other))
        // Another text, an address in brackets, and a number that is not an address.
        for text in [
            "10:41:09.002 DEBUG [7] socket.cc:88: dropped buffer 0x7f12c4a7e2f0 refs=10",
            "10:41:09.002 DEBUG [7] socket.cc:88: queued buffer [0x7f12c4a7e2f0] refs=10",
            "10:41:09.002 DEBUG [7] socket.cc:88: queued buffer 0x10 refs=10",
        ] {
            #expect(!Self.contains(shapes, Self.line(text)), "\(text)")
        }
        shapes.removeAll()
        #expect(!Self.contains(shapes, first))
    }

    /// The stack of `a` is glibc's: two rows of another shape.
    @Test func `a stack between many lines of one shape is found`() throws {
        let noise = (0..<500).map { "10:41:07 DEBUG queued buffer 0x7f12c4a0\(1000 + $0) refs=\($0 % 7)\n" }.joined()
        let stack = "/opt/berth(moor+0x1c2)[0x55d0c0a0b1c2]\n/opt/libquay.so.6(+0x29d90)[0x7f1f5a429d90]\n"
        let reports = CrashLog.parse(Self.line(noise + stack + noise + stack).span).reports
        #expect(reports.map { $0.allFrames.map(\.address?.value) } == Array(repeating: [0x55d0_c0a0_b1c2, 0x7f1f_5a42_9d90], count: 2))
    }

    private static func addresses(_ text: String) -> [[UInt64?]] {
        CrashLog.parse(line(text).span).reports.map { $0.allFrames.map(\.address?.value) }
    }

    /// Lines of which two could each be a stack's first row.
    private static func noise(_ prefix: String) -> String {
        (1000..<1301).map { number in
            [
                "bind.cc:799: handler bind client 0x7f12c4a0\(number)", "read.cc:232: released handler status at 0x7f12c4a0\(number)",
                "session.cc:22: status flush open close retry (0x7f12c4a0\(number))", "write.cc:1: accept buffer this=0x7f12c4a0\(number)",
            ].map { prefix + $0 + "\n" }.joined()
        }.joined()
    }

    @Test func `rows that stand alone pass, and a stack among them is found`() {
        let noise = Self.noise("10:41:07.331 DEBUG [3] ")
        let stack = "/opt/berth(moor+0x1c2)[0x55d0c0a0b1c2]\n/opt/libquay.so.6(+0x29d90)[0x7f1f5a429d90]\n"
        #expect(Self.addresses(noise) == [])
        #expect(Self.addresses(noise + stack + noise) == [[0x55d0_c0a0_b1c2, 0x7f1f_5a42_9d90]])
    }

    /// Where two lines of one message follow each other, their text had been learned as the prefix of a writer, and all further ones were rows:
    /// `retry (0x7f12c4a01054)`.
    @Test func `a message with a pointer is no stack`() {
        let noise = Self.noise("10:41:07.331 DEBUG [3] ")
        let lines = noise.split(separator: "\n", omittingEmptySubsequences: false)
        let text = noise + lines[1] + "\n" + lines[1...].joined(separator: "\n") + noise
        #expect(Self.addresses(text) == [])
        let message = (0..<300).map { "worker: retry (0x7f12c4a0\(1000 + $0))\n" }.joined()
        #expect(Self.addresses(message) == [])
        // A recursion returns to one address.
        let recursion = "worker: main (0x7f12c4a00010)\n" + String(repeating: "worker: retry (0x7f12c4a01000)\n", count: 3)
        #expect(Self.addresses(recursion).first?.count == 4)
    }

    /// Crashlytics' heading of the first thread differs from other lines in a digit alone.
    @Test func `a text that opens a stack is read whatever was rejected`() {
        let noise = String(repeating: "#9. Crashed: com.example.tide\n\n", count: 8)
        let report = "#0. Crashed: com.example.tide\n0  Demo                           0x104a383d4 boom + 12\n"
        let reports = CrashLog.parse(Self.line(noise + report).span).reports
        #expect(reports.map(\.format) == ["crashlytics"] && reports.flatMap(\.allFrames).map(\.address?.value) == [0x1_04a3_83d4])
    }

    /// Lines that have a trigger of JavaScript's errors or of AddressSanitizer's reports, and begin neither.
    private static let triggeredNoise = (0..<400).map { number in
        [
            "  at Object.<anonymous> (/src/file\(number).js:\(number):13)",
            "/src/shop/file_\(number).ts:\(number):5 - error TS2304: no name",
            "copied \(number) 0x7f12c4a0\(1000 + number) of (/var/lib/shop_\(number))", "step \(number) (/opt/build/step_\(number))",
        ].map { $0 + "\n" }.joined()
    }.joined()

    @Test(arguments: ["javascript-error", "sanitizer-asan", "node-native", "glibc-backtrace"])
    func `the logs of formats that need no numbers are read behind lines like theirs`(_ folder: String) throws {
        let path = TestPaths.fixture("logs/\(folder)")
        let noise = Self.line(Self.triggeredNoise)
        #expect(CrashLog.parse(noise.span).reports.isEmpty)
        var count = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
            guard let log = try? readFile(path + "/" + name), log.first != UInt8(ascii: "{") else { continue }
            let alone = CrashLog.parse(log.span).reports
            let behind = CrashLog.parse((noise + log).span).reports
            // A log whose head is cut off is known by its first line alone.
            guard !alone.isEmpty, CrashLog.parse((Self.line("one other line\n") + log).span).reports.count == alone.count else { continue }
            #expect(behind.map(\.format) == alone.map(\.format), "\(name)")
            #expect(behind.map { $0.allFrames.map(\.address) } == alone.map { $0.allFrames.map(\.address) }, "\(name)")
            count += 1
        }
        #expect(count > 0)
    }
}
