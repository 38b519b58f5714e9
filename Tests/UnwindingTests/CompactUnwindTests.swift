import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Every entry of `__unwind_info` against framehop's list of the same file in words.
struct CompactUnwindTests {
    /// An entry, in the notation of the list.
    struct Row: Hashable, CustomStringConvertible {
        var address: UInt64
        var words: String

        var description: String { String(address, radix: 16) + ": " + words }
    }

    private static func packed(_ name: String) throws -> [UInt8] {
        try #require(OfflineUnwind.folder.flatMap { OfflineUnwind.bytes($0 + "/" + name) })
    }

    /// The lines `  0x00000fa0: CFA=reg7+32: reg16=[CFA-8]`.
    private static func rows(_ name: String) throws -> [Row] {
        String(decoding: try packed(name), as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.hasPrefix("  0x"), let colon = line.firstIndex(of: ":") else { return nil }
            return UInt64(line[..<colon].dropFirst(4), radix: 16).map { Row(address: $0, words: line[colon...].dropFirst(2).description) }
        }
    }

    private static func text(_ saved: [(register: Int, below: Int)]) -> String {
        saved.sorted { ($0.below, $0.register) < ($1.below, $1.register) }.map { "reg\($0.register)=[CFA-\($0.below)]" }.joined(
            separator: ", ")
    }

    private static func sorted(_ words: String) -> String {
        let parts = words.split(separator: ": ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return words }
        var saved: [(register: Int, below: Int)] = []
        for part in parts[1].split(separator: ", ") {
            let numbers = part.split { !$0.isNumber }.compactMap { Int($0) }
            if numbers.count == 2 { saved.append((numbers[0], numbers[1])) }
        }
        return parts[0] + ": " + text(saved)
    }

    private static func words(_ encoding: CompactEncoding?) -> String {
        switch encoding {
        case .frame(let below, let registers):
            var saved: [(register: Int, below: Int)] = [(16, 8), (6, 16)]
            for (index, register) in registers.enumerated() {
                if let register { saved.append((register, 16 + below - index * 8)) }
            }
            return "CFA=reg6+16: " + text(saved)
        case .frameless(let size, let registers):
            var saved: [(register: Int, below: Int)] = [(16, 8)]
            for (index, register) in registers.enumerated() { saved.append((register, 8 + 8 * (registers.count - index))) }
            return "CFA=reg7+\(size): " + text(saved)
        case .framelessIndirect: return "frameless indirect"
        case .description(let offset): return "(check eh_frame FDE 0x\(String(offset, radix: 16)))"
        case nil: return "nothing"
        }
    }

    @Test(.enabled(if: OfflineUnwind.folder != nil, "there is no corpus")) func `every entry of x86-64 is the one that framehop lists`()
        throws
    {
        let bytes = try Self.packed("framehop-x86_64-nofp-libmozglue.dylib")
        let file = try MappedFile(bytes: bytes.span.rawBytes, name: "libmozglue.dylib")
        let object = try #require(try ObjectFiles.openAll(file).first)
        let table = try #require(CompactUnwindTable(object))
        let frames = try #require(CallFrames(object))
        let rows = try Self.rows("framehop-x86_64-nofp-libmozglue.unwindinfo.txt")
        #expect(rows.count > 800)
        for (index, row) in rows.enumerated() {
            let last = index + 1 < rows.count ? rows[index + 1].address - 1 : row.address
            for address in [row.address, last] {
                let entry = try #require(table.entry(for: LinkAddress(address)))
                #expect(entry.start.value == row.address)
                let encoding = CompactEncoding(entry.encoding, .x86_64)
                #expect(Self.words(encoding) == Self.sorted(row.words), "\(row)")
                if case .description(let offset) = encoding {
                    #expect(frames.rules(at: LinkAddress(row.address), byEntryAt: UInt64(offset))?.function.lowerBound.value == row.address)
                }
            }
        }
        #expect(table.entry(for: LinkAddress(rows[0].address - 1)) == nil)
        for row in try Self.rows("framehop-x86_64-nofp-libmozglue.ehframe.txt") {
            let rules = try #require(frames.rules(at: LinkAddress(row.address)), "\(row)")
            var saved: [(register: Int, below: Int)] = []
            for case (let register, .frame(let offset, true)) in rules.registers { saved.append((Int(register), Int(-offset))) }
            guard case .register(let register, let offset, _) = rules.frame else {
                Issue.record("\(row)")
                continue
            }
            #expect("CFA=reg\(register)+\(offset): " + Self.text(saved) == Self.sorted(row.words), "\(row)")
        }
    }

    /// The list's offsets of arm64 are not compared: it has `x21` where the code saves `x19`. Which
    /// registers are saved is compared; `clang saves what its encodings say` has the offsets.
    @Test(.enabled(if: OfflineUnwind.folder != nil, "there is no corpus")) func `every entry of arm64 is the one that framehop lists`()
        throws
    {
        let bytes = try Self.packed("framehop-arm64-query-api.__unwind_info")
        let table = CompactUnwindTable(.assembled(bytes), base: LinkAddress(0x1_0000_0000), .littleEndian)
        let rows = try Self.rows("framehop-arm64-query-api.unwindinfo.txt")
        #expect(rows.count > 2_500)
        for row in rows {
            let entry = try #require(table.entry(for: LinkAddress(0x1_0000_0000 + row.address)))
            #expect(entry.start.value == 0x1_0000_0000 + row.address)
            // `d14` and `d15` are among the others there, as 14 and 15.
            let listed = Set(row.words.split(separator: " ").dropFirst().compactMap { Int($0.dropFirst(3).prefix { $0.isNumber }) })
                .filter { $0 >= 19 }
            switch CompactEncoding(entry.encoding, .arm64) {
            case .frame(_, let registers):
                #expect(row.words.hasPrefix("CFA=reg29+16"), "\(row)")
                #expect(Set(registers.compactMap(\.self)).union([29, 30]) == listed, "\(row)")
            case .frameless(let size, _): #expect(row.words == (size == 0 ? "CFA=reg31" : "CFA=reg31+\(size)"), "\(row)")
            case .description(let offset): #expect(row.words == "(check eh_frame FDE 0x\(String(offset, radix: 16)))")
            default: Issue.record("\(row)")
            }
        }
    }

    static let clang = Installed.path("clang-19") ?? Toolchain.path("clang")
    static let objdump = Installed.path("llvm-objdump-19")

    static let source = """
        int outer(int *);
        int few(int a, int b) { int x = outer(&a); return x + outer(&b) + a; }
        int many(int a, int b, int c, int d, int e) {
            int f = outer(&a), g = outer(&b), h = outer(&c), i = outer(&d), j = outer(&e);
            return f + outer(&g) * h - outer(&i) * j + outer(&f) + outer(&h) + (a ^ b) + c * d + e;
        }
        double floating(double a, double b) { int x = 1; outer(&x); return a * b + x; }
        int leaf(int a) { return a * 3; }
        int large(int a) { int x[64]; x[a & 63] = a; return x[3] + x[a & 15]; }
        """

    /// The assembler's text has where each register is saved (`.cfi_offset`), the object the
    /// encoding that means the same.
    @Test(
        .enabled(if: clang != nil && objdump != nil, "clang-19 or llvm-objdump-19 is not installed"),
        arguments: ["arm64", "x86_64", "i386"])
    func `clang saves what its encodings say`(machine: String) throws {
        let processor = try #require(Processor(Architecture(machine)))
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(Self.source.utf8))
            let options = ["--target=\(machine)-apple-macos12", "-O2", "-fno-optimize-sibling-calls", "a.c"]
            #expect(try run(Self.clang ?? "", options + ["-c", "-o", "a.o"], directory: folder).status == 0)
            let assembly = try run(Self.clang ?? "", options + ["-S", "-o", "-"], directory: folder).lines
            let listed = try run(Self.objdump ?? "", ["--unwind-info", "a.o"], directory: folder).lines
            var checked = 0
            var name = ""
            for line in listed {
                let words = line.split(separator: " ").map(String.init)
                // The linker's own label, at the beginning.
                if words.first == "start:", let last = words.last { name = last == "ltmp0" ? "_few" : last }
                guard words.starts(with: ["compact", "encoding:"]), let value = UInt32(words[2].dropFirst(2), radix: 16) else { continue }
                let expected = Self.saved(name, assembly, processor)
                let word = processor.registerSize
                var found: [Int: Int] = [:]
                switch CompactEncoding(value, processor) {
                case .frame(let below, let registers):
                    for (index, register) in registers.enumerated() {
                        if let register { found[register] = 2 * word + below - index * word }
                    }
                    found[processor.framePointer] = 2 * word
                case .frameless(_, let registers):
                    let pushed = processor.link == nil ? word : 0
                    for (index, register) in registers.enumerated() { found[register] = pushed + word * (registers.count - index) }
                default: continue
                }
                #expect(found == expected, "\(name) \(words[2])")
                checked += 1
            }
            #expect(checked >= 4)
        }
    }

    /// Returns the distances of a function's saved registers below the frame's address.
    private static func saved(_ function: String, _ assembly: [String], _ processor: Processor) -> [Int: Int] {
        var saved: [Int: Int] = [:]
        for line in assembly.drop(while: { !$0.hasPrefix(function + ":") }) {
            if line.contains(".cfi_endproc") { break }
            let words = line.split { " ,\t".contains($0) }.map(String.init)
            guard words.first == ".cfi_offset", words.count == 3, let below = Int(words[2]) else { continue }
            let name = words[1].hasPrefix("%") ? String(words[1].dropFirst()) : words[1].replacing("w", with: "x")
            // Floating-point registers, and the return address that is no part of an encoding.
            guard let register = processor.number(of: name), name != "x30" else { continue }
            saved[register] = -below
        }
        return saved
    }
}
