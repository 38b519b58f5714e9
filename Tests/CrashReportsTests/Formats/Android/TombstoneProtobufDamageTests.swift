import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Tests which bytes are claimed as a tombstone in protobuf, and the results for tombstones that
/// are cut off, damaged or made to be large.
struct TombstoneProtobufDamageTests {
    private let whole = TombstoneProtobufTests.fixture("android-tombstone-pb/libshop-arm64/tombstone-13.pb").bytes

    // MARK: Recognition

    private func isClaimed(_ bytes: [UInt8]) -> Bool {
        let log = CrashLog.parse(bytes.span)
        return log.reports.contains { $0.format == "android-tombstone-pb" }
            || log.problems.contains { $0.description.contains("tombstone") }
    }

    /// Messages that have a number or a text first, as most have; each is one field away from a
    /// tombstone's head.
    @Test func `other protobufs are not claimed`() {
        func message(_ fill: (inout ProtobufMessage) -> Void) -> [UInt8] {
            var message = ProtobufMessage()
            fill(&message)
            return message.bytes
        }
        func head(_ fields: [(UInt64, String)], first: UInt64? = 1) -> [UInt8] {
            message {
                if let first { $0.put(1, first) }
                for (number, text) in fields { $0.put(number, text) }
                $0.put(16, TombstoneProtobufTests.thread(9) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/a.so")) })
            }
        }
        let print = (UInt64(2), "a/b/c:14/X/1:user/release-keys")
        let time = (UInt64(4), "2024-05-06 07:08:09.1+0000")
        #expect(isClaimed(head([print, (3, "0"), time])))
        #expect(isClaimed(head([print, (3, "0"), time], first: nil)))
        #expect(isClaimed(head([(2, "unknown"), (3, "unknown"), time])))
        for other in [
            head([print, (3, "0"), time], first: 4096), head([(2, "name"), (3, "0"), time]), head([print, (3, "0"), (4, "text")]),
            head([print, time]), head([print, (4, "2024-05-06 07:08:09.1+0000"), (3, "0")]), head([(3, "0"), print, time]),
            head([(1, "text"), print, (3, "0"), time], first: nil),
            message { for number in 1...4 { $0.put(UInt64(number), UInt64(number)) } },
            message { for number in 1...4 { $0.put(UInt64(number), "text") } },
        ] { #expect(!isClaimed(other)) }
    }

    @Test(arguments: [
        "", "\u{8}", "\u{8}\u{1}", "\u{12}", "\u{12}\u{4}a/b:\u{1A}\u{1}0", "\u{8}\u{8}\u{8}backspaces", "text",
        "a/b:c 2024-05-06 07:08:09",
    ])
    func `texts are not claimed`(text: String) { #expect(!isClaimed(Array(text.utf8))) }

    @Test func `a log that comes in parts is the same`() throws {
        let report = try SampleLog(bytes: whole).report()
        for size in [1, 2, 7, 1000] {
            var stream = LogStream()
            var pieces: [LogStream.Piece] = []
            for start in stride(from: 0, to: whole.count, by: size) {
                pieces += stream.feed(Array(whole[start..<min(start + size, whole.count)]).span)
            }
            pieces += stream.finish()
            let reports = pieces.flatMap(\.reports)
            #expect(reports.count == 1 && stream.problems.isEmpty)
            #expect(try TombstoneProtobufTests.content(#require(reports.first)) == TombstoneProtobufTests.content(report))
        }
    }

    /// Inside other text or bytes it is not a tombstone: only a whole log can be one.
    @Test func `one after text is not looked for`() { #expect(!isClaimed(Array("a line\n".utf8) + whole)) }

    // MARK: Damage

    @Test func `a file that is cut off anywhere gives what is there, and says so`() throws {
        var longest = 0
        let frames = try SampleLog(bytes: whole).report().allFrames.count
        for count in 0..<whole.count {
            let log = CrashLog.parse(Array(whole[..<count]).span)
            #expect(log.reports.count <= 1)
            for report in log.reports {
                // Between two fields nothing shows that there were more.
                let isDamaged = report.notes.contains { $0.hasPrefix("The tombstone is damaged: ") }
                #expect(report.allFrames.count <= frames)
                #expect(report.allFrames.allSatisfy { $0.range.upperBound <= count })
                if isDamaged { longest = max(longest, report.allFrames.count) }
            }
            // After the head, a file without stacks is a tombstone all the same.
            if count > 200 { #expect(!log.reports.isEmpty || log.problems.count == 1) }
        }
        #expect(longest == frames)
    }

    @Test func `a byte that is another is no trap`() {
        for index in whole.indices {
            for byte in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] where whole[index] != byte {
                var damaged = whole
                damaged[index] = byte
                for report in CrashLog.parse(damaged.span).reports {
                    #expect(report.allFrames.allSatisfy { $0.range.upperBound <= damaged.count })
                }
            }
        }
    }

    @Test func `a length beyond the file is said, with its place`() throws {
        var log = TombstoneProtobufTests.document { tombstone in
            tombstone.put(16, TombstoneProtobufTests.thread(9) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/a.so")) })
        }
        let offset = log.bytes.count
        // Field 17, 2^63 - 1 bytes long.
        log.bytes += [0x8A, 0x01] + Array(repeating: 0xFF, count: 8) + [0x7F]
        let report = try log.report()
        #expect(report.allFrames.count == 1)
        #expect(
            report.notes == [
                "The tombstone is damaged: a field is longer than the message that it is in at byte \(offset): expected at most 0 bytes."
            ])
    }

    @Test func `a head alone is a fault`() {
        #expect(
            TombstoneProtobufTests.document { _ in }.parsed().problems.map(\.description) == [
                "the tombstone holds no stacks at byte 0: expected threads with backtraces"
            ])
    }

    // MARK: Sizes

    /// Nothing in the schema nests without end: what is nested is not opened.
    @Test func `threads inside threads are no stack of calls`() throws {
        var inner = ProtobufMessage()
        for _ in 0..<2000 {
            var outer = ProtobufMessage()
            outer.put(2, bytes: inner.bytes)
            inner = outer
        }
        let log = TombstoneProtobufTests.document { tombstone in
            tombstone.put(16, bytes: inner.bytes)
            tombstone.put(16, TombstoneProtobufTests.thread(9) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/a.so")) })
        }
        #expect(try log.report().allFrames.count == 1)
    }

    @Test func `ten thousand threads are read, the crashed one first`() throws {
        let report = try TombstoneProtobufTests.document { tombstone in
            tombstone.put(6, 5000)
            for number in (1...10_000).reversed() {
                tombstone.put(
                    16, TombstoneProtobufTests.thread(UInt64(number)) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/a.so")) })
            }
        }.report()
        #expect(report.threads.map(\.index) == [5000] + (1...4999) + (5001...10_000))
        #expect(report.threads.count { $0.crashed } == 1 && report.cuts.isEmpty)
    }

    @Test func `threads beyond the cap are left out, and it is said`() throws {
        let cap = Limits.standard.threads
        let report = try TombstoneProtobufTests.document { tombstone in
            for number in 1...cap + 10 {
                tombstone.put(
                    16, TombstoneProtobufTests.thread(UInt64(number)) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/a.so")) })
            }
        }.report()
        #expect(report.threads.count == cap)
        #expect(report.cuts == ["The report has \(cap) threads or more: further ones are not in it."])
    }

    @Test func `frames beyond the cap are left out, and it is said`() throws {
        let cap = Limits.standard.framesPerThread
        let report = try TombstoneProtobufTests.document { tombstone in
            tombstone.put(16, TombstoneProtobufTests.thread(9) { for _ in 0...cap { $0.put(4, bytes: [0x08, 0x10]) } })
        }.report()
        #expect(report.threads[0].frames.count == cap)
        #expect(report.cuts == ["A stack has \(cap) frames or more: not all are in it."])
    }

    /// 800,000 bytes that would be 400,000 frames of hundreds of bytes each.
    @Test func `frames beyond the report's cap are not even read, the crashed thread's are the first`() throws {
        let empty = Array(repeating: [0x22, 0x00] as [UInt8], count: 100_000).flatMap { $0 }
        let report = try TombstoneProtobufTests.document { tombstone in
            tombstone.put(6, 4)
            for number in 1...4 { tombstone.put(16, TombstoneProtobufTests.thread(UInt64(number)) { $0.writer.bytes += empty }) }
        }.report()
        #expect(report.threads.first.map { $0.index == 4 && $0.frames.count == 100_000 } == true)
        #expect(report.threads.reduce(0) { $0 + $1.frames.count } == Limits.standard.framesPerReport)
        #expect(report.cuts == ["The report has more than \(Limits.standard.framesPerReport) frames: further ones are not in it."])
    }

    @Test func `a map of a hundred thousand files costs nothing but its bytes`() throws {
        let report = try TombstoneProtobufTests.document { tombstone in
            tombstone.put(16, TombstoneProtobufTests.thread(9) { $0.put(4, TombstoneProtobufTests.frame(0x10, "/lib/7.so")) })
            for number in 0..<100_000 {
                tombstone.put(17) {
                    $0.put(1, UInt64(number) << 12)
                    $0.put(2, UInt64(number + 1) << 12)
                    $0.put(7, "/lib/\(number).so")
                }
            }
            // Ends before it begins; the last page of all memory.
            tombstone.put(17) {
                $0.put(1, .max)
                $0.put(7, "/lib/7.so")
            }
            tombstone.put(17) {
                $0.put(1, .max - 1)
                $0.put(2, .max)
                $0.put(3, .max)
                $0.put(7, "/lib/x.so")
            }
        }.report()
        #expect(report.images.map(\.base) == [RuntimeAddress(7 << 12)] && report.images[0].size == 0x1000)
    }
}
