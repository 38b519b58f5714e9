package import BinaryPrimitives
internal import CrashLogModel

/// An image that the user describes (`--image NAME=PATH[@BASE]`), for logs that do not name it or
/// do not give its load address.
package struct GivenImage: Sendable, Hashable {
    /// Name or path of the image in the log. Empty: the file's own name.
    package var name: String
    /// The symbol file, or the dSYM bundle.
    package var path: String
    /// Address at which the image's first byte was mapped: the start of its first mapping in `/proc/PID/maps`,
    /// the load address of a Mach-O image. `nil` where the log gives it.
    package var base: RuntimeAddress?

    package init(name: String, path: String, base: RuntimeAddress? = nil) {
        self.name = name
        self.path = path
        self.base = base
    }

    /// Name of the image in the log, for display.
    package var shownName: String { name.isEmpty ? Path.name(of: path) : name }
}

extension BinaryImage {
    /// Whether a name that the user gave may mean this image.
    package func isCalled(_ name: String) -> Bool {
        self.name == Path.name(of: name) || path.map { $0 == name || Path.name(of: $0) == name } == true
    }
}

/// Adds the user's images to a report: each becomes the image of that name in the log, or a
/// further one.
struct GivenImages {
    private(set) var report: CrashReport
    /// Decisions that the user should know, one sentence each.
    private(set) var notes: [String] = []
    /// The file that the user named for an image, by the image's index.
    private(set) var paths: [Int: String] = [:]
    /// The files of images that have a base now.
    private var movedPaths: Set<String> = []

    /// - Parameter size: the bytes from an image's first byte to the end of its last code, as a
    ///   file gives it. Called where neither the log nor another image bounds it.
    init(_ images: [GivenImage], report: CrashReport, size: (GivenImage) -> UInt64?) {
        self.report = report
        for image in images { add(image, size) }
        guard !movedPaths.isEmpty else { return }
        assignFrames()
    }

    private mutating func add(_ given: GivenImage, _ size: (GivenImage) -> UInt64?) {
        let name = given.shownName
        let called = images(called: name)
        guard let base = given.base else {
            for index in called { paths[index] = given.path }
            if called.isEmpty, !given.name.isEmpty {
                notes.append(
                    "no image of the log has the name \(name), and --image has no @BASE for it, so addresses are looked up in \(given.path) as linked"
                )
            }
            return
        }
        movedPaths.insert(given.path)
        guard let index = index(of: called, at: base, name: name) else { return }
        paths[index] = given.path
        if let reported = report.images[index].base, reported != base {
            notes.append("the load address of \(name) is \(base) (from --image), not \(reported) (from the log)")
        }
        report.images[index].base = base
        report.images[index].size = report.images[index].size ?? size(given)
    }

    /// The images of the log that a name means: by their paths, else by their names.
    private func images(called name: String) -> [Int] {
        let real = report.images.indices.filter { !report.images[$0].isPlaceholder }
        let exact = real.filter { report.images[$0].path == name }
        guard exact.isEmpty else { return exact }
        return real.filter { report.images[$0].isCalled(name) }
    }

    /// Returns the image that the user means: the one of that name; of several, the one that is already at the
    /// base, or the only one without a base; a new image if the log has none.
    private mutating func index(of called: [Int], at base: RuntimeAddress, name: String) -> Int? {
        let there = called.first { report.images[$0].base == base }
        let withoutBase = called.filter { report.images[$0].base == nil }
        if let index = there ?? (withoutBase.count == 1 ? withoutBase[0] : nil) ?? (called.count == 1 ? called[0] : nil) { return index }
        guard called.isEmpty else {
            notes.append(
                "\(called.count) images of the log have the name \(name), so \(base) is used for none of them. Use the path of the image: --image PATH=FILE@BASE"
            )
            return nil
        }
        let image = BinaryImage(name: Path.name(of: name), path: name.utf8.first == UInt8(ascii: "/") ? name : nil)
        report.images.append(image)
        return report.images.count - 1
    }

    /// Assigns images that have a base now to frames for which the log gives no image.
    private mutating func assignFrames() {
        let images = report.images
        let own = paths.keys.filter { images[$0].base != nil }.sorted()
        report.changeStacks { stack in
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                guard let lookup = frame.addressInCode, Self.isOpen(frame, in: images, own) else { continue }
                guard let image = own.first(where: { Self.holds(images, $0, lookup, frame) }) else { continue }
                stack.frames[index].image = image
                // A function's name and an offset from it are no worse than the address.
                if case .symbol? = frame.imageLocation { continue }
                stack.frames[index].imageLocation = nil
            }
        }
    }

    /// Whether the log does not give the frame's image, or gives no more than the address itself.
    private static func isOpen(_ frame: Frame, in images: [BinaryImage], _ own: [Int]) -> Bool {
        switch frame.imageLocation {
        case .symbol?, nil: break
        case let location? where location == frame.address.map({ .linkAddress(LinkAddress($0.value)) }): break
        default: return false
        }
        guard let image = frame.image, images.indices.contains(image) else { return true }
        return images[image].base == nil || own.contains(image)
    }

    /// Whether an image holds the address. Of a file that does not give its size, only an image
    /// that the frame names, or that begins nearest before it.
    private static func holds(_ images: [BinaryImage], _ index: Int, _ address: RuntimeAddress, _ frame: Frame) -> Bool {
        let image = images[index]
        if image.size != nil { return image.contains(address) }
        guard let base = image.base, let distance = address.distance(from: base), distance < 1 << 31 else { return false }
        if frame.image == index { return true }
        if let name = frame.imageName { return name == image.name || name == image.path }
        return images.allSatisfy { other in other.base.map { $0 <= base || $0 > address } ?? true }
    }

    /// Whether the user named the file for an image.
    func names(_ path: String) -> Bool { paths.values.contains { path == $0 || path.hasPrefix($0 + "/") } }

    /// Whether the image of a file is not at its link address.
    func isMoved(_ file: UnslidImage) -> Bool { movedPaths.contains { file.path == $0 || file.path.hasPrefix($0 + "/") } }

    /// Distance from the first byte of a given file to the end of its code.
    static func size(of given: GivenImage, architecture: Architecture?, among files: [UnslidImage]) -> UInt64? {
        var own = files.filter { $0.path == given.path || $0.path.hasPrefix(given.path + "/") }
        if own.count > 1, let architecture { own = own.filter { $0.architecture?.family == architecture.family } }
        let end = own.flatMap(\.code).map(\.upperBound).max()
        guard own.count == 1, let end, end > own[0].base.value else { return nil }
        return end - own[0].base.value
    }
}
