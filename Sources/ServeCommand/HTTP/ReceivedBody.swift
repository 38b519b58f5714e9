#if Service
    internal import BinaryPrimitives
    internal import NIOCore
    internal import Serving
    internal import Synchronization

    /// Disk space that all request bodies use together.
    final class SpoolBudget: Sendable {
        private let used = Atomic(0)
        private let most: Int

        init(most: Int) { self.most = most }

        var bytes: Int { used.load(ordering: .relaxed) }

        /// - Returns: whether there is room; then it is taken.
        func take(_ count: Int) -> Bool {
            if used.add(count, ordering: .relaxed).newValue <= most { return true }
            give(count)
            return false
        }

        /// Takes room for what is there already.
        func hold(_ count: Int) { used.add(count, ordering: .relaxed) }

        func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
    }

    /// Why a body could not be taken.
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
        private let most: Int
        private let budget: SpoolBudget
        private var taken = 0

        private static let largestInMemory = 64 << 10

        init(atMost most: Int, _ budget: SpoolBudget) {
            self.most = most
            self.budget = budget
        }

        deinit { budget.give(taken) }

        mutating func append(_ buffer: ByteBuffer) throws(BodyProblem) {
            let bytes = Array(buffer.readableBytesView)
            let count = (file == nil ? small.count : taken) + bytes.count
            guard count <= most else { throw .tooLarge }
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
            guard budget.take(bytes.count) else { throw .noRoom }
            taken += bytes.count
            do throws(FileError) { try file?.append(bytes) } catch { throw .disk(error) }
        }

        /// All of it. The caller gives its room on the disk back.
        mutating func finish() throws(BodyProblem) -> Request.Body {
            guard let file = file.take() else { return .bytes(small) }
            do throws(FileError) {
                let body = Request.Body.file(try file.finish(path: "the request"))
                taken = 0
                return body
            } catch { throw .disk(error) }
        }
    }
#endif
