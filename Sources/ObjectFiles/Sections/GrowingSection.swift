internal import BinaryPrimitives
internal import Decompression
internal import Synchronization

/// A compressed section of everyday size that is inflated into memory, from first to last and no further than to the last byte that is
/// read: a lookup of one address needs half of it on average. Inflated bytes do not move, so that several threads may read them
/// while one of them inflates more.
@safe package final class GrowingSection: Sendable {
    /// The section's size, inflated.
    package let count: Int
    private let object: ObjectFile
    private let section: Section
    /// Room for all bytes. Pages that are not written take no memory. Bytes before `mark` do not change.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// The bytes that were inflated so far.
    private let mark = Atomic(0)
    private let lock = Mutex(())
    /// Accessed only while the lock is held.
    private nonisolated(unsafe) let state: State

    /// Bytes that are inflated before another thread that waits for fewer goes on.
    private static let pieceSize = 128 << 10

    @safe private final class State {
        var stream: CompressedBytes
        var failure: DecodingFailure?

        init(_ stream: consuming CompressedBytes) { self.stream = stream }
    }

    /// - Throws: `ObjectFileError` if the compression header cannot be believed, or there is no room.
    init(_ object: ObjectFile, _ section: Section, _ compression: Section.Compression) throws(ObjectFileError) {
        let size = try object.reserveInflatedSize(section, compression)
        do throws(DecodingFailure) { unsafe state = State(try object.compressedBytes(section, compression)) } catch {
            object.inflation.release(size)
            throw object.failure(section, error)
        }
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
        count = size
        self.object = object
        self.section = section
    }

    deinit {
        unsafe start.deallocate()
        object.inflation.release(count)
    }

    /// Why the section could not be inflated so far.
    package var problem: ObjectFileError? { lock.withLock { _ in unsafe state.failure }.map { object.failure(section, $0) } }

    package var isWhole: Bool { mark.load(ordering: .relaxed) == count }

    /// Gives the bytes of `range` to `body`, as far as they could be inflated.
    package func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        inflate(upTo: range.upperBound)
        let known = mark.load(ordering: .acquiring)
        return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: known)).clamped(to: range))
    }

    /// Inflates a piece more.
    /// - Returns: whether there is more.
    package func advance() -> Bool {
        _ = lock.withLock { _ in inflatePiece(unsafe state) }
        return mark.load(ordering: .relaxed) < count && problem == nil
    }

    private func inflate(upTo end: Int) {
        let end = min(end, count)
        var isOpen = true
        // The lock is given to a thread that waits for it after each piece.
        while isOpen, mark.load(ordering: .acquiring) < end {
            isOpen = lock.withLock { _ in mark.load(ordering: .relaxed) >= end || inflatePiece(unsafe state) }
        }
    }

    /// - Returns: `false` where the section is damaged.
    @discardableResult
    private func inflatePiece(_ state: State) -> Bool {
        guard state.failure == nil else { return false }
        let position = mark.load(ordering: .relaxed)
        let size = min(Self.pieceSize, count - position)
        guard size > 0 else { return true }
        do throws(DecodingFailure) {
            let read = unsafe try state.stream.read(into: UnsafeMutableRawBufferPointer(start: start + position, count: size))
            mark.store(position + read, ordering: .releasing)
            guard read == size else { throw .damaged(ObjectFile.tooShort(position + read, count)) }
            if position + read == count { try ObjectFile.expectEnd(of: &state.stream, after: count) }
            return true
        } catch {
            state.failure = error
            return false
        }
    }
}

extension ObjectFile {
    /// The section's bytes as `contents(of:)` gives them, inflated as far as they are read, if it is a compressed one that nothing has to be
    /// changed in.
    /// - Throws: `ObjectFileError` if its header contradicts the file, or there is no room.
    package func growingContents(of section: Section) throws(ObjectFileError) -> SectionContents {
        guard section.problem == nil, let compression = section.compression, relocations?.change(section) != true else {
            return try contents(of: section)
        }
        return .growing(try GrowingSection(self, section, compression))
    }
}
