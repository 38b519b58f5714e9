internal import BinaryPrimitives
internal import Decompression
internal import Synchronization

/// A compressed section that is inflated as far as it is needed, from first to last, and is never
/// in memory as a whole. It is for large sections, of which a lookup needs some units.
///
/// Requests in ascending order inflate each byte once. Some of the bytes before the current
/// position are kept, so that several threads may be a unit or two apart. A request further back
/// restarts the decoder at the last position where its state was saved.
@safe package final class StreamedSection: Sendable {
    /// The section's size, inflated.
    package let count: Int
    private let object: ObjectFile
    private let section: Section
    private let lock = Mutex(())
    /// Accessed only while the lock is held.
    private nonisolated(unsafe) let state: State

    /// Bytes of a block, and how many blocks of what passed are kept.
    private static let blockSize = 128 << 10
    private static let blockCount = 8
    /// The decoder's state, of some 100 KB, is kept every so many bytes.
    private let checkpointDistance: Int

    @safe private final class State {
        var stream: CompressedBytes
        let blocks: UnsafeMutableRawBufferPointer
        /// The section's bytes that were inflated so far; the last of them are in `blocks`, where
        /// those of block `n` of the section are in block `n % blockCount`.
        var position = 0
        /// The first of them.
        var first = 0
        var checkpoints: [CompressedBytes.Checkpoint] = []
        var failure: DecodingFailure?
        /// Records that were inflated by themselves.
        var records: [(range: Range<Int>, bytes: [UInt8])] = []
        /// The table of records that was compared last, and whether they are where it says.
        var table: (starts: [Int], isRight: Bool)?

        init(_ stream: consuming CompressedBytes) {
            self.stream = stream
            unsafe blocks = .allocate(byteCount: StreamedSection.blockSize * StreamedSection.blockCount, alignment: 64)
        }

        deinit { unsafe blocks.deallocate() }
    }

    /// - Throws: `ObjectFileError` if the compression header cannot be believed.
    init(_ object: ObjectFile, _ section: Section, _ compression: Section.Compression, checkpointsEvery distance: Int)
        throws(ObjectFileError)
    {
        checkpointDistance = distance
        self.object = object
        self.section = section
        count = try object.inflatedSize(section, compression)
        do throws(DecodingFailure) {
            unsafe state = State(try object.compressedBytes(section, compression))
        } catch {
            throw object.failure(section, error)
        }
    }

    /// Inflates later parts on threads (`CompressedBytes.inflateAhead`): for readers that read
    /// nearly everything, from first to last.
    func inflateAhead(ifProcessors minCount: Int) { lock.withLock { _ in unsafe state.stream.inflateAhead(ifProcessors: minCount) } }

    /// Sections below this size are inflated up to a record in a few milliseconds.
    private static let worthFinding = 16 << 20
    /// Bytes of records that are kept; the first go.
    private static let maxRecordBytes = 32 << 20

    /// Inflates a record by itself, without what comes before it.
    /// - Parameters:
    ///   - start: where it begins, in bytes of the section.
    ///   - starts: where records begin, ascending. Each begins with the number of the bytes that follow, in four bytes.
    /// - Returns: whether `read` has it now. Otherwise it is inflated with all before it.
    func inflateRecord(at start: Int, among starts: [Int]) -> Bool {
        guard count >= Self.worthFinding, section.compression == .zlib, ISALLibrary.beginsInside, let library = ISALLibrary.shared else {
            return false
        }
        let (isThere, known) = lock.withLock { _ in
            let state = unsafe state
            return (state.records.contains { $0.range.lowerBound == start }, state.table)
        }
        if isThere { return true }
        let isRight = if let known, known.starts == starts { known.isRight } else { isTable(starts) }
        lock.withLock { _ in unsafe state.table = (starts, isRight) }
        guard isRight else { return false }
        let records = DistantRecord(
            object.file, section.fileRange, library, count: count, starts: starts, object.description.byteOrder)
        guard let record = records.read(at: start) else { return false }
        return lock.withLock { _ in
            let state = unsafe state
            if state.records.contains(where: { $0.range == record.range }) { return true }
            state.records.append(record)
            while state.records.count > 1, state.records.reduce(0, { $0 + $1.bytes.count }) > Self.maxRecordBytes {
                state.records.removeFirst()
            }
            return true
        }
    }

    /// Bytes of the section in which one of the records must be.
    private static let nearStart = 4 << 20

    /// Whether one of the first records has the length that the table says: all would be elsewhere in a table that counts from another
    /// byte.
    private func isTable(_ starts: [Int]) -> Bool {
        for (start, next) in zip(starts, starts.dropFirst()).prefix(16) where start < Self.nearStart {
            var bytes = [UInt8](repeating: 0, count: 4)
            let read = unsafe bytes.withUnsafeMutableBytes { unsafe self.read(start..<start + 4, into: $0) }
            let number = try? bytes.span.rawBytes.value(UInt32.self, at: 0, object.description.byteOrder)
            if read == 4, let number, Int(number) + 4 == next - start { return true }
        }
        return false
    }

    /// Why the section could not be inflated so far.
    package var problem: ObjectFileError? { lock.withLock { _ in unsafe state.failure }.map { object.failure(section, $0) } }

    /// Copies bytes of the section into the start of `target`.
    /// - Parameter range: range of the inflated bytes.
    /// - Returns: number of bytes copied: less than the range only where the section ends, or where
    ///   its compressed bytes are damaged (`problem`).
    func read(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) -> Int {
        lock.withLock { _ in
            let state = unsafe state
            if let record = state.records.first(where: {
                $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
            }) {
                let start = range.lowerBound - record.range.lowerBound
                unsafe target.copyBytes(from: record.bytes[start..<start + range.count])
                return range.count
            }
            if range.lowerBound < state.first { rewind(state, to: range.lowerBound) }
            let end = min(range.upperBound, count)
            var done = 0
            while range.lowerBound + done < end {
                let wanted = range.lowerBound + done
                if wanted == state.position, wanted % Self.blockSize == 0, end - wanted >= Self.blockSize {
                    do throws(DecodingFailure) {
                        unsafe try advance(state, into: UnsafeMutableRawBufferPointer(rebasing: target[done..<done + Self.blockSize]))
                    } catch {
                        state.failure = state.failure ?? error
                        break
                    }
                    done += Self.blockSize
                    continue
                }
                if wanted >= state.position {
                    do throws(DecodingFailure) { try advance(state) } catch {
                        state.failure = state.failure ?? error
                        break
                    }
                    continue
                }
                let start = wanted % (Self.blockSize * Self.blockCount)
                let piece = min(end - wanted, state.position - wanted, Self.blockSize * Self.blockCount - start)
                unsafe target[done...].copyBytes(from: state.blocks[start..<start + piece])
                done += piece
            }
            return done
        }
    }

    /// Inflates to the end of the current block.
    private func advance(_ state: State) throws(DecodingFailure) {
        if let failure = state.failure { throw failure }
        let start = state.position % (Self.blockSize * Self.blockCount)
        let room = min(Self.blockSize - start % Self.blockSize, count - state.position)
        keepCheckpoint(state)
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: state.blocks[start..<start + room])
        let read = unsafe try state.stream.read(into: part)
        guard read == room else { throw tooShort(state.position + read) }
        state.position += room
        // The block that comes next is the one that goes first.
        let kept = Self.blockSize * (Self.blockCount - 1)
        state.first = max(state.first, (state.position + Self.blockSize - 1) / Self.blockSize * Self.blockSize - kept)
    }

    /// Inflates a block to where it is wanted. It is not kept, nor what came before it.
    private func advance(_ state: State, into target: UnsafeMutableRawBufferPointer) throws(DecodingFailure) {
        if let failure = state.failure { throw failure }
        keepCheckpoint(state)
        let read = unsafe try state.stream.read(into: target)
        guard read == target.count else { throw tooShort(state.position + read) }
        state.position += read
        state.first = state.position
    }

    private func keepCheckpoint(_ state: State) {
        guard state.position >= (state.checkpoints.last?.produced ?? 0) + checkpointDistance else { return }
        if let checkpoint = state.stream.checkpoint(at: state.position) { state.checkpoints.append(checkpoint) }
    }

    private func tooShort(_ size: Int) -> DecodingFailure {
        .damaged("they inflate to \(size) bytes, the compression header has \(count)")
    }

    private func rewind(_ state: State, to position: Int) {
        do throws(DecodingFailure) {
            if let checkpoint = state.checkpoints.last(where: { $0.produced <= position }) {
                try state.stream.resume(at: checkpoint)
                (state.position, state.first) = (checkpoint.produced, checkpoint.produced)
            } else {
                guard let compression = section.compression else { return }
                state.stream = try object.compressedBytes(section, compression)
                (state.position, state.first) = (0, 0)
            }
        } catch {
            state.failure = state.failure ?? error
        }
    }
}

extension ObjectFile {
    /// The section's bytes as `contents(of:)` gives them, but inflated piece by piece, if it is a
    /// compressed one that nothing has to be changed in.
    /// - Parameter distance: interval in bytes at which the decoder's state is saved, for later
    ///   requests further back.
    /// - Throws: `ObjectFileError` if its header contradicts the file.
    package func streamedContents(of section: Section, checkpointsEvery distance: Int = 8 << 20) throws(ObjectFileError) -> SectionContents
    {
        guard section.problem == nil, let compression = section.compression, relocations?.change(section) != true else {
            return try contents(of: section)
        }
        return .streamed(try StreamedSection(self, section, compression, checkpointsEvery: distance))
    }
}
