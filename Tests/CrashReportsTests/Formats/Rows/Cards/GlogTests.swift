import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct GlogTests {
    @Test func `a crash's rows are return addresses`() throws {
        let report = try SampleLog(CardSample.text("glog")).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(8))
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex).prefix(4) == ["0x7fdc28eb0cfe", "0x7fdc28ceb050", "0x55a6d7781149", "0x55a6d7781155"])
        #expect(frames.map { $0.printed?.name } == [nil, nil, nil, "harbour::berth()", "main", nil, "__libc_start_main", "_start"])
        // The `PC` line has 0: 0x7fdc28ceb050 is the trampoline, and the interrupted frame follows.
        #expect(
            frames.map(\.kind) == [.returnAddress, .returnAddress, .programCounter] + [Frame.Kind](repeating: .returnAddress, count: 5))
    }

    @Test func `the row that the signal interrupted is the program counter`() throws {
        let text = CardSample.text("glog").split(separator: "\n").map {
            $0.hasPrefix("PC: @") ? "PC: @     0x55a6d7781149 harbour::moor()" : $0
        }
        let frames = try SampleLog(text.joined(separator: "\n") + "\n").report().threads[0].frames
        #expect(frames.map(\.hex).prefix(3) == ["0x7fdc28eb0cfe", "0x7fdc28ceb050", "0x55a6d7781149"])
        #expect(frames.map(\.kind).prefix(4) == [.returnAddress, .returnAddress, .programCounter, .returnAddress])
        #expect(frames.count == 8)
    }

    @Test func `failed checks`() throws {
        let report = try SampleLog(
            "F0401 12:00:00.000000  4242 moor.cc:12] Check failed: ship != nullptr \n*** Check failure stack trace: ***\n    @     0x7fdc28eb0cfe  google::LogMessage::Fail()\n    @     0x55a6d7781155  harbour::berth()\n"
        ).report()
        #expect(report.format == "glog" && report.cause?.type == "check failed")
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["google::LogMessage::Fail()", "harbour::berth()"])
    }

    @Test func `Abseil's program counter is the first frame where the stack leaves it out`() throws {
        let report = try SampleLog(CardSample.text("abseil")).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x7fde64ca37e3", "0x7fde8a1a53c0", "0x7fde64ca3674", "0x7fde64ca32ce"])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
        #expect(frames.map { $0.printed?.name } == ["harbour::Moor()", nil, "harbour::Berth()", nil])
        #expect(report.cause?.signal == "SIGSEGV")
    }
}
