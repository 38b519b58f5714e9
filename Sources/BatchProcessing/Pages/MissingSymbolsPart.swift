internal import BinaryPrimitives
internal import Symbolication

/// The files whose symbols are missing, with the command to run when they are there.
struct MissingSymbolsPart {
    let writing: PageWriting

    /// Images that are looked at.
    static let limit = 60
    private static let shown = 20

    func values(_ images: [UnresolvedImage]) -> [String: Any]? {
        let missing = MissingSymbols(images)
        guard !missing.helpful.isEmpty || !missing.ofSystem.isEmpty else { return nil }
        let helpful = missing.helpful.prefix(Self.shown)
        let frames = missing.ofSystem.reduce(0) { $0 + $1.frames }
        return [
            "hasRows": !helpful.isEmpty, "rows": helpful.map(Self.row), "command": command,
            "caption": "Files whose symbols would resolve frames, those with most frames on the different stacks first."
                + (missing.helpful.count > helpful.count ? " \(helpful.count) of \(missing.helpful.count) or more." : ""),
            "hasSystem": !missing.ofSystem.isEmpty, "system": missing.ofSystem.prefix(Self.shown).map(Self.row),
            "systemSummary":
                "\(PageText.count(missing.ofSystem.count, "file")) of the operating system, \(PageText.count(frames, "frame"))",
        ]
    }

    /// The command of the last run once more.
    private var command: String {
        let roots = writing.roots.isEmpty ? "LOGS" : writing.roots.prefix(8).map { ShellWord.quoted($0) }.joined(separator: " ")
        return PageText.short("cairn batch \(roots) --store \(ShellWord.quoted(writing.store)) --retry-unresolved --symbols DIR", 2000)
    }

    private static func row(_ image: UnresolvedImage) -> [String: Any] {
        let (image, frames) = (image.image, image.frames)
        var row: [String: Any] = [
            "name": PageText.short(image.name, 300), "identity": PageText.short(image.identity ?? "no build ID or UUID in the logs", 100),
            "frames": PageText.number(frames),
        ]
        if let architecture = image.architecture { row["architecture"] = PageText.short(architecture, 40) }
        // Name and identifier are there already.
        if let reason = image.reason, !reason.hasPrefix("no symbol file for ") { row["reason"] = PageText.short(reason, 500) }
        return row
    }
}

/// The files whose symbols would resolve frames, and those that people seldom have.
struct MissingSymbols {
    /// Files of an operating system: only the maker's symbols of that very build fit.
    private(set) var ofSystem: [UnresolvedImage] = []
    private(set) var helpful: [UnresolvedImage] = []

    init(_ images: [UnresolvedImage]) {
        for image in images {
            // Memory without a file, and code that was compiled on the device, have no symbol file.
            if FilelessImage.isFileless(named: image.image.name) || Self.isCompiledOnDevice(image.image.name) { continue }
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
