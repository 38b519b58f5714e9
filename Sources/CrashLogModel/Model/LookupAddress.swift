public import BinaryPrimitives

/// How return addresses are handled: `--adjust`.
public enum ReturnAddressAdjustment: String, Sendable, CaseIterable {
    /// By each frame's kind, which its format decided.
    case auto
    /// Every frame is treated as a return address.
    case always
    /// Every address is looked up as it is.
    case never
}

/// The one rule of return addresses: the call is one byte before.
///
/// A return address points past the call. If the call is a function's last instruction (it never returns), that is already the next
/// function; and if it is a line's last, it is already the next line. One byte less is inside the call instruction, on every
/// architecture, and looking up an address inside an instruction finds that instruction's row.
package enum ReturnAddress {
    /// An address inside of the call. Zero, which no call is before, stays.
    /// - Parameter address: in any address space: of a process, of a file as linked, an offset into an image.
    package static func call(before address: UInt64) -> UInt64 { address == 0 ? 0 : address - 1 }
}

extension Frame {
    /// The address that is looked up for this frame, as outputs show it and as its image is chosen: that of its call (`ReturnAddress`),
    /// where it is a return address. On 32-bit ARM the lowest bit marks Thumb code and is cleared first. Symbols are asked for the same
    /// position in the image, by `LocationLookup` in Symbolication.
    ///
    /// - Parameters:
    ///   - hasThumbBit: the frame's architecture is 32-bit ARM.
    ///   - adjustment: `auto` unless the user overrides it.
    /// - Returns: `nil` if the frame has no address, or if address zero would be adjusted.
    public func lookupAddress(hasThumbBit: Bool = false, adjustment: ReturnAddressAdjustment = .auto) -> RuntimeAddress? {
        guard let address else { return nil }
        let even = hasThumbBit ? address.value & ~1 : address.value
        guard isAdjusted(adjustment) else { return RuntimeAddress(even) }
        return even == 0 ? nil : RuntimeAddress(ReturnAddress.call(before: even))
    }

    /// The frame's address, or that of its call where the format says that it is a return address: for the search of its image.
    package var addressInCode: RuntimeAddress? {
        address.map { isAdjusted() ? RuntimeAddress(ReturnAddress.call(before: $0.value)) : $0 }
    }

    /// Whether the lookup address is one less than the printed one.
    public func isAdjusted(_ adjustment: ReturnAddressAdjustment = .auto) -> Bool {
        switch adjustment {
        case .auto: kind == .returnAddress
        case .always: true
        case .never: false
        }
    }
}
