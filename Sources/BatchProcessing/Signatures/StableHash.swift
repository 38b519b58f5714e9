/// A hash that is the same on every machine, in every run and every version: FNV-1a of 64 bits, in 16 hexadecimal digits.
enum StableHash {
    static func value(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    static func text(_ text: String) -> String {
        let digits = String(value(text), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
