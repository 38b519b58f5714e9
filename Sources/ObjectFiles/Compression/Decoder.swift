/// Decodes one compressed format from its beginning to its end, in pieces of any size.
///
/// The bytes come from outside: whatever they say, a decoder reads no more than `input` and writes no more than `output`.
protocol Decoder: AnyObject {
    /// Decodes from the front of `input` into the front of `output`.
    /// - Returns: how far it came. Nothing consumed and nothing produced, and not at the end: it needs more input.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep

    /// A decoder that goes on from the same place; `nil` if the format's library cannot.
    func copy() -> (any Decoder)?
}

extension Decoder {
    func copy() -> (any Decoder)? { nil }
}

/// How far a decoder came: bytes.
struct DecodingStep {
    var consumed: Int
    var produced: Int
    /// The format's own end was reached. A further frame may follow where the format allows it (Zstandard).
    var isAtEnd: Bool
}

enum DecodingFailure: Error {
    /// The decoder refuses the bytes: what is wrong with them.
    case damaged(String)
    case outOfMemory
}
