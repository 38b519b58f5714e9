import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Rows as `src/stackwalk.c` of Julia prints them.
struct JuliaCrashTests {
    private static let log = """
        julia> ccall((:moor, "libharbour"), Cvoid, ())

        [4242] signal (11.1): Segmentation fault
        in expression starting at REPL[3]:1
        moor at /opt/lib/libharbour.so (unknown line)
        jl_apply_generic at /src/julia/src/gf.c:2894 [inlined]
        jl_apply_generic at /src/julia/src/gf.c:3076
        macro expansion at ./REPL[3]:1 [inlined]
        top-level scope at ./REPL[3]:1
        unknown function (ip: 0x7fae1b1868a2)
        unknown function (ip: 0x7fae1b1868b2) at /lib/x86_64-linux-gnu/libc.so.6
        unknown function (ip: (nil))
        Allocations: 14513031 (Pool: 14512010; Big: 1021); GC: 10
        Segmentation fault

        """

    @Test func `a crash`() throws {
        let report = try SampleLog(Self.log).report()
        #expect(report.format == "julia-crash" && report.process.pid == 4242)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1" && report.cause?.message == "Segmentation fault")
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.printed?.name) == [
                "moor", "jl_apply_generic", "jl_apply_generic", "macro expansion", "top-level scope", nil, nil, nil,
            ])
        #expect(frames.map(\.isInlined) == [false, true, false, true, false, false, false, false])
        #expect(frames[2].printed?.location == SourceLocation(file: "/src/julia/src/gf.c", line: 3076))
        #expect(frames.map(\.address?.value) == [nil, nil, nil, nil, nil, 0x7fae_1b18_68a2, 0x7fae_1b18_68b2, 0])
        #expect(frames.map(\.image) == [0, nil, nil, nil, nil, nil, 1, nil])
        #expect(report.images.map(\.path) == ["/opt/lib/libharbour.so", "/lib/x86_64-linux-gnu/libc.so.6"])
        // The runtime has moved return addresses back.
        #expect(frames.allSatisfy { $0.kind == .exact })
    }

    @Test(arguments: ["signal (11): Segmentation fault", "[7] signal (6.-6): Aborted"]) func `the heading's other forms`(heading: String)
        throws
    {
        let report = try SampleLog(heading + "\nunknown function (ip: 0x7fae1b1868a2)\n").report()
        #expect(report.cause?.signal == (heading.contains("11") ? "SIGSEGV" : "SIGABRT"))
        #expect(report.cause?.codes == (heading.contains("11") ? nil : "code -6"))
    }

    @Test func `an answer takes the row's place, and is read again`() throws {
        let log = SampleLog(Self.log)
        func result(_ frame: Frame) -> FrameResult? {
            frame.address == RuntimeAddress(0x7fae_1b18_68a2)
                ? .function("berth", offset: 2, "/src/a.c", 12).inlining("tie", "/src/a.h", 3) : nil
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text.contains("tie at /src/a.h:3 [inlined] (ip: 0x7fae1b1868a2)\nberth at /src/a.c:12 (ip: 0x7fae1b1868a2)\n"),
            "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.count == 9 && frames[6].address == RuntimeAddress(0x7fae_1b18_68a2) && frames[6].printed?.name == "berth")
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test(arguments: ["a signal (11): b\nmoor at x:1\n", "signal (x): y\n", "[4242] signal (11.1): Segmentation fault\n"])
    func `other lines are none`(text: String) { #expect(SampleLog(text).parsed().reports.isEmpty) }
}
