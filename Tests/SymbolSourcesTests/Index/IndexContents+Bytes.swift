import BinaryPrimitives
import Synchronization

@testable import SymbolSources

extension IndexContents {
    /// The file's bytes.
    func bytes() throws -> [UInt8] {
        let file = Mutex<[UInt8]>([])
        try write({ bytes in file.withLock { $0 += bytes } }) { start in
            file.withLock { $0.replaceSubrange(start.indices, with: start) }
        }
        return file.withLock { $0 }
    }
}
