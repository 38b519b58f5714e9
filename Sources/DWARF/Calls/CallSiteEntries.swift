package import BinaryPrimitives

/// The calls that one unit's entries describe (DWARF 5, section 3.4).
package struct CallSiteEntries: Sendable {
    package struct Entry: Sendable, Hashable {
        /// `DW_AT_call_return_pc`, or `DW_AT_low_pc` of GNU's entries.
        package var returnAddress: LinkAddress
        /// `DW_AT_call_pc`; `nil` where the compiler does not write it, as gcc.
        package var call: LinkAddress?
        /// The first address of the function that is called; `nil` if the entry does not name one
        /// of this file.
        package var target: LinkAddress?
        /// Location of the called function's description if it was not read with the call; `nil` if there is none.
        package var openTarget: OpenTarget?

        package init(returnAddress: LinkAddress, call: LinkAddress?, target: LinkAddress?) {
            self.returnAddress = returnAddress
            self.call = call
            self.target = target
        }
    }

    package enum OpenTarget: Sendable, Hashable {
        /// At an offset in the call's unit (`CallSiteEntries.starts`).
        case inUnit(Int)
        case elsewhere
    }

    /// The offset of the unit's header: in `.debug_info` of this file, or of the file that its
    /// entries are split off to.
    package var unit: Int
    /// Ascending by their return addresses. Tail calls, which do not return, are left out.
    package var entries: [Entry] = []
    /// Address ranges of the functions that were read, ascending.
    package var functions: [Range<LinkAddress>] = []
    /// The functions among them whose calls all have entries, as the compiler says and as far as that is true.
    package var complete: [Range<LinkAddress>] = []

    /// Start addresses of the functions that were read, by the offsets of their entries and of these entries' origins, in bytes from
    /// the unit's header. Empty if the whole unit was read: its entries have their targets.
    package var starts: [Int: LinkAddress] = [:]

    package init(unit: Int) { self.unit = unit }
}

extension [Range<LinkAddress>] {
    /// Whether one of the ranges, which ascend by their starts, holds an address. Ranges do not
    /// overlap, but where compilers err.
    package func holds(_ address: LinkAddress) -> Bool {
        let next = partitionPoint { $0.lowerBound > address }
        return next > 0 && self[next - 1].contains(address)
    }
}
