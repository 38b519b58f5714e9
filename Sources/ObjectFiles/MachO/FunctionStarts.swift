internal import BinaryPrimitives

/// `LC_FUNCTION_STARTS`: starts of the functions of `__TEXT`, as ULEB128 distances, the first from
/// the segment's address, up to a zero. (`ld64` writes them; `dyld_info -function_starts` prints
/// them.)
enum FunctionStarts {
    /// - Returns: the addresses, ascending, and what stopped the list early, if something did.
    static func decode(
        _ bytes: RawSpan, from base: LinkAddress, clearingThumbBit: Bool
    ) -> (addresses: [LinkAddress], problem: String?) {
        var bytes = bytes
        var addresses: [LinkAddress] = []
        var position = base
        while bytes.byteCount > 0 {
            guard let distance = try? bytes.readULEB128(), let next = position.advanced(by: distance) else {
                return (addresses, "the function starts are damaged after \(addresses.count) entries")
            }
            if distance == 0 { break }
            position = next
            // The distances carry the Thumb bit of each address.
            addresses.append(clearingThumbBit ? LinkAddress(position.value & ~1) : position)
        }
        return (addresses, nil)
    }
}
