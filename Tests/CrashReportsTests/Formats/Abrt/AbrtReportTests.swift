import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct AbrtReportTests {
    /// 4195427 - 1123 = 0x400000; 237190207797 - 219445 = 0x3739a00000.
    @Test func `a core's stacks`() throws {
        let report = try SampleLog(
            #"{"signal": 6, "executable": "/usr/bin/will_abort", "stacktrace": [{"frames": [{"address": 87654, "build_id": "92ebaf82", "build_id_offset": 42, "file_name": "/usr/bin/x"}]}, {"crash_thread": true, "frames": ["#
                + #"{"address": 237190207797, "build_id": "cc10c72d", "build_id_offset": 219445, "function_name": "raise", "file_name": "/usr/lib64/libc-2.15.so"}, {"address": 4195427, "build_id": "92ebaf82", "build_id_offset": 1123, "file_name": "/usr/bin/will_abort"}]}]}"#
        ).report()
        #expect(report.format == "abrt-json")
        #expect(report.threads.map(\.crashed) == [false, true])
        let frames = report.threads[1].frames
        #expect(frames.map(\.imageOffset?.value) == [219445, 1123])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames.map(\.printed?.name) == ["raise", nil])
        #expect(report.images.map { $0.base?.value } == [87654 - 42, 237_190_207_797 - 219445, 0x400000])
        #expect(report.images[2].id == ImageID(text: "92ebaf82") && report.images[2].path == "/usr/bin/will_abort")
        #expect(report.cause?.signal == "6" && report.process.name == "will_abort")
    }

    @Test func `a kernel's frames are places by their symbols`() throws {
        let report = try SampleLog(
            #"{"ureport_version": 2, "reason": "Kernel oops in f [wl]", "problem": {"type": "kerneloops", "component": "kernel", "raw_oops": "BUG: x\nRIP: 0010:[<1>]  [<1>] f+0x89/0x90 [wl]\n", "frames": ["#
                + #"{"address": 18446744072102181385, "reliable": true, "function_name": "f", "function_offset": 137, "function_length": 144, "module_name": "wl"}, {"address": 0, "function_name": "kthread", "function_offset": 192, "function_length": 0}]}}"#
        ).report()
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [
                .symbol(SymbolLocation(name: "f", offset: 137, size: 144)), .symbol(SymbolLocation(name: "kthread", offset: 192)),
            ])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames.map(\.hex) == ["0xffffffffa0317a09", "none"])
        #expect(report.images.map(\.name) == ["wl.ko", "vmlinux"])
    }

    @Test func `frames without addresses are told and not looked up`() throws {
        let report = try SampleLog(
            #"{"ureport_version": 2, "problem": {"type": "python", "exception_name": "KeyError", "stacktrace": [{"file_name": "/a.py", "file_line": 7, "function_name": "f"}]}}"#
        ).report()
        #expect(report.threads[0].frames.map(\.hex) == ["none"])
        #expect(report.threads[0].frames[0].printed == PrintedSymbol(name: "f", location: SourceLocation(file: "/a.py", line: 7)))
        #expect(report.cause?.type == "KeyError")
    }

    @Test func `answers are members of the frames`() {
        let log = SampleLog(#"{"crash_thread":true,"stacktrace":[{"frames":[{"address":16,"build_id_offset":1,"file_name":"/a"}]}]}"#)
        #expect(
            log.symbolicated { _ in .function("f", offset: 1, "/f.c", 3).inlining("g", "/g.c", 4) }.text
                == #"{"crash_thread":true,"stacktrace":[{"frames":[{"address":16,"build_id_offset":1,"file_name":"/a","function_name":"g","source_file":"/g.c","source_line":4,"inlined":true},{"address":16,"build_id_offset":1,"file_name":"/a","function_name":"f","source_file":"/f.c","source_line":3}]}]}"#
        )
    }
}
