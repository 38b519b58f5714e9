internal import BinaryPrimitives
internal import CrashLogModel

/// The images of a panic: the kernel, always, and the extensions that have frames in the backtrace.
/// With the kernel listed even where nothing is known of it, an address of the kernel is never
/// looked up in a program that happens to be linked there (PowerPC's and i386's kernels lie where
/// programs do).
struct ApplePanicImages {
    private(set) var images: [BinaryImage] = []
    private(set) var notes: [String] = []
    /// The extensions by their ranges, whether or not these are good for a base; an index is one
    /// less than in `images`.
    private let ranges: SortedImages
    private var byName: [String: Int] = [:]
    private let textBase: UInt64?

    /// From the kernel's text base, an address so far is the kernel's if no extension claims it:
    /// the largest kernels have 20 MB of code.
    private static let maxTextDistance: UInt64 = 64 << 20

    /// - Parameters:
    ///   - textBase: `Kernel text base`. In `panic_display_kernel_aslr` (xnu's
    ///     `osfmk/kern/debug.c`) that is `vm_kernel_stext`, where the kernel's Mach-O header is:
    ///     the image's base as it is.
    ///     The slide need not be added: the text base is slid already, and `Kernel slide` is the difference from the address it was linked at.
    ///   - isSplit: there is a `Kernel text exec base`: on Apple silicon, a collection of kernel
    ///     and extensions is laid out anew, all code (`__TEXT_EXEC`) together and apart from the
    ///     headers. The distance of an address from `segTEXTEXECB` is then its distance from `__TEXT_EXEC` of the kernel's file, and not from its header; and the ranges of
    ///     extensions are those of their code. A base that looks right would give wrong names, so none is given.
    init(kernelID: ImageID?, textBase: UInt64?, isSplit: Bool, extensions: [ApplePanicExtension]) {
        self.textBase = textBase
        ranges = SortedImages(
            extensions.map { found in
                return BinaryImage(name: found.name, base: RuntimeAddress(found.start), size: found.size)
            })
        var kernel = BinaryImage(name: "mach_kernel", id: kernelID)
        if !isSplit { kernel.base = textBase.map { RuntimeAddress($0) } }
        images = [kernel]
        for found in extensions {
            var image = BinaryImage(name: found.name, id: found.id)
            // An extension's header begins a page; where its range does not, the range is that of
            // its code.
            if !isSplit, found.start & 0xFFF == 0 {
                image.base = RuntimeAddress(found.start)
                image.size = found.size
            }
            byName[found.name] = images.count
            images.append(image)
        }
        if isSplit {
            notes.append(
                "The kernel's code was loaded apart from its header (Kernel text exec base), so the log's addresses cannot be mapped to the kernel's file."
            )
        } else if textBase == nil {
            notes.append("The panic has no load address of the kernel.")
        }
    }

    func image(of frame: Frame) -> Int? {
        guard let address = frame.address?.value else { return nil }
        if let index = ranges.index(containing: RuntimeAddress(address)) { return index + 1 }
        if let name = frame.imageName {
            if name == "mach_kernel" || name == "kernel" { return 0 }
            // Kernels that print names print the extension's, too; one whose range is not listed is
            // nowhere.
            return byName[name]
        }
        guard let textBase, address >= textBase, address - textBase < ApplePanicImages.maxTextDistance else { return nil }
        return 0
    }
}
