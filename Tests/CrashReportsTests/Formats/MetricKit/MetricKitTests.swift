import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// MetricKit's call-stack trees: which end is which, where images begin, and results inside nested
/// frames.
struct MetricKitTests {
    private static let app = "01D2A9D5-1F8A-35C8-9228-7C7CCA13C5FC"

    /// A frame of the app at `offset` from 0x1ab66b000, or of libdyld.
    private static func frame(_ offset: Int, base: Int = 0x1_ab66_b000, name: String = "App", count: Int = 1, _ subFrames: String...)
        -> String
    {
        let sub = subFrames.isEmpty ? "" : #""subFrames":[\#(subFrames.joined(separator: ","))],"#
        return
            #"{"binaryUUID":"\#(app)","offsetIntoBinaryTextSegment":\#(offset),"sampleCount":\#(count),\#(sub)"binaryName":"\#(name)","address":\#(base + offset)}"#
    }

    private static func tree(_ roots: String..., perThread: Bool = true) -> String {
        #"{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(roots.joined(separator: ","))]}],"callStackPerThread":\#(perThread)}"#
    }

    private static func payload(
        _ list: String, _ tree: String, meta: String = #""osVersion":"iPhone OS 17.5 (21F79)","platformArchitecture":"arm64e""#
    ) -> String {
        #"{"timeStampBegin":"2020-10-10 19:35:24 +0000","timeStampEnd":"2020-10-10 19:36:24 +0000","\#(list)":[{"version":"1.0.0","callStackTree":\#(tree),"diagnosticMetaData":{\#(meta)}}]}"#
    }

    private static let crash = tree(frame(0x285b8, frame(0x100, frame(0x1b24, base: 0x1_ab69_c000, name: "libdyld.dylib"))))

    @Test func `a crash's root is where the thread was`() throws {
        let meta =
            #""exceptionType":1,"exceptionCode":0,"signal":11,"osVersion":"iPhone OS 14.0.1 (18A393)","appVersion":"1.0","appBuildVersion":"7","bundleIdentifier":"org.example","platformArchitecture":"arm64","terminationReason":"Namespace SIGNAL, Code 0xb","virtualMemoryRegionInfo":"16 is not in any region.""#
        let report = try SampleLog(Self.payload("crashDiagnostics", Self.crash, meta: meta)).report()
        #expect(report.format == "metrickit" && report.platform == "iPhone OS 14.0.1 (18A393)" && report.architecture == .arm64)
        #expect(report.process.identifier == "org.example" && report.process.version == "1.0 (7)")
        #expect(report.timestamp?.utc == "2020-10-10T19:36:24Z")
        #expect(report.cause?.type == "EXC_BAD_ACCESS" && report.cause?.signal == "SIGSEGV" && report.cause?.address?.value == 16)
        let thread = report.threads[0]
        #expect(thread.crashed && !thread.isCallTree)
        // 0x1ab66b000 + 0x285b8
        #expect(thread.frames.map(\.hex) == ["0x1ab6935b8", "0x1ab66b100", "0x1ab69db24"])
        #expect(thread.frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(thread.frames.map(\.image) == [0, 0, 1] && thread.frames.allSatisfy { $0.depth == nil && $0.samples == nil })
        #expect(report.images.map { $0.base?.description } == ["0x1ab66b000", "0x1ab69c000"])
        #expect(report.images[0].id?.uuid == Self.app && report.notes.isEmpty)
    }

    @Test(arguments: [
        "hangDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics", "appLaunchDiagnostics", "memoryExceptionDiagnostics",
    ])
    func `what was sampled is a tree whose root is the caller`(list: String) throws {
        let tree = Self.tree(
            Self.frame(0x100, count: 5, Self.frame(0x200, count: 2), Self.frame(0x300, count: 3, Self.frame(0x400, count: 1))))
        let report = try SampleLog(Self.payload(list, tree)).report()
        let thread = report.threads[0]
        #expect(thread.isCallTree && !thread.crashed && report.cause?.kind == .other)
        #expect(thread.frames.map(\.hex) == ["0x1ab66b100", "0x1ab66b200", "0x1ab66b300", "0x1ab66b400"])
        #expect(thread.frames.map(\.depth) == [0, 1, 1, 2] && thread.frames.map(\.samples) == [5, 2, 3, 1])
        #expect(thread.frames.map(\.kind) == [.returnAddress, .programCounter, .returnAddress, .programCounter])
    }

    /// A tree without its diagnostic shows itself what it is.
    @Test func `a tree alone`() throws {
        let alone = try SampleLog(Self.crash).report()
        #expect(!alone.threads[0].isCallTree && alone.threads[0].crashed && alone.notes.count == 1)
        let branching = try SampleLog(Self.tree(Self.frame(1, Self.frame(2), Self.frame(3)))).report()
        #expect(branching.threads[0].isCallTree)
        let counted = try SampleLog(Self.tree(Self.frame(1, count: 2, Self.frame(2, count: 2)))).report()
        #expect(counted.threads[0].isCallTree)
        let all = try SampleLog(Self.tree(Self.frame(1), perThread: false)).report()
        #expect(all.threads[0].isCallTree && all.threads[0].name == "all threads")
        let wrapped = try SampleLog(#"{"callStackTree":\#(Self.crash)}"#).report()
        #expect(wrapped.threads[0].frames.count == 3)
    }

    /// Crashes come in both orders. The functions in which threads begin and wait show which end is
    /// which; any thread can show it.
    @Test(arguments: [
        // root, end, what the innermost frame is then
        ("dyld", "App", "App"), ("App", "dyld", "App"), ("libsystem_pthread.dylib", "App", "App"), ("App", "libdyld.dylib", "App"),
        ("libsystem_kernel.dylib", "App", "libsystem_kernel.dylib"), ("App", "libsystem_kernel.dylib", "libsystem_kernel.dylib"),
        ("libsystem_pthread.dylib", "libsystem_kernel.dylib", "libsystem_kernel.dylib"),
    ]) func `a crash's order is found out`(root: String, end: String, innermost: String) throws {
        let shown = Self.frame(0x100, name: root, Self.frame(0x200, name: end))
        let silent = Self.frame(0x300, Self.frame(0x400))
        let tree = Self.tree(shown).replacing("]}],", with: #"]},{"callStackRootFrames":[\#(silent)]}],"#)
        let report = try SampleLog(Self.payload("crashDiagnostics", tree)).report()
        #expect(report.threads[0].frames.first?.imageName == innermost && report.threads[0].frames.map(\.index) == [0, 1])
        #expect(report.threads.allSatisfy { !$0.isCallTree && $0.frames.map(\.kind) == [.programCounter, .returnAddress] })
        // The order that one thread shows applies to the other threads of the diagnostic.
        let isTurned = root != innermost
        #expect(report.threads[1].frames.map(\.hex) == (isTurned ? ["0x1ab66b400", "0x1ab66b300"] : ["0x1ab66b300", "0x1ab66b400"]))
        #expect(report.notes.isEmpty)
    }

    @Test func `an order that nothing shows is said`() throws {
        let report = try SampleLog(Self.payload("crashDiagnostics", Self.tree(Self.frame(1, Self.frame(2))))).report()
        #expect(report.notes.count == 1 && report.notes[0].contains("the last frame of each"))
        let hang = try SampleLog(Self.payload("hangDiagnostics", Self.tree(Self.frame(1, Self.frame(2))))).report()
        #expect(hang.threads[0].isCallTree && hang.notes[0].contains("the first frame of each"))
        // An older hang, whose root is where the thread was.
        let old = try SampleLog(Self.payload("hangDiagnostics", Self.crash)).report()
        #expect(!old.threads[0].isCallTree && old.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
    }

    @Test func `a stack that is turned round is answered where it stands`() throws {
        let tree = Self.tree(Self.frame(0x100, name: "dyld", Self.frame(0x200)))
        let log = SampleLog(Self.payload("crashDiagnostics", tree))
        func result(_ frame: Frame) -> FrameResult? { .function(frame.hex == "0x1ab66b200" ? "inner" : "start", offset: 4, "/s/a.m", 9) }
        let symbolicated = log.symbolicated(result)
        #expect(try symbolicated.report().threads[0].frames.map { $0.printed?.name } == ["inner", "start"])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `each diagnostic is a report, each list is read, in an array too`() throws {
        let both = Self.payload("crashDiagnostics", Self.crash).dropLast() + "," + Self.payload("hangDiagnostics", Self.crash).dropFirst()
        #expect(SampleLog(String(both)).parsed().reports.map { $0.cause?.type } == ["MXCrashDiagnostic", "MXHangDiagnostic"])
        let array = "[\n" + Self.payload("crashDiagnostics", Self.crash) + ",\n" + Self.payload("crashDiagnostics", Self.crash) + "\n]\n"
        #expect(SampleLog(array).parsed().reports.count == 2)
        #expect(SampleLog(array).parsed(as: "metrickit").reports.count == 2)
    }

    /// Apple's reporters walk up to 512 frames, and each is two levels of JSON.
    @Test func `the deepest stack is read and answered`() throws {
        let open = Self.frame(0x20).dropLast() + #","subFrames":["#
        let tree = Self.tree(String(repeating: String(open), count: 511) + Self.frame(0x10) + String(repeating: "]}", count: 511))
        let log = SampleLog(Self.payload("crashDiagnostics", tree))
        #expect(try log.report().threads[0].frames.count == 512)
        let symbolicated = log.symbolicated { _ in .function("f", offset: 8, "/a.m", 3) }
        #expect(try symbolicated.report().threads[0].frames.allSatisfy { $0.printed?.name == "f" })
    }

    // MARK: Where images begin

    /// iOS 14 put the load address where the offset belongs (the numbers are those of a developer's
    /// report).
    @Test func `the key may hold the load address`() throws {
        let frame =
            #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":4307976192,"sampleCount":1,"binaryName":"App","address":4308000108}"#
        let report = try SampleLog(Self.payload("crashDiagnostics", Self.tree(frame))).report()
        #expect(report.images[0].base?.description == "0x100c68000")
        // 4308000108 - 4307976192 = 23916
        #expect(report.threads[0].frames[0].imageOffset?.value == 23916 && report.threads[0].frames[0].address?.value == 4_308_000_108)
    }

    @Test func `another frame decides where both readings fit`() throws {
        // 0x1000 from a base of 0x100c68000: read as a load address, 0x1000 would be a base, too.
        let edge = Self.frame(0x1000, base: 0x1_00c6_8000)
        let asOffset = try SampleLog(Self.payload("crashDiagnostics", Self.tree(Self.frame(0x10, base: 0x1_00c6_8000, edge)))).report()
        #expect(asOffset.threads[0].frames.map { $0.imageOffset?.value } == [0x10, 0x1000])
        // The other way round, as in iOS 14: 0x100c68000 is the base of a frame elsewhere in the
        // image.
        let loaded = #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":4307976192,"binaryName":"App","address":4307980288}"#
        let sure =
            #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":4307976192,"binaryName":"App","address":4308000108,"subFrames":[\#(loaded)]}"#
        let asBase = try SampleLog(Self.payload("crashDiagnostics", Self.tree(sure))).report()
        // 4307980288 - 4307976192 = 4096
        #expect(asBase.threads[0].frames.map { $0.imageOffset?.value } == [23916, 4096])
    }

    @Test func `numbers that do not fit are not looked up`() throws {
        // Xcode's simulated payload: 74565 - 123 = 74442 is not a multiple of a page.
        let frame = #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":123,"sampleCount":20,"binaryName":"App","address":74565}"#
        let report = try SampleLog(Self.payload("crashDiagnostics", Self.tree(frame))).report()
        #expect(report.threads[0].frames[0].address?.value == 74565 && report.threads[0].frames[0].imageOffset == nil)
        #expect(report.images[0].base == nil && report.notes.count == 1 && report.notes[0].hasPrefix("1 frames"))
    }

    @Test func `an offset alone is enough`() throws {
        let frame = #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":400,"binaryName":"App","subFrames":[]}"#
        let report = try SampleLog(Self.payload("crashDiagnostics", Self.tree(frame))).report()
        #expect(report.threads[0].frames[0].address == nil && report.threads[0].frames[0].imageOffset?.value == 400)
        #expect(report.threads[0].frames[0].image == 0 && report.images[0].id?.uuid == Self.app)
    }

    // MARK: Results

    @Test func `answers come first in the object, and nested frames are answered each`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            switch frame.hex {
            case "0x1ab6935b8": .function("out", offset: 8, "/s/a.m", 28).inlining("in", "/s/b.h", 7)
            case "0x1ab66b100": .function("main", offset: 4, "/s/main.m", 9)
            default: nil
            }
        }
        let log = SampleLog(Self.payload("crashDiagnostics", Self.crash))
        let symbolicated = log.symbolicated(result)
        let start = #"{"binaryUUID":"\#(Self.app)","offsetIntoBinaryTextSegment":"#
        let first =
            #"{"symbolName":"out","offsetIntoSymbol":8,"fileName":"/s/a.m","lineNumber":28,"inlinedCalls":[{"symbolName": "in", "fileName": "/s/b.h", "lineNumber": 7}],"#
        let second = #"{"symbolName":"main","offsetIntoSymbol":4,"fileName":"/s/main.m","lineNumber":9,"#
        #expect(
            symbolicated.text
                == log.text.replacing(start + "165304", with: first + start.dropFirst() + "165304").replacing(
                    start + "256", with: second + start.dropFirst() + "256"))
        let report = try symbolicated.report()
        #expect(
            report.threads[0].frames[0].printed == PrintedSymbol(name: "out", offset: 8, location: SourceLocation(file: "/s/a.m", line: 28))
        )
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `App Store Connect writes strings`() throws {
        let frame =
            #"{"sampleCount":3,"binaryName":"App","symbolName":"<redacted>","address":"0x100c6dd6c","offsetIntoBinaryTextSegment":"23916"}"#
        let text =
            #"{"productData":[{"diagnosticLogs":[{"callStackTree":[{"callStackPerThread":true,"callStacks":[{"callStackRootFrames":[\#(frame)]}]}],"diagnosticMetaData":{"hangDuration":"2 sec"}}]}]}"#
        let log = SampleLog(
            text.replacing(#""callStackTree":[{"#, with: #""callStackTree":{"#).replacing(
                "]}],\"diagnosticMetaData\"", with: "]},\"diagnosticMetaData\""))
        let report = try log.report()
        #expect(report.cause?.type == "MXHangDiagnostic" && report.threads[0].frames.map(\.hex) == ["0x100c6dd6c"])
        let symbolicated = log.symbolicated { _ in .function("f", offset: 8, "/a.m", 3) }
        let filled = frame.replacing("<redacted>", with: "f").replacing(
            "{\"sampleCount\"", with: #"{"offsetIntoSymbol":"8","fileName":"/a.m","lineNumber":"3","sampleCount""#)
        #expect(symbolicated.text == log.text.replacing(frame, with: filled))
    }
}
