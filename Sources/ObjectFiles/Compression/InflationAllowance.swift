internal import BinaryPrimitives
internal import Synchronization

/// How many bytes of an object's compressed sections may be in memory inflated, all at one time: a
/// small file may declare gigabytes. Given back with the last reference to a section's bytes.
final class InflationAllowance: Sendable {
    /// In bytes.
    let most: Int
    private let taken = Mutex(0)

    /// - Parameter fileSize: size in bytes of the file that contains the object.
    init(fileSize: Int, _ limits: Limits) {
        let (scaled, overflow) = fileSize.multipliedReportingOverflow(by: limits.inflatedPerByte)
        most = overflow ? .max : max(limits.inflatedAtOnce, scaled)
    }

    /// - Returns: whether there is room for that many bytes more.
    func take(_ count: Int) -> Bool {
        taken.withLock { taken in
            guard count <= most - taken else { return false }
            taken += count
            return true
        }
    }

    func giveBack(_ count: Int) { taken.withLock { $0 -= count } }
}
