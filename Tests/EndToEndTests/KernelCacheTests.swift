import TestSupport
import Testing

/// A kernel cache is used like any file: each address is looked up in the image that has it. The
/// images' addresses are llvm-nm's:
///
///     com.apple.kernel           ffffff80002002e0 panic_here    ffffff80002002f0 start_kernel
///     com.example.driver.tank    ffffff80003002e0 fill          ffffff80003002f0 tank_open
struct KernelCacheTests {
    private let cache = "hostile/macho/kernel-cache"

    @Test func `inspect lists the entries`() throws {
        let result = try cairn("inspect", cache)
        #expect(result.status == 0)
        let lines = result.lines.filter { !$0.hasPrefix(" ") || $0.contains("UUID") || $0.contains("base") }
        #expect(
            lines == [
                "\(cache)(com.apple.kernel):", "  UUID          4C4C44AE-5555-3144-A184-56D59686CAF7", "  base          0xffffff8000200000",
                "\(cache)(com.example.driver.tank):", "  UUID          4C4C445D-5555-3144-A169-B1178D46EDD8",
                "  base          0xffffff8000300000",
            ])
    }

    @Test func `inspect names each entry that cannot be opened`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/cut"
            // The second image begins at byte 0x4000 less a page.
            try writeFile(path, Array(try readFile(TestPaths.fixture(cache)).prefix(0x3000)))
            let result = try cairn("inspect", path)
            #expect(result.status == 0)
            #expect(result.lines.first == "\(path)(com.apple.kernel):")
            #expect(result.errors.contains("\(path)(com.example.driver.tank): ") && result.errors.contains("it is cut short"))
        }
    }

    @Test func `atos finds each address in its image`() throws {
        let result = try cairn("atos", "-o", cache, "0xffffff80003002e0", "0xffffff80002002f4", "0xffffff8000900000")
        #expect(
            result.lines == [
                "fill (in kernel-cache(com.example.driver.tank)) + 0", "start_kernel (in kernel-cache(com.apple.kernel)) + 4",
                "0xffffff8000900000",
            ])
        // One slide for all: 0x4000000 here.
        let slid = try cairn("atos", "-o", cache, "-s", "0x4000000", "0xffffff80043002f1", "0xffffff80042002e0")
        #expect(
            slid.lines == [
                "tank_open (in kernel-cache(com.example.driver.tank)) + 1", "panic_here (in kernel-cache(com.apple.kernel)) + 0",
            ])
    }

    @Test(arguments: [["-l", "0x1000"], ["-offset"], ["-textExecAddress", "0x1000"]])
    func `an address that counts from an image needs the image's name`(options: [String]) throws {
        let all = try cairn(["atos", "-o", cache] + options + ["0x12f0"])
        #expect(all.status == 1 && all.output.isEmpty)
        #expect(all.errors.contains("expected one of them, such as \(cache)(com.apple.kernel), or -s and the slide"), "\(all.errors)")
        let address = options == ["-offset"] ? "0x2f0" : "0x12f0"
        let one = try cairn(["atos", "-o", cache + "(com.example.driver.tank)"] + options + [address])
        #expect(one.lines == ["tank_open (in kernel-cache(com.example.driver.tank)) + 0"])
    }

    @Test func `info symbol finds each address in its image`() throws {
        let result = try cairn("info", "symbol", "0xffffff80003002e2", "0xffffff80002002f0", "0x1", "-o", cache)
        #expect(
            result.lines == [
                "fill + 2 in section LC_SEGMENT.__TEXT.__text of \(cache)(com.example.driver.tank)",
                "start_kernel in section LC_SEGMENT.__TEXT.__text of \(cache)(com.apple.kernel)", "No symbol matches 0x1.",
            ])
    }

    @Test func `the other tools take an entry as they take a library's member`() throws {
        let named = try cairn("addr2line", "-f", "-e", cache + "(com.apple.kernel)", "0xffffff80002002e0")
        #expect(named.lines.first == "panic_here")
        let all = try cairn("llvm-symbolizer", "--obj=" + cache, "0xffffff80002002e0")
        #expect(
            all.errors.contains("a kernel cache of 2 images: expected one of them, such as \(cache)(com.apple.kernel)"), "\(all.errors)")
        let missing = try cairn("addr2line", "-e", cache + "(com.apple.none)", "0x1")
        #expect(missing.status == 1)
    }

    /// The grammar is xnu's (`osfmk/kern/debug.c`); the kernel and its extension are 0x4000000
    /// above where they are linked.
    @Test func `a panic's kernel and extension are found by their UUIDs`() throws {
        let log = """
            panic(cpu 0 caller 0xffffff80042002f2): "made by hand"@/src/xnu/osfmk/kern/debug.c:1
            Backtrace (CPU 0), Frame : Return Address
            0xffffffa3dc85b960 : 0xffffff80042002f2
            0xffffffa3dc85b9a0 : 0xffffff80043002f2
                  Kernel Extensions in backtrace:
                     com.example.driver.tank(1.0)[4C4C445D-5555-3144-A169-B1178D46EDD8]@0xffffff8004300000->0xffffff8004300fff

            Kernel version:
            Darwin Kernel Version 20.6.0: root:xnu-7195.141.2~5/RELEASE_X86_64
            Kernel UUID: 4C4C44AE-5555-3144-A184-56D59686CAF7
            Kernel slide:     0x0000000004000000
            Kernel text base: 0xffffff8004200000

            """
        let result = try cairn(["-", "--symbols", cache], input: log)
        #expect(result.output.contains("0xffffff80042002f2 mach_kernel : start_kernel + 0x2"), "\(result.output)\(result.errors)")
        #expect(result.output.contains("0xffffff80043002f2 com.example.driver.tank : tank_open + 0x2"), "\(result.output)\(result.errors)")
    }
}
