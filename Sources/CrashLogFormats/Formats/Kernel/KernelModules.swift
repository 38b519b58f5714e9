internal import BinaryPrimitives
internal import CrashLogModel

/// The images of a kernel's report: vmlinux, the modules that frames lie in, and those of the list.
///
///     Modules linked in: radeon(+)(U) ttm(U) drm(U) [last unloaded: scsi_wait_scan]
struct KernelModules {
    private var names: [String] = []

    /// - Returns: whether the line is the list, or its beginning.
    mutating func take(_ line: Span<UInt8>) -> Bool {
        var rest = line.trimmed()
        guard rest.take("Modules linked in:") else { return false }
        while names.count < 4096 {
            rest.skipBlanks()
            let token = rest.takeToken()
            // Marks follow it: what taints the kernel, and whether it is being loaded.
            let name = token.upTo(token.firstIndex(of: UInt8(ascii: "(")) ?? token.count)
            guard name.count > 0, name.at(0) != UInt8(ascii: "[") else { break }
            names.append(name.text + ".ko")
        }
        return true
    }

    /// - Parameters:
    ///   - kernelID: vmlinux's.
    ///   - ids: the modules' by image name.
    func giveImages(to report: inout CrashReport, kernelID: ImageID?, ids: [String: ImageID]) {
        var images = ImageTable()
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let name = stack.frames[index].imageName else { continue }
                stack.frames[index].image = images.index(ofImageNamed: name, id: name == KernelStacks.kernelName ? kernelID : ids[name])
            }
        }
        for name in names { _ = images.index(ofImageNamed: name, id: ids[name]) }
        report.images = images.images
    }
}
