package import BinaryPrimitives

/// The names that Apple took out of an app that was sent to it as bitcode: `UUID.bcsymbolmap`.
///
/// Xcode replaced every name by its number before it uploaded the app, and kept this file; the
/// store compiled the app, and the dSYM that it gives back has names like `__hidden#12_`. The
/// file's first line is `BCSymbolMap Version: 2.0`; each further line is a name, the first that of
/// number 0. The names are those of the source: of functions, files, folders.
/// (`SymbolMapTranslator` in dsymutil up to LLVM 14 reads it.)
package final class BCSymbolMap: Sendable {
    private let file: MappedFile
    /// Offsets of the names; then the end of the last one, plus one byte.
    private let starts: [Int]

    /// - Returns: `nil` if the file does not begin like such a map.
    package init?(_ file: MappedFile) {
        let heading = Array("BCSymbolMap Version: 2.0\n".utf8)
        guard file.bytes(in: 0..<heading.count) == heading else { return nil }
        self.file = file
        starts = file.withBytes { bytes in
            var starts = [heading.count]
            for index in heading.count..<bytes.byteCount where bytes.byte(at: index) == UInt8(ascii: "\n") { starts.append(index + 1) }
            if bytes.byte(at: bytes.byteCount - 1) != UInt8(ascii: "\n") { starts.append(bytes.byteCount + 1) }
            return starts
        }
    }

    /// Change of the file since it was opened; `nil` if it is unchanged.
    package var change: FileChange? { file.change }

    /// The number of names.
    package var count: Int { starts.count - 1 }

    /// The name with that number; `nil` if there are not so many.
    func name(_ number: Int) -> String? {
        guard number >= 0, number < count else { return nil }
        let length = min(starts[number + 1] - 1 - starts[number], Limits.standard.nameLength)
        var bytes = file.bytes(in: starts[number]..<starts[number] + length)
        // The compiler's mark of a name that gets no underscore.
        if bytes.first == 1 { bytes.removeFirst() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name or a path with its hidden parts made readable; those with numbers that the map does
    /// not have stay.
    ///
    /// In DWARF a hidden name is `__hidden#12_`, and the map has the name of the source. In the
    /// symbol table it is `__hidden#12_` too, and the map has the symbol's name: `_drain` for the C
    /// function, `-[Tank fill:]` for the method. Whoever takes the compiler's underscore off a
    /// symbol's name leaves `_hidden#12_`: then it is taken off here as well. What follows stays:
    /// `__hidden#12_.cold.1` is `name.cold.1`. A path may be hidden in parts, folder and file:
    /// where the later part is a whole path, it is the path.
    package func revealing(_ text: String) -> String {
        let mark = Array("_hidden#".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count > mark.count else { return text }
        var result: [UInt8] = []
        var copied = 0
        var position = 0
        while position + mark.count < bytes.count {
            guard bytes[position] == mark[0], bytes[position..<position + mark.count].elementsEqual(mark) else {
                position += 1
                continue
            }
            let digits = bytes[(position + mark.count)...].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard digits.endIndex < bytes.count, bytes[digits.endIndex] == UInt8(ascii: "_"),
                let number = Int(String(decoding: digits, as: UTF8.self)), let name = name(number)
            else {
                position += 1
                continue
            }
            let start = position > copied && bytes[position - 1] == UInt8(ascii: "_") ? position - 1 : position
            result += bytes[copied..<start]
            if name.utf8.first == UInt8(ascii: "/"), result.last == UInt8(ascii: "/") { result = [] }
            result += name.utf8.dropFirst(start == position && name.hasPrefix("_") ? 1 : 0)
            position = digits.endIndex + 1
            copied = position
        }
        return copied == 0 ? text : String(decoding: result + bytes[copied...], as: UTF8.self)
    }
}
