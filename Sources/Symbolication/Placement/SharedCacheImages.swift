internal import BinaryPrimitives
internal import CrashLogModel
internal import ObjectFiles

/// Images of a shared cache (dyld) that a log does not list or not identify, where it says which cache the process had and where:
/// `sharedCache` of an `.ips`, and the image of source `S` of a stackshot, which stands for all of them.
struct SharedCacheImages {
    private(set) var report: CrashReport

    /// - Parameter find: the cache with that UUID; `nil` where none is found.
    init(_ report: CrashReport, find: (ImageID) -> SharedCache?) {
        self.report = report
        let whole = report.images.firstIndex { $0.name == Self.wholeName && $0.path == nil && $0.id != nil && $0.base != nil }
        guard let mapping = report.sharedCache ?? whole.flatMap({ Self.mapping(report.images[$0]) }), let cache = find(mapping.id),
            mapping.base.value >= cache.baseAddress
        else { return }
        let slide = mapping.base.value - cache.baseAddress
        identify(in: cache, slide)
        addImages(of: cache, slide, in: whole)
    }

    /// As the stackshot's parser calls it.
    private static let wholeName = "shared cache"

    private static func mapping(_ image: BinaryImage) -> SharedCacheMapping? {
        guard let id = image.id, let base = image.base else { return nil }
        return SharedCacheMapping(id: id, base: base, size: image.size)
    }

    /// Gives listed images without a UUID that of the cache's image at their address.
    private mutating func identify(in cache: SharedCache, _ slide: UInt64) {
        for (number, image) in report.images.enumerated() where image.id == nil && !image.isPlaceholder {
            guard let base = image.base, base.value >= slide, let index = cache.image(containing: base.value - slide),
                cache.images[index].address == base.value - slide, Path.name(of: cache.images[index].path) == image.name
            else { continue }
            report.images[number].id = cache.identity(of: index)
        }
    }

    /// Adds the images of frames whose addresses are in the cache, and whose listed image is none, the whole cache (source `S`), or a
    /// placeholder (source `A`).
    private mutating func addImages(of cache: SharedCache, _ slide: UInt64, in whole: Int?) {
        var added: [Int: Int] = [:]
        var images = report.images
        let listed = images
        report.changeStacks { stack in
            for number in stack.frames.indices {
                let frame = stack.frames[number]
                guard frame.image.map({ $0 == whole || listed[$0].isPlaceholder }) ?? true, let address = frame.address,
                    address.value > slide,
                    !listed.contains(where: { $0.id != nil && $0.contains(address) && $0.name != Self.wholeName }),
                    // A call of a function that never returns may be its caller's last instruction.
                    let index = cache.image(containing: address.value - slide) ?? cache.image(containing: address.value - slide - 1)
                else { continue }
                let own = cache.images[index]
                let image =
                    added[index]
                    ?? {
                        images.append(
                            BinaryImage(
                                name: Path.name(of: own.path), path: own.path, id: cache.identity(of: index),
                                base: RuntimeAddress(own.address + slide), size: own.size, architecture: cache.architecture))
                        return images.count - 1
                    }()
                added[index] = image
                stack.frames[number].image = image
                stack.frames[number].imageOffset = ImageOffset(address.value - slide - own.address)
                stack.frames[number].imageName = images[image].name
            }
        }
        report.images = images
    }
}
