/// Bytes on their way to a terminal, made such that none moves its cursor, sets its title or its
/// clipboard, queries it, or reorders text.
///
/// Lines and tabs stay, and colours if wanted; harmless UTF-8 stays. Everything else is shown: a
/// character as `\u{1b}`, a byte that is not UTF-8 and may be a control character of a terminal
/// with another encoding as `\x9b`. Bytes may come in pieces: a possible beginning of a character
/// or of a colour waits for the rest.
package struct TerminalText: Sendable {
    private let keepsColors: Bool
    private var waiting: [UInt8] = []

    /// Maximum length in bytes of a colour sequence (`ESC [ 1 ; 38 ; 5 ; 200 m`, ECMA-48, SGR);
    /// longer sequences are not colours.
    private static let colorLimit = 32

    /// - Parameter keepsColors: colours pass, and nothing else that terminals know.
    package init(keepsColors: Bool) { self.keepsColors = keepsColors }

    /// - Parameters:
    ///   - isEnd: no bytes follow that could complete the pending ones.
    ///   - output: the safe bytes are appended to it.
    package mutating func append(_ bytes: [UInt8], isEnd: Bool, to output: inout [UInt8]) {
        let all = waiting + bytes
        waiting.removeAll()
        var index = 0
        while index < all.count {
            let byte = all[index]
            switch byte {
            case 0x20..<0x7F, 0x0A, 0x09:
                output.append(byte)
                index += 1
            case 0x0D, 0x1B, 0x80...:
                guard let length = length(in: all, at: index, isEnd: isEnd) else {
                    waiting = Array(all[index...])
                    return
                }
                pass(all[index..<index + length], to: &output)
                index += length
            default:
                pass(all[index...index], to: &output)
                index += 1
            }
        }
    }

    /// Number of bytes that belong together: a line ending, a colour, a character; 1 for any other
    /// byte.
    /// - Returns: `nil` if more bytes are needed to decide.
    private func length(in bytes: [UInt8], at start: Int, isEnd: Bool) -> Int? {
        let next = start + 1
        switch bytes[start] {
        case 0x0D:
            if next == bytes.count { return isEnd ? 1 : nil }
            return bytes[next] == 0x0A ? 2 : 1
        case 0x1B:
            guard keepsColors else { return 1 }
            if next == bytes.count { return isEnd ? 1 : nil }
            guard bytes[next] == UInt8(ascii: "[") else { return 1 }
            var index = next + 1
            while index < bytes.count, index - start < Self.colorLimit {
                switch bytes[index] {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"), UInt8(ascii: ":"): index += 1
                case UInt8(ascii: "m"): return index + 1 - start
                default: return 1
                }
            }
            return index == bytes.count && !isEnd ? nil : 1
        case let first:
            let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
            guard (0xC2..<0xF5).contains(first) else { return 1 }
            for index in next..<start + count {
                guard index < bytes.count else { return isEnd ? 1 : nil }
                guard bytes[index] & 0xC0 == 0x80 else { return 1 }
            }
            return count
        }
    }

    /// Writes what belongs together, as it is or as it can be shown.
    private func pass(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        guard let first = bytes.first else { return }
        if bytes.count > 1, first < 0x80 {
            output += bytes
        } else if let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first {
            if PlainText.isUnsafe(scalar) { output += "\\u{\(String(scalar.value, radix: 16))}".utf8 } else { output += bytes }
        } else {
            // No UTF-8: as Latin-1 the upper half is letters, the lower controls.
            for byte in bytes { if byte < 0xA0 { output += "\\x\(String(byte, radix: 16))".utf8 } else { output.append(byte) } }
        }
    }
}
