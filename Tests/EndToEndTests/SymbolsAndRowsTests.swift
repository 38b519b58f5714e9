import TestSupport
import Testing

/// Programs in which the symbol table, the units and the line tables differ in what they say of an address.
struct SymbolsAndRowsTests {
    /// - Returns: the addresses of a file's symbols.
    private func symbols(_ file: String) throws -> [String: UInt64] {
        var symbols: [String: UInt64] = [:]
        for line in try run("nm", [file]).lines {
            let fields = line.split(separator: " ").map(String.init)
            if fields.count == 3 { symbols[fields[2]] = UInt64(fields[0], radix: 16) }
        }
        return symbols
    }

    private func answer(_ file: String, _ address: UInt64, options: [String] = []) throws -> [String] {
        try cairn(["addr2line", "-f", "-i"] + options + ["-e", file, "0x" + String(address, radix: 16)]).lines
    }

    /// gcc 10 put thunks after a function whose unit's ranges leave them out; JIT compilers write line tables and no functions.
    @Test(.enabled(if: Installed.has("as", "ld", "nm"), "binutils are not installed"), arguments: [true, false])
    func `a row outside of its unit's ranges, or of a unit without any, is found`(hasRanges: Bool) throws {
        let source = """
            .text
            .file 1 "/src/th.x"
            .globl fn, thunk, _ZThn8_N1A1fEv, later
            .type fn,@function
            .type thunk,@function
            .type _ZThn8_N1A1fEv,@function
            .type later,@function
            fn: .loc 1 10
            nop
            .loc 1 14
            ret
            .size fn,.-fn
            .Lend: .balign 16
            thunk: .loc 1 21
            nop
            ret
            .size thunk,.-thunk
            _ZThn8_N1A1fEv: nop
            ret
            .size _ZThn8_N1A1fEv,.-_ZThn8_N1A1fEv
            later: nop
            ret
            .size later,.-later
            .section .debug_info,"",@progbits
            .long 2f-1f
            1: .short 4
            .long .Labbrev
            .byte 8
            .uleb128 1
            .asciz "th.x"
            .asciz "/src"
            .long .Lline
            \(hasRanges ? ".quad fn, .Lend-fn" : "")
            2:
            .section .debug_abbrev,"",@progbits
            .Labbrev: .byte 1,17,0, 3,8, 27,8, 16,23
            \(hasRanges ? ".byte 17,1, 18,7" : "")
            .byte 0,0, 0
            .section .debug_line,"",@progbits
            .Lline:
            .section .note.GNU-stack,"",@progbits

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/th.s", Array(source.utf8))
            try run("sh", ["-c", "as th.s -o th.o && ld -e fn -Ttext=0x401000 th.o -o th"], directory: folder).requireSuccess()
            let names = try symbols(folder + "/th")
            let (fn, thunk) = (try #require(names["fn"]), try #require(names["thunk"]))
            #expect(try answer(folder + "/th", fn + 1) == ["fn", "/src/th.x:14"])
            #expect(try answer(folder + "/th", thunk) == ["thunk", "/src/th.x:21"])
            #expect(try answer(folder + "/th", thunk + 1) == ["thunk", "/src/th.x:21"])
            // gcc writes one row for a function and the thunks after it; another function does not have the row of the one before it.
            #expect(try answer(folder + "/th", try #require(names["_ZThn8_N1A1fEv"])) == ["_ZThn8_N1A1fEv", "/src/th.x:21"])
            #expect(try answer(folder + "/th", try #require(names["later"])).last?.hasPrefix("??") ?? false)
        }
    }

    /// An IFUNC's value is the address of the function that chooses, which has a name of its own.
    @Test(
        .enabled(if: Installed.has("gcc", "strip", "nm"), "gcc or binutils are not installed"), arguments: ["-O0", "-O2"],
        [true, false])
    func `the function that chooses goes before the name of those that it chooses among`(level: String, isStripped: Bool) throws {
        let source = """
            static int plain(int n) { return n + 1; }
            static int (*choose(void))(int) {
              volatile int kind = 0;
              return kind ? 0 : plain;
            }
            int picked(int n) __attribute__((ifunc("choose")));
            int main(int count, char **words) { return picked(count); }

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(source.utf8))
            try run("gcc", ["-g", level, "part.c", "-o", "part"], directory: folder).requireSuccess()
            if isStripped { try run("strip", ["-g", "part"], directory: folder).requireSuccess() }
            let names = try symbols(folder + "/part")
            let address = try #require(names["choose"])
            try #require(names["picked"] == address)
            #expect(try answer(folder + "/part", address + 4).first == "choose")
            if !isStripped { try cairn(["index", folder + "/part", "--output", folder + "/index"]).requireSuccess() }
            let found = try run(
                TestPaths.cairn, ["--symbols", folder + "/part"], input: Array("0x\(String(address + 4, radix: 16))\n".utf8),
                environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
            #expect(found.output.contains("choose + 4") && !found.output.contains("picked"))
        }
    }

    /// The image begins at zero, where linkers also put the debug information of functions that they removed.
    @Test(
        .enabled(if: Installed.has("gcc", "nm"), "gcc or nm is not installed"),
        arguments: [4, 5], ["0x0", "0x100"])
    func `removed functions have no code at zero, where the image begins`(version: Int, start: String) throws {
        let removed = (0..<40).map { "__attribute__((noinline)) int removed\($0)(int n) { return sink * \($0 + 3) + n; }" }
        let source = """
            volatile int sink;
            __attribute__((noinline)) int first(int n) {
              sink += n * 3;
              return sink;
            }
            __attribute__((noinline)) int second(int n) {
              sink ^= n;
              return first(n) + 1;
            }
            \(removed.joined(separator: "\n"))
            int main(void) {
              return second(4);
            }

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array(source.utf8))
            let options = ["-O1", "-gdwarf-\(version)", "-ffunction-sections", "-fno-pie", "-no-pie", "-nostdlib"]
            try run(
                "gcc", options + ["-Wl,-e,main", "-Wl,--gc-sections", "-Wl,-Ttext=\(start)", "part.c", "-o", "part"], directory: folder
            ).requireSuccess()
            let names = try symbols(folder + "/part")
            try #require(names["removed3"] == nil)
            let lines = ["first": 2...5, "second": 6...9, "main": 50...52]
            for (name, range) in lines {
                let address = try #require(names[name])
                for offset in [0, 4] as [UInt64] {
                    let found = try answer(folder + "/part", address + offset)
                    #expect(found.count == 2 && found.first == name)
                    let line = found.last?.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) }
                    #expect(line.map { range.contains($0) } ?? false, "\(name) + \(offset): \(found)")
                }
            }
        }
    }

    /// A linker script may leave several sections of one name.
    @Test(.enabled(if: Installed.has("gcc", "ld", "nm", "objcopy"), "gcc or binutils are not installed"))
    func `several sections of debug information in one program are all read`() throws {
        let script = """
            echo 'int one(int n) {\n return n + 1;\n}' > one.c; echo 'int two(int n) {\n return n * 3;\n}' > two.c
            gcc -g -gdwarf-4 -O1 -c one.c two.c
            printf 'SECTIONS { .text 0x401000 : { *(.text) }' > script
            printf ' .debug_info 0 : { one.o(.debug_info) } .debug_inf2 0 : { two.o(.debug_info) }' >> script
            printf ' .debug_abbrev 0 : { *(.debug_abbrev) } .debug_line 0 : { *(.debug_line) } .debug_str 0 : { *(.debug_str) } }' >> script
            ld -T script -e one one.o two.o -o part && objcopy --rename-section .debug_inf2=.debug_info part
            """
        try withTemporaryFolder { folder in
            try run("sh", ["-c", script], directory: folder).requireSuccess()
            let names = try symbols(folder + "/part")
            for name in ["one", "two"] {
                let found = try answer(folder + "/part", try #require(names[name]))
                #expect(found.first == name && found.last?.hasSuffix("/\(name).c:2") ?? false, "\(found)")
            }
        }
    }

    /// 64-bit kernels and GNU's tools write 32-bit MIPS addresses with their sign.
    @Test(.enabled(if: Installed.has("clang-19", "ld.lld-19"), "clang-19 or ld.lld-19 is not installed"))
    func `a sign-extended address of MIPS is the file's`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/part.c", Array("int sink;\nint _start(int n) {\n  sink += n;\n  return sink;\n}\n".utf8))
            let compiler = ["--target=mips-linux-gnu", "-g", "-O1", "-mno-abicalls", "-fno-pic", "-c", "part.c", "-o", "part.o"]
            try run("clang-19", compiler, directory: folder).requireSuccess()
            try run("ld.lld-19", ["-m", "elf32btsmip", "-Ttext=0x80001000", "-e", "_start", "part.o", "-o", "part"], directory: folder)
                .requireSuccess()
            let plain = try answer(folder + "/part", 0x8000_1004)
            try #require(plain.first == "_start" && plain.last?.hasSuffix("/part.c:3") ?? false)
            #expect(try answer(folder + "/part", 0xffff_ffff_8000_1004) == plain)
            let found = try run(
                TestPaths.cairn, ["--symbols", folder + "/part"], input: Array("0xffffffff80001004\n".utf8),
                environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
            #expect(found.output.contains("_start + 4 (part.c:3)"))
        }
    }
}
