import BinaryPrimitives
import Testing

@testable import Personalities

/// The grammar of `parseCommand` in LLVM 19's llvm-symbolizer, with its own error messages.
struct LLVMSymbolizerInputTests {
    private func read(_ line: String, isNamed: Bool = false, isAddr2Line: Bool = false) throws -> (LLVMSymbolizerInput, name: String?) {
        let text = Array(line.utf8)
        let input = try LLVMSymbolizerInput(text.span, isNamed: isNamed, isAddr2Line: isAddr2Line)
        guard case .path(let range) = input.file else { return (input, nil) }
        return (input, String(decoding: text[range], as: UTF8.self))
    }

    @Test(
        arguments: [
            ("/bin/ls 0x10", "/bin/ls", UInt64(16)), ("\"a b\" 010", "a b", 8), ("'a \"b' 0b11", "a \"b", 3), ("CODE x 12", "x", 12),
            ("CODE FILE:x 0o17", "x", 15), ("FILE: x 1 rest is left out", "x", 1),
        ])
    func `a line names a file and a place in it`(line: String, file: String, address: UInt64) throws {
        let (input, name) = try read(line)
        #expect(name == file)
        #expect(input.target == .address(address))
    }

    @Test func `a build ID is an odd or even number of digits`() throws {
        #expect(try read("BUILDID:abcdef 1").0.file == .buildID([0xab, 0xcd, 0xef]))
        #expect(try read("CODE BUILDID: abc 1").0.file == .buildID([0x0a, 0xbc]))
    }

    @Test func `addr2line's numbers are hexadecimal`() throws {
        #expect(try read("10", isNamed: true, isAddr2Line: true).0.target == .address(0x10))
        #expect(try read("0b1010", isNamed: true, isAddr2Line: true).0.target == .address(0xb1010))
    }

    @Test func `what is no number is a symbol, with an offset behind the last plus`() throws {
        #expect(try read("main", isNamed: true).0.target == .symbol("main", offset: 0))
        #expect(try read("main+0x10", isNamed: true).0.target == .symbol("main", offset: 16))
        #expect(try read("operator+", isNamed: true).0.target == .symbol("operator+", offset: 0))
    }

    @Test(
        arguments: [
            ("foo", false, "no module offset has been specified"), ("FILE:", false, "must be followed by an input file"),
            ("BUILDID:", false, "must be followed by a hash"), ("BUILDID: foo 1", false, "wrong format of build-id"),
            ("FILE:\"foo", false, "unbalanced quotes in input file name"),
            ("BUILDID:FILE:x 1", false, "duplicate input file specification prefix"),
            ("FILE:FILE:x 1", false, "duplicate input file specification prefix"),
            ("FILE:x 1", true, "input file has already been specified"), ("1x", true, "expected a number as module offset"),
        ])
    func `what cannot be read is refused in the tool's words`(line: String, isNamed: Bool, message: String) {
        #expect(throws: LLVMSymbolizerInput.Misread(message: message)) { _ = try read(line, isNamed: isNamed) }
    }
}
