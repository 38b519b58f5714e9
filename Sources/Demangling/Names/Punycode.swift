/// RFC 3492's Bootstring as manglings use it for identifiers that are not ASCII: the ASCII
/// characters, `_` (for the RFC's `-`), then where the others go.
enum Punycode {
    /// The identifier in a name of Rust's; `nil` if it is not well-formed. `gdel_5qa` is `gödel`.
    static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        decoded(text) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 97
            case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 22
            default: nil
            }
        }
    }

    /// The same in Swift's, which has `A` to `J` where others have digits, and the lowest
    /// surrogates for ASCII characters that no identifier has.
    static func decodedSwift(_ text: ArraySlice<UInt8>) -> String? {
        decoded(text) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 97
            case UInt8(ascii: "A")...UInt8(ascii: "J"): Int(byte) - 39
            default: nil
            }
        }
    }

    private static func decoded(_ text: ArraySlice<UInt8>, digit: (UInt8) -> Int?) -> String? {
        var scalars: [Unicode.Scalar] = []
        var rest = text
        if let separator = text.lastIndex(of: UInt8(ascii: "_")) {
            scalars = text[..<separator].map { Unicode.Scalar($0) }
            rest = text[(separator + 1)...]
        }
        guard !rest.isEmpty else { return nil }

        // Names for the variables, and the numbers, are the RFC's (section 5 and 6.2).
        let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)
        var n = 0x80
        var i = 0
        var bias = 72
        var isFirst = true
        while !rest.isEmpty {
            let old = i
            var weight = 1
            var k = base
            while true {
                guard let byte = rest.popFirst(), let value = digit(byte) else { return nil }
                i += value * weight
                guard i <= 1 << 32 else { return nil }
                let threshold = min(max(k - bias, tMin), tMax)
                if value < threshold { break }
                weight *= base - threshold
                guard weight <= 1 << 26 else { return nil }
                k += base
            }
            let count = scalars.count + 1
            var delta = isFirst ? (i - old) / damp : (i - old) / 2
            isFirst = false
            delta += delta / count
            k = 0
            while delta > (base - tMin) * tMax / 2 {
                delta /= base - tMin
                k += base
            }
            bias = k + (base - tMin + 1) * delta / (delta + skew)

            n += i / count
            i %= count
            guard n <= 0x10ffff, let scalar = Unicode.Scalar(UInt32(0xd800..<0xd880 ~= n ? n - 0xd800 : n)) else { return nil }
            scalars.insert(scalar, at: i)
            i += 1
        }
        var string = ""
        string.unicodeScalars.append(contentsOf: scalars)
        return string
    }
}
