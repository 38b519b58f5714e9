internal import BinaryPrimitives
internal import CrashLogModel

/// Where the images of a Sentry event lie, without their names and identities: enough to know which
/// of them frames are in.
struct SentryImagePlaces {
    /// All are of Apple's systems, and have a base and a size.
    private(set) var areApple = true
    /// In the order of their bases, as `SortedImages` has them.
    private var entries: [(base: UInt64, size: UInt64, index: Int)] = []
    private let first: Int?

    /// - Parameter elements: of `debug_meta.images`.
    init(_ elements: ArraySlice<JSONValue>) {
        first = elements.indices.first
        entries.reserveCapacity(elements.count)
        for (index, element) in zip(elements.indices, elements) {
            guard element["type"]?.withPlainString({ $0.equals("macho") || $0.equals("apple") }) ?? false,
                let base = element["image_addr"]?.unsigned, let size = element["image_size"]?.unsigned
            else {
                areApple = false
                return
            }
            entries.append((base, size, index))
        }
        entries.sort { $0.base < $1.base }
    }

    /// The indices of the images that the report's frames are in, in order, and of the first image,
    /// which shows that there is a list.
    /// - Returns: `nil` where a frame is in none, or images overlap.
    func needed(by report: CrashReport) -> [Int]? {
        guard let first, !overlap else { return nil }
        var needed: Set<Int> = [first]
        for stack in report.stacks {
            for frame in stack.frames {
                guard let address = frame.address, let entry = entry(containing: address.value) else { return nil }
                needed.insert(entry)
            }
        }
        return needed.sorted()
    }

    private var overlap: Bool {
        for (entry, next) in zip(entries, entries.dropFirst()) where next.base - entry.base < entry.size { return true }
        return false
    }

    private func entry(containing address: UInt64) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].base <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, address - entries[low - 1].base < entries[low - 1].size else { return nil }
        return entries[low - 1].index
    }
}
