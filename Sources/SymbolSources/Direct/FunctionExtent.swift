internal import BinaryPrimitives
internal import ObjectFiles

extension ObjectFile {
    /// The function around an address as the file itself bounds it, without a name: what ends a symbol that has no size.
    ///
    /// Mach-O's linkers list where every function starts (`LC_FUNCTION_STARTS`), also in a stripped file; a function reaches to the next start.
    /// - Returns: `nil` where the file does not tell.
    func functionExtent(containing address: LinkAddress) -> Range<LinkAddress>? {
        let starts = description.functionStarts
        var low = 0
        var high = starts.count
        while low < high {
            let middle = low + (high - low) / 2
            if starts[middle] <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, let section = section(containing: address), section.contains(starts[low - 1]) else { return nil }
        let end = low < starts.count ? starts[low] : section.address.advanced(by: section.size)
        guard let end, starts[low - 1] < end else { return nil }
        return starts[low - 1]..<end
    }
}
