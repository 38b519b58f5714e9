internal import Symbolication

/// The files whose symbols would resolve frames, and those that people seldom have.
struct MissingSymbols {
    /// Files of an operating system: only the maker's symbols of that very build fit.
    private(set) var ofSystem: [UnresolvedImage] = []
    private(set) var helpful: [UnresolvedImage] = []

    init(_ images: [UnresolvedImage]) {
        for image in images {
            // Memory without a file, and code that was compiled on the device, have no symbol file.
            if FilelessImage.isOne(named: image.image.name) || Self.isCompiledOnDevice(image.image.name) { continue }
            if Self.isOfSystem(image.image) { ofSystem.append(image) } else { helpful.append(image) }
        }
    }

    /// ART's ahead-of-time code: `base.odex`, `boot.oat`, `boot-framework.art`, `base.vdex`.
    private static func isCompiledOnDevice(_ name: String) -> Bool {
        [".odex", ".oat", ".art", ".vdex"].contains(where: name.hasSuffix)
    }

    /// Apple's and Android's folders. Linux distributions have debug packages and debuginfod, so
    /// their libraries can be resolved.
    private static func isOfSystem(_ image: MissingImage) -> Bool {
        if image.name.hasPrefix("libsystem_") || image.name.hasPrefix("com.apple.") { return true }
        guard let path = image.path else { return false }
        // A simulator's: `/Applications/Xcode.app/…/RuntimeRoot/System/Library/Frameworks/…`.
        if path.contains("/System/Library/") { return true }
        if ["/System/", "/Library/Apple/", "/private/preboot/", "/system/", "/system_ext/", "/apex/", "/vendor/", "/product/", "/odm/"]
            .contains(where: path.hasPrefix)
        {
            return true
        }
        // A Mach-O file has a UUID, with hyphens; an ELF file's build ID has no hyphens.
        return path.hasPrefix("/usr/lib/") && image.identity?.contains("-") == true
    }
}
