internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import Symbolication

/// `NAME=PATH[@BASE]`, as `--image` has it.
enum ImageArgument {
    /// - Throws: `ValidationError` with what is wrong and what was expected.
    static func read(_ text: String) throws -> GivenImage {
        guard let equals = text.firstIndex(of: "=") else { throw wrong(text, "no = in it") }
        let name = String(text[..<equals])
        let rest = text[text.index(after: equals)...]
        // Paths may have an @ of their own, as `icon@2x` has.
        guard let at = rest.lastIndex(of: "@"), PathKind(path: String(rest)) == nil else {
            guard !rest.isEmpty else { throw wrong(text, "the path is empty") }
            return GivenImage(name: name, path: String(rest))
        }
        guard at > rest.startIndex else { throw wrong(text, "the path is empty") }
        guard let base = Numbers.hexadecimal(rest[rest.index(after: at)...]) else {
            throw wrong(text, "\(rest[rest.index(after: at)...]) is not a hexadecimal number of at most 64 bits")
        }
        return GivenImage(name: name, path: String(rest[..<at]), base: RuntimeAddress(base))
    }

    private static func wrong(_ text: String, _ problem: String) -> ValidationError {
        ValidationError("--image \(text): \(problem): expected NAME=PATH or NAME=PATH@BASE")
    }
}
