import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// PLCrashReporter's binary reports: what each field of its schema (`PLCrashReport.proto`) becomes,
/// and the real ones.
struct PLCrashReportTests {
    private func document(version: UInt8 = 1, _ fill: (inout ProtobufMessage) -> Void) -> SampleLog {
        var message = ProtobufMessage()
        fill(&message)
        return SampleLog(bytes: Array("plcrash".utf8) + [version] + message.bytes)
    }

    private func frame(_ address: UInt64, _ symbol: String? = nil, start: UInt64 = 0) -> (inout ProtobufMessage) -> Void {
        { message in
            message.put(3, address)
            guard let symbol else { return }
            message.put(6) {
                $0.put(1, symbol)
                $0.put(2, start)
            }
        }
    }

    @Test func `every field of the schema is read`() throws {
        let log = document { report in
            report.put(1) {
                $0.put(1, 1)
                $0.put(2, "8.4")
                $0.put(3, 6)
                // 14 February 2017, 15:08:00 UTC: date -u -d @1487084880.
                $0.put(4, 1_487_084_880)
                $0.put(5, "12H143")
            }
            report.put(2) {
                $0.put(1, "org.example.App")
                $0.put(2, "7")
                $0.put(3, "1.2")
            }
            report.put(3) {
                $0.put(1, 4)
                $0.put(2, frame(0x1_0000_4010))
                $0.put(2, frame(0x1_8000_0020, "_start", start: 0x1_8000_0000))
                $0.put(3, 1)
                $0.put(4) {
                    $0.put(1, "pc")
                    $0.put(2, 0x1_0000_4010)
                }
            }
            report.put(4) {
                $0.put(1, 0x1_0000_4000)
                $0.put(2, 0x1000)
                $0.put(3, "/a/App.app/App")
                $0.put(4, bytes: Array(1...16))
                $0.put(5) {
                    $0.put(1, 1)
                    $0.put(2, 0x0100_000C)
                    $0.put(3, 0x8000_0002)
                }
            }
            report.put(5) {
                $0.put(1, "NSRangeException")
                $0.put(2, "index 23 beyond bounds")
                $0.put(3, frame(0x1_0000_4044))
            }
            report.put(6) {
                $0.put(1, "SIGABRT")
                $0.put(2, "#0")
                $0.put(3, 6_828_798_576)
            }
            report.put(7) {
                $0.put(1, "App")
                $0.put(2, 5903)
                $0.put(3, "/a/App.app/App")
            }
            // A field that a later schema may add.
            report.put(99, "unknown")
        }
        let report = try log.report()
        #expect(report.format == "plcrashreporter")
        #expect(report.platform == "iPhone OS 8.4 (12H143)")
        #expect(report.timestamp?.utc == "2017-02-14T15:08:00Z")
        #expect(report.architecture == .arm64e)
        #expect(report.process.name == "App")
        #expect(report.process.pid == 5903)
        #expect(report.process.identifier == "org.example.App")
        #expect(report.process.version == "1.2 (7)")
        #expect(report.cause?.type == "NSRangeException")
        #expect(report.cause?.message == "index 23 beyond bounds")
        #expect(report.cause?.signal == "SIGABRT")
        let thread = try #require(report.threads.first)
        #expect(thread.index == 4 && thread.crashed)
        #expect(thread.frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(thread.frames.map(\.hex) == ["0x100004010", "0x180000020"])
        #expect(thread.frames.map(\.image) == [0, nil])
        #expect(thread.frames[1].printed == PrintedSymbol(name: "start", offset: 0x20))
        #expect(thread.registers == RegisterState(values: [("pc", 0x1_0000_4010)]))
        #expect(report.exceptionBacktrace?.frames.map(\.kind) == [.returnAddress])
        #expect(report.exceptionBacktrace?.frames.map(\.image) == [0])
        let image = try #require(report.images.first)
        #expect(image.name == "App" && image.path == "/a/App.app/App" && image.size == 0x1000)
        #expect(image.id?.hexadecimal == "0102030405060708090a0b0c0d0e0f10")
        #expect(report.notes.isEmpty)
    }

    @Test func `a Mach exception says more than its signal`() throws {
        let report = try document { report in
            report.put(3) { $0.put(2, frame(0x10)) }
            report.put(6) {
                $0.put(1, "SIGBUS")
                $0.put(2, "BUS_ADRERR")
                $0.put(3, 0x20)
                $0.put(4) {
                    $0.put(1, 1)
                    $0.put(2, 13)
                }
            }
        }.report()
        #expect(report.cause?.kind == .machException)
        #expect(report.cause?.type == "EXC_BAD_ACCESS")
        #expect(report.cause?.signal == "SIGBUS")
        #expect(report.cause?.codes == "BUS_ADRERR")
        #expect(report.cause?.address == RuntimeAddress(0x20))
        #expect(report.notes == ["The report has no list of binary images."])
    }

    @Test func `a report that is cut off gives what is there, and says so`() throws {
        let whole = document { report in
            report.put(3) { $0.put(2, frame(0x1010)) }
            report.put(3) { $0.put(2, frame(0x2020)) }
        }
        let report = try SampleLog(bytes: Array(whole.bytes.dropLast(2))).report()
        #expect(report.allFrames.map(\.hex) == ["0x1010"])
        // Eight bytes of magic, seven of the first thread: 1a 05 12 03 18 90 20.
        #expect(
            report.notes.first
                == "The report is damaged: a field is longer than the message that it is in at byte 15: expected at most 3 bytes.")
    }

    @Test func `another version, and nothing behind it, are faults`() {
        #expect(
            document(version: 2) { $0.put(3) { _ in } }.parsed().problems.map(\.description) == [
                "the .plcrash has version 2 at byte 7: expected version 1"
            ])
        #expect(
            document { _ in }.parsed().problems.map(\.description) == [
                "the .plcrash holds no threads at byte 8: expected a report of PLCrashReporter"
            ])
    }

    @Test func `answers leave it as it is`() {
        let log = document { $0.put(3) { $0.put(2, frame(0x1010)) } }
        #expect(log.symbolicated { _ in .function("f", offset: 1, "/a.c", 2) }.bytes == log.bytes)
        #expect(log.parsed().reports.allSatisfy { !FormatRegistry.standard.acceptsResults($0) })
    }
}
