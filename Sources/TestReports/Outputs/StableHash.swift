/// A hash that is the same on every machine, in every run and every version: FNV-1a of 64 bits, in
/// 16 hexadecimal digits.
package enum StableHash {
    /// - Parameter start: the offset basis; another one gives a hash that is independent of the
    ///   first.
    package static func text(_ text: String, start: UInt64 = 0xcbf2_9ce4_8422_2325) -> String {
        let value = text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
