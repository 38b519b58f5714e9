internal import BinaryPrimitives
internal import CrashLogModel

/// Where the images of a Sentry event are, without their names and identities: enough to know which
/// of them frames are in.
struct SentryImagePlaces {
    private let images: SortedImages

    /// - Parameter elements: of `debug_meta.images`.
    /// - Returns: `nil` where one is not of Apple's systems, or has no base or size, and where they
    ///   overlap.
    init?(_ elements: [JSONValue]) {
        var places: [(base: UInt64, size: UInt64, index: Int)] = []
        places.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard element["type"]?.withPlainString({ $0.equals("macho") || $0.equals("apple") }) ?? false,
                let base = element["image_addr"]?.unsigned, let size = element["image_size"]?.unsigned
            else { return nil }
            places.append((base, size, index))
        }
        images = SortedImages(places: places)
        guard !places.isEmpty, !images.overlap else { return nil }
    }

    /// The indices of the images that the report's frames are in, in order, and of the first image,
    /// which shows that there is a list.
    /// - Returns: `nil` where a frame is in none.
    func needed(by report: CrashReport) -> [Int]? {
        var needed: Set<Int> = [0]
        for stack in report.stacks {
            for frame in stack.frames {
                guard let index = frame.address.flatMap({ images.index(containing: $0) }) else { return nil }
                needed.insert(index)
            }
        }
        return needed.sorted()
    }
}
