/// The name that Microsoft's symbol servers have for a PE image: eight digits of its timestamp, then its size in memory
/// ("SymSrv", `4BA9B29C180000`).
package enum CodeIdentifier {
    package static func text(timestamp: UInt32, size: UInt32) -> String {
        let digits = String(timestamp, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits + String(size, radix: 16)
    }
}
