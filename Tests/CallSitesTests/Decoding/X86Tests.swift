import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import CallSites

/// Lengths of x86 instructions against GNU's objdump: every opcode of four maps and of the vector
/// encodings, under the prefixes that change lengths, with operands of every form.
@Suite(.enabled(if: Tools.hasBinutils, Comment(rawValue: Tools.missingBinutils)))
struct X86Tests {
    /// Bytes of an instruction, filled up with `nop` to a slot of its own, so that what is decoded
    /// wrongly harms no other.
    private static let slot = 32

    /// ModRM and what follows: a register, no displacement, SIB with and without a base,
    /// displacements of both sizes, the form without a base register; each with the group's form.
    private static let operands: [[UInt8]] = [
        [0xc0], [0x00], [0x04, 0x20], [0x04, 0x25], [0x05], [0x06], [0x40], [0x44, 0x24], [0x80], [0x84, 0x24], [0xd0], [0x10],
        [0x14, 0x25], [0x95], [0x18],
        [0x20], [0x28], [0x30], [0x38], [0xf8],
    ]

    private static func instructions(is64Bit: Bool) -> [[UInt8]] {
        var prefixes: [[UInt8]] = [[], [0x66], [0x67], [0xf2], [0x2e, 0x66]]
        if is64Bit { prefixes += [[0x48], [0x66, 0x48], [0x41]] }
        var result: [[UInt8]] = []
        for (number, map) in [[], [0x0f], [0x0f, 0x38], [0x0f, 0x3a]].enumerated() {
            for opcode in 0...255 {
                // The opcodes of some maps all have one form: a few operands are enough.
                let some = number < 2 ? operands : [operands[0], operands[3], operands[9]]
                for prefix in number < 2 ? prefixes : [[], [0x66]] {
                    result += some.map { prefix + map.map { UInt8($0) } + [UInt8(opcode)] + $0 }
                }
            }
        }
        // VEX and EVEX: a map, an opcode, and an operand.
        for opcode in 0...255 {
            for operand in [operands[0], operands[3], operands[9]] {
                result.append([0xc5, 0xf9, UInt8(opcode)] + operand)
                for map in 1...3 {
                    result.append([0xc4, 0xe0 + UInt8(map), 0x79, UInt8(opcode)] + operand)
                    result.append([0x62, 0xf0 + UInt8(map), 0x7d, 0x48, UInt8(opcode)] + operand)
                }
                for map in 5...6 { result.append([0x62, 0xf0 + UInt8(map), 0x7d, 0x48, UInt8(opcode)] + operand) }
                for map in 8...10 { result.append([0x8f, 0xe0 + UInt8(map), 0x78, UInt8(opcode)] + operand) }
            }
        }
        return result
    }

    private static func isPrefix(_ word: Substring) -> Bool {
        word == "rex" || word.hasPrefix("rex.")
            || ["data16", "addr32", "addr16", "cs", "ds", "es", "ss", "fs", "gs", "repz", "repnz", "bnd", "lock"].contains(word)
    }

    @Test(arguments: [true, false])
    func `every instruction has the length that objdump lists`(is64Bit: Bool) throws {
        let all = Self.instructions(is64Bit: is64Bit)
        let blob = all.flatMap { $0 + [UInt8](repeating: 0x90, count: Self.slot - $0.count) }
        let listed = try withTemporaryFolder { folder in
            try writeFile(folder + "/blob", blob)
            // The lines of the slots' first bytes.
            let command = "objdump -D -b binary -m i386\(is64Bit ? ":x86-64" : "") -w \"$1\" | grep -E '^ *([0-9a-f]*[02468ace])?0:'"
            return try run("sh", ["-c", command, "sh", folder + "/blob"]).lines
        }
        try #require(listed.count == all.count)
        let decoder = X86(is64Bit: is64Bit)
        var wrong: [String] = []
        var compared = 0
        for (line, bytes) in zip(listed, all) {
            let fields = line.split(separator: "\t")
            let position = try #require(Int(fields[0].drop { $0 == " " }.dropLast(), radix: 16))
            let text = fields.count > 2 ? String(fields[2]) : ""
            // Skips instructions that do not exist, and prefixes that objdump lists separately because a
            // later prefix overrides them.
            guard !text.contains("(bad)"), !text.split(separator: " ").allSatisfy(Self.isPrefix) else { continue }
            let expected = fields[1].utf8.count { $0 != UInt8(ascii: " ") } / 2
            let instruction = blob.span.rawBytes.withInstruction(decoder, at: position)
            compared += 1
            if Int(instruction.length) != expected {
                wrong.append("\(bytes.map { String($0, radix: 16) }): \(text): \(expected), decoded \(instruction.length)")
            }
            let isCall = text.split(separator: " ").contains { $0.hasPrefix("call") || $0.hasPrefix("lcall") }
            if instruction.length > 0, isCall != (instruction.call != .none) { wrong.append("\(text): a call: \(instruction.call)") }
        }
        #expect(compared > 20000)
        #expect(wrong.isEmpty, "\(wrong.count) of \(compared): \(wrong.prefix(40).joined(separator: "\n"))")
    }

    /// Forms that compilers write for thread-local variables, branch protection and bounds checks;
    /// lengths and targets by counting bytes.
    @Test func `calls with prefixes`() throws {
        // data16 data16 rex.W call +0x10; notrack call *%rax; bnd call +0; addr32 call +0; call
        // *8(%rbx).
        let text: [UInt8] =
            [0x66, 0x66, 0x48, 0xe8, 0x10, 0, 0, 0] + [0x3e, 0xff, 0xd0] + [0xf2, 0xe8, 0, 0, 0, 0] + [0x67, 0xe8, 0, 0, 0, 0] + [
                0xff, 0x53, 8, 0x90,
            ]
        let made = MadeELF(text: text)
        let expected: [CallSite] = [
            .init(0x1000, 0x1008, 0x1018), .init(0x1008, 0x100b, nil), .init(0x100b, 0x1011, 0x1011), .init(0x1011, 0x1017, 0x1017),
            .init(0x1017, 0x101a, nil),
        ]
        #expect(try made.calls() == expected)
        checkAddresses(try #require(try made.sites()), expected, everyAddress: true)
    }

    /// After an invalid instruction, nothing is known.
    @Test func `behind what cannot be decoded nothing is known`() throws {
        // 06 is no instruction of 64-bit code; then call +0.
        let sites = try #require(try MadeELF(text: [0x90, 0x06, 0xe8, 0, 0, 0, 0, 0x90]).sites())
        #expect(sites.call(returningTo: LinkAddress(0x1007)) == .unknown)
        #expect(sites.call(returningTo: LinkAddress(0x1001)) == .noCall)
        #expect(sites.call(returningTo: LinkAddress(0x3000)) == .unknown && sites.call(returningTo: LinkAddress(0)) == .unknown)
    }
}

extension RawSpan {
    fileprivate func withInstruction(_ decoder: X86, at position: Int) -> Instruction {
        decoder.instruction(at: position, after: -1, in: self, at: UInt64(position))
    }
}
