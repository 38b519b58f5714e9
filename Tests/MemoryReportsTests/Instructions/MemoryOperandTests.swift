import MemoryReports
import TestSupport
import Testing

/// The operands of whole programs, as LLVM's disassembler prints them.
struct MemoryOperandTests {
    static let disassembler = "/usr/bin/llvm-objdump-19"
    static let isPossible = TestPaths.isReadable(disassembler)
    private static let library = "/lib/x86_64-linux-gnu/libz.so.1"

    private struct Row {
        var bytes: [UInt8]
        var mnemonic: Substring
        /// Text in brackets.
        var operand: String?
        var text: String
    }

    /// `       0: 8b 44 f7 0c   \tmov\teax, dword ptr [rdi + 8*rsi + 0xc]`
    private func rows(_ arguments: [String], bytesTogether: Bool = false) throws -> [Row] {
        let text = try run(Self.disassembler, ["-d", "--print-imm-hex"] + arguments).output
        return text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: "\t")
            guard columns.count >= 2, let colon = columns[0].firstIndex(of: ":") else { return nil }
            let digits = columns[0][columns[0].index(after: colon)...].split(separator: " ")
            var bytes = digits.flatMap { word in
                stride(from: 0, to: word.count, by: 2).compactMap { UInt8(word.dropFirst($0).prefix(2), radix: 16) }
            }
            // A word of arm64 is printed as a number.
            if bytesTogether { bytes.reverse() }
            let words = columns.dropFirst(2).joined(separator: " ")
            let operand = words.firstIndex(of: "[").flatMap { start in
                words[start...].firstIndex(of: "]").map { String(words[words.index(after: start)..<$0]) }
            }
            return Row(bytes: bytes, mnemonic: columns[1], operand: operand, text: columns.dropFirst().joined(separator: " "))
        }
    }

    @Test(.enabled(if: isPossible && TestPaths.isReadable(library), "llvm-objdump-19 or zlib is not installed"))
    func `operands of x86-64 are LLVM's`() throws {
        var compared = 0
        for row in try rows(["-M", "intel", Self.library]) {
            let found = MemoryOperand(x86: row.bytes, is64Bit: true)
            guard let operand = row.operand, !row.mnemonic.contains("lea"), !row.mnemonic.contains("nop"),
                !row.mnemonic.contains("prefetch"), !row.text.contains("s:["), !operand.contains("rip"),
                row.bytes.first != 0x62, operand.first?.isLetter == true, row.text.split(separator: "[").count == 2
            else { continue }
            compared += 1
            // LLVM writes an index without a base so, and one that is not multiplied.
            #expect(found?.text == operand, "\(row.text) \(row.bytes)")
        }
        #expect(compared > 1000)
    }

    @Test(.enabled(if: isPossible && TestPaths.isReadable(library), "llvm-objdump-19 or zlib is not installed"))
    func `instructions of x86-64 that access nothing have no operand`() throws {
        var compared = 0
        for row in try rows(["-M", "intel", Self.library])
        where row.operand == nil || row.mnemonic.contains("lea") || row.mnemonic.contains("nop") {
            compared += 1
            #expect(MemoryOperand(x86: row.bytes, is64Bit: true) == nil, "\(row.text) \(row.bytes)")
        }
        #expect(compared > 1000)
    }

    private static let source = """
        #include <string.h>
        struct item { char a; short b; int c; long d; float e; double f; };
        long sum(struct item *items, long count) {
            long total = 0;
            for (long i = 0; i < count; i++) total += items[i].a + items[i].b + items[i].c + items[i].d + (long)items[i].e + (long)items[i].f;
            return total;
        }
        void fill(double *to, const float *from, const long *places, int n) { while (n--) *to++ = from[places[n]] * to[-3]; }
        unsigned char find(const unsigned char *table, unsigned index) { return table[index] ^ table[index + 5000]; }
        int walk(int **list) { int n = 0; while (*list) n += **list++; return n; }
        void copy(struct item *a, struct item *b) { memcpy(a, b, sizeof *a); a[-1] = b[3]; }
        long pick(const long *a, const int *b, long i, int j) { return a[i] + b[j] + a[-i]; }

        """

    @Test(.enabled(if: isPossible, "llvm-objdump-19 is not installed")) func `operands of arm64 are LLVM's`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(Self.source.utf8))
            var compared = 0
            for level in ["-O0", "-O1", "-O2"] {
                let made = try Toolchain.run(
                    "clang",
                    [
                        "--target=aarch64-linux-gnu", level, "-ffreestanding", "-nostdinc", "-Dmemcpy=__builtin_memcpy", "-c", "a.c", "-o",
                        "a.o",
                    ],
                    directory: folder)
                // <string.h> is not there without a C library for the target.
                if made.status != 0 {
                    try writeFile(folder + "/a.c", Array(Self.source.split(separator: "\n").dropFirst().joined(separator: "\n").utf8))
                    try #require(
                        try Toolchain.run(
                            "clang",
                            ["--target=aarch64-linux-gnu", level, "-Dmemcpy=__builtin_memcpy", "-c", "a.c", "-o", "a.o"], directory: folder
                        ).status == 0)
                }
                for row in try rows([folder + "/a.o"], bytesTogether: true) {
                    let word = row.bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    let found = MemoryOperand(arm64: word)
                    guard let operand = row.operand else {
                        #expect(found == nil, "\(row.text)")
                        continue
                    }
                    // Sign-extended indexes are left out: `[x0, w1, sxtw #2]`.
                    guard !operand.contains("w") else {
                        #expect(found == nil, "\(row.text)")
                        continue
                    }
                    compared += 1
                    // `[x0], #0x8` counts afterwards.
                    #expect(found.map(Self.text) == operand, "\(row.text)")
                }
            }
            #expect(compared > 100)
        }
    }

    /// As LLVM writes it: `x0, #0x10`, `x1, x2, lsl #3`.
    private static func text(_ operand: MemoryOperand) -> String {
        var parts = [operand.base, operand.index].compactMap { $0 }
        if operand.index != nil, operand.scale > 1 { parts.append("lsl #\(operand.scale.trailingZeroBitCount)") }
        if operand.displacement != 0 {
            parts.append((operand.displacement < 0 ? "#-0x" : "#0x") + String(operand.displacement.magnitude, radix: 16))
        }
        return parts.joined(separator: ", ")
    }
}
