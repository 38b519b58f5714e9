package import BinaryPrimitives

/// The `STACK` lines of a Breakpad symbol file, which hold a module's unwind rules as text, and the ranges of
/// its functions (Breakpad, `docs/symbol_files.md`).
///
/// For example, `STACK CFI INIT 1130 25 .cfa: $rsp 8 + .ra: .cfa -8 + ^`. Addresses count from the
/// module's first byte. The lines are looked for when the first address is requested.
package final class BreakpadFrames: Sendable {
    /// A line that covers addresses.
    struct Record: Sendable {
        var range: Range<UInt64>
        /// Range in the file of the text after the address and the size.
        var text: Range<Int>
        /// `STACK WIN`'s type: 0 for a frame without a base pointer, 4 for one with a program;
        /// `nil` for `STACK CFI`.
        var windowsType: UInt64?
    }

    private let file: MappedFile
    private let records: LazyValue<Records>

    /// Records by kind, each sorted by the start.
    private struct Records: Sendable {
        var rules: [Record] = []
        /// `STACK WIN` lines with a program, which have more information than those without.
        var programs: [Record] = []
        var plain: [Record] = []
        /// `FUNC` lines.
        var functions: [Record] = []
    }

    package init(_ file: MappedFile) {
        self.file = file
        records = LazyValue { file.withBytes { Self.records(in: $0.text) } }
    }

    private static func records(in text: Span<UInt8>) -> Records {
        var records = Records()
        var position = 0
        while position < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "\n"), from: position) ?? text.count
            if text[position] == UInt8(ascii: "F"), let function = function(text, position..<end) {
                records.functions.append(function)
            } else if text[position] == UInt8(ascii: "S"), let record = record(text, position..<end) {
                switch record.windowsType {
                case nil: records.rules.append(record)
                case 4: records.programs.append(record)
                case 0: records.plain.append(record)
                default: break
                }
            }
            position = end + 1
        }
        records.rules.sort { $0.range.lowerBound < $1.range.lowerBound }
        records.programs.sort { $0.range.lowerBound < $1.range.lowerBound }
        records.plain.sort { $0.range.lowerBound < $1.range.lowerBound }
        records.functions.sort { $0.range.lowerBound < $1.range.lowerBound }
        return records
    }

    /// `FUNC 1130 25 0 main`, or `FUNC m 1130 25 0 main` where several functions have the same
    /// code.
    private static func function(_ text: Span<UInt8>, _ line: Range<Int>) -> Record? {
        var tokens = BreakpadTokens(line)
        guard tokens.next(in: text, "FUNC") else { return nil }
        _ = tokens.next(in: text, "m")
        guard let start = tokens.number(in: text), let size = tokens.number(in: text), size > 0 else { return nil }
        let (end, overflow) = start.addingReportingOverflow(size)
        return overflow ? nil : Record(range: start..<end, text: tokens.rest)
    }

    /// Whether a function is at an offset; `true` if the file has no sizes of functions.
    func hasFunction(at offset: UInt64) -> Bool {
        let records = records.get()
        if records.functions.isEmpty, records.rules.isEmpty { return true }
        return Self.record(records.functions, holding: offset) != nil || Self.record(records.rules, holding: offset) != nil
    }

    /// The first byte of the function that holds an offset.
    func functionStart(containing offset: UInt64) -> UInt64? {
        Self.record(records.get().functions, holding: offset)?.range.lowerBound
    }

    private static func record(_ text: Span<UInt8>, _ line: Range<Int>) -> Record? {
        var tokens = BreakpadTokens(line)
        guard tokens.next(in: text, "STACK") else { return nil }
        var type: UInt64?
        if tokens.next(in: text, "WIN") {
            guard let value = tokens.number(in: text) else { return nil }
            type = value
        } else {
            guard tokens.next(in: text, "CFI"), tokens.next(in: text, "INIT") else { return nil }
        }
        guard let start = tokens.number(in: text), let size = tokens.number(in: text), size > 0 else { return nil }
        let (end, overflow) = start.addingReportingOverflow(size)
        guard !overflow else { return nil }
        return Record(range: start..<end, text: tokens.rest, windowsType: type)
    }

    /// The last record that begins at or before an address, if it holds it.
    private static func record(_ records: [Record], holding address: UInt64) -> Record? {
        let low = records.partitionPoint { $0.range.lowerBound > address }
        // A block of a function may have a line of its own, inside the function's.
        return records[max(0, low - 8)..<low].last { $0.range.contains(address) }
    }

    /// Returns the rules at an address: names, and the text of each in postfix notation. Later lines replace
    /// earlier rules of the same name.
    func rules(at address: UInt64) -> [String: [String]]? {
        guard let record = Self.record(records.get().rules, holding: address) else { return nil }
        return file.withBytes { bytes in
            let text = bytes.text
            var rules: [String: [String]] = [:]
            Self.add(&rules, text, record.text)
            var position = record.text.upperBound + 1
            // `STACK CFI` lines of the same function follow its first.
            while position < text.count {
                let end = text.firstIndex(of: UInt8(ascii: "\n"), from: position) ?? text.count
                var tokens = BreakpadTokens(position..<end)
                guard tokens.next(in: text, "STACK"), tokens.next(in: text, "CFI"), let start = tokens.number(in: text), start <= address
                else {
                    break
                }
                Self.add(&rules, text, tokens.rest)
                position = end + 1
            }
            return rules
        }
    }

    private static func add(_ rules: inout [String: [String]], _ text: Span<UInt8>, _ range: Range<Int>) {
        var tokens = BreakpadTokens(range)
        var name: String?
        var expression: [String] = []
        while let word = tokens.next(in: text) {
            guard word.hasSuffix(":") else {
                expression.append(word)
                continue
            }
            if let name { rules[name] = expression }
            name = String(word.dropLast())
            expression = []
        }
        if let name { rules[name] = expression }
    }

    /// Returns the `STACK WIN` line of a function of 32-bit Windows.
    func windowsFrame(at address: UInt64) -> BreakpadWindowsFrame? {
        let records = records.get()
        guard let found = Self.record(records.programs, holding: address) ?? Self.record(records.plain, holding: address) else {
            return nil
        }
        return file.withBytes { bytes in
            let text = bytes.text
            var tokens = BreakpadTokens(found.text)
            // Prologue, epilogue, parameters, saved registers, locals, most of the stack, a flag.
            let numbers = (0..<7).compactMap { _ in tokens.number(in: text) }
            guard numbers.count == 7 else { return nil }
            let program: [String]
            if numbers[6] == 1 {
                var list: [String] = []
                while let word = tokens.next(in: text) { list.append(word) }
                program = list
            } else {
                // A function without a program may use the base pointer as an ordinary register, which it
                // saves first.
                program = BreakpadWindowsFrame.program(savesBasePointer: tokens.number(in: text) == 1)
            }
            return BreakpadWindowsFrame(parameters: numbers[2], savedRegisters: numbers[3], locals: numbers[4], program: program)
        }
    }
}

/// Reads the words of a line one after another.
private struct BreakpadTokens {
    private(set) var rest: Range<Int>

    init(_ line: Range<Int>) { rest = line }

    private mutating func nextRange(in text: Span<UInt8>) -> Range<Int>? {
        var position = rest.lowerBound
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") }
        while position < rest.upperBound, isSpace(text[position]) { position += 1 }
        let start = position
        while position < rest.upperBound, !isSpace(text[position]) { position += 1 }
        guard position > start else { return nil }
        rest = position..<rest.upperBound
        return start..<position
    }

    mutating func next(in text: Span<UInt8>) -> String? { nextRange(in: text).map { text.clamped(to: $0).text } }

    /// Skips the next word if it equals `word`.
    mutating func next(in text: Span<UInt8>, _ word: String) -> Bool {
        let before = rest
        if let range = nextRange(in: text), text.clamped(to: range).equals(word) { return true }
        rest = before
        return false
    }

    /// Reads a hexadecimal number.
    mutating func number(in text: Span<UInt8>) -> UInt64? {
        let before = rest
        if let word = next(in: text), let value = UInt64(word, radix: 16) { return value }
        rest = before
        return nil
    }
}

/// A `STACK WIN` line: how 32-bit Windows code is unwound, from a PDB file (Breakpad,
/// `src/processor/windows_frame_info.h`).
struct BreakpadWindowsFrame {
    /// Bytes of the function's parameters, which its caller pushed.
    var parameters: UInt64
    var savedRegisters: UInt64
    var locals: UInt64
    /// Words of a program, such as `$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =`.
    var program: [String]

    /// Program for a line that has none (Breakpad, `src/processor/stackwalker_x86.cc`).
    static func program(savesBasePointer: Bool) -> [String] {
        let returned = "$T0 .raSearchStart = $eip $T0 ^ = $esp $T0 4 + ="
        let saved = " $ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ ="
        return (savesBasePointer ? returned + saved : returned).split(separator: " ").map(String.init)
    }
}
