package import BinaryPrimitives

/// One call instruction.
package struct CallSite: Sendable, Hashable {
    /// The first byte of the call instruction. For an entry of debug information without it: one
    /// byte before the return address.
    package var call: LinkAddress
    /// Address that control returns to: on MIPS and SPARC after the delay slot. The Thumb bit is cleared.
    package var returnAddress: LinkAddress
    /// The address that a direct call calls, with the Thumb bit cleared. `nil` for an indirect
    /// call, and in a relocatable file.
    package var target: LinkAddress?

    package init(call: LinkAddress, returnAddress: LinkAddress, target: LinkAddress?) {
        self.call = call
        self.returnAddress = returnAddress
        self.target = target
    }
}

/// Result of looking up a call at one address of an image.
package enum CallEvidence: Sendable, Hashable {
    case call(CallSite)
    /// The code is known here, and no call is there.
    case noCall
    /// Nothing is known: no code at hand, an address in no code section, data in code, or an
    /// instruction that is not known.
    case unknown
}
