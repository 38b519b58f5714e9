internal import BinaryPrimitives
internal import ObjectFiles

/// Code that several functions share: identical functions are folded by linkers (`--icf`, Apple's
/// deduplication) and compilers (gcc's `-fipa-icf`, LLVM's merging of functions).
///
///     alpha, gamma_ and beta at 0x1140, lines of alpha's source       alpha, also at gamma_ and beta
///
/// An alias is no other function, and is left out: a weak symbol of C, a library's own names
/// (`__open` of `open64`), and what `FunctionNames` takes for one function's.
extension SymbolNames.Found {
    /// All functions that begin at the symbol's address, the preferred first.
    private var ordered: [Symbol] {
        guard !rivals.isEmpty else { return [symbol] }
        let hasUnderscores = object.description.namesHaveUnderscores
        return object.file.withBytes { bytes in
            let ranked = rivals.enumerated().map { index, symbol in
                (preference: SymbolPreference(symbol, in: bytes, hasUnderscores: hasUnderscores), index: index, symbol: symbol)
            }
            return ranked.sorted { ($0.preference, $0.index) > ($1.preference, $1.index) }.map(\.symbol)
        }
    }

    /// Returns the symbol of the function that the debug information has; `nil` if there is none.
    func symbol(named function: String) -> Symbol? {
        ordered.first { FunctionNames.isSame(name(of: $0).withoutSymbolVersion, as: function) }
    }

    /// The other functions whose code this is, the preferred first.
    func others(than chosen: String) -> [String] {
        guard !rivals.isEmpty else { return [] }
        return SharedCode.others(than: chosen, among: ordered.map { (name(of: $0), $0.binding == .weak) })
    }
}

enum SharedCode: Sendable {
    /// - Parameter symbols: the functions that begin at one address, the preferred first, and
    ///   whether each is a weak symbol.
    static func others(than chosen: String, among symbols: [(name: String, isWeak: Bool)]) -> [String] {
        let chosen = chosen.withoutSymbolVersion
        var others: [String] = []
        for (name, isWeak) in symbols where others.count < maxOthers {
            let name = name.withoutSymbolVersion
            guard !isAlias(name, isWeak: isWeak, of: chosen), !others.contains(where: { isAlias(name, isWeak: false, of: $0) }) else {
                continue
            }
            others.append(name)
        }
        return others
    }

    private static let maxOthers = 16
    /// Maximum number of functions at one address: nobody needs all of a thousand that were folded into one.
    static let maxFunctions = 64

    /// Whether a symbol is an alias of another symbol at its address.
    static func isAlias(_ name: String, isWeak: Bool) -> Bool { isWeak && !FunctionNames.isMangled(name) }

    private static func isAlias(_ name: String, isWeak: Bool, of other: String) -> Bool {
        isAlias(name, isWeak: isWeak) || FunctionNames.isReserved(name) || FunctionNames.isReserved(other)
            || FunctionNames.isSame(name, as: other) || FunctionNames.isSame(other, as: name)
    }
}
