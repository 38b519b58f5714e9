internal import BinaryPrimitives
internal import Synchronization

/// Budget of memory for an object's inflated sections, all at one time: a small file may declare
/// gigabytes. Bytes are released with the last reference to a section's bytes.
final class InflationAllowance: Sendable {
    /// Maximum number of inflated bytes in memory.
    let maxBytes: Int
    private let reserved = Mutex(0)

    /// - Parameter fileSize: size in bytes of the file that contains the object.
    init(fileSize: Int, _ limits: Limits) {
        let (scaled, overflow) = fileSize.multipliedReportingOverflow(by: limits.inflatedPerByte)
        maxBytes = overflow ? .max : max(limits.inflatedAtOnce, scaled)
    }

    /// - Returns: whether there is room for that many bytes more.
    func reserve(_ count: Int) -> Bool {
        reserved.withLock { reserved in
            guard count <= maxBytes - reserved else { return false }
            reserved += count
            return true
        }
    }

    func release(_ count: Int) { reserved.withLock { $0 -= count } }
}
