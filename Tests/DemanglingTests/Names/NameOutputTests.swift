import Testing

@testable import Demangling

/// Text that is written, copied and taken back.
@Suite struct NameOutputTests {
    @Test func `pieces of every kind follow each other, beyond the first capacity`() {
        var output = NameOutput(capacity: 1)
        output.append("harbour" as StaticString)
        output.append(UInt8(ascii: ":"))
        output.append("berth" as String)
        output.append(Array("_Z4quay".utf8), 3..<7)
        #expect(output.string == "harbour:berthquay")
        #expect(output.count == 17)
        #expect(output.last == UInt8(ascii: "y"))
    }

    @Test func `a copy is of what stands there now`() {
        var output = NameOutput(capacity: 4)
        output.append("std" as StaticString)
        output.append(copyOf: 0..<3)
        output.erase(to: 1)
        output.append(copyOf: 0..<1)
        #expect(output.string == "ss")
        output.append(copyOf: 5..<9)
        #expect(output.string == "ss", "what was taken back is not there")
        for _ in 0..<10 { output.append(copyOf: 0..<output.count) }
        #expect(output.string == String(repeating: "s", count: 2048))
    }

    @Test func `nothing is left where all is taken back`() {
        var output = NameOutput(capacity: 0)
        #expect(output.last == nil)
        output.append("x" as StaticString)
        output.erase(to: 5)
        #expect(output.string == "x", "a position after the end takes nothing back")
        output.erase(to: -1)
        #expect(output.string.isEmpty && output.last == nil)
    }
}
