internal import BinaryPrimitives

/// Names of Free Pascal: `UNIT_$$_NAME`, with the types of the parameters and of the result after
/// it. The compiler writes Pascal's names in capital letters, and so do its own backtraces.
///
/// | symbol | name |
/// |---|---|
/// | `STOCK_$$_PRICE$LONGINT$$LONGINT` | `STOCK.PRICE` |
/// | `P$SHOP_$$_HELPER$LONGINT` (of a program) | `SHOP.HELPER` |
/// | `STOCK$_$TSTOCK_$__$$_SELL$LONGINT$ANSISTRING` | `STOCK.TSTOCK.SELL` |
/// | `STOCK$_$OUTER_NAME$LONGINT_$$_NESTED` | `STOCK.OUTER_NAME.NESTED` |
enum PascalName {
    /// The plain form; `nil` if the name is not certainly that of a procedure.
    static func text(_ bytes: [UInt8], from start: Int) -> String? {
        let name = bytes[start...]
        guard let mark = lastMark(in: name) else { return nil }
        let parameters = name[(mark + 4)...]
        guard let own = head(of: parameters), parameters.allSatisfy({ isIdentifier($0) || $0 == UInt8(ascii: "$") }) else {
            return nil
        }
        var scope = name[..<mark]
        if scope.starts(with: "P$".utf8) { scope = scope.dropFirst(2) }
        let unit = scope.prefix(while: isName)
        guard isPascalIdentifier(unit) else { return nil }
        scope = scope[unit.endIndex...]
        var path = [unit]
        if !scope.isEmpty {
            guard scope.starts(with: "$_$".utf8) else { return nil }
            scope = scope.dropFirst(3)
            // A class, and classes in it, each before `_$_`.
            while let end = firstClassMark(in: scope) {
                guard let type = head(of: scope[..<end]) else { return nil }
                path.append(type)
                scope = scope[(end + 3)...]
            }
            // A procedure that holds this one, with its own parameters. One level more is not
            // separated from their types.
            if !scope.isEmpty {
                guard let outer = head(of: scope), !scope[outer.endIndex...].contains(UInt8(ascii: "_")) else { return nil }
                path.append(outer)
            }
        }
        return (path + [own]).map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// Position of the last `_$$_`.
    private static func lastMark(in name: ArraySlice<UInt8>) -> Int? {
        name.dropLast(3).indices.last { name[$0..<$0 + 4].elementsEqual("_$$_".utf8) }
    }

    private static func firstClassMark(in scope: ArraySlice<UInt8>) -> Int? {
        scope.dropLast(2).indices.first { scope[$0..<$0 + 3].elementsEqual("_$_".utf8) }
    }

    /// The identifier before the first dollar.
    private static func head(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let head = text.prefix { $0 != UInt8(ascii: "$") }
        return isPascalIdentifier(head) ? head : nil
    }

    private static func isPascalIdentifier(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, !isDigit(first) else { return false }
        return text.allSatisfy(isName)
    }

    private static func isName(_ byte: UInt8) -> Bool { isCapital(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
