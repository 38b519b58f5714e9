internal import BinaryPrimitives
internal import ObjectFiles

/// `.eh_frame_hdr`: the address of `.eh_frame`, and a table that is sorted by the functions' addresses (Linux
/// Standard Base, Core, section 10.6.2).
struct ExceptionFrameTable: Sendable {
    /// Address of the first byte of `.eh_frame`; `nil` if the header does not have it.
    let framesAddress: LinkAddress?
    private let file: MappedFile
    /// The entries' bytes in the file: pairs of a function's address and its frame description's.
    private let entries: Range<Int>
    private let entriesAddress: UInt64
    private let count: Int
    private let encoding: PointerEncoding
    private let valueSize: Int
    private let addressSize: Int
    private let byteOrder: ByteOrder
    private let headerAddress: UInt64

    /// - Returns: `nil` if the file has no such header, or one without a table that can be
    ///   searched.
    init?(_ object: ObjectFile) {
        let description = object.description
        let address: LinkAddress
        let range: Range<Int>
        if let section = description.sections.first(where: { $0.name == ".eh_frame_hdr" && $0.compression == nil }) {
            (address, range) = (section.address, section.fileRange)
        } else if let segment = description.exceptionFrameHeader {
            (address, range) = (segment.address, segment.fileRange)
        } else {
            return nil
        }
        file = object.file
        addressSize = description.addressSize
        byteOrder = description.byteOrder
        headerAddress = address.value

        let start = file.bytes(in: range.lowerBound..<range.lowerBound + min(32, range.count))
        var bytes = start.span.rawBytes
        // version, eh_frame_ptr_enc, fde_count_enc, table_enc
        guard let version = try? bytes.read(UInt8.self), version == 1, let framesEncoding = try? bytes.read(UInt8.self),
            let countEncoding = try? bytes.read(UInt8.self), let tableEncoding = try? bytes.read(UInt8.self)
        else { return nil }
        func read(_ encoding: UInt8, _ bytes: inout RawSpan) -> UInt64? {
            let pointer = try? PointerEncoding(value: encoding).read(
                &bytes, endingAt: start.count, addressSize: description.addressSize, description.byteOrder)
            return pointer?.address(section: address.value, data: address.value, addressSize: description.addressSize)
        }
        framesAddress = read(framesEncoding, &bytes).map { LinkAddress($0) }
        encoding = PointerEncoding(value: tableEncoding)
        guard framesAddress != nil, let declared = read(countEncoding, &bytes), !encoding.isOmitted,
            let size = encoding.size(addressSize: addressSize)
        else { return nil }
        valueSize = size
        let first = range.lowerBound + (start.count - bytes.byteCount)
        entries = first..<range.upperBound
        entriesAddress = headerAddress &+ UInt64(first - range.lowerBound)
        guard declared > 0, declared <= UInt64(entries.count / (2 * size)) else { return nil }
        count = Int(declared)
    }

    /// The last function that begins at or before `address`, and the address of its frame
    /// description; `nil` if there is none.
    func entry(for address: LinkAddress) -> (start: LinkAddress, frame: LinkAddress)? {
        file.withBytes { whole in
            let bytes = whole.clamped(to: entries)
            func value(_ index: Int) -> UInt64? {
                guard var rest = try? bytes.from(UInt64(index * valueSize)) else { return nil }
                let pointer = try? encoding.read(&rest, endingAt: bytes.byteCount, addressSize: addressSize, byteOrder)
                return pointer?.address(section: entriesAddress, data: headerAddress, addressSize: addressSize)
            }
            var low = 0
            var high = count
            while low < high {
                let middle = low + (high - low) / 2
                guard let start = value(middle * 2) else { return nil }
                if start <= address.value { low = middle + 1 } else { high = middle }
            }
            guard low > 0, let start = value(low * 2 - 2), let frame = value(low * 2 - 1) else { return nil }
            return (LinkAddress(start), LinkAddress(frame))
        }
    }
}
