internal import BinaryPrimitives
internal import Synchronization

/// How many bytes of an object's compressed sections may be in memory inflated, all at one time: a
/// small file may declare gigabytes. Given back with the last reference to a section's bytes.
final class InflationAllowance: Sendable {
    /// In bytes.
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
