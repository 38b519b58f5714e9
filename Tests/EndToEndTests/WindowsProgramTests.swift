import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Programs for Windows with DWARF, in the logs that name their modules: each position is looked up as LLVM's symbolizer looks up its
/// address as linked.
struct WindowsProgramTests {
    private static let canBuild = Toolchain.has("clang", "ld.lld", "llvm-symbolizer", "llvm-objdump")
    private static let missing = "the toolchain has no clang, ld.lld, llvm-symbolizer or llvm-objdump"

    private static let source = """
        int number = 5;
        static inline __attribute__((always_inline)) int twice(int a) { return a * number; }
        __attribute__((noinline)) int hoist(int a) { return twice(a) + twice(a + 1); }
        __attribute__((noinline)) int moor(int a) { return hoist(a) * 2 + number; }
        int start(void) { return moor(number) + 1; }
        """

    /// A program, and a stack in it, as distances from the image's first byte: an instruction of `hoist`, and where its call in `moor`
    /// and that of `moor` in `start` return to.
    private struct Program {
        var folder: String
        var path: String
        var base: UInt64
        var stack: [UInt64]

        /// The addresses to look up: the instruction, and the bytes before the return addresses.
        var lookups: [UInt64] { [stack[0]] + stack.dropFirst().map { $0 - 1 } }

        /// LLVM's symbolizer's answer: the lines of functions and sources.
        func expected(_ offset: UInt64) throws -> [String] {
            let output = try Toolchain.run("llvm-symbolizer", ["--obj=" + path, "0x" + String(base + offset, radix: 16)]).requireSuccess()
                .lines
            return output.filter { !$0.isEmpty }
        }
    }

    /// A machine of Windows: clang's target, LLD's format, and how names begin.
    struct Machine: Sendable, CustomTestStringConvertible {
        var target: String
        var format: String
        var underscore = ""
        var testDescription: String { target }

        static let x86_64 = Machine(target: "x86_64", format: "i386pep")
        static let others = [
            Machine(target: "i686", format: "i386pe", underscore: "_"), Machine(target: "aarch64", format: "arm64pe"),
            Machine(target: "thumbv7", format: "thumb2pe"),
        ]
    }

    private func withProgram(_ machine: Machine = .x86_64, base: UInt64, _ body: (Program) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/quay.c", Array(Self.source.utf8))
            try Toolchain.run(
                "clang", ["-target", machine.target + "-w64-mingw32", "-O1", "-g", "-c", folder + "/quay.c", "-o", folder + "/quay.o"]
            ).requireSuccess()
            let path = folder + "/Quay.exe"
            try Toolchain.run(
                "ld.lld",
                [
                    "-m", machine.format, "--image-base", "0x" + String(base, radix: 16), "-e", machine.underscore + "start",
                    folder + "/quay.o", "-o", path,
                ]
            ).requireSuccess()
            // `140001014: e8 e7 ff ff ff   callq 0x140001000 <hoist>`
            let rows = try Toolchain.run("llvm-objdump", ["-d", "--no-show-raw-insn", path]).requireSuccess().lines
            func address(_ row: Substring) -> UInt64? { UInt64(row.drop { $0 == " " }.prefix { $0 != ":" && $0 != " " }, radix: 16) }
            func returnAddress(of callee: String) throws -> UInt64 {
                // `callq`, `calll`, `bl`
                let call = try #require(
                    rows.firstIndex { row in
                        (row.contains("call") || row.contains("\tbl\t")) && row.contains("<\(machine.underscore)\(callee)>")
                    })
                return try #require(address(rows[call + 1][...])) - base
            }
            let first = try #require(rows.firstIndex { $0.contains("<\(machine.underscore)hoist>:") })
            let stack = [try #require(address(rows[first + 1][...])) - base, try returnAddress(of: "hoist"), try returnAddress(of: "moor")]
            try body(Program(folder: folder, path: path, base: base, stack: stack))
        }
    }

    private static func hexadecimal(_ value: UInt64, digits: Int = 0) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private func checkFunctions(_ result: RunResult, _ program: Program, _ lookups: [UInt64]) throws {
        for offset in lookups {
            let expected = try program.expected(offset)
            for (name, source) in zip(
                expected.enumerated().filter { $0.offset % 2 == 0 }.map(\.element),
                expected.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
            {
                let line = source.split(separator: ":").dropLast().last.map(String.init) ?? ""
                let isThere = result.lines.contains { row in
                    row.contains(name) && (row.contains("quay.c:\(line)") || row.contains("quay.c @ \(line)]"))
                }
                #expect(isThere, "\(name) \(source): \(result.output) \(result.errors)")
            }
        }
    }

    /// Loaded at 0x7ff600000000 and linked at others: the rows have offsets from the first byte.
    @Test(.enabled(if: canBuild, "\(missing)"), arguments: [UInt64(0x1_4000_0000), 0x40_0000, 0x1_8000_0000])
    func `rows of a program count from its first byte`(base: UInt64) throws {
        try withProgram(base: base) { program in
            let rows = program.stack.dropFirst().enumerated().map { index, offset in
                "#\(index) 0x\(Self.hexadecimal(0x7ff6_0000_0000 + offset, digits: 16)) Quay.exe+0x\(Self.hexadecimal(offset))\n"
            }
            let lookups = Array(program.lookups.dropFirst())
            try checkFunctions(try cairn(["-s", program.folder, "-"], input: rows.joined()), program, lookups)
        }
    }

    /// A return address of Thumb code has its lowest bit set.
    @Test(.enabled(if: canBuild, "\(missing)"), arguments: Machine.others)
    func `rows of programs for other machines count from the first byte, too`(machine: Machine) throws {
        try withProgram(machine, base: 0x40_0000) { program in
            let bit: UInt64 = machine.target.hasPrefix("thumb") ? 1 : 0
            let load: UInt64 = machine.target == "aarch64" ? 0x7ff6_0000_0000 : 0x7ff6_0000
            let rows = program.stack.dropFirst().enumerated().map { index, offset in
                "#\(index) 0x\(Self.hexadecimal(load + offset + bit, digits: 8)) Quay.exe+0x\(Self.hexadecimal(offset + bit))\n"
            }
            try checkFunctions(
                try cairn(["-s", program.folder, "-"], input: rows.joined()), program, Array(program.lookups.dropFirst()))
        }
    }

    @Test(.enabled(if: canBuild, "\(missing)"), arguments: [UInt64(0x1_4000_0000), 0x40_0000])
    func `rows of Windows' debugger are looked up by their modules' names`(base: UInt64) throws {
        try withProgram(base: base) { program in
            let load: UInt64 = 0x7ff6_0fa4_0000
            var text = "Child-SP          RetAddr               Call Site\n"
            for (index, shown) in program.stack.enumerated() {
                let next = index + 1 < program.stack.count ? load + program.stack[index + 1] : 0
                let digits = Self.hexadecimal(next, digits: 16)
                text += "000000e3`2d6ff5d8 \(digits.prefix(8))`\(digits.suffix(8))     quay+0x\(Self.hexadecimal(shown))\n"
            }
            let result = try cairn(["-s", program.folder, "-"], input: text)
            try checkFunctions(result, program, program.lookups)
            #expect(
                result.lines.contains { $0.hasPrefix("000000e3`2d6ff5d8 ") && $0.contains("     quay!hoist+0x0 (quay+0x") },
                "\(result.output)")
        }
    }

    @Test(.enabled(if: canBuild, "\(missing)"), arguments: [UInt64(0x1_4000_0000), 0x40_0000])
    func `rows of Wine's debugger are looked up by the list of modules`(base: UInt64) throws {
        try withProgram(base: base) { program in
            let load: UInt64 = 0x7ff6_0fa4_0000
            var text =
                "Unhandled exception: divide by zero in 64-bit code (0x\(Self.hexadecimal(load + program.stack[0]))).\nBacktrace:\n"
            for (index, shown) in program.stack.enumerated() {
                text +=
                    "\(index == 0 ? "=>" : "  ")\(index) 0x\(Self.hexadecimal(load + shown, digits: 14)) in quay (+0x\(Self.hexadecimal(shown))) (0x00000000c812d0)\n"
            }
            text += "Modules:\nModule\tAddress\t\t\t\t\tDebug info\tName (1 modules)\n"
            text += "PE\t\(Self.hexadecimal(load, digits: 16))-\(Self.hexadecimal(load + 0x4000, digits: 16))\tDwarf-5         quay\n"
            try checkFunctions(try cairn(["-s", program.folder, "-"], input: text), program, program.lookups)
        }
    }

    /// Symbols of Windows have no sizes. The function table says where a function ends whose symbol is gone; `hidden` has none.
    @Test(.enabled(if: canBuild && Toolchain.has("llvm-objcopy"), "\(missing)"))
    func `a symbol does not name the code of the functions after it`() throws {
        try withProgram(base: 0x1_4000_0000) { program in
            try Toolchain.run(
                "llvm-objcopy", ["--strip-debug", "--strip-symbol=moor", program.path, program.folder + "/less.exe"]
            ).requireSuccess()
            let addresses = program.stack.map { "0x" + String(program.base + $0, radix: 16) }
            let names = try cairn(["addr2line", "-f", "-e", program.folder + "/less.exe"] + addresses).lines.enumerated().filter {
                $0.offset % 2 == 0
            }.map(\.element)
            // `moor` calls, so that it has an entry in the table.
            #expect(names == ["hoist", "??", "start"])
        }
    }

    /// A real crash under Wine; the frames are the source's, by its comments.
    @Test(arguments: ["Berth.exe", "stripped/Berth.exe", "stripped/Berth.exe.debug", "stripped", ""])
    func `a crash under Wine has the source's functions and lines`(symbols: String) throws {
        let folder = TestPaths.fixture("binaries/Windows")
        let result = try cairn(
            [TestPaths.fixture("logs/winedbg/berth/backtrace.txt"), "--no-local", "-s", folder + "/out/" + symbols])
        let source = try String(decoding: readFile(folder + "/berth.c"), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        for name in ["share", "longest", "moor", "start"] {
            let line = try #require(source.firstIndex { $0.contains("/* FRAME \(name) */") }) + 1
            #expect(result.lines.contains { $0.contains(" \(name)") && $0.contains("[/src/berth.c:\(line)]") }, "\(result.output)")
        }
    }

    /// libbacktrace subtracts 1 from all addresses, on Windows also from the one that the exception interrupted: here that of `movl`, in line 3,
    /// behind an instruction of line 2. The rows of the system's dispatcher are in no known image.
    @Test(.enabled(if: canBuild, "\(missing)")) func `the instruction that crashed is looked up as it is in libgfortran's rows`() throws {
        let calls = ["leaf", "quay", "boom", "rope", "main"]
        let functions = zip(calls.dropFirst(), calls).map { name, callee in "\(name):\ncall \(callee)\n\(name)_return: nop\nret" }
        let source =
            ".globl main; leaf: xorl %eax, %eax\ntestl %eax, %eax\nmovl (%rax), %eax\nret\n" + functions.joined(separator: "\n") + "\n"
        try withTemporaryFolder { folder in
            try writeFile(folder + "/quay.s", Array(source.utf8))
            try Toolchain.run("clang", ["-target", "x86_64-w64-mingw32", "-g", "-c", folder + "/quay.s", "-o", folder + "/quay.o"])
                .requireSuccess()
            let path = folder + "/Quay.exe"
            try Toolchain.run(
                "ld.lld", ["-flavor", "gnu", "-m", "i386pep", "-e", "main", "--image-base=0x140000000", folder + "/quay.o", "-o", path]
            )
            .requireSuccess()
            var places: [String: UInt64] = [:]
            let program = try ObjectFiles.open(path: path)
            try program.forEachSymbol { symbol in
                places[symbol.name.text(in: program)] = symbol.address.value
                return true
            }
            // xorl and testl have two bytes each; a call has five.
            let crash = try #require(places["leaf"]) + 4
            let returns = try calls.dropFirst().map { try #require(places[$0]) + 5 }
            let rows = [returns[0] - 1, 0x1_7005_8ab7, crash - 1] + returns.map { $0 - 1 }
            let log =
                "Program received signal SIGSEGV: Segmentation fault - invalid memory reference.\n\nBacktrace for this error:\n"
                + rows.enumerated().map { "#\($0)  0x\(String($1, radix: 16))\n" }.joined()
            let result = try cairn(["--image", "Quay.exe=\(path)@0x140000000", "--format", "text", "-"], input: log)
            let lines = result.lines.filter { $0.contains("quay.s:") }.compactMap { $0.split(separator: ":").last?.prefix { $0.isNumber } }
            // Each function has four lines from line 5 on, of which the second is the call. The line before the stack is its summary; the
            // dispatcher's row has no line.
            #expect(lines.suffix(rows.count - 1) == ["6", "3", "6", "10", "14", "18"], "\(result.output)\(result.errors)")
        }
    }

    /// The source's lines, by hand: each function is one line. LLVM finds functions of both sections at the same addresses, since both
    /// begin at zero: the object that it reads has one section.
    @Test(.enabled(if: canBuild, "\(missing)"), arguments: ["x86_64", "i686", "aarch64", "thumbv7"], ["-gdwarf-4", "-gdwarf-5"])
    func `an object has its functions and lines before it is linked`(machine: String, version: String) throws {
        let source = """
            int number = 5;
            __attribute__((noinline)) static int hidden(int a) { return a * number; }
            int eight_by(int a) { return hidden(a) + hidden(a + 1); }
            SEPARATE int separate(int a) { return eight_by(a) * 2; }

            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            func compile(_ name: String, _ attribute: String) throws -> String {
                let options = ["-target", machine + "-w64-mingw32", "-O1", version, "-DSEPARATE=" + attribute]
                try Toolchain.run("clang", options + ["-c", folder + "/a.c", "-o", folder + name]).requireSuccess()
                return folder + name
            }
            let path = try compile("/a.obj", "")
            let object = try ObjectFiles.open(path: path)
            for (name, line) in [("hidden", 2), ("eight_by", 3), ("separate", 4)] {
                let symbol = try #require(
                    try elements { try object.forEachSymbol($0) }.first { $0.name.text(in: object).hasSuffix(name) && $0.kind == .function }
                )
                let address = "0x" + String(symbol.address.value, radix: 16)
                #expect(try cairn(["addr2line", "-f", "-e", path, address]).lines == [name, "\(folder)/a.c:\(line)"])
                let peer = try Toolchain.run("llvm-symbolizer", ["--obj=" + path, address]).requireSuccess().lines
                #expect(try cairn(["llvm-symbolizer", "--obj=" + path, address]).lines == peer)
            }
            let parts = try compile("/b.obj", "__attribute__((section(\".text$separate\")))")
            for (section, name, line) in [(".text", "eight_by", 3), (".text$separate", "separate", 4)] {
                #expect(
                    try cairn(["addr2line", "-f", "-j", section, "-e", parts, "0x0"]).lines == [name, "\(folder)/a.c:\(line)"])
            }
        }
    }
}
