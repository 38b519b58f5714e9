#if Service
    internal import BinaryPrimitives
    internal import NIOCore
    internal import Serving
    internal import Synchronization

    /// Disk space that all request bodies use together.
    final class SpoolBudget: Sendable {
        private let used = Atomic(0)
        private let maxBytes: Int

        init(maxBytes: Int) { self.maxBytes = maxBytes }

        var bytes: Int { used.load(ordering: .relaxed) }

        /// Reserves room if there is enough.
        /// - Returns: whether it was reserved.
        func reserve(_ count: Int) -> Bool {
            if used.add(count, ordering: .relaxed).newValue <= maxBytes { return true }
            release(count)
            return false
        }

        /// Counts bytes that are on the disk already.
        func hold(_ count: Int) { used.add(count, ordering: .relaxed) }

        func release(_ count: Int) { used.subtract(count, ordering: .relaxed) }
    }

    /// Reason for which a body could not be received.
    enum BodyProblem: Error {
        case tooLarge
        /// There is no room for it now.
        case noRoom
        case disk(FileError)
    }

    /// The body of a request as it comes: in memory as long as it is small, then in a file that has
    /// no name.
    struct ReceivedBody: ~Copyable {
        private var small: [UInt8] = []
        private var file: UnlinkedFile?
        private let maxBytes: Int
        private let budget: SpoolBudget
        private var spooled = 0

        private static let largestInMemory = 64 << 10

        init(atMost maxBytes: Int, _ budget: SpoolBudget) {
            self.maxBytes = maxBytes
            self.budget = budget
        }

        deinit { budget.release(spooled) }

        mutating func append(_ buffer: ByteBuffer) throws(BodyProblem) {
            let bytes = Array(buffer.readableBytesView)
            let count = (file == nil ? small.count : spooled) + bytes.count
            guard count <= maxBytes else { throw .tooLarge }
            if file == nil, count <= Self.largestInMemory {
                small += bytes
                return
            }
            if file == nil {
                file = UnlinkedFile(largestInMemory: 0)
                let all = small
                small = []
                try spool(all)
            }
            try spool(bytes)
        }

        private mutating func spool(_ bytes: [UInt8]) throws(BodyProblem) {
            guard budget.reserve(bytes.count) else { throw .noRoom }
            spooled += bytes.count
            do throws(FileError) { try file?.append(bytes) } catch { throw .disk(error) }
        }

        /// Returns the whole body. The caller releases its room on the disk.
        mutating func finish() throws(BodyProblem) -> Request.Body {
            guard let file = file.take() else { return .bytes(small) }
            do throws(FileError) {
                let body = Request.Body.file(try file.finish(path: "the request"))
                spooled = 0
                return body
            } catch { throw .disk(error) }
        }
    }
#endif
