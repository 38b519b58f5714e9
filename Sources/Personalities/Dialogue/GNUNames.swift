internal import BinaryPrimitives
internal import SymbolSources

/// Names as GNU's tools print them, for `--strict-compat`: a function that debug information has by
/// a name of its own is called by that (`check.isra.0.cold` is `check`), and C++ is spelled as
/// libiberty spells it, from LLVM's spelling.
enum GNUNames {
    /// - Parameters:
    ///   - name: the name in `Demangler`'s spelling.
    ///   - file: the source file; `nil` if only a symbol has the name.
    ///   - isDemangled: the name was demangled, if that was possible.
    ///   - isWhole: the debug information has the name including all suffixes of the compiler (link-time
    ///     optimization gives parts linker's names of their own).
    ///     (link-time optimization gives parts linker's names of their own).
    static func append(
        _ bytes: [UInt8], _ name: Range<Int>, file: ArraySlice<UInt8>?, isDemangled: Bool, isWhole: Bool = false,
        to output: inout OutputText
    ) {
        let (stem, suffix) = parts(bytes, name)
        let isRust = file.map { $0.hasSuffix(".rs") } ?? false
        if isDemangled, !isRust {
            appendSpelled(bytes[stem], to: &output)
        } else {
            output.append(bytes, stem)
        }
        guard !suffix.isEmpty, isWhole || !isNamed(bytes[stem], in: file) else { return }
        if bytes[suffix.lowerBound] == UInt8(ascii: ".") {
            output.append(bytes, suffix)
        } else {
            appendClones(bytes[suffix].dropFirst(2).dropLast(), to: &output)
        }
    }

    /// Splits the name from the suffix that the compiler appended to the symbol: `.cold` after a linker's
    /// name, ` (.cold)` after a demangled one.
    private static func parts(_ bytes: [UInt8], _ name: Range<Int>) -> (stem: Range<Int>, suffix: Range<Int>) {
        var index = name.lowerBound + 1
        while index + 1 < name.upperBound {
            // The dots of `f(char...)` belong to the name.
            if bytes[index] == UInt8(ascii: "."), bytes[index + 1] != UInt8(ascii: "."), bytes[index - 1] != UInt8(ascii: ".") {
                let isRead = bytes[index - 1] == UInt8(ascii: "(") && index - 2 > name.lowerBound
                let end = isRead ? index - 2 : index
                return (name.lowerBound..<end, end..<name.upperBound)
            }
            index += 1
        }
        return (name, name.upperBound..<name.upperBound)
    }

    /// Whether debug information has a linker's name for the function: in C its own, in C++ where
    /// it can be called from other files. A demangled name does not show this; of those that are in
    /// a namespace or type most can be.
    private static func isNamed(_ stem: ArraySlice<UInt8>, in file: ArraySlice<UInt8>?) -> Bool {
        guard let file else { return false }
        if file.hasSuffix(".c") || file.hasSuffix(".h") { return true }
        if stem.starts(with: "_Z".utf8) { return !stem.starts(with: "_ZL".utf8) }
        return stem.indices.dropLast().contains { stem[$0] == UInt8(ascii: ":") && stem[$0 + 1] == UInt8(ascii: ":") }
    }

    /// The result in which the function that holds the code is called as debug information calls
    /// it, where it has several symbols: glibc's `__libc_start_main_impl` is also
    /// `__libc_start_main`. perf takes a function for an inlined one where the result has not the
    /// name that it chose itself.
    ///
    /// In C and assembler's code (`__memmove_avx_unaligned_erms` is also
    /// `__memcpy_avx_unaligned_erms`) alone, where debug information has the names that the linker
    /// has. A part keeps its symbol's name (`check.part.0`), and so does a symbol with a version.
    static func renamed(_ result: SymbolResult, debugName: String) -> SymbolResult {
        guard case .found(var frames) = result, let last = frames.last, last.name != debugName, !last.name.isEmpty,
            let file = last.location?.file, [".c", ".h", ".S", ".s"].contains(where: { file.hasSuffix($0) }),
            !last.name.hasPrefix(debugName + "."), !last.name.hasPrefix(debugName + "@"), !last.name.hasPrefix("_Z"),
            !debugName.hasPrefix("_Z")
        else { return result }
        frames[frames.count - 1].name = debugName
        return .found(frames)
    }

    /// `.isra.0.cold` is ` [clone .isra.0] [clone .cold]`: a word with the numbers after it.
    private static func appendClones(_ suffix: ArraySlice<UInt8>, to output: inout OutputText) {
        var isFirst = true
        for part in suffix.split(separator: UInt8(ascii: ".")) {
            if isFirst || !part.allSatisfy({ isDigit($0) }) {
                if !isFirst { output.append("]") }
                output.append(" [clone ")
                isFirst = false
            }
            output.append(UInt8(ascii: "."))
            for byte in part { output.append(byte) }
        }
        if !isFirst { output.append("]") }
    }

    /// `Box<Box<int>>` is `Box<Box<int> >`, `'lambda0'(int)` is `{lambda(int)#2}`.
    private static func appendSpelled(_ name: ArraySlice<UInt8>, to output: inout OutputText) {
        var index = name.startIndex
        while index < name.endIndex {
            let byte = name[index]
            if byte == UInt8(ascii: "'"), let lambda = Lambda(name[index...]) {
                output.append("{lambda")
                appendSpelled(lambda.arguments, to: &output)
                output.append("#")
                output.append(decimal: lambda.number)
                output.append("}")
                index = lambda.arguments.endIndex
                continue
            }
            if byte == UInt8(ascii: ">"), index > name.startIndex, name[index - 1] == UInt8(ascii: ">"),
                !name[..<(index - 1)].hasSuffix("operator")
            {
                output.append(" ")
            }
            output.append(byte)
            index += 1
        }
    }

    /// `'lambda'(int)`, the function's first; `'lambda0'(int)`, its second.
    private struct Lambda {
        var number = 1
        /// With their parentheses.
        var arguments: ArraySlice<UInt8>

        init?(_ text: ArraySlice<UInt8>) {
            let word = Array("'lambda".utf8)
            guard text.starts(with: word) else { return nil }
            var index = text.startIndex + word.count
            let digits = text[index...].prefix { isDigit($0) }
            if !digits.isEmpty { number = digits.reduce(0) { $0 &* 10 &+ Int($1 &- UInt8(ascii: "0")) } &+ 2 }
            index = digits.endIndex
            guard index + 1 < text.endIndex, text[index] == UInt8(ascii: "'"), text[index + 1] == UInt8(ascii: "(") else { return nil }
            let start = index + 1
            var depth = 0
            for position in start..<text.endIndex {
                if text[position] == UInt8(ascii: "(") { depth += 1 }
                if text[position] == UInt8(ascii: ")") { depth -= 1 }
                if depth == 0 {
                    arguments = text[start...position]
                    return
                }
            }
            return nil
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && suffix(text.utf8CodeUnitCount).elementsEqual(text.description.utf8)
    }
}
