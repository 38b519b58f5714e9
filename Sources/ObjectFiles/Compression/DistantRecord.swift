internal import BinaryPrimitives
internal import Decompression

/// Inflates one record of a section without those before it: a unit of `.debug_info`. An address table gives the beginnings of all units.
///
///     compressed   |.......................|== decoded ==========|.......|
///                                          ^ estimate            ^ the record's end
///     inflated        ... ? ? ? | unit | unit | unit | record |
///                               ^ three lengths in a row are those of known units: the positions are known
///
/// The decoder begins at a block before the estimated position, with an unknown window (`UnanchoredInflater`). A record is used if none of
/// its bytes comes from that window. The bytes get their positions from the records' own lengths, which are the distances between records. One
/// address of libjvm's debug file needs 258 MB of units to be inflated up to its own, or 5 MB so.
struct DistantRecord {
    private let file: MappedFile
    /// The zlib stream's bytes in the file.
    private let packed: Range<Int>
    private let library: ISALLibrary
    /// The section's size, inflated.
    private let count: Int
    private let order: ByteOrder
    /// Beginnings of records, ascending.
    private let starts: [Int]
    /// Indices in `starts` by the number that the record there begins with: the bytes that follow it.
    private let numbers: [UInt32: [Int]]
    /// The numbers' lowest 16 bits: most positions are none of them.
    private let lowBits: BitSet16

    /// Inflated bytes for which an attempt goes on.
    private static let maxBytes = 16 << 20
    /// Inflated bytes that are decoded on the way rather than estimating again.
    private static let nearBytes = 8 << 20
    private static let maxAttempts = 5
    /// Inflated bytes after which copies from the window are a tenth as many.
    private static let forgetting = 3 << 20
    /// Records in a row whose lengths must be known ones.
    private static let confirmations = 3
    /// Records before the wanted one that should be decoded: the first may be cut, and one may not be in the table.
    private static let recordsBefore = 6
    /// Compressed bytes for finding a block, and until copies from the window have ended.
    private static let slack = 192 << 10
    private static let inputSize = 128 << 10
    private static let pieceSize = 128 << 10
    /// Maximum length of a record.
    private static let maxRecord = 16 << 20

    /// - Parameters:
    ///   - starts: where records begin, ascending; not all need to be there.
    ///   - order: of the numbers that the records begin with.
    init(_ file: MappedFile, _ packed: Range<Int>, _ library: ISALLibrary, count: Int, starts: [Int], _ order: ByteOrder) {
        self.file = file
        self.packed = packed
        self.library = library
        self.count = count
        self.order = order
        self.starts = starts
        var numbers: [UInt32: [Int]] = [:]
        var lowBits = BitSet16()
        for (index, (start, next)) in zip(starts, starts.dropFirst()).enumerated() {
            // Longer ones have another form of the number.
            guard let number = UInt32(exactly: next - start - 4), number > 8, number < 0xffff_fff0 else { continue }
            numbers[number, default: []].append(index)
            lowBits.insert(UInt16(truncatingIfNeeded: number))
        }
        self.numbers = numbers
        self.lowBits = lowBits
    }

    /// A position of the compressed bytes in the file, and how many bytes come before it inflated.
    private struct Point {
        var packed: Int
        var offset: Int
    }

    private enum Attempt {
        case found(Range<Int>, [UInt8])
        /// The record is before the decoded bytes, or far after them.
        case elsewhere(Point)
        /// Bytes of the record come from the unknown window: it must begin earlier.
        case uncertain
        case failed
    }

    /// - Parameter start: where the record begins, one of `starts`.
    /// - Returns: its range and its bytes; `nil` where it has to be inflated with all before it.
    func read(at start: Int) -> (range: Range<Int>, bytes: [UInt8])? {
        guard let index = starts.firstIndex(of: start), index >= Self.recordsBefore else { return nil }
        var points = [Point(packed: packed.lowerBound, offset: 0), Point(packed: packed.upperBound, offset: count)]
        var before = start - starts[index - Self.recordsBefore]
        guard before < Self.nearBytes else { return nil }
        for _ in 0..<Self.maxAttempts {
            guard let above = points.firstIndex(where: { $0.offset > start }), above > 0 else { return nil }
            let (low, high) = (points[above - 1], points[above])
            let share = Double(high.packed - low.packed) / Double(high.offset - low.offset)
            let estimate = low.packed + Int(Double(start - before - low.offset) * share) - Self.slack
            // Near the beginning nothing is gained.
            guard estimate > packed.lowerBound + Self.slack else { return nil }
            switch decode(from: estimate, wanted: start) {
            case .found(let range, let bytes): return (range, bytes)
            case .failed: return nil
            case .uncertain:
                before += Self.forgetting
            case .elsewhere(let point):
                guard point.offset > low.offset, point.offset < high.offset, point.packed > low.packed, point.packed < high.packed else {
                    return nil
                }
                points.insert(point, at: above)
            }
        }
        return nil
    }

    /// Bytes that were decoded from a block on.
    private struct Decoded {
        var bytes: [UInt8] = []
        /// The second decoder's bytes of the same input: those that differ come from the unknown window.
        var others: [UInt8] = []
        /// From here on there are no such bytes, and `others` ends.
        var anchor: Int?

        /// Whether no byte of a range comes from the window.
        func isCertain(_ range: Range<Int>) -> Bool {
            let end = min(range.upperBound, anchor ?? range.upperBound)
            return range.lowerBound >= end || bytes[range.lowerBound..<end] == others[range.lowerBound..<end]
        }
    }

    /// - Parameter position: the byte of the file from which on a block is looked for.
    private func decode(from position: Int, wanted start: Int) -> Attempt {
        var input = InputPieces(file, position..<packed.upperBound, size: Self.inputSize)
        guard input.refill() else { return .failed }
        let first = unsafe input.withPending { unsafe DeflateBlocks.firstStart(in: RawSpan(_unsafeBytes: $0)) }
        guard let bit = first, let byte = input.skip(to: bit >> 3) else { return .failed }
        let inflater = UnanchoredInflater(library, byte: byte, bit: bit & 7)
        var decoded = Decoded()
        var search = Search()
        var wanted = 0..<0
        while decoded.bytes.count < Self.maxBytes {
            guard decodePiece(&input, inflater, &decoded) else { return .failed }
            if search.base == nil { search.advance(in: decoded.bytes, self) }
            guard let base = search.base else { continue }
            if wanted.isEmpty {
                guard base <= start else { return .elsewhere(Point(packed: position + bit >> 3, offset: base)) }
                let end = base + decoded.bytes.count
                if start - end > Self.nearBytes { return .elsewhere(Point(packed: input.position, offset: end)) }
                guard let number = number(at: start - base, in: decoded.bytes) else { continue }
                guard number > 8, number < Self.maxRecord, start + 4 + Int(number) <= count else { return .failed }
                wanted = start - base..<start - base + 4 + Int(number)
            }
            guard wanted.upperBound <= decoded.bytes.count else { continue }
            guard decoded.isCertain(wanted) else { return .uncertain }
            return .found(start..<start + wanted.count, Array(decoded.bytes[wanted]))
        }
        return .failed
    }

    /// Appends the next piece.
    private func decodePiece(_ input: inout InputPieces, _ inflater: UnanchoredInflater, _ decoded: inout Decoded) -> Bool {
        let start = decoded.bytes.count
        let isDouble = !inflater.isAnchored
        decoded.bytes.append(contentsOf: repeatElement(0, count: Self.pieceSize))
        if isDouble { decoded.others.append(contentsOf: repeatElement(0, count: Self.pieceSize)) }
        var done = start
        while done < decoded.bytes.count, input.hasPending || input.refill() {
            let step = unsafe decoded.bytes.withUnsafeMutableBytes { output in
                unsafe decoded.others.withUnsafeMutableBytes { other in
                    unsafe input.withPending {
                        unsafe try? inflater.decode(
                            $0, into: UnsafeMutableRawBufferPointer(rebasing: output[done...]),
                            and: UnsafeMutableRawBufferPointer(rebasing: other[min(done, other.count)...]))
                    }
                }
            }
            guard let step, step.consumed > 0 || step.produced > 0 else { return false }
            input.advance(by: step.consumed)
            done += step.produced
            if step.isAtEnd { break }
        }
        decoded.bytes.removeLast(decoded.bytes.count - done)
        guard isDouble else { return done > start }
        decoded.others.removeLast(decoded.others.count - done)
        unsafe decoded.bytes.withUnsafeBytes { output in
            unsafe decoded.others.withUnsafeBytes { other in unsafe inflater.anchor(after: output, and: other) }
        }
        if inflater.isAnchored { decoded.anchor = done }
        return done > start
    }

    private func number(at index: Int, in bytes: [UInt8]) -> UInt32? {
        guard index >= 0, index + 4 <= bytes.count else { return nil }
        let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
        return order == .littleEndian ? UInt32(littleEndian: value) : UInt32(bigEndian: value)
    }

    // MARK: Positions

    /// The search for records whose lengths are known.
    private struct Search {
        /// Position in the section of the first decoded byte.
        var base: Int?
        private var next = 0
        /// Positions that may be a record's: the following ones are not decoded yet.
        private var pending: [(position: Int, record: Int)] = []

        private static let maxPending = 4096

        mutating func advance(in bytes: [UInt8], _ records: DistantRecord) {
            var waiting: [(position: Int, record: Int)] = []
            for (position, record) in pending where base == nil { check(position, record, bytes, records, &waiting) }
            while base == nil, next + 4 <= bytes.count {
                defer { next += 1 }
                guard let number = records.number(at: next, in: bytes), records.lowBits.contains(UInt16(truncatingIfNeeded: number)),
                    let candidates = records.numbers[number]
                else { continue }
                for record in candidates where base == nil { check(next, record, bytes, records, &waiting) }
            }
            pending = Array(waiting.prefix(Self.maxPending))
        }

        /// Compares the numbers from a position on with those of the records from one on.
        private mutating func check(
            _ position: Int, _ record: Int, _ bytes: [UInt8], _ records: DistantRecord, _ waiting: inout [(position: Int, record: Int)]
        ) {
            var own = position
            for index in record..<record + DistantRecord.confirmations {
                guard index + 1 < records.starts.count else { return }
                guard let number = records.number(at: own, in: bytes) else { return waiting.append((position, record)) }
                guard Int(number) + 4 == records.starts[index + 1] - records.starts[index] else { return }
                own += Int(number) + 4
            }
            base = records.starts[record] - position
        }
    }
}

/// A set of numbers of 16 bits.
private struct BitSet16: Sendable {
    private var bits = [UInt64](repeating: 0, count: 1024)

    mutating func insert(_ value: UInt16) { bits[Int(value >> 6)] |= 1 << UInt64(value & 63) }
    func contains(_ value: UInt16) -> Bool { bits[Int(value >> 6)] >> UInt64(value & 63) & 1 != 0 }
}
