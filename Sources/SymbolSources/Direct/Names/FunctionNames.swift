internal import BinaryPrimitives

/// Which names mean one function, where a symbol table and debug information call it differently.
enum FunctionNames {
    /// Whether a symbol names the function that the debug information describes at its address.
    ///
    ///     fib              fib          the same
    ///     fib.cold         fib          a part, or a clone, of gcc's and LLVM's: `.isra.0`, `.constprop.0`, `.llvm.4711`
    ///     fork             __libc_fork  a library's own name for what it exports
    ///     _ZN4BoatC1Ev     _ZN4BoatC2Ev constructors that are one function (Itanium C++ ABI, 5.1.4.3)
    ///     _ZN4moor3fibEv   fib          debug information without linkage names (clang's `-gline-tables-only`)
    ///
    /// - Parameters:
    ///   - symbol: name of the symbol, without a version.
    ///   - function: name of the function: its linkage name, else its plain one.
    static func isSame(_ symbol: String, as function: String) -> Bool {
        isSame(Array(function.utf8), symbol: Array(symbol.utf8))
    }

    private static func isSame(_ function: [UInt8], symbol: [UInt8]) -> Bool {
        guard !symbol.isEmpty, !function.isEmpty else { return false }
        if symbol.count == function.count { return symbol.elementsEqual(function) || areVariants(symbol, function) }
        if symbol.count > function.count, symbol[function.count] == UInt8(ascii: "."), symbol.starts(with: function) { return true }
        if isReserved(function), symbol.count > 1, function.reversed().starts(with: symbol.reversed()) { return true }
        return isMangled(symbol) && !isMangled(function) && contains(symbol, plain: function)
    }

    /// `C1` and `C2`, `D0` to `D2`, somewhere in names that are equal otherwise.
    private static func areVariants(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference: Int?
        for index in one.indices where one[index] != other[index] {
            guard difference == nil else { return false }
            difference = index
        }
        guard let index = difference, index > 0, isDigit(one[index]), isDigit(other[index]), isMangled(one) else { return false }
        return one[index - 1] == UInt8(ascii: "C") || one[index - 1] == UInt8(ascii: "D")
    }

    /// Reserved for the implementation (C11, 7.1.3), and nothing that a compiler made of a
    /// programmer's name.
    private static func isReserved(_ name: [UInt8]) -> Bool { name.first == UInt8(ascii: "_") && !isMangled(name) }

    static func isReserved(_ name: String) -> Bool { isReserved(Array(name.utf8.prefix(4))) }

    static func isMangled(_ name: String) -> Bool { isMangled(Array(name.utf8.prefix(4))) }

    private static func isMangled(_ name: [UInt8]) -> Bool {
        guard name.count > 3 else { return false }
        if name[0] == UInt8(ascii: "$") { return name[1] == UInt8(ascii: "s") || name[1] == UInt8(ascii: "S") }
        guard name[0] == UInt8(ascii: "_") else { return false }
        return name[1] == UInt8(ascii: "Z") || name[1] == UInt8(ascii: "R") && name[2] != UInt8(ascii: "_")
    }

    /// Whether a mangled name has the plain one as a source name: `4moor`. What is in angle
    /// brackets is mangled otherwise.
    private static func contains(_ symbol: [UInt8], plain: [UInt8]) -> Bool {
        let end = plain.firstIndex(of: UInt8(ascii: "<")) ?? plain.count
        // Operators, conversions and constructors have codes instead of names.
        guard end > 0, plain[..<end].allSatisfy({ isDigit($0) || isLetter($0) }) else { return true }
        let wanted = Array("\(end)".utf8) + plain[..<end]
        guard wanted.count <= symbol.count else { return false }
        return (0...symbol.count - wanted.count).contains { symbol[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "_")
    }
}
