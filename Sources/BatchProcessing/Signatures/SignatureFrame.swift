public import BinaryPrimitives

/// One function of a stack, as a signature sees it.
public struct SignatureFrame: Sendable, Hashable {
    /// The normalised name; empty for a frame without one.
    public var name: String
    public var language: NameLanguage
    /// The image's name; empty where it is not known.
    public var module: String
    /// The image's identity, where the log or the symbols tell it.
    public var build: ImageID?
    /// The frame's place in its image, where that is known.
    public var offset: ImageOffset?
    /// Which frame of the log it belongs to: inlined calls share one.
    public var row: Int
    /// A call that was inlined into the next.
    public var isInlined: Bool
    /// It is told that nothing else was inlined here, or what was: the answer comes from debug information.
    public var showsInlinedCalls: Bool
    public var isClosure: Bool
    /// Which closure, where the name tells (`NormalizedName.closure`).
    public var closure: String
    /// The name is one that says nothing (`<redacted>`), and so is no name.
    public var isHidden: Bool
    /// The user's own code, as far as can be told without the repository.
    public var isOwn: Bool
    /// Kept, but who called it is needed, too: see `FrameList.Kind.prefix`.
    public var isPrefix: Bool

    /// `harbor+0x1a2b`: what stands for the name where it is the only thing that tells places apart. Offsets of two builds have nothing to do with each other, so the build is part of it;
    /// where it is not known, equal offsets are taken for equal places.
    var placeLabel: String {
        let place = offset.map { "+0x" + String($0.value, radix: 16) } ?? ""
        let owner = build.map { "@" + $0.hexadecimal.prefix(12) } ?? ""
        return moduleLabel + place + owner
    }

    /// What stands for the name where other frames tell places apart.
    var moduleLabel: String { module.isEmpty ? "?" : module }
}
