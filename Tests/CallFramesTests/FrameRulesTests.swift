import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

/// The rules at every row's first address and at its last, against the rows that
/// `llvm-dwarfdump --eh-frame` lists.
struct FrameRulesTests {
    static let dwarfdump = "/usr/bin/llvm-dwarfdump-19"

    static let files: [String] = {
        let system = ["/usr/lib/x86_64-linux-gnu/libc.so.6"].filter(TestPaths.isReadable)
        let fixtures = TestPaths.files(under: TestPaths.fixture("binaries"))
        return (system + fixtures.sorted()).filter { path in
            guard let objects = try? ObjectFiles.openAll(path: path), objects.count == 1 else { return false }
            // On Darwin the stack pointer and the frame pointer of i386 have each other's numbers
            // in `__eh_frame`.
            return CallFrames(objects[0]) != nil && numbers(objects[0].architecture.family) != nil
        }
    }()

    @Test func `the fixtures have frames of several machines`() throws {
        let machines = Set(try Self.files.map { try ObjectFiles.open(path: $0).architecture.family })
        #expect(machines.isSuperset(of: ["x86_64", "arm64", "s390x", "ppc64"]), "\(machines)")
    }

    /// DWARF's numbers of registers by LLVM's names, from the machines' ABIs: `RSP` is 7 on x86-64.
    private static func numbers(_ family: String) -> [String: Int]? {
        func counted(_ prefix: String, _ suffix: String, _ range: Range<Int>, from first: Int = 0) -> [(String, Int)] {
            range.map { ("\(prefix)\($0)\(suffix)", first + $0) }
        }
        func listed(_ names: String) -> [(String, Int)] { names.split(separator: " ").enumerated().map { (String($0.element), $0.offset) } }
        let pairs: [(String, Int)]
        switch family {
        case "x86_64": pairs = listed("RAX RDX RCX RBX RSI RDI RBP RSP") + counted("R", "", 8..<16) + [("RIP", 16)]
        case "i386": pairs = listed("EAX ECX EDX EBX ESP EBP ESI EDI EIP")
        case "arm64":
            pairs = counted("W", "", 0..<31) + [("WSP", 31)] + counted("D", "", 0..<32, from: 64) + counted("B", "", 0..<32, from: 64)
        case "s390x":
            pairs = counted("R", "D", 0..<16) + zip([0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15], 16...).map { ("F\($0)D", $1) }
        case "ppc64", "ppc": pairs = counted("X", "", 0..<32) + counted("R", "", 0..<32) + [("LR8", 65), ("LR", 65)]
        case "riscv64", "riscv32": pairs = counted("X", "", 0..<32)
        default: return nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private struct Row {
        var function: Range<UInt64>
        var address: UInt64
        var text: String
    }

    /// `  0x1020: CFA=RSP+16: RIP=[CFA-8]`, after `… FDE cie=… pc=00001020...00001050`.
    private func rows(_ lines: some Sequence<String>, _ numbers: [String: Int]) -> [Row] {
        var rows: [Row] = []
        var function: Range<UInt64> = 0..<0
        for line in lines {
            if let field = line.split(separator: " ").first(where: { $0.hasPrefix("pc=") }) {
                let ends = field.dropFirst(3).split(separator: ".").compactMap { UInt64($0, radix: 16) }
                function = ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : 0..<0
            }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard line.hasPrefix("  0x"), parts.count == 2, let address = UInt64(parts[0].dropFirst(4), radix: 16) else { continue }
            rows.append(Row(function: function, address: address, text: Self.numbered(parts[1].dropFirst(), numbers)))
        }
        return rows
    }

    /// Registers' names become `reg` and their numbers, and expressions a word:
    /// `CFA=reg7+16: reg16=[CFA-8]`.
    private static func numbered(_ text: some StringProtocol, _ numbers: [String: Int]) -> String {
        let text = String(text.trimmingPrefix { $0 == " " })
        // Text after an expression cannot be distinguished from its operands.
        if text.hasPrefix("CFA=DW_OP_") { return "CFA=expression" }
        return (text.contains("DW_OP_") ? String(text.prefix { $0 != ":" }) : text).replacing(numbers)
    }

    private func text(_ rules: FrameRules, asExpected expected: String) -> String {
        func signed(_ value: Int64) -> String { value == 0 ? "" : value < 0 ? "\(value)" : "+\(value)" }
        func text(_ rule: FrameRule) -> String {
            switch rule {
            case .unspecified: return "unspecified"
            case .undefined: return "undefined"
            case .same: return "same"
            case .constant(let value): return "\(value)"
            case .frame(let offset, let isDereferenced): return isDereferenced ? "[CFA\(signed(offset))]" : "CFA\(signed(offset))"
            case .register(let number, let offset, _): return "reg\(number)\(signed(offset))"
            case .expression(let range, _): return rules.expression(range).isEmpty ? "empty" : "expression"
            }
        }
        let frame = "CFA=" + text(rules.frame)
        guard expected.contains(":") else { return frame }
        let registers = rules.registers.sorted { $0.key < $1.key }.map { "reg\($0.key)=" + text($0.value) }
        return registers.isEmpty ? frame : frame + ": " + registers.joined(separator: ", ")
    }

    @Test(.enabled(if: TestPaths.isReadable(dwarfdump), "llvm-dwarfdump-19 (package llvm-19) is not installed"), arguments: files)
    func `every row is the one that llvm-dwarfdump lists`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        let frames = try #require(CallFrames(object))
        let lines = try run(Self.dwarfdump, ["--eh-frame", path]).lines
        let numbers = try #require(Self.numbers(object.architecture.family))
        // `.debug_frame` comes first, and is searched where the other does not know the function.
        let exceptions = rows(lines.drop { $0 != ".eh_frame contents:" }, numbers)
        let expected = exceptions.isEmpty ? rows(lines, numbers) : exceptions
        #expect(!expected.isEmpty || path.hasSuffix(".debug") || !lines.contains { $0.contains(" FDE ") })
        var wrong: [String] = []
        var requested = 0
        for (index, row) in expected.enumerated() where row.function.contains(row.address) {
            let isLast = index + 1 == expected.count || expected[index + 1].function != row.function
            let end = isLast ? row.function.upperBound : expected[index + 1].address
            // Several rows at one address: the last counts.
            guard row.address < end else { continue }
            for address in [row.address, end - 1] {
                guard let rules = frames.rules(at: LinkAddress(address)) else {
                    wrong.append("\(String(address, radix: 16)): no rules, expected \(row.text)")
                    continue
                }
                guard rules.function.lowerBound.value == row.function.lowerBound else { continue }
                requested += 1
                let text = text(rules, asExpected: row.text)
                if text != row.text { wrong.append("\(String(address, radix: 16)): \(text), expected \(row.text)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(requested): \(wrong.prefix(4))")
        #expect(requested > 0 || exceptions.isEmpty)
    }
}

extension String {
    fileprivate func replacing(_ numbers: [String: Int]) -> String {
        var result = ""
        var word = ""
        for character in self + " " {
            if character.isLetter || character.isNumber && !word.isEmpty {
                word.append(character)
            } else {
                result += numbers[word].map { "reg\($0)" } ?? word
                word = ""
                result.append(character)
            }
        }
        return String(result.dropLast())
    }
}

/// `.eh_frame_hdr`, which a tool may have left as it was when it changed the sections.
struct FrameTableTests {
    static let program = TestPaths.files(under: TestPaths.fixture("binaries")).first { path in
        guard let object = try? ObjectFiles.open(path: path), object.architecture == .x86_64 else { return false }
        return object.section(named: ".eh_frame_hdr") != nil && (ExceptionFrames(object)?.allRanges().count ?? 0) > 2
    }

    @Test func `a table that contradicts the frame descriptions is not believed`() throws {
        let path = try #require(Self.program)
        let sound = try ObjectFiles.open(path: path)
        let table = try #require(sound.section(named: ".eh_frame_hdr")).fileRange
        let ranges = try #require(ExceptionFrames(sound)).allRanges()
        #expect(ranges.count > 2)
        let expected = try #require(CallFrames(sound))
        // The table first has the first function's description for each function, then no entries.
        for isEmpty in [false, true] {
            var bytes = try readFile(path)
            let first = Array(bytes[table.lowerBound + 16..<table.lowerBound + 20])
            for position in stride(from: table.lowerBound + 24, to: table.upperBound - 3, by: 8) {
                bytes.replaceSubrange(position..<position + 4, with: first)
            }
            if isEmpty { bytes.replaceSubrange(table.lowerBound + 8..<table.lowerBound + 12, with: [0, 0, 0, 0]) }
            let file = try MappedFile(bytes: bytes.span.rawBytes, name: "changed")
            let frames = try #require(try ObjectFiles.openAll(file).first.flatMap { CallFrames($0) })
            for range in ranges {
                let rules = try #require(frames.rules(at: range.lowerBound))
                #expect(rules.function == range)
                #expect(rules.frame == expected.rules(at: range.lowerBound)?.frame)
            }
        }
    }
}
