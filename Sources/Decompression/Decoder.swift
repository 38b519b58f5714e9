/// Decodes one compressed format from its beginning to its end, in pieces of any size.
///
/// The bytes come from outside: for any input, a decoder reads no more than `input` and writes no
/// more than `output`.
package protocol Decoder: AnyObject {
    /// Decodes from the front of `input` into the front of `output`.
    /// - Returns: the progress. Nothing consumed and nothing produced, and not at the end: it
    ///   needs more input.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep

    /// Bytes that the last call wrote, also if it threw: those decoded before the damage.
    var written: Int { get }

    /// A decoder that continues from the same position; `nil` if the format's library cannot.
    func copy() -> (any Decoder)?
}

extension Decoder {
    package var written: Int { 0 }
    package func copy() -> (any Decoder)? { nil }
}

/// Progress of one decoding step, in bytes.
package struct DecodingStep {
    package var consumed: Int
    package var produced: Int
    /// The format's own end was reached. A further frame may follow where the format allows it
    /// (Zstandard).
    package var isAtEnd: Bool
}

package enum DecodingFailure: Error {
    /// The bytes are damaged, with the reason.
    case damaged(String)
    case outOfMemory
}
