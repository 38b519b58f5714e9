internal import BinaryPrimitives
internal import ObjectFiles

/// The unwind information of a PE image, by address (Microsoft, "x64 exception handling" and
/// "ARM64 exception handling").
struct WindowsUnwindTable: Sendable {
    private let functions: FunctionTable
    private let image: ImageBytes
    private let base: UInt64
    private let processor: Processor

    /// - Returns: `nil` if the file has no such table, or is for another processor.
    init?(_ object: ObjectFile) {
        guard let functions = FunctionTable(object), let processor = Processor(object.architecture), [.x86_64, .arm64].contains(processor)
        else {
            return nil
        }
        self.functions = functions
        self.processor = processor
        image = ImageBytes(object)
        base = object.baseAddress.value
    }

    func hasFunction(at address: LinkAddress) -> Bool { functions.entry(containing: address) != nil }

    /// Returns the frame at an address.
    /// - Parameters:
    ///   - address: an instruction's; for a return address, the address of a byte of the call.
    ///   - isReturn: a call returns to the byte after it.
    /// - Returns: `nil` if no entry has the address, or its information is damaged or of a newer version.
    func frame(at address: LinkAddress, isReturn: Bool) -> WindowsFrame? {
        guard let entry = functions.entry(containing: address) else { return nil }
        return processor == .arm64 ? frameARM64(entry, at: address) : frameX64(entry, at: address, isReturn: isReturn)
    }

    // MARK: arm64

    private func frameARM64(_ entry: FunctionTable.Entry, at address: LinkAddress) -> WindowsFrame? {
        let index = Int(clamping: (address.value &- entry.range.lowerBound.value) / 4)
        if entry.isPacked { return PackedFrameARM64(entry.information)?.frame(at: index) }
        return image.withBytes(at: LinkAddress(base &+ UInt64(entry.information))) { UnwindInformationARM64($0)?.frame(at: index) } ?? nil
    }

    // MARK: x86-64

    /// Maximum number of entries that refer to one another; Windows allows as many.
    private static let maxChained = 32

    private func frameX64(_ entry: FunctionTable.Entry, at address: LinkAddress, isReturn: Bool) -> WindowsFrame? {
        guard let (range, first) = informationX64(entry) else { return nil }
        let offset = Int(clamping: address.value &- range.lowerBound.value)
        if !isReturn, offset >= first.prologSize, let epilog = epilog(at: address, in: range) { return epilog }
        var frame = WindowsFrame(base: first.base(at: offset), first.operations(at: offset))
        var information = first
        for _ in 0..<Self.maxChained {
            guard let chained = information.chained else { return frame }
            // The function's own prolog was executed before this part of it.
            guard let next = self.information(at: chained) else { return nil }
            frame.operations += next.operations(at: .max)
            information = next
        }
        return nil
    }

    /// An entry may refer to another one: the lowest bit of its information is set.
    private func informationX64(_ entry: FunctionTable.Entry) -> (range: Range<LinkAddress>, UnwindInformationX64)? {
        var (range, address) = (entry.range, entry.information)
        for _ in 0..<Self.maxChained {
            guard address & 1 == 1 else { return information(at: address).map { (range, $0) } }
            let fields = image.withBytes(at: LinkAddress(base &+ UInt64(address & ~1))) { bytes in
                (0..<3).compactMap { try? bytes.value(UInt32.self, at: $0 * 4, .littleEndian) }
            }
            guard let fields, fields.count == 3 else { return nil }
            let (start, end) = (LinkAddress(base &+ UInt64(fields[0])), LinkAddress(base &+ UInt64(fields[1])))
            guard start < end else { return nil }
            range = start..<end
            address = fields[2]
        }
        return nil
    }

    private func information(at address: UInt32) -> UnwindInformationX64? {
        image.withBytes(at: LinkAddress(base &+ UInt64(address))) { UnwindInformationX64($0) } ?? nil
    }

    private func epilog(at address: LinkAddress, in function: Range<LinkAddress>) -> WindowsFrame? {
        let decoded = image.withBytes(at: function.lowerBound) { bytes in
            let code = bytes.prefix(Int(clamping: function.upperBound.value - function.lowerBound.value))
            let offset = Int(clamping: address.value &- function.lowerBound.value)
            return EpilogX64.operations(in: code, at: offset, address: function.lowerBound.value)
        }
        guard case .some(.some(let (operations, target))) = decoded else { return nil }
        // A jump into another function's middle is to a part of this function that is elsewhere, with the frame as it is.
        if let target, let entry = functions.entry(containing: LinkAddress(target)), entry.range.lowerBound.value != target { return nil }
        return WindowsFrame(operations)
    }
}
