internal import BinaryPrimitives

/// The plain form of a Rust name of RFC 2603; `nil` if it is not well-formed or excessive.
/// - Parameters:
///   - start: Position of `_R`, after Mach-O's underscore.
///   - isFull: with crate hashes and the types of constants.
func demangleRustV0(_ name: [UInt8], from start: Int, isFull: Bool, limits: Limits) -> String? {
    var reader = RustV0Reader(NameCursor(name), start: start + 2, isFull: isFull, limits: limits)
    guard (try? reader.symbolName()) != nil else { return nil }
    guard let suffix = RustSuffix.text(name[reader.cursor.position...]) else { return nil }
    return String(decoding: reader.output, as: UTF8.self) + suffix
}
