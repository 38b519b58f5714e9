internal import Crypto

/// What a page's policy names its own style sheet and script by (Content Security Policy Level 3,
/// section 2.3.1).
enum PageHash {
    static func text(of source: String) -> String {
        var hash = SHA256()
        hash.update(data: Array(source.utf8))
        return "sha256-" + base64(Array(hash.finalize()))
    }

    /// RFC 4648, section 4.
    static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - piece.count))
            for place in 0..<4 { text.append(place <= piece.count ? letters[bits >> (18 - 6 * place) & 63] : "=") }
        }
        return text
    }
}
