internal import BinaryPrimitives

/// Reads the fields of single records, each from its line, after its keyword. A line that lacks a field is not
/// a record.
enum BreakpadRecord {
    /// `MODULE system architecture id name`.
    static func module(_ fields: Span<UInt8>) -> BreakpadFile.Module? {
        var rest = fields
        let system = rest.readToken().text
        rest.skipBlanks()
        let architecture = rest.readToken().text
        rest.skipBlanks()
        let id = rest.readToken().text
        guard !system.isEmpty, !id.isEmpty else { return nil }
        return BreakpadFile.Module(
            system: system, architecture: self.architecture(architecture), debugID: id, name: rest.trimmed().text)
    }

    /// Breakpad has its own name for one processor; `unknown` means that none is given.
    private static func architecture(_ name: String) -> Architecture? {
        switch name {
        case "x86": .i386
        case "unknown", "": nil
        default: Architecture(name)
        }
    }

    /// Reads `FUNC [m] address size parameter-size name`; the name's position counts from the start of
    /// `fields`. `m` says that several symbols have this code.
    static func function(_ fields: Span<UInt8>) -> (address: UInt64, size: UInt64, name: Int)? {
        var rest = fields
        skipMark(&rest)
        guard let address = hexadecimal(&rest), let size = hexadecimal(&rest), hexadecimal(&rest) != nil else { return nil }
        return (address, size, fields.count - rest.count)
    }

    /// `PUBLIC [m] address parameter-size name`.
    static func symbol(_ fields: Span<UInt8>) -> (address: UInt64, name: Int)? {
        var rest = fields
        skipMark(&rest)
        guard let address = hexadecimal(&rest), hexadecimal(&rest) != nil else { return nil }
        return (address, fields.count - rest.count)
    }

    /// `FILE number path`, `INLINE_ORIGIN number name`.
    static func numbered(_ fields: Span<UInt8>) -> (number: UInt64, text: Int)? {
        var rest = fields
        guard let number = decimal(&rest) else { return nil }
        return (number, fields.count - rest.count)
    }

    /// `STACK CFI INIT address size rules`.
    static func frame(_ fields: Span<UInt8>) -> (address: UInt64, size: UInt64)? {
        var rest = fields
        guard let address = hexadecimal(&rest), let size = hexadecimal(&rest) else { return nil }
        return (address, size)
    }

    struct Line {
        var address: UInt64
        var size: UInt64
        var line: UInt64
        var file: UInt64
    }

    /// `address size line file`.
    static func line(_ fields: Span<UInt8>) -> Line? {
        var rest = fields
        guard let address = hexadecimal(&rest), let size = hexadecimal(&rest), let line = decimal(&rest), let file = decimal(&rest) else {
            return nil
        }
        return Line(address: address, size: size, line: line, file: file)
    }

    struct Inline {
        var depth: UInt64
        var line: UInt64
        /// `nil` in records of 2021's dumpers, which did not give it.
        var file: UInt64?
        var origin: UInt64
    }

    /// `INLINE depth call-line call-file origin [address size]…`, if one of the ranges holds an
    /// address. Without the call's file the fields are odd in number
    /// (`SymbolParseHelper::ParseInline`).
    static func inline(_ fields: Span<UInt8>, covering address: UInt64) -> Inline? {
        var rest = fields
        var count = 0
        var word = rest
        word.skipBlanks()
        while word.count > 0 {
            _ = word.readToken()
            word.skipBlanks()
            count += 1
        }
        guard let depth = decimal(&rest), let line = decimal(&rest) else { return nil }
        var file: UInt64?
        if count % 2 == 0 {
            guard let number = decimal(&rest) else { return nil }
            file = number
        }
        guard let origin = decimal(&rest) else { return nil }
        while let start = hexadecimal(&rest), let size = hexadecimal(&rest) {
            if address >= start, address - start < size { return Inline(depth: depth, line: line, file: file, origin: origin) }
        }
        return nil
    }

    private static func skipMark(_ rest: inout Span<UInt8>) { _ = rest.consume("m ") }

    private static func hexadecimal(_ rest: inout Span<UInt8>) -> UInt64? {
        guard let value = rest.readHexadecimal() else { return nil }
        return endField(&rest) ? value : nil
    }

    private static func decimal(_ rest: inout Span<UInt8>) -> UInt64? {
        guard let value = rest.readDecimal() else { return nil }
        return endField(&rest) ? value : nil
    }

    /// A number ends with a space or the line.
    private static func endField(_ rest: inout Span<UInt8>) -> Bool {
        guard rest.count > 0 else { return true }
        return rest.consume(" ")
    }
}
