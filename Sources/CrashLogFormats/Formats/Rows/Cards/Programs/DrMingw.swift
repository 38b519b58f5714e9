internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Reports of DrMingw's exception handler (`exchndl.dll`: `PROGRAM.RPT`; `drmingw`, `catchsegv`), as `src/common/log.cpp` writes them:
    ///
    ///     tide.exe caused an Access Violation at location 0000000382A41374 in module quay.dll Writing to location 0000000000000000.
    ///
    ///     AddrPC           Params
    ///     0000000382A41374 0000000000000000 0000000000000000 0000000000000000  quay.dll!0x1374                  from the module's first byte
    ///     0000000140001834 0000000000000003 0000000000000000 0000000000000000  tide.exe!back+0x14  [/src/tide.c:74]
    ///         73:     volatile int k = n;                                                                       the source, where it is there
    ///     >   74:     int r = drop(k + 1);
    ///
    ///     0000000140000000-0000000140012000 tide.exe
    ///     0000000170000000-0000000170361000 ntdll.dll   	6.1.7601.24059
    ///
    /// Addresses are those of `StackWalk64` as they are: the program counter, and return addresses; names and lines are looked up one byte
    /// before these (`nudge`). Up to 0.8 a module's first byte was subtracted without its upper half (`!0x300001374`), and names had no
    /// offset; up to 0.9.11 lines were `[/src/tide.c @ 74]`.
    static let drMingw = StackCard(
        name: "drmingw",
        summary: "DrMingw’s reports of Windows programs: “caused an Access Violation at location”",
        openings: [
            .inLine(" caused a", isCertain: true) { DrMingwText.exception($0) != nil },
            .start("AddrPC   "),
        ]
            + [".exe!", ".dll!", ".EXE!", ".DLL!"].map { .inLine($0) { DrMingwText.isRow($0) } },
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 64,
        maxUnrecognizedLinesInside: 1,
        hasOwnRows: true,
        claimsLine: { DrMingwText.isRow($0) },
        read: DrMingwText.read,
        readRow: DrMingwText.row,
        writeResult: DrMingwText.writeResult,
        finish: DrMingwText.assignImages)
}

private enum DrMingwText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        if let found = exception(line) { return .several([.heading(), .cause(found.cause), .architecture(found.architecture)]) }
        if let image = module(line) { return .image(image) }
        if line.hasPrefix("AddrPC   ") {
            // As wide as an address.
            return .architecture(line.hasPrefix("AddrPC           ") ? .x86_64 : .i386)
        }
        return isSource(line) || line.trimmed().isEmpty ? .skipped : nil
    }

    /// `    35:     volatile int k = n;`, `>   37:         *nowhere = n;`
    private static func isSource(_ line: Span<UInt8>) -> Bool {
        var rest = line
        _ = rest.consume(">")
        rest.skipBlanks()
        return line.count - rest.count >= 1 && rest.readDecimal() != nil && rest.consume(":")
    }

    /// `tide.exe caused an Integer division by zero at location 0000000140001374 in module quay.dll.`
    static func exception(_ line: Span<UInt8>) -> (cause: CrashCause, architecture: Architecture)? {
        let text = line.trimmed()
        guard let caused = text.firstRange(of: " caused a"), caused.lowerBound > 0, let mark = text.firstRange(of: " at location "),
            mark.lowerBound > caused.upperBound
        else { return nil }
        var name = text.clamped(to: caused.upperBound..<mark.lowerBound)
        _ = name.consume("n")
        guard name.consume(" "), !name.isEmpty else { return nil }
        var rest = text.from(mark.upperBound)
        let before = rest.count
        guard rest.readHexadecimal() != nil else { return nil }
        let digits = before - rest.count
        guard digits == 8 || digits == 16, rest.hasPrefix(".") || rest.hasPrefix(" in module ") || rest.hasPrefix(" ") else { return nil }
        var cause = CrashCause(kind: .other)
        // `Unknown [0xE0001234] Exception`
        cause.type = name.text
        cause.message = text.from(caused.lowerBound + 1).text
        // `Writing to location …` behind the location of the instruction.
        cause.address = rest.lastRange(of: " location ").flatMap { rest.from($0.upperBound).leadingHexadecimal }.map { RuntimeAddress($0) }
        return (cause, digits == 16 ? .x86_64 : .i386)
    }

    /// `0000000170000000-0000000170361000 ntdll.dll   <tab>6.1.7601.24059`
    private static func module(_ line: Span<UInt8>) -> BinaryImage? {
        var rest = line
        guard let start = readAddress(&rest), rest.consume("-"), let end = readAddress(&rest), start < end, rest.consume(" ")
        else { return nil }
        let name = rest.upTo(rest.firstIndex(of: UInt8(ascii: "\t")) ?? rest.count).trimmed()
        guard !name.isEmpty else { return nil }
        return BinaryImage(name: name.text, base: RuntimeAddress(start), size: end - start)
    }

    /// Reads an address with all of its digits: 8 or 16.
    private static func readAddress(_ text: inout Span<UInt8>) -> UInt64? {
        var rest = text
        guard let value = rest.readHexadecimal(), case let digits = text.count - rest.count, digits == 8 || digits == 16 else { return nil }
        text = rest
        return value
    }

    /// Whether a line alone shows that it is a row: dumps of bytes have four numbers and a text, too.
    static func isRow(_ line: Span<UInt8>) -> Bool {
        guard let module = row(line)?.module else { return false }
        let name = line.clamped(to: module).text.lowercased()
        return name.hasSuffix(".exe") || name.hasSuffix(".dll")
    }

    static func row(_ line: Span<UInt8>) -> StackRow? {
        var rest = line
        rest.skipBlanks()
        let start = line.count - rest.count
        guard let address = readAddress(&rest) else { return nil }
        let width = line.count - rest.count - start
        for _ in 0..<3 {
            let before = rest.count
            guard rest.consume(" "), readAddress(&rest) != nil, before - rest.count == width + 1 else { return nil }
        }
        var row = StackRow(number: nil, in: start..<line.count, address: address, addressRange: start..<start + width)
        let text = rest.trimmed()
        guard !text.isEmpty else { return row }
        guard rest.consume("  ") else { return nil }
        let module = line.count - rest.count
        guard let mark = rest.firstIndex(of: UInt8(ascii: "!")), mark > 0 else { return nil }
        row.module = module..<module + mark
        var remaining = (module + mark + 1..<line.count).trimmed(in: line)
        var offset = line.clamped(to: remaining)
        if offset.hasPrefix("0x"), let value = offset.readAddress(), offset.isEmpty {
            // No image of Windows has 4 GB.
            row.moduleOffset = value & 0xffff_ffff
            row.base = address >= value & 0xffff_ffff ? address - value & 0xffff_ffff : nil
            return row
        }
        readLocation(&row, line, &remaining)
        if line.clamped(to: remaining).hasSuffix(RowResult.inlined) {
            row.isInlined = true
            remaining = remaining.lowerBound..<remaining.upperBound - RowResult.inlined.utf8.count
        }
        let symbol = line.clamped(to: remaining)
        var length = symbol.count
        if let plus = symbol.lastRange(of: "+0x") {
            row.symbol.offset = symbol.from(plus.upperBound).leadingHexadecimal
            length = plus.lowerBound
        }
        if length > 0 { row.symbol.name = remaining.lowerBound..<remaining.lowerBound + length }
        return row
    }

    /// `  [/src/tide.c:74]`, `  [/src/tide.c @ 74]`
    private static func readLocation(_ row: inout StackRow, _ line: Span<UInt8>, _ remaining: inout Range<Int>) {
        let text = line.clamped(to: remaining)
        guard text.hasSuffix("]"), let open = text.lastRange(of: "  [") else { return }
        let inside = text.clamped(to: open.upperBound..<text.count - 1)
        let start = remaining.lowerBound + open.upperBound
        if let at = inside.lastRange(of: " @ "), let number = inside.from(at.upperBound).decimal.flatMap({ Int(exactly: $0) }) {
            row.set(SourceLocation(file: inside.upTo(at.lowerBound).text, line: number), at: start)
        } else if let location = SourceLocationText.read(inside) {
            row.set(location, at: start)
        } else {
            return
        }
        remaining = remaining.lowerBound..<remaining.lowerBound + open.lowerBound
    }

    /// Writes the name and the source location as the handler does; inlined calls are rows above.
    static func writeResult(_ line: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(line), let module = row.module else { return nil }
        return RowResult(
            range: module.upperBound..<(0..<line.count).trimmed(in: line).upperBound,
            functions: result.functions.map { function in
                let offset = function.isInlined ? "" : function.offset.map { "+0x" + hexadecimal($0, digits: 0) } ?? ""
                let location = function.location.map { "  [" + SourceLocationText.text($0) + "]" } ?? ""
                return "!" + PlainText.line(function.name) + offset + (function.isInlined ? RowResult.inlined : "") + location
            })
    }

    /// Assigns frames to the modules of the list by their addresses.
    static func assignImages(in report: inout CrashReport) {
        report.platform = "Windows"
        for index in report.images.indices { report.images[index].architecture = report.images[index].architecture ?? report.architecture }
        let sorted = SortedImages(report.images)
        report.changeStacks { stack in
            for index in stack.frames.indices {
                if let image = stack.frames[index].address.flatMap({ sorted.index(containing: $0) }) { stack.frames[index].image = image }
                // The handler's own line is of the build that crashed; the function's name alone may be another build's.
                if case .symbol? = stack.frames[index].imageLocation, stack.frames[index].printed?.location != nil {
                    stack.frames[index].imageLocation = nil
                }
            }
        }
    }
}
