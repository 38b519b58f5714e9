internal import BinaryPrimitives
internal import Console

/// `@FILE` among a GNU tool's arguments: the arguments in the file replace it (`expandargv` of
/// libiberty). White space parts them; quotes of both kinds and backslashes keep it. A file that
/// cannot be read leaves its argument as it is.
enum ResponseFiles {
    /// Maximum number of files that are read; further ones stay as they are.
    private static let maxFiles = 2000

    /// A directory cannot be read as arguments.
    struct IsDirectory: Error {}

    static func expand(_ arguments: [String]) throws(IsDirectory) -> [String] {
        guard arguments.contains(where: { $0.hasPrefix("@") }) else { return arguments }
        var rest = Array(arguments.reversed())
        var result: [String] = []
        var count = 0
        while let argument = rest.popLast() {
            guard argument.hasPrefix("@"), count < maxFiles else {
                result.append(argument)
                continue
            }
            count += 1
            let path = String(argument.dropFirst())
            let kind = PathKind(path: path)
            if kind == .directory { throw IsDirectory() }
            guard kind != nil, let bytes = try? readInput(path) else {
                result.append(argument)
                continue
            }
            rest += Self.arguments(in: bytes.span).reversed()
        }
        return result
    }

    static func arguments(in text: Span<UInt8>) -> [String] {
        var result: [String] = []
        var rest = text
        rest.skipSpaces()
        while !rest.isEmpty {
            result.append(readWord(&rest))
            rest.skipSpaces()
        }
        return result
    }

    private static func readWord(_ text: inout Span<UInt8>) -> String {
        var word: [UInt8] = []
        var quote: UInt8?
        var index = 0
        while index < text.count {
            let byte = text[index]
            let isSpace = byte == UInt8(ascii: " ") || (byte >= 9 && byte <= 13)
            if isSpace, quote == nil { break }
            index += 1
            if byte == UInt8(ascii: "\\") {
                // A backslash keeps the next character unchanged, in quotes too.
                if let next = text.at(index) { word.append(next) }
                index += 1
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else {
                word.append(byte)
            }
        }
        text = text.from(index)
        return String(decoding: word, as: UTF8.self)
    }
}
