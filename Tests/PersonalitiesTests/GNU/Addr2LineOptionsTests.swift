import TestSupport
import Testing

@testable import Personalities

/// GNU addr2line's options and its input; the expected messages and numbers are those of addr2line 2.40
/// (Debian's binutils) for the same arguments.
struct Addr2LineOptionsTests {
    private func misuse(_ arguments: [String]) -> Addr2LineOptions.Misuse? {
        do throws(Addr2LineOptions.Misuse) { _ = try Addr2LineOptions(arguments) } catch { return error }
        return nil
    }

    @Test func `letters together, long names cut, and operands anywhere`() throws {
        let options = try Addr2LineOptions(["0x1", "-afpie", "lib.so", "-C", "--base", "2", "--sec=.text", "--", "-3"])
        #expect(options.object == "lib.so" && options.addresses == ["0x1", "2", "-3"] && options.section == ".text")
        #expect(options.showsAddresses && options.showsFunctions && options.isPretty && options.showsInlines && options.printsNamesOnly)
        #expect(options.nameStyle == .auto && options.request == nil)
    }

    @Test func `without options the file is a.out, and names are as the linker has them`() throws {
        let options = try Addr2LineOptions([])
        #expect(options.object == "a.out" && options.nameStyle == .none && options.addresses.isEmpty)
        #expect(
            !options.showsAddresses && !options.showsFunctions && !options.isPretty && !options.showsInlines && !options.printsNamesOnly)
    }

    @Test(
        arguments: [
            ("auto", .auto), ("gnu-v3", .gnuV3), ("rust", .rust), ("java", .java), ("gnat", .gnat), ("dlang", .dlang), ("none", .none),
        ] as [(String, Addr2LineOptions.NameStyle)])
    func `a style of names is one of binutils'`(word: String, style: Addr2LineOptions.NameStyle) throws {
        #expect(try Addr2LineOptions(["--demangle=" + word]).nameStyle == style)
    }

    @Test(arguments: [
        (["--demangle=nonsense"], "unknown demangling style `nonsense'", false), (["@/tmp"], "error: @-file refers to a directory", false),
        (["--functions=1"], "option '--functions' doesn't allow an argument", true), (["-z"], "invalid option -- 'z'", true),
        (["-e"], "option requires an argument -- 'e'", true), (["--section"], "option '--section' requires an argument", true),
    ])
    func `misuse is in the tool's words, with the usage where the grammar is wrong`(arguments: [String], message: String, isUsage: Bool) {
        #expect(misuse(arguments)?.message == message && misuse(arguments)?.isUsage == isUsage)
    }

    /// Arguments after the request are not read.
    @Test(
        arguments: [
            (["-h", "-z"], .help), (["-H"], .help), (["--help"], .help), (["-v"], .version), (["-V"], .version),
            (["--vers", "--help"], .version),
        ] as [([String], Addr2LineOptions.Request)])
    func `the first request counts`(arguments: [String], request: Addr2LineOptions.Request) throws {
        #expect(try Addr2LineOptions(arguments).request == request)
    }

    // MARK: Input

    /// Lines, and the address that `addr2line -a` prints for each; `nm` has `main` at 0x1080.
    private static let lines: [(line: String, address: UInt64)] = [
        ("0x1120", 0x1120), ("1120", 0x1120), ("0X1F", 0x1f), ("  1f", 0x1f), ("12zz", 0x12), ("0xfg", 0xf), ("1+2", 1), ("feed", 0xfeed),
        ("face off", 0xface), ("ffffffffffffffffff", .max), ("0x", 0), ("", 0), ("-5", 0), ("zz", 0), ("feed+1", 0), ("nope+5", 0),
        ("main", 0x1080), ("main+4", 0x1084), ("main+0x10", 0x1090), ("main+010", 0x1088), ("main + 4", 0x1084), ("main+ 4", 0x1084),
        ("main +4", 0x1084), ("main+4zz", 0x1084), ("main++4", 0x1084), ("main+-4", 0x107c), ("main+08", 0x1080),
        ("main 4", 0x1080), ("main-4", 0),
        ("main+zz", 0x1080),
    ]
    private static let file = TestPaths.fixture("binaries/C/out/c-gcc-dwarf5-O2")

    @Test(arguments: lines) func `a line is a hexadecimal number, or a symbol with an offset`(line: String, address: UInt64) throws {
        var tool = try #require(try Addr2Line(try Addr2LineOptions(["-e", Self.file])))
        #expect(tool.query(in: Array(line.utf8).span).shown == address)
    }

    @Test(.enabled(if: TestPaths.isReadable("/usr/bin/addr2line"), "addr2line (package binutils) is not installed"))
    func `addr2line reads the lines the same`() throws {
        let input = Self.lines.map { $0.line + "\n" }.joined()
        let results = try run("addr2line", ["-a", "-e", Self.file], input: Array(input.utf8)).lines.filter { $0.hasPrefix("0x") }
        #expect(results.map { UInt64($0.dropFirst(2), radix: 16) } == Self.lines.map(\.address))
    }
}
