internal import BinaryPrimitives
internal import CrashLogFormats
internal import Decompression

/// The text in a compressed log, part by part. Neither the compressed bytes nor the text are ever
/// in memory as a whole.
///
/// The caller reads text with `read` until there is none, then feeds the next compressed bytes.
/// Several containers may follow one another, as `cat a.gz b.gz` makes them.
struct LogUnpacker: ~Copyable {
    let container: LogCompression
    private let decoder: any Decoder
    private var limits: Limits
    /// Compressed bytes; those before `position` have been unpacked.
    private var input: [UInt8] = []
    private var position = 0
    /// No more compressed bytes come.
    private var hasEnded = false
    /// Nothing of a container has been read since the last one ended.
    private var isBetween = false
    /// Compressed bytes that were read, and bytes of text that they became.
    private var consumed = 0
    private var produced = 0
    /// There is no more text.
    private(set) var isDone = false
    /// Why there is less text than there should be.
    private(set) var problem: Problem?

    enum Problem: Equatable {
        case endsEarly
        case damaged(String)
        case needsMemory
        /// More bytes follow the last container, from this byte on, and they are not a container.
        case trailing(Int)
        /// The text is larger than `Limits` allow for so few bytes.
        case expands
    }

    /// Bytes of text that are made at a time.
    private static let part = 1 << 18

    init(_ container: LogCompression, _ limits: Limits) throws(DecodingFailure) {
        self.container = container
        self.limits = limits
        decoder = try container.decoder(limits)
    }

    /// Number of bytes of text so far.
    var count: Int { produced }

    mutating func feed(_ bytes: [UInt8]) {
        if position == input.count {
            input = bytes
        } else {
            input.removeFirst(position)
            input += bytes
        }
        position = 0
    }

    /// There are no more compressed bytes.
    mutating func end() { hasEnded = true }

    /// - Returns: the next text; empty where more compressed bytes are needed, and at the end
    ///   (`isDone`).
    mutating func read() -> [UInt8] {
        var text: [UInt8] = []
        while !isDone, text.isEmpty {
            if isBetween, !beginNext() { break }
            let had = (consumed, produced)
            text = decode()
            guard text.isEmpty, had == (consumed, produced), !isDone, !isBetween else { continue }
            if position < input.count {
                stop(.damaged("it cannot be followed"))
            } else if hasEnded {
                stop(.endsEarly)
            } else {
                break
            }
        }
        return text
    }

    private mutating func stop(_ reason: Problem?) {
        isDone = true
        problem = problem ?? reason
    }

    /// Decodes once.
    private mutating func decode() -> [UInt8] {
        let room = min(Self.part, allowed() - produced)
        guard room > 0 else {
            stop(.expands)
            return []
        }
        var outcome: (step: DecodingStep?, failure: DecodingFailure?) = (nil, nil)
        let (decoder, position) = (decoder, position)
        let text = unsafe input.withUnsafeBytes { bytes in
            unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
                do throws(DecodingFailure) {
                    let step = unsafe try decoder.decode(rest, into: UnsafeMutableRawBufferPointer(buffer))
                    outcome.step = step
                    count = step.produced
                } catch {
                    outcome.failure = error
                    // The output before the damage.
                    count = decoder.written
                }
            }
        }
        produced += text.count
        if let step = outcome.step {
            self.position += step.consumed
            consumed += step.consumed
            isBetween = step.isAtEnd
        }
        switch outcome.failure {
        case .damaged(let detail): stop(.damaged(detail))
        case .outOfMemory: stop(.needsMemory)
        case nil: break
        }
        return text
    }

    /// Sets the limit for a process's memory, which may be as good as empty.
    mutating func expectMemory() { limits.expandedLog = limits.unpackedMemory }

    /// Maximum size of the unpacked text: a small input that was compressed well is not a bomb yet.
    private func allowed() -> Int {
        let (expanded, overflow) = consumed.multipliedReportingOverflow(by: limits.logExpansion)
        return overflow ? .max : max(expanded, limits.expandedLog)
    }

    /// Looks for another container after one that has ended.
    /// - Returns: whether another one begins. If not, nothing more comes, or the next bytes are
    ///   needed.
    private mutating func beginNext() -> Bool {
        // Zeros fill the last block of a tape, and xz's streams up to a multiple of four.
        while position < input.count, input[position] == 0 {
            position += 1
            consumed += 1
        }
        let isEmpty = position == input.count
        let match = isEmpty ? .tooShort : container.matches(input.span.from(position))
        switch match {
        case .yes:
            isBetween = false
            return true
        case .tooShort where !hasEnded: return false
        case .tooShort where isEmpty: stop(nil)
        case .tooShort, .no: stop(.trailing(consumed))
        }
        return false
    }
}
