import BinaryPrimitives
import Testing

@testable import Personalities

/// `llvm-symbolizer --filter-markup`: the bytes that LLVM 19.1.7 writes for the same lines, with no
/// file at hand.
struct MarkupFilterTests {
    private func filter(_ lines: [String], color: String = "never") throws -> String {
        let options = try LLVMSymbolizerOptions(["--filter-markup", "--color=" + color, "--no-debuginfod"], isAddr2Line: false)
        var filter = MarkupFilter(options, isTerminal: false)
        for line in lines { filter.filter(Array(line.utf8).span) }
        filter.finish()
        return String(decoding: filter.removeOutput(), as: UTF8.self)
    }

    @Test(arguments: [
        ("no markup", "no markup\n"), ("", "\n"), ("{{{symbol:_ZN1a1bEv}}} and {{{symbol:main}}}", "a::b() and main\n"),
        // Text that is not an element, and elements of another reader.
        ("{{{x}}} {{{other:1:2}}} {{{}}} {{symbol:a}} {{{symbol:a", "{{{x}}} {{{other:1:2}}} {{{}}} {{symbol:a}} {{{symbol:a\n"),
        // The log's own colors are removed if none are wanted.
        ("\u{1b}[31mred\u{1b}[0m \u{1b}[2J", "red \u{1b}[2J\n"),
        ("{{{reset}}}", ""), ("windows\r", "windows\r\n"),
    ])
    func `elements are replaced, the rest of a line stays`(line: String, output: String) throws { #expect(try filter([line]) == output) }

    private static let modules = [
        "{{{module:1:lib:elf:ab12}}} rest", "{{{mmap:0x2000:0x100:load:1:rx:0x100}}}", "{{{mmap:0x1000:0x100:load:1:r:0x0}}}",
    ]

    @Test func `where a module lies is one line, by its addresses`() throws {
        #expect(
            try filter(Self.modules + ["after"])
                == "[[[ELF module #0x1 \"lib\"; BuildID=ab12 [0x1000-0x10ff](r),[0x2000-0x20ff](rx)]]]\nafter\n")
    }

    @Test func `what is forgotten says so once`() throws {
        let output = try filter(Self.modules + ["{{{reset}}} x", "{{{reset}}}", "end"])
        #expect(output.hasSuffix("]]]\n[[[reset]]]\nend\n"))
    }

    /// Blue for what was put in, green for values in it, and then the log's own red again.
    @Test func `colours show what was put in`() throws {
        let output = try filter(
            ["{{{symbol:_ZN1a1bEv}}} {{{x}}} \u{1b}[31mred {{{symbol:main}}}"] + Self.modules + ["after"], color: "always")
        let expected =
            "^[0;34ma::b()^[0m {{{x}}} ^[0;31mred ^[0;34mmain^[0;31m\n^[0m^[0;34m[[[ELF module^[0;32m #0x1 ^[0;34m\""
            + "^[0;32mlib^[0;34m\"; BuildID="
            + "^[0;32mab12^[0;34m [^[0;32m0x1000^[0;34m-^[0;32m0x10ff^[0;34m](^[0;32mr^[0;34m),[^[0;32m0x2000^[0;34m-^[0;32m0x20ff^[0;34m]("
            + "^[0;32mrx^[0;34m)]]]\n^[0mafter\n"
        #expect(output == expected.replacing("^[", with: "\u{1b}["))
    }

    // MARK: The parts of a line

    /// LLVM's `MarkupParser`: an element is a tag and its fields; what has no tag is text.
    @Test(arguments: [
        ("{{{bt:0:0x7e7e:pc}}}", ["bt(0,0x7e7e,pc)"]), ("a {{{reset}}} b", ["'a '", "reset()", "' b'"]), ("{{{pc:}}}", ["pc()"]),
        ("{{{a::b}}}", ["a(,b)"]), ("{{{:x}}}{{{}}}", ["'{{{:x}}}{{{}}}'"]), ("{{{a}}}}", ["a()", "'}'"]),
        ("x\u{1b}[1my", ["'x'", "'\u{1b}[1m'", "'y'"]), ("\u{1b}[39m", ["'\u{1b}[39m'"]), ("", []),
    ])
    func `a line is text, elements and control sequences`(line: String, parts: [String]) {
        let bytes = Array(line.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let found = MarkupNode.nodes(in: bytes).map { node in
            node.tag.isEmpty ? "'\(text(node.range))'" : "\(text(node.tag))(\(node.fields.map(text).joined(separator: ",")))"
        }
        #expect(found == parts)
    }

    @Test func `mappings do not overlap, and end before their size`() {
        var memory = MarkupMemory()
        let module = MarkupMemory.Module(id: 1, name: "lib", buildID: [1])
        #expect(memory.add(module) && !memory.add(module))
        func mapping(_ start: UInt64, _ size: UInt64) -> MarkupMemory.Mapping {
            .init(start: start, size: size, module: module, mode: "r", relativeStart: 0)
        }
        #expect(
            memory.add(mapping(0x2000, 0x100)) == nil && memory.add(mapping(0x2100, 0x10)) == nil
                && memory.add(mapping(0x1000, 0x1000)) == nil)
        for (start, size) in [(0x1fff, 2), (0x20ff, 1), (0x0, 0x1001), (0x2050, 0x1000)] as [(UInt64, UInt64)] {
            #expect(memory.add(mapping(start, size)) != nil, "\(start)")
        }
        #expect(memory.mapping(containing: 0x210f)?.start == 0x2100 && memory.mapping(containing: 0x2110) == nil)
        #expect(memory.mapping(containing: 0xfff) == nil && memory.mapping(containing: 0x1fff)?.start == 0x1000)
    }
}
