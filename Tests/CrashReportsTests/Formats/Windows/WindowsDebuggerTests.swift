import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Microsoft's debuggers: rows, threads, the output of `!analyze`; results are never written.
struct WindowsDebuggerTests {
    private func report(_ name: String) throws -> CrashReport {
        try SampleLog(fixture: "windows-cdb/grammar/" + name).report()
    }

    @Test func `a 32-bit stack with arguments and notes`() throws {
        let report = try report("kv.txt")
        let frames = report.threads[0].frames
        #expect(frames.map(\.imageName) == ["ferry", "ferry", "ferry", "KERNEL32"])
        #expect(
            frames.map(\.printed) == [
                PrintedSymbol(name: "winch_follow", offset: 0x1e, location: SourceLocation(file: "d:\\ferry\\winch.c", line: 20)),
                PrintedSymbol(name: "main", offset: 0x36, location: SourceLocation(file: "d:\\ferry\\main.c", line: 9)),
                PrintedSymbol(name: "__scrt_common_main_seh", offset: 0xf8), PrintedSymbol(name: "BaseThreadInitThunk", offset: 0x19),
            ])
        // Each row prints where its own call returns to: where the next row's frame is.
        #expect(frames.map(\.address?.value) == [nil, 0x401036, 0x40118f, 0x76b1_fa29])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
    }

    @Test func `threads, inlined calls and code in no module`() throws {
        let report = try report("threads.txt")
        #expect(report.threads.map(\.index) == [0, 1] && report.threads.map(\.crashed) == [false, true])
        #expect(report.cause?.type == "Access violation" && report.cause?.codes == "c0000005" && report.process.pid == 0x1c2c)
        let frames = report.threads[1].frames
        #expect(frames.map(\.isInlined) == [true, false, false, false])
        #expect(frames[2].printed?.name == "std::_Func_impl<int (__cdecl*)(int),int,int>::_Do_call")
        #expect(frames[3].printed == nil && frames[3].address?.value == 0x7ffc_8f3c_257d)
        #expect(report.threads[0].frames.map(\.address?.value) == [nil, 0x7ffc_8c8e_9cee, 0x7ff7_0fa4_1e02])
    }

    /// Rows with names in modules whose load address nothing gives say all that they can.
    @Test func `rows that name functions alone have no position`() throws {
        let report = try report("kv.txt")
        #expect(report.platform == "Windows" && report.obstacle == nil)
        #expect(report.threads.flatMap(\.frames).allSatisfy { $0.image == nil && $0.imageLocation == nil })
    }

    /// 0x7ff60fa41e02 - 0x1e02 = 0x7ff60fa40000, a multiple of 64 KB. The row above prints the address.
    @Test func `a row without a name gives the load address of its module`() throws {
        let log = SampleLog(
            """
            Child-SP          RetAddr               Call Site
            000000e3`2d6ff5d8 00007ff6`0fa41e02     ferry+0x1234
            000000e3`2d6ff5e0 00007ff6`0fa41f00     ferry+0x1e02
            000000e3`2d6ff680 00007ff6`0fa41f20     ferry!main+0x42
            000000e3`2d6ff6a0 00000000`00000000     kernel32!BaseThreadInitThunk+0x14

            """)
        let report = try log.report()
        let frames = report.threads[0].frames
        #expect(report.images.map(\.name) == ["ferry", "kernel32"] && report.images[0].base?.value == 0x7ff6_0fa4_0000)
        #expect(frames.map(\.image) == [0, 0, 0, nil])
        #expect(frames.map(\.imageLocation) == [.offset(ImageOffset(0x1234)), .offset(ImageOffset(0x1e02)), nil, nil])
        #expect(
            frames[2].address?.value == 0x7ff6_0fa4_1f00
                && frames.map(\.kind) == [.programCounter] + [.returnAddress, .returnAddress, .returnAddress])
        let symbolicated = log.symbolicated { frame in
            frame.index == 1 ? .function("moor", offset: 0x12, "/src/ferry.c", 7).inlining("tie", "/src/rope.h", 3) : nil
        }
        #expect(
            symbolicated.text.contains(
                """
                (Inline Function) --------`-------- ferry!tie [/src/rope.h @ 3]
                000000e3`2d6ff5e0 00007ff6`0fa41f00     ferry!moor+0x12 [/src/ferry.c @ 7]

                """), "\(symbolicated.text)")
    }

    /// 0x401036 - 0x1036 = 0x400000. The debugger prints its notes before the location.
    @Test func `notes about a frame stay, before the location`() throws {
        let log = SampleLog(
            """
            ChildEBP RetAddr  Args to Child
            0012ff64 00401036 00403000 00000000 00000000 ferry+0x101e (FPO: [1,0,0]) (CONV: cdecl)
            0012ff7c 0040118f 00000001 00000000 00000000 ferry+0x1036 (FPO: [Non-Fpo])

            """)
        let symbolicated = log.symbolicated { frame in .function("moor", offset: 0x12, "/src/ferry.c", 7 + frame.index) }
        let rows = symbolicated.text.split(separator: "\n").filter { $0.contains("moor") }
        #expect(
            rows == [
                "0012ff64 00401036 00403000 00000000 00000000 ferry!moor+0x12 (ferry+0x101e) (FPO: [1,0,0]) (CONV: cdecl) [/src/ferry.c @ 7]",
                "0012ff7c 0040118f 00000001 00000000 00000000 ferry!moor+0x12 (FPO: [Non-Fpo]) [/src/ferry.c @ 8]",
            ], "\(symbolicated.text)")
    }

    /// ClusterFuzz's own tests of these logs give type, fault address and the innermost functions
    /// (`clusterfuzz-expected.tsv`).
    @Test(
        .enabled(if: TestPaths.corpus != nil, "there is no corpus"),
        arguments: [
            (
                "divide_by_zero", "Integer divide-by-zero", UInt64?.none,
                ["ForStatementNode::DetermineLoopIterations<int>", "ForStatementNode::VerifySelf", "ParseTreeNode::VerifyNode"]
            ),
            ("read", "Access violation", 0, ["crash", "ggg", "fff"]), ("stack_overflow", "Stack overflow", nil, []),
        ])
    func `upstream's cause and functions`(name: String, type: String, address: UInt64?, functions: [String]) throws {
        let path = (TestPaths.corpus ?? "") + "/logs/windows-cdb/clusterfuzz-cdb_\(name).txt"
        let report = try SampleLog(bytes: TestPaths.bytes(of: path)).report()
        #expect(report.cause?.type == type && report.cause?.address?.value == address)
        let innermost = report.additionalBacktraces.last?.frames.prefix(functions.count).map { $0.printed?.name ?? "" }
        #expect(innermost == functions)
    }

    /// The console was 80 columns wide.
    @Test func `a row that goes on in the next line is one frame`() throws {
        let row = "002df908 00fd1b5d 002df924 766b7c04 7f956000 ConsoleApplication2!__tmainCRTStart"
        #expect(row.utf8.count == 80)
        let log = SampleLog("STACK_TEXT:\n\(row)\nup+0x199\n002df910 766b7c04 7f956000 766b7be0 70f6b3dc app!start+0xd\n\n")
        let frames = try log.report().threads[0].frames
        #expect(frames.map(\.printed?.name) == ["__tmainCRTStartup", "start"])
        #expect(log.text(of: frames[0]) == row + "\nup+0x199")
    }

    @Test(arguments: ["the RetAddr column", "ChildEBP", "Call Site", "(12.34): what happened (first chance)", "STACK"])
    func `words alone are no stack`(line: String) { #expect(SampleLog(line + "\nsome text\n").parsed().reports.isEmpty) }
}
