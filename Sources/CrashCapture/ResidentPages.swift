internal import BinaryPrimitives
internal import LibC

/// The pages of a mapping that are in memory, or were swapped out (`/proc/PID/pagemap`, proc_pid_pagemap(5)).
enum ResidentPages {
    /// Gaps of fewer bytes are taken as in memory, so that there are few runs.
    private static let smallestGap: UInt64 = 64 << 10
    private static let maxRuns = 1024
    /// A mapping of 64 GB has 128 MB of entries.
    private static let maxMapping = 64 << 30

    /// Returns the ranges whose pages are in memory, ascending.
    /// - Parameter range: addresses of a mapping, which begins and ends with a page.
    /// - Returns: `nil` if that cannot be read, or there are more runs than are useful.
    static func runs(of range: Range<UInt64>, process: Int32) -> [Range<UInt64>]? {
        let page = UInt64(max(4096, sysconf(Int32(_SC_PAGESIZE))))
        guard range.count <= maxMapping, let file = try? FileDescriptor.open("/proc/\(process)/pagemap") else { return nil }
        defer { FileDescriptor.close(file) }
        var runs: [Range<UInt64>] = []
        var buffer = [UInt64](repeating: 0, count: 1 << 13)
        var address = range.lowerBound
        while address < range.upperBound {
            let wanted = min(UInt64(buffer.count), (range.upperBound - address + page - 1) / page)
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(file, $0.baseAddress, Int(wanted) * 8, off_t(truncatingIfNeeded: address / page * 8))
            }
            guard count >= 8 else { return nil }
            // Bit 63: in memory; bit 62: swapped out.
            for index in 0..<count / 8 where buffer[index] >> 62 != 0 {
                let start = address + UInt64(index) * page
                if let last = runs.last, start - last.upperBound < smallestGap {
                    runs[runs.count - 1] = last.lowerBound..<start + page
                } else {
                    guard runs.count < maxRuns else { return nil }
                    runs.append(start..<start + page)
                }
            }
            address += UInt64(count / 8) * page
        }
        return runs.map { $0.clamped(to: range) }
    }
}
