internal import BinaryPrimitives
internal import ObjectFiles

/// Order of the symbols at one address, of which the best names it: one order for every command.
///
///     __libc_fork (global), __fork (global), fork (weak)      fork
///     bar, foo (global), aaa (weak)                           bar, or the one that the debug information has
///     _stext (no type), startup_64 (function)                 startup_64
///
/// By decreasing importance: a function before a symbol without a type; a function before the name of those that it chooses among when the
/// program starts (an IFUNC, whose address is that of the choosing function); the larger one; one that other files
/// can link against before a local one; a name of the programmer before a reserved one; a global one before a
/// weak one; fewer leading underscores; and, as in LLVM, the last of the table.
///
/// `perf` has nearly the same order (`choose_best_symbol`, tools/perf/util/symbol.c). Reserved
/// names come before the binding, because libraries export their functions as weak symbols beside
/// global ones of their own: `fork` and `__fork` of glibc.
struct SymbolPreference: Comparable {
    private let isFunction: Bool
    private let isIndirect: Bool
    private let size: UInt64
    private let rest: UInt16

    /// - Parameter bytes: the file that the table is in.
    init(_ symbol: Symbol, in bytes: RawSpan, hasUnderscores: Bool) {
        isFunction = symbol.kind == .function
        isIndirect = symbol.isIndirect
        size = symbol.size
        let underscores = Self.underscores(bytes.clamped(to: symbol.name.start(in: bytes, hasUnderscores: hasUnderscores)))
        var rest: UInt16 = symbol.binding == .local ? 0 : 1 << 10
        if underscores == 0 { rest |= 1 << 9 }
        if symbol.binding == .global { rest |= 1 << 8 }
        self.rest = rest | UInt16(255 - min(255, underscores))
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.isFunction != right.isFunction { return right.isFunction }
        if left.isIndirect != right.isIndirect { return left.isIndirect }
        return (left.size, left.rest) < (right.size, right.rest)
    }

    /// Number of underscores at the start of a reserved name. Names that programs call are not reserved
    /// (`__vdso_clock_gettime`, `__kernel_gettimeofday`, vdso(7)), nor are the mangled forms of a programmer's
    /// names: `_ZN4moor5berthEv`, `_RNvC4moor5berth`, `_$s4moor…`, `_D4moor…`.
    private static func underscores(_ name: RawSpan) -> Int {
        var count = 0
        while count < name.byteCount, name.byte(at: count) == UInt8(ascii: "_") { count += 1 }
        if count == 2, name.hasPrefix("__vdso_") || name.hasPrefix("__kernel_") { return 0 }
        guard count == 1, name.byteCount > 2 else { return count }
        let next = name.byte(at: 2)
        switch name.byte(at: 1) {
        case UInt8(ascii: "Z"): return 0
        case UInt8(ascii: "R"): return isUpper(next) || isDigit(next) ? 0 : 1
        case UInt8(ascii: "D"): return isDigit(next) ? 0 : 1
        case UInt8(ascii: "T"): return isDigit(next) || isUpper(next) || isLower(next) ? 0 : 1
        case UInt8(ascii: "$"): return 0
        default: return 1
        }
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}

extension Symbol {
    /// An assembler's label (`.Lloop`, `.L0 ` of RISC-V), a mark of the kind of code (`$x`) or of
    /// gcc's annobin plugin (`.annobin_init.c`): it names no function.
    func isLabel(in bytes: RawSpan) -> Bool {
        guard size == 0, binding == .local, kind == .untyped else { return false }
        let start = bytes.clamped(to: name.start(in: bytes, hasUnderscores: false))
        guard start.byteCount > 0 else { return true }
        let letter = start.byte(at: 0)
        guard letter == UInt8(ascii: "."), start.byteCount > 1 else { return letter == UInt8(ascii: "$") }
        return start.byte(at: 1) == UInt8(ascii: "L") || start.byteCount >= 8 && start.clamped(to: 1..<8).string() == "annobin"
    }
}

extension SymbolName {
    /// The place of a name's first bytes: as many as show of what kind it is. Without the
    /// underscore that compilers put before every name (`ObjectFile.Description.namesHaveUnderscores`).
    fileprivate func start(in bytes: RawSpan, hasUnderscores: Bool) -> Range<Int> {
        guard let first = Int(exactly: position.value), let end = Int(exactly: tableEnd.value), first < min(end, bytes.byteCount) else {
            return 0..<0
        }
        var length = 0
        let available = min(end, bytes.byteCount) - first
        while length < min(available, 64), bytes.byte(at: first + length) != 0 { length += 1 }
        let skipped = hasUnderscores && length > 0 && bytes.byte(at: first) == UInt8(ascii: "_") ? 1 : 0
        return first + skipped..<first + length
    }
}

extension RawSpan {
    fileprivate func hasPrefix(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return byteCount >= length && clamped(to: 0..<length).string() == text.description
    }
}
