import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct MinidumpStackwalkJSONTests {
    private static let text = """
        {
          "crash_info": {"address": "0x0000000104a383d4", "assertion": null, "crashing_thread": 0, "type": "EXC_BREAKPOINT / EXC_ARM_BREAKPOINT"},
          "main_module": 0,
          "modules": [
            {"base_addr": "0x0000000104a38000", "debug_file": "Demo", "debug_id": "4C4C44F655553144A1C78F23AF66DDA80", "end_addr": "0x0000000104a3c000", "filename": "Demo"},
            {"base_addr": "0x00000001c1dd0000", "debug_file": "dyld", "debug_id": "", "end_addr": "0x00000001c1e40000", "filename": "dyld"}
          ],
          "pid": 77,
          "system_info": {"cpu_arch": "arm64", "os": "Mac OS X", "os_ver": "13.1.0 22C65"},
          "thread_count": 2,
          "threads": [
            {"frame_count": 2, "thread_name": "main", "frames": [
              {"frame": 0, "module": "Demo", "module_offset": "0x00000000000003d4", "offset": "0x0000000104a383d4", "trust": "context"},
              {"frame": 1, "file": "demo.c", "function": "outer", "function_offset": "0x000000000000001c", "line": 6,
               "inlines": [{"file": "demo.h", "function": "step", "line": 3}],
               "module": "Demo", "module_offset": "0x00000000000003f4", "offset": "0x0000000104a383f4", "trust": "frame_pointer"}
            ]},
            {"frame_count": 1, "thread_name": null, "frames": [
              {"frame": 0, "module": "dyld", "module_offset": "0x0000000000008de8", "offset": "0x00000001c1dd8de8", "trust": "context"}
            ]}
          ]
        }

        """

    /// 0x104a383f4 - 0x104a38000 = 0x3f4; the call's instruction, four bytes before 0x104a383f8.
    @Test func `frames have been moved back`() throws {
        let report = try SampleLog(Self.text).report()
        #expect(report.format == "minidump-stackwalk-json" && report.process.pid == 77 && report.process.name == "Demo")
        #expect(report.architecture == .arm64 && report.platform == "Mac OS X 13.1.0 22C65")
        #expect(report.cause?.type == "EXC_BREAKPOINT" && report.cause?.address == RuntimeAddress(0x1_04a3_83d4))
        #expect(report.images.map(\.name) == ["Demo", "dyld"] && report.images.map(\.size) == [0x4000, 0x70000])
        #expect(report.images[0].id?.description == "4C4C44F6-5555-3144-A1C7-8F23AF66DDA8" && report.images[1].id == nil)
        #expect(report.threads.map(\.crashed) == [true, false] && report.threads[0].name == "main")
        let frames = report.threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .exact, .exact] && frames.map(\.isInlined) == [false, true, false])
        #expect(frames.map(\.imageLocation) == [0x3d4, 0x3f4, 0x3f4].map { .offset(ImageOffset($0)) })
        #expect(frames.map(\.printed?.name) == [nil, "step", "outer"] && frames.map(\.image) == [0, 0, 0])
        #expect(report.threads[1].frames[0].image == 1)
    }

    /// Breakpad makes the identifier of a build ID's first 16 bytes, the first three numbers of
    /// which it prints as a little-endian machine's (`common/linux/file_id.cc`): 20AD60B0 is
    /// b060ad20.
    @Test(arguments: ["Linux", "Android"]) func `of ELF files an identifier is a build ID`(system: String) throws {
        let text = Self.text.replacing("Mac OS X", with: system)
            .replacing("4C4C44F655553144A1C78F23AF66DDA80", with: "20AD60B0B4C68177552708AA192E77390")
        let id = try #require(try SampleLog(text).report().images[0].id)
        #expect(id.matches(try #require(ImageID(buildID: "b060ad20c6b47781552708aa192e7739fac7c84a"))))
    }

    @Test func `without stacks it is none`() {
        #expect(SampleLog("{\"crash_info\": {\"crashing_thread\": null}, \"threads\": []}\n").parsed().reports.isEmpty)
    }
}
