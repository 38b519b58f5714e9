import TestSupport
import Testing

/// `cairn llvm-symbolizer --filter-markup` beside LLVM 19's own, byte by byte.
@Suite(.enabled(if: Installed.has("llvm-symbolizer-19"), "LLVM 19's tools (package llvm-19) are not installed"))
struct MarkupFilterTests {
    private let peer = "llvm-symbolizer-19"

    /// A folder in which the fixture is at its build ID's place, and the log of a process that
    /// had it twice in its memory.
    private func compare(_ options: [String], _ log: (_ id: String, _ addresses: [String]) -> String) throws {
        let object = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
        let notes = try run("readelf", ["-n", object]).output
        let id = try #require(notes.split(separator: "\n").first { $0.contains("Build ID: ") }).split(separator: " ").last.map(String.init)
        let text = try #require(id)
        try withTemporaryFolder { folder in
            let directory = folder + "/.build-id/" + text.prefix(2)
            try makeFolders(directory)
            try run("cp", [object, directory + "/" + text.dropFirst(2) + ".debug"]).requireSuccess()
            // Functions with line information, and every third byte of them.
            let all = try functionAddresses(object)
            let results = try run(peer, ["--obj=" + object] + all).output.split(separator: "\n\n")
            try #require(results.count == all.count)
            let addresses = zip(all, results).filter { $0.1.contains(".cpp:") }.map(\.0)
            try #require(addresses.count > 12)
            let input = Array(log(text, addresses).utf8)
            let arguments = ["--filter-markup", "--debug-file-directory=" + folder] + options
            let expected = try run(peer, arguments, input: input, environment: ["DEBUGINFOD_URLS": nil as String?])
            let answered = try runTool("llvm-symbolizer", ["--strict-compat"] + arguments, input: String(decoding: input, as: UTF8.self))
            expectSame(answered, expected)
            if !options.contains("--color") { #expect(expected.output.contains(".cpp:")) }
        }
    }

    /// The fixture is mapped from 0x7f0000000000 on.
    private func moved(_ address: String) -> String {
        "0x" + String(0x7f00_0000_0000 + (UInt64(address.dropFirst(2), radix: 16) ?? 0), radix: 16)
    }

    @Test(arguments: [[], ["--color"], ["--color=never"], ["--color=auto"], ["--no-demangle"]])
    func `a log is filtered as LLVM filters it`(options: [String]) throws {
        try compare(options) { id, addresses in
            var log = "Boot\u{1b}[1m bold \u{1b}[31mred {{{symbol:_ZN1a1bEv}}} \u{1b}[34mblue {{{symbol:main}}}\u{1b}[0m\n"
            log += "[1] {{{module:0:cxx:elf:\(id)}}} left out\n[1] {{{mmap:0x7f0000000000:0x1000:load:0:r:0}}}\n"
            log += "{{{mmap:0x7f0000001000:0x4000:load:0:rX:0x1000}}}\nnothing\n"
            for (number, address) in addresses.prefix(12).enumerated() {
                log += "frame {{{bt:\(number):\(moved(address)):pc}}} behind\n{{{bt:\(number + 10):\(moved(address))}}}\n"
                log += "{{{bt:\(number):\(moved(address)):ra}}} at {{{pc:\(moved(address))}}} and {{{pc:\(moved(address)):ra}}}\r\n"
            }
            return log + "{{{reset}}}\n{{{reset}}}\nafter {{{pc:\(moved(addresses[0]))}}}\n"
        }
    }

    @Test func `what is wrong in a log is told as LLVM tells it`() throws {
        try compare([]) { id, addresses in
            """
            {{{module:0:cxx:elf:\(id)}}}
            {{{mmap:0x7f0000000000:0x5000:load:0:rx:0}}}
            {{{module:0:again:elf:\(id)}}}
            {{{module:x:cxx:elf:\(id)}}}
            {{{module:1:cxx:coff:\(id)}}}
            {{{module:1:cxx:elf}}}
            {{{module:1:cxx:elf:xyz}}}
            {{{module:1}}}
            {{{mmap:0x7f0000004000:0x10:load:0:rx:0}}}
            {{{mmap:0x1000:0x10:load:7:rx:0}}}
            {{{mmap:0x1000:0x10:keep:0:rx:0}}}
            {{{mmap:0x1000:0x10:load:0:xr:0}}}
            {{{mmap:1000:0x10:load:0:r:0}}}
            {{{mmap:0x1000:zz:load:0:r:0}}}
            {{{pc:0x10}}}
            {{{pc:}}}
            {{{pc}}}
            {{{pc:0x7f0000001000:xx}}}
            {{{pc:\(moved(addresses[0])):pc:more}}}
            {{{bt:a:0x10}}}
            {{{bt:1}}}
            {{{bt:1:0x10}}}
            {{{symbol}}} {{{symbol:a:b}}}
            {{{UPPER:1}}} {{{other:1:2}}} {{{}}} {{{:x}}} {{{symbol:unclosed
            {{{data:0x10}}} {{{data:zz}}}
            {{{module:2:gone:elf:abcdef}}}
            {{{mmap:0x9000:0x1000:load:2:r:0}}}
            {{{pc:0x9000}}} {{{bt:0:0x9001}}} {{{data:0x9000}}}
            {{{pc:\(moved(addresses[1]))}}}
            """
        }
    }
}
