internal import BinaryPrimitives

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
