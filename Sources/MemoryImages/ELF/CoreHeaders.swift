internal import BinaryPrimitives

/// The header and the program headers of a core (gABI, chapters 4 and 5), as far as the file has
/// them: cores are often cut short.
struct CoreHeaders {
    struct Segment {
        var type: UInt32
        var isExecutable: Bool
        var offset: UInt64
        var address: UInt64
        var fileSize: UInt64
        var memorySize: UInt64
    }

    private(set) var machine: UInt16 = 0
    let isWide: Bool
    let order: ByteOrder
    private(set) var segments: [Segment] = []
    /// Number of segments that are declared but not in the file.
    private(set) var missing = 0

    static let note: UInt32 = 4
    static let load: UInt32 = 1
    /// Tags of memory on arm64 (`PT_AARCH64_MEMTAG_MTE`).
    static let memoryTags: UInt32 = 0x7000_0002

    init(_ bytes: RawSpan, _ limits: Limits) throws(CoreError) {
        guard bytes.byteCount >= 20, (try? bytes.value(UInt32.self, at: 0, .bigEndian)) == 0x7f45_4c46 else { throw .notACore }
        isWide = bytes.byte(at: 4) == 2
        order = bytes.byte(at: 5) == 2 ? .bigEndian : .littleEndian
        let isCore: Bool
        do throws(ReadError) {
            machine = try bytes.value(UInt16.self, at: 18, order)
            isCore = try read(bytes, limits)
        } catch { throw .cut(error) }
        guard isCore else { throw .notACore }
    }

    /// - Returns: `false` if it is not the header of a core.
    private mutating func read(_ bytes: RawSpan, _ limits: Limits) throws(ReadError) -> Bool {
        guard try bytes.value(UInt16.self, at: 16, order) == 4 else { return false }
        let word = isWide ? 8 : 4
        let table = try bytes.unsigned(size: word, at: isWide ? 32 : 28, order)
        let size = Int(try bytes.value(UInt16.self, at: isWide ? 54 : 42, order))
        var count = UInt64(try bytes.value(UInt16.self, at: isWide ? 56 : 44, order))
        if count == 0xffff {
            // PN_XNUM: the first section header has the count.
            let sections = try bytes.unsigned(size: word, at: isWide ? 40 : 32, order)
            count = UInt64(try bytes.from(sections).value(UInt32.self, at: isWide ? 44 : 28, order))
        }
        guard size >= (isWide ? 56 : 32), count > 0 else { return false }
        let known = min(count, UInt64(limits.sections))
        for index in 0..<known {
            let (position, overflow) = table.addingReportingOverflow(index * UInt64(size))
            guard !overflow, let header = try? bytes.slice(at: position, count: UInt64(isWide ? 56 : 32)) else {
                missing = Int(clamping: count - index)
                break
            }
            segments.append(try segment(header))
        }
        return true
    }

    private func segment(_ header: RawSpan) throws(ReadError) -> Segment {
        func wide(_ offset: Int) throws(ReadError) -> UInt64 { try header.value(UInt64.self, at: offset, order) }
        func narrow(_ offset: Int) throws(ReadError) -> UInt64 { UInt64(try header.value(UInt32.self, at: offset, order)) }
        let type = UInt32(truncatingIfNeeded: try narrow(0))
        if isWide {
            return Segment(
                type: type, isExecutable: try narrow(4) & 1 == 1, offset: try wide(8), address: try wide(16), fileSize: try wide(32),
                memorySize: try wide(40))
        }
        return Segment(
            type: type, isExecutable: try narrow(24) & 1 == 1, offset: try narrow(4), address: try narrow(8), fileSize: try narrow(16),
            memorySize: try narrow(20))
    }
}
