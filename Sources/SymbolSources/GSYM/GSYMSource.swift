package import BinaryPrimitives

/// Resolves addresses of an image from its GSYM file, as `llvm-gsymutil --address` does.
package struct GSYMSource: SymbolSource {
    private let symbols: GSYMFile
    private let base: GSYMFile.ImageBase

    /// - Parameter base: link address of the image's first mapped byte, if another file of the image gives it.
    package init(_ symbols: GSYMFile, base: LinkAddress? = nil) {
        self.symbols = symbols
        self.base = base.map { .known($0) } ?? symbols.imageBase
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        guard let start = baseAddress else { return offsets.map { _ in .unresolved(.unknownImageBase) } }
        var note: String?
        if case .assumed = base { note = "the symbol file has no image base: 0 is assumed" }
        let results: [SymbolResult] = symbols.file.withBytes { bytes in
            offsets.map { offset in
                guard let address = offset.linkAddress(imageBase: start) else { return .unresolved(.outsideImage) }
                return result(at: address, bytes, note)
            }
        }
        return results.believed(symbols.file)
    }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        symbols.file.withBytes { bytes in addresses.map { result(at: $0, bytes, nil) } }.believed(symbols.file)
    }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        locations.map { location in
            switch location {
            case .linkAddress(let address): .found([address])
            default: .unresolved(.needsImageOffset)
            }
        }
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { baseAddress.flatMap { address.offset(fromImageBase: $0) } }

    private var baseAddress: LinkAddress? {
        switch base {
        case .known(let address), .assumed(let address): address
        case .unknown: nil
        }
    }

    private func result(at address: LinkAddress, _ bytes: RawSpan, _ note: String?) -> SymbolResult {
        do throws(ReadError) {
            switch try symbols.function(containing: address.value, bytes) {
            case .found(let function): return .found(try frames(of: function, at: address.value, bytes, note))
            case .unresolved(let reason): return .unresolved(reason)
            }
        } catch {
            return .unresolved(.corrupt("\(symbols.path): \(error)"))
        }
    }

    private func frames(
        of function: GSYMFunction, at address: UInt64, _ bytes: RawSpan, _ note: String?
    ) throws(ReadError) -> [SourceFrame] {
        let row = try function.row(covering: address, bytes)
        var location = row.flatMap { sourceLocation($0.file, $0.line, bytes) }
        var frames: [SourceFrame] = []
        // Without a line the location in the innermost call is not known.
        if row != nil {
            for call in try function.calls(covering: address, bytes, symbols.byteOrder).reversed() {
                guard let site = sourceLocation(call.file, call.line, bytes) else { continue }
                frames.append(
                    SourceFrame(
                        name: symbols.text(call.name, bytes) ?? "", entry: nil, isInlined: true, location: location,
                        origin: .debugInformation))
                location = site
            }
        }
        frames.append(
            SourceFrame(
                name: symbols.text(function.name, bytes) ?? "", entry: offset(of: LinkAddress(function.start)), isInlined: false,
                location: location, origin: function.hasLines ? .debugInformation : .symbolTable, note: note))
        return frames
    }

    private func sourceLocation(_ file: UInt64, _ line: UInt64, _ bytes: RawSpan) -> SourceLocation? {
        symbols.filePath(file, bytes).map { SourceLocation(file: $0, line: Int(clamping: line)) }
    }
}
