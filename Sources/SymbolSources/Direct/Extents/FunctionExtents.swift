internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles

/// The functions of a file as the file itself bounds them, without names: what ends a symbol that
/// has no size, also in a stripped file.
struct FunctionExtents {
    private let object: ObjectFile
    private lazy var frames: (any FunctionRanges)? = object.functionRanges

    init(_ object: ObjectFile) { self.object = object }

    /// The function around an address.
    ///
    /// Mach-O's linkers list where every function starts (`LC_FUNCTION_STARTS`): a function reaches
    /// to the next start, or to the end of its section. In ELF the unwinder's frame descriptions
    /// (`.eh_frame`), in PE the function table (`.pdata`), give the beginning and the end of a function.
    /// - Returns: `nil` where the file does not give it.
    mutating func extent(containing address: LinkAddress) -> Range<LinkAddress>? {
        let starts = object.description.functionStarts
        return starts.isEmpty ? frames?.range(containing: address) : extent(containing: address, among: starts)
    }

    /// Whether the unwind tables have a function that ends after `start` and begins at or before
    /// `address`: what is between the two is not all one function's.
    /// - Returns: `nil` if the unwind tables do not decide it: there are none, or they describe no function near the address. musl's
    ///   library has tables of a few functions, so that code after a symbol may be any function's.
    mutating func hasFunction(from start: LinkAddress, through address: LinkAddress) -> Bool? {
        guard let frames else { return nil }
        let last = frames.lastRange(startingAtOrBefore: address)?.upperBound
        if let last, last > start { return true }
        guard let end = last ?? object.section(containing: address)?.address, let distance = address.distance(from: end) else { return nil }
        return distance < Self.undescribed ? false : nil
    }

    /// Bytes of code without descriptions, before an address, that may be one function's: in assembly few have a thousand.
    private static let undescribed: UInt64 = 4096

    private func extent(containing address: LinkAddress, among starts: [LinkAddress]) -> Range<LinkAddress>? {
        let low = starts.partitionPoint { $0 > address }
        guard low > 0, let section = object.section(containing: address), section.contains(starts[low - 1]) else { return nil }
        let end = low < starts.count ? starts[low] : section.address.advanced(by: section.size)
        guard let end, starts[low - 1] < end else { return nil }
        return starts[low - 1]..<end
    }
}
