import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct MongoDBTraceTests {
    private static let stack =
        #"{"backtrace":[{"a":"5609CC4000E4","b":"5609C75C7000","o":"4E390E4","s":"_ZN7harbour4moorEv","C":"harbour::moor()","s+":"1F4"},{"a":"7F0FBB43B520","b":"7F0FBB3F9000","o":"42520"}],"processInfo":{"somap":[{"b":"5609C75C7000","elfType":3,"buildId":"28879BCB86C4B9AF7CEC8E6482F331A095E338D0"},{"b":"7F0FBB3F9000","path":"/lib/libtide.so.1","elfType":3,"buildId":"69389D485A9793DBE873F0EA2C93E02EFAA9AA3D"}]}}"#

    @Test(arguments: [
        stack + "\n", "----- BEGIN BACKTRACE -----\n" + stack + "\n-----  END BACKTRACE  -----\n",
        #"{"t":{"$date":"2023-09-18T13:21:21.915+00:00"},"s":"I",  "c":"CONTROL",  "id":31380,   "ctx":"initandlisten","msg":"BACKTRACE","attr":{"bt":"#
            + stack + "}}\n",
    ])
    func `offset, base and build ID of each row`(text: String) throws {
        let report = try SampleLog(text).report()
        #expect(report.format == "mongodb-json")
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x5609cc4000e4", "0x7f0fbb43b520"])
        #expect(frames.map(\.imageOffset) == [ImageOffset(0x4e390e4), ImageOffset(0x42520)])
        #expect(frames.map(\.image) == [0, 1] && frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames[0].printed == PrintedSymbol(name: "harbour::moor()", offset: 0x1f4))
        #expect(report.images.map(\.base) == [RuntimeAddress(0x5609c75c7000), RuntimeAddress(0x7f0fbb3f9000)])
        #expect(report.images[0].id == ImageID(text: "28879BCB86C4B9AF7CEC8E6482F331A095E338D0"))
        #expect(report.images[1].path == "/lib/libtide.so.1")
    }

    /// The server of 4.2 has no `a`: 0x5609C75C7000 + 0x4E390E4 = 0x5609CC4000E4.
    @Test func `without addresses they follow from base and offset`() throws {
        let report = try SampleLog(#"{"backtrace":[{"b":"5609C75C7000","o":"4E390E4","s":"_ZN7harbour4moorEv"}],"processInfo":{}}"# + "\n")
            .report()
        #expect(report.threads[0].frames.map(\.hex) == ["0x5609cc4000e4"])
        #expect(report.images.map(\.base) == [RuntimeAddress(0x5609c75c7000)])
    }

    @Test func `answers are members of the row's object`() throws {
        let symbolicated = SampleLog(Self.stack + "\n").symbolicated { frame in
            .function("harbour::sail()", offset: 0x20, "/src/sail.cpp", 7).inlining("weigh", "/src/weigh.h", 3)
        }
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, true, false])
        #expect(frames.map { $0.printed?.name } == ["weigh", "harbour::sail()", "weigh", "harbour::sail()"])
        #expect(frames[1].printed?.location == SourceLocation(file: "/src/sail.cpp", line: 7))
        #expect(frames.map(\.hex) == ["0x5609cc4000e4", "0x5609cc4000e4", "0x7f0fbb43b520", "0x7f0fbb43b520"])
    }

    @Test func `other documents are none`() {
        #expect(SampleLog("{\"backtrace\":[{\"frame\":1}]}\n").parsed().reports.isEmpty)
        #expect(SampleLog("{\"backtrace\":[{\"a\":\"12\n").parsed().reports.isEmpty)
    }
}
