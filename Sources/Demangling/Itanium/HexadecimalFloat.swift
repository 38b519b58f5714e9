/// A floating-point literal of a mangled name, which has its bytes in hexadecimal, as C's `%a`
/// prints it: exactly, for every size of the type.
struct HexadecimalFloat {
    /// How the bits are laid out.
    enum Format {
        /// IEEE 754: sign and exponent, then the fraction, whose leading 1 is not stored.
        /// `exponentDigits` hexadecimal digits hold sign and exponent.
        case single, double, quadruple
        /// x87's 80 bits: the leading 1 is stored, in the first of sixteen digits.
        case extended

        /// - Parameter digits: hexadecimal digits of the literal. `long double` has as many bits as
        ///   the target that the name was made for.
        init?(_ type: ItaniumWord, digits: Int) {
            switch (type, digits) {
            case (.float, 8): self = .single
            case (.double, 16), (.longDouble, 16): self = .double
            case (.longDouble, 20): self = .extended
            case (.longDouble, 32): self = .quadruple
            default: return nil
            }
        }
    }

    /// The number as glibc writes it.
    /// - Parameter digits: lower-case hexadecimal digits.
    static func text(_ digits: ArraySlice<UInt8>, _ format: Format) -> String {
        let digits = format == .single ? widened(digits) : digits
        let exponentDigits = format == .single || format == .double ? 3 : 4
        let bias = exponentDigits == 3 ? 1023 : 16_383
        guard digits.count > exponentDigits, let head = Int(String(decoding: digits.prefix(exponentDigits), as: UTF8.self), radix: 16)
        else { return "" }
        let sign = head > 2 * bias + 1 ? "-" : ""
        let exponent = head & (2 * bias + 1)

        // The digits before and after the point. glibc puts the first four bits of an x87 mantissa
        // before it.
        var fraction = digits.dropFirst(exponentDigits)
        var leading = exponent == 0 ? "0" : "1"
        var power = max(exponent, 1) - bias
        if format == .extended, let first = fraction.popFirst() {
            leading = String(decoding: [first], as: UTF8.self)
            power -= 3
            // The processor treats a number without its leading 1 as not a number.
            if exponent != 0, first < UInt8(ascii: "8") { return sign + "nan" }
        }
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        if exponent == 2 * bias + 1 {
            return sign + (fraction.isEmpty && (format != .extended || leading == "8") ? "inf" : "nan")
        }
        if leading == "0" && fraction.isEmpty { return sign + "0x0p+0" }
        let point = fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self)
        return sign + "0x" + leading + point + (power < 0 ? "p-" : "p+") + String(power.magnitude)
    }

    /// C prints a `float` as the `double` of the same value.
    private static func widened(_ digits: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let bits = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else { return digits }
        let wide = String(Double(Float(bitPattern: bits)).bitPattern, radix: 16)
        return (String(repeating: "0", count: max(0, 16 - wide.utf8.count)) + wide).utf8.map { $0 }[...]
    }
}
