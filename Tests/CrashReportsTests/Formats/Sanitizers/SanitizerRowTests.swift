import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// Rows of every writer, each as its log has it.
struct SanitizerRowTests {
    private func read(_ text: String) -> SanitizerRow? { SanitizerRow(Array(text.utf8).span) }

    @Test func `a row that is not symbolicated`() throws {
        let row = try #require(
            read("    #3 0x7ffff7a45304  (/lib/x86_64-linux-gnu/libc.so.6+0x27304) (BuildId: 93ac61ec5a8eb1396f9fbd350e3169a558528a40)"))
        #expect(row.index == 3 && row.address == 0x7fff_f7a4_5304 && row.printed == nil)
        let module = try #require(row.module)
        #expect(module.path == "/lib/x86_64-linux-gnu/libc.so.6" && module.imageLocation == .linkAddress(LinkAddress(0x27304)))
        #expect(module.id?.hexadecimal == "93ac61ec5a8eb1396f9fbd350e3169a558528a40")
    }

    /// Function and file may both hold blanks and parentheses.
    @Test(
        arguments: [
            ("in main /src/a.c:5:3", "main", "/src/a.c", 5, 3),
            ("in sum(store::Shelf const&, int) /src/store.cpp:11:12", "sum(store::Shelf const&, int)", "/src/store.cpp", 11, 12),
            ("in f(int (*)(char)) /src/my folder/a.c:7", "f(int (*)(char))", "/src/my folder/a.c", 7, 0),
            ("in blink::A::b() const third_party/WebKit/a.cpp:92:3", "blink::A::b() const", "third_party/WebKit/a.cpp", 92, 3),
            (
                "in base::debug::BreakDebugger C:\\b\\c d\\debugger_win.cc:18", "base::debug::BreakDebugger", "C:\\b\\c d\\debugger_win.cc",
                18, 0
            ),
            ("in Builtin_impl /mnt/v8/builtins.cc:1115 (discriminator 1)", "Builtin_impl", "/mnt/v8/builtins.cc", 1115, 0),
            ("in Builtins_CEntry setup-isolate-deserialize.cc", "Builtins_CEntry", "setup-isolate-deserialize.cc", 0, 0),
            (
                "in closure #1 in ViewController.viewDidLoad() /src/a.swift:28", "closure #1 in ViewController.viewDidLoad()",
                "/src/a.swift", 28, 0
            ),
            (
                "in main::{lambda(int)#1}::operator()(int) const /src/a.cpp:3:1", "main::{lambda(int)#1}::operator()(int) const",
                "/src/a.cpp", 3, 1
            ),
        ]) func `function and place`(text: String, name: String, file: String, line: Int, column: Int) throws
    {
        let row = try #require(read("    #0 0x4a3b2c " + text))
        #expect(row.printed == PrintedSymbol(name: name, location: SourceLocation(file: file, line: line, column: column)))
    }

    @Test(
        arguments: [
            ("in _start", "_start"), ("in operator new(unsigned long)", "operator new(unsigned long)"), ("in free ??:?", "free"),
            ("in -[NSRunLoop(NSRunLoop) runMode:beforeDate:]", "-[NSRunLoop(NSRunLoop) runMode:beforeDate:]"), (" frame1", "frame1"),
            ("in __libc_start_main ??:0", "__libc_start_main"),
        ]) func `a function without a place`(text: String, name: String) throws
    {
        #expect(try #require(read("    #0 0x4a3b2c " + text)).printed == PrintedSymbol(name: name))
    }

    @Test(arguments: ["", " (<unknown module>)", "<unknown>"]) func `a row that says nothing`(text: String) throws {
        let row = try #require(read("    #0 0x631000001000 " + text))
        #expect(row.printed == nil && row.module == nil && row.address == 0x6310_0000_1000)
    }

    /// `libdyld.dylib` has its header first; a program begins with 4 GB of `__PAGEZERO`, linked at
    /// 0.
    @Test(
        arguments: [
            ("(a.out:x86_64+0x100003158)", "a.out", ImageLocation.linkAddress(LinkAddress(0x1_0000_3158))),
            ("(/usr/lib/libdyld.dylib:x86_64+0x1014)", "/usr/lib/libdyld.dylib", .offset(ImageOffset(0x1014))),
            ("(/usr/lib/libdyld.dylib+0x1014)", "/usr/lib/libdyld.dylib", .offset(ImageOffset(0x1014))),
            ("(a.out:i386+0x1e5c)", "a.out", .linkAddress(LinkAddress(0x1e5c))),
            ("(C:\\windows\\SYSTEM32\\ntdll.dll+0x5ab8e)", "C:\\windows\\SYSTEM32\\ntdll.dll", .offset(ImageOffset(0x5ab8e))),
            (
                "(C:\\Windows\\SYSTEM32\\ntdll.dll+0x180067090)", "C:\\Windows\\SYSTEM32\\ntdll.dll",
                .linkAddress(LinkAddress(0x1_8006_7090))
            ),
            ("(/src/a (2)/b c.so+0x10)", "/src/a (2)/b c.so", .linkAddress(LinkAddress(0x10))),
            ("([vdso]+0xbe8)", "[vdso]", .linkAddress(LinkAddress(0xbe8))),
        ]) func `modules count from their own place`(text: String, path: String, location: ImageLocation) throws
    {
        let module = try #require(read("    #0 0x10f5f3d45 in f(int (*)(char)) " + text)?.module)
        #expect(module.path == path && module.imageLocation == location)
    }

    @Test func `a base that the runtime did not find is no place`() throws {
        let module = try #require(read("    #36 0x7ff81b287365 in start+0x795 (/usr/lib/dyld:x86_64+0xfffffffffff5c365)")?.module)
        #expect(module.imageLocation == nil && module.architecture == .x86_64)
    }

    @Test func `an offset behind the name`() throws {
        let row = try #require(read("    #0 0x10f5f4158 in ft_strjoin+0x188 (a.out:x86_64+0x100003158)"))
        #expect(row.printed == PrintedSymbol(name: "ft_strjoin", offset: 0x188))
    }

    @Test func `ThreadSanitizer's rows have no addresses`() throws {
        let bare = try #require(read("    #0 <null> <null> (race+0x1233) (BuildId: 00ff)"))
        #expect(bare.address == nil && bare.printed == nil && bare.isThreadSanitizers)
        #expect(bare.module?.path == "race" && bare.module?.imageLocation == .linkAddress(LinkAddress(0x1233)))
        let named = try #require(read("    #1 work(int*) /src/race.cpp:7 (race+0x1233)"))
        #expect(named.printed == PrintedSymbol(name: "work(int*)", location: SourceLocation(file: "/src/race.cpp", line: 7)))
        let nowhere = try #require(read("    #2 <null> <null> (0x7f0012345678)"))
        #expect(nowhere.address == 0x7f00_1234_5678 && nowhere.module == nil && nowhere.printed == nil)
    }

    @Test func `Fuchsia's rows`() throws {
        let row = try #require(read("   #1.1  0x0000658e5ed9863c in Unwind ../a/linux.cc:162 <libclang_rt.asan.so>+0x5663c"))
        #expect(row.index == 1 && row.isInlined && row.address == 0x658e_5ed9_863c && row.module?.path == "libclang_rt.asan.so")
        #expect(row.printed == PrintedSymbol(name: "Unwind", location: SourceLocation(file: "../a/linux.cc", line: 162)))
    }

    @Test(arguments: [
        "#", "    # 0x1", "    #0", "    #x 0x1 in f", "    #0 main", "  0x1: 00 00", "    #0 0xzz", "#99999999999999999999 0x1",
    ])
    func `other lines are no rows`(text: String) { #expect(read(text) == nil) }
}
