internal import BinaryPrimitives
internal import CrashLogModel

/// The registers of a kernel's report, one or several on a line.
///
///     RAX: dffffc0000000000 RBX: ffff880009a46700 RCX: 0000000000000000      x86; `RSP: 0018:ffff880035e67c78 EFLAGS: 00010202` has a segment before the stack pointer
///     x29: ffff80001000bd10 x28: ffff0000c0a80000                             arm64
///     r10: 00000000  r9 : c0714000  r8 : 00000000                             arm
///     GPR04: 0000000000000000 0000000000000000 c000000008b030f8               ppc: four from that number on
///     Krnl GPRS: 0000000000010000 070000000020db8e …                          s390: all sixteen, four a line
struct KernelRegisters {
    private(set) var values: [(name: String, value: UInt64)] = []
    private(set) var architecture: Architecture?
    /// Number of the s390 register with which the next line continues.
    private var next: Int?

    /// - Returns: whether the line was registers.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        var rest = line.trimmed()
        if rest.consume("Krnl GPRS: ") {
            architecture = .s390x
            return readList(rest, prefix: "r", from: 0)
        }
        if let first = next, first < 16, readList(rest, prefix: "r", from: first) { return true }
        next = nil
        if rest.consume("GPR") {
            guard let number = rest.readDecimal(), number < 32, rest.consume(": ") else { return false }
            if values.isEmpty { architecture = .ppc64 }
            return readList(rest, prefix: "r", from: Int(number))
        }
        return readPairs(rest)
    }

    private mutating func readList(_ text: Span<UInt8>, prefix: String, from first: Int) -> Bool {
        var rest = text
        var found: [UInt64] = []
        while rest.count > 0 {
            let token = rest.readToken()
            guard token.count == 16 || token.count == 8, let value = token.hexadecimal, found.count < 16 else {
                return false
            }
            found.append(value)
            rest.skipBlanks()
        }
        guard !found.isEmpty else { return false }
        for (index, value) in found.enumerated() { add(prefix + String(first + index), value) }
        next = first + found.count
        return true
    }

    /// `NAME: HEX` and `NAME : HEX`, with blanks between.
    private mutating func readPairs(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var found: [(String, UInt64)] = []
        while rest.count > 0, found.count < 16 {
            let name = KernelRegisters.readName(&rest)
            guard let name else { break }
            // A segment before it: `0018:ffff880035e67c78`.
            if rest.at(4) == UInt8(ascii: ":") { rest = rest.from(5) }
            _ = rest.consume("[<")
            let start = rest.count
            guard let value = rest.readHexadecimal(), start - rest.count >= 4 else { break }
            // Registers are printed in full (`REG_FMT` of `arch/riscv/include/asm/ptrace.h`).
            if name == "epc", start - rest.count == 8, values.isEmpty { architecture = .riscv32 }
            _ = rest.consume(">]")
            guard rest.at(0).map({ isBlank($0) || $0 == UInt8(ascii: "(") }) ?? true else { break }
            if rest.at(0) == UInt8(ascii: "(") { rest = rest.from((rest.firstIndex(of: UInt8(ascii: ")")) ?? rest.count - 1) + 1) }
            found.append((name, value))
            rest.skipBlanks()
        }
        guard !found.isEmpty else { return false }
        for (name, value) in found { add(name, value) }
        return true
    }

    /// The architectures by the registers that only they have.
    private static let names: [(name: String, architecture: Architecture)] = [
        ("RAX", .x86_64), ("EAX", .i386), ("x29", .arm64), ("r10", .arm), ("psr", .arm), ("NIP", .ppc64), ("epc", .riscv64),
    ]

    private static func readName(_ rest: inout Span<UInt8>) -> String? {
        var text = rest
        var length = 0
        while let byte = text.at(length), isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_"), length < 9 {
            length += 1
        }
        guard length > 1 else { return nil }
        let name = text.upTo(length)
        text = text.from(length)
        text.skipBlanks()
        guard text.consume(":"), text.consume(" ") else { return nil }
        text.skipBlanks()
        rest = text
        return name.text
    }

    private mutating func add(_ name: String, _ value: UInt64) {
        // The first block is that of the exception; a system call's registers of the user's program
        // follow it.
        guard values.count < 128, !values.contains(where: { $0.name == name }) else { return }
        values.append((name, value))
        if architecture == nil { architecture = KernelRegisters.names.first { $0.name == name }?.architecture }
    }
}
