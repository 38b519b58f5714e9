internal import BinaryPrimitives

extension GSYMFile {
    enum FunctionResult {
        case found(GSYMFunction)
        case unresolved(Unresolved)
    }

    /// Finds the function of an address: of those that begin last at or before it, the first that holds it
    /// (`GsymReader::getFunctionInfoDataForAddress`).
    ///
    /// A function without a size, which Mach-O's symbol tables produce, reaches to the next one:
    /// the table has all functions of the image. After the last one nothing is known.
    func function(containing address: UInt64, _ bytes: RawSpan) throws(ReadError) -> FunctionResult {
        let end = count(startingAtOrBefore: address, bytes)
        guard end > 0, let start = self.address(at: end - 1, bytes) else { return .unresolved(.noSymbol) }
        let first = start == 0 ? 0 : count(startingAtOrBefore: start - 1, bytes)
        for index in first..<end {
            guard let offset = descriptionOffset(at: index, bytes) else { break }
            let function = try GSYMFunction(at: offset, start: start, bytes, byteOrder)
            if function.size == 0 { return end < count ? .found(function) : .unresolved(.unboundedSymbol) }
            if address - start < UInt64(function.size) { return .found(function) }
        }
        return .unresolved(.betweenSymbols)
    }

    /// How many functions start at or before an address.
    private func count(startingAtOrBefore address: UInt64, _ bytes: RawSpan) -> Int {
        (0..<count).partitionPoint { index in self.address(at: index, bytes).map { $0 > address } ?? true }
    }
}
