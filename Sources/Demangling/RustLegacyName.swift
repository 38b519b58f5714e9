internal import BinaryPrimitives

/// A name of rustc's legacy mangling (`rustc_symbol_mangling::legacy`): `_ZN`, path parts each behind its decimal length, the last of them `h` and
/// 16 hexadecimal digits, then `E` and possibly a suffix.
///
/// Example: `_ZN4core3ptr28drop_in_place$LT$$RF$u8$GT$17h0123456789abcdefE` is `core::ptr::drop_in_place<&u8>`.
struct RustLegacyName {
    private var parts: [ArraySlice<UInt8>] = []
    private let hash: ArraySlice<UInt8>
    private let suffix: ArraySlice<UInt8>

    init?(_ name: String.UTF8View) {
        let bytes = Array(name)
        guard let start = ["_ZN", "__ZN"].first(where: { bytes.starts(with: $0.utf8) })?.utf8.count else { return nil }
        var rest = bytes[start...]
        while let digit = rest.first, digit != UInt8(ascii: "E") {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0 else { return nil }
            rest = rest.dropFirst(digits.count)
            guard rest.count > length else { return nil }
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        guard rest.first == UInt8(ascii: "E"), parts.count >= 2, let hash = parts.popLast(), hash.count == 17,
            hash.first == UInt8(ascii: "h"),
            hash.dropFirst().allSatisfy({ hexadecimalValue($0) != nil })
        else { return nil }
        self.hash = hash
        suffix = rest.dropFirst()
        guard suffix.isEmpty || suffix.first == UInt8(ascii: ".") else { return nil }
    }

    /// The path with its escapes undone. LLVM's `.llvm.<number>`, which says only where ThinLTO moved a function, is left out; another suffix is shown.
    func text(withHash: Bool) -> String {
        var path = parts.map(Self.unescaped)
        if withHash { path.append(String(decoding: hash, as: UTF8.self)) }
        let plain = path.joined(separator: "::")
        guard !suffix.isEmpty, !suffix.starts(with: ".llvm.".utf8) else { return plain }
        return plain + " (" + String(decoding: suffix, as: UTF8.self) + ")"
    }

    private static let escapes = ["SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","]

    /// `$LT$` and the like are characters that linkers dislike; `..` is `::`; `$u7b$` is the character of that number; an underscore
    /// stands before a part that would begin with `$`.
    private static func unescaped(_ part: ArraySlice<UInt8>) -> String {
        var rest = part.starts(with: "_$".utf8) ? part.dropFirst() : part
        var text = ""
        while let byte = rest.first {
            if rest.starts(with: "..".utf8) {
                text += "::"
                rest = rest.dropFirst(2)
            } else if byte == UInt8(ascii: "$") {
                let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "$") }
                guard rest.count > name.count + 1, let character = character(String(decoding: name, as: UTF8.self)) else { break }
                text += character
                rest = rest.dropFirst(name.count + 2)
            } else {
                // Runs of other bytes at once, so that UTF-8 sequences stay whole.
                let run = rest.dropFirst().prefix { $0 != UInt8(ascii: "$") && $0 != UInt8(ascii: ".") }
                text += String(decoding: rest.prefix(run.count + 1), as: UTF8.self)
                rest = rest.dropFirst(run.count + 1)
            }
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> String? {
        if let plain = escapes[name] { return plain }
        guard name.first == "u", let number = UInt32(name.dropFirst(), radix: 16), number >= 0x20, let scalar = Unicode.Scalar(number)
        else {
            return nil
        }
        return String(Character(scalar))
    }
}
