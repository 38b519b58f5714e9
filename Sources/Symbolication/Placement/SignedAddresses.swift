internal import BinaryPrimitives
internal import CrashLogModel

/// Takes the signature of pointer authentication off return addresses: `0x5a6b900104a383f8` is
/// 0x104a383f8 with a signature in the bits above the address space.
///
/// An address is changed only where it is in no image as it is, and in one without those bits.
/// Apple's systems use addresses of 39 bits on devices and 47 on Macs, Linux of 48.
struct SignedAddresses {
    private(set) var report: CrashReport
    /// One sentence, if there was one.
    private(set) var notes: [String] = []

    private static let addressBits: [UInt64] = [39, 47, 48]

    init(_ report: CrashReport) {
        self.report = report
        guard Self.mayBeSigned(report) else { return }
        let images = report.images
        var count = 0
        var example: (signed: RuntimeAddress, plain: RuntimeAddress)?
        self.report.changeStacks { stack in
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                guard let address = frame.address, address.value >> 39 != 0, Self.isOpen(frame, images),
                    let (plain, image) = Self.plain(address, images), let base = images[image].base
                else { continue }
                stack.frames[index].image = image
                stack.frames[index].imageLocation = plain.offset(fromImageLoadedAt: base).map { .offset($0) }
                count += 1
                example = example ?? (address, plain)
            }
        }
        guard let example else { return }
        notes.append(
            "\(count == 1 ? "1 address is" : "\(count) addresses are") signed by pointer authentication; the signature is ignored: \(example.signed) is \(example.plain)"
        )
    }

    private static func mayBeSigned(_ report: CrashReport) -> Bool {
        guard report.obstacle == nil else { return false }
        return report.architecture?.family == "arm64" || report.images.contains { $0.architecture?.family == "arm64" }
    }

    /// Whether the frame is in no image of the log.
    private static func isOpen(_ frame: Frame, _ images: [BinaryImage]) -> Bool {
        if let location = frame.imageLocation {
            guard case .offset = location, let image = frame.image, images.indices.contains(image) else { return false }
            return images[image].isPlaceholder
        }
        guard let image = frame.image, images.indices.contains(image), let address = frame.address else { return true }
        return images[image].base == nil || images[image].isPlaceholder || images[image].size != nil && !images[image].contains(address)
    }

    private static func plain(_ address: RuntimeAddress, _ images: [BinaryImage]) -> (RuntimeAddress, Int)? {
        guard !images.contains(where: { $0.contains(address) && !$0.isPlaceholder }) else { return nil }
        for bits in addressBits {
            let plain = RuntimeAddress(address.value & (1 << bits - 1))
            guard plain != address else { return nil }
            // A return address may be one past the image's last byte.
            let call = RuntimeAddress(ReturnAddress.call(before: plain.value))
            if let image = images.firstIndex(where: { $0.contains(call) && !$0.isPlaceholder }) { return (plain, image) }
        }
        return nil
    }
}
