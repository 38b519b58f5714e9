internal import BinaryPrimitives
internal import Decompression
internal import Synchronization

/// A compressed section of texts, of which a few scattered parts are needed. It is inflated from
/// first to last into a temporary file, no further than to the last byte that is read. Inflated
/// bytes are then read from the file, so that little of the section is ever in memory.
@safe package final class SpooledSection: Sendable {
    /// The section's size, inflated.
    package let count: Int
    private let object: ObjectFile
    private let section: Section
    private let file: MappedFile
    /// The bytes that were inflated so far.
    private let mark: Atomic<Int>
    private let lock = Mutex(())
    /// Accessed only while the lock is held.
    private nonisolated(unsafe) let state: State

    /// Bytes that are inflated at once.
    private static let pieceSize = 256 << 10

    @safe private final class State {
        var stream: CompressedBytes
        var spool: UnlinkedFile
        let piece: UnsafeMutableRawBufferPointer
        var failure: DecodingFailure?

        init(_ stream: consuming CompressedBytes, _ spool: consuming UnlinkedFile, _ piece: UnsafeMutableRawBufferPointer) {
            self.stream = stream
            self.spool = spool
            unsafe self.piece = piece
        }

        deinit { unsafe piece.deallocate() }
    }

    /// - Returns: `nil` if its bytes must be read in another way: it is not compressed, damaged at
    ///   its beginning, changed by relocations, or there is no room for a file.
    init?(_ object: ObjectFile, _ section: Section) {
        guard section.problem == nil, let compression = section.compression, object.relocations?.change(section) != true,
            let count = try? object.inflatedSize(section, compression), count <= object.inflation.maxBytes, count >= Self.pieceSize,
            var stream = try? object.compressedBytes(section, compression)
        else { return nil }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        var spool = UnlinkedFile(largestInMemory: 0)
        guard unsafe (try? stream.read(into: piece)) == piece.count,
            unsafe (try? spool.append(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(piece)))) != nil,
            let file = try? spool.reading(count: count, path: object.path)
        else {
            unsafe piece.deallocate()
            return nil
        }
        self.count = count
        self.object = object
        self.section = section
        self.file = file
        mark = Atomic(Self.pieceSize)
        unsafe state = State(stream, spool, piece)
    }

    /// The zero-terminated text at `offset`.
    /// - Returns: `nil` outside the section, and where it cannot be inflated.
    package func text(at offset: UInt64, limit: Int = Limits.standard.nameLength) -> String? {
        guard let first = Int(exactly: offset), first < count else { return nil }
        // Most texts end soon.
        for length in [256, limit + 1] {
            inflateUpTo(first + min(length, count - first))
            let known = FileOffset(UInt64(mark.load(ordering: .acquiring)))
            if let text = file.string(from: FileOffset(offset), before: known, limit: limit) { return text }
        }
        return nil
    }

    /// Inflates later parts on a thread, for who has a processor left.
    package func inflateAhead() { lock.withLock { _ in unsafe state.stream.inflateAhead(ifProcessors: 2) } }

    /// Inflates a piece more.
    /// - Returns: whether there is more.
    package func advance() -> Bool {
        let known = mark.load(ordering: .relaxed)
        inflateUpTo(min(count, known + 1))
        let reached = mark.load(ordering: .relaxed)
        return reached > known && reached < count
    }

    /// All bytes.
    /// - Throws: `ObjectFileError` if they cannot be inflated.
    package func contents() throws(ObjectFileError) -> SectionContents {
        inflateUpTo(count)
        if mark.load(ordering: .acquiring) < count {
            throw object.failure(section, lock.withLock { _ in unsafe state.failure } ?? .damaged("they end early"))
        }
        return .stored(file, 0..<count)
    }

    private func inflateUpTo(_ end: Int) {
        guard mark.load(ordering: .acquiring) < end else { return }
        lock.withLock { _ in
            let state = unsafe state
            while mark.load(ordering: .relaxed) < end, state.failure == nil { inflate(state) }
        }
    }

    private func inflate(_ state: State) {
        let position = mark.load(ordering: .relaxed)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: state.piece[..<min(state.piece.count, count - position)])
        do throws(DecodingFailure) {
            let read = unsafe try state.stream.read(into: piece)
            if read < piece.count {
                state.failure = .damaged("they inflate to \(position + read) bytes, the compression header has \(count)")
            }
            let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: piece[..<read]))
            guard (try? state.spool.append(bytes)) != nil else { return state.failure = .damaged("no room for what they inflate to") }
            mark.store(position + read, ordering: .releasing)
        } catch {
            state.failure = error
        }
    }
}

extension ObjectFile {
    /// The section, inflated as far as something of it is read.
    /// - Returns: `nil` where that cannot be done; `contents(of:)` gives its bytes or the reason.
    package func spooledContents(of section: Section) -> SpooledSection? { SpooledSection(self, section) }
}
