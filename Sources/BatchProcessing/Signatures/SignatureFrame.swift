package import BinaryPrimitives
package import Reporting

/// One function of a stack, as a signature sees it.
package struct SignatureFrame: Sendable, Hashable {
    /// The normalised name; empty for a frame without one.
    package var name: String
    package var language: NameLanguage
    /// The image's name; empty where it is not known.
    package var module: String
    /// The image's identifier, if the log or the symbols have it.
    package var build: ImageID?
    /// The frame's offset in its image, if it is known.
    package var offset: ImageOffset?
    /// Which frame of the log it belongs to: inlined calls share one.
    package var row: Int
    /// A call that was inlined into the next.
    package var isInlined: Bool
    /// The result shows what else was inlined here, or that nothing was: it comes from debug
    /// information.
    package var showsInlinedCalls: Bool
    package var isClosure: Bool
    /// Which closure, where the name shows it (`NormalizedName.closure`).
    package var closure: String
    /// Types of its parameters, where the name shows them (`NormalizedName.parameters`): overloads
    /// have one name.
    package var parameters = ""
    /// The name is one that says nothing (`<redacted>`), and so is no name.
    package var isHidden: Bool
    /// The user's own code, as far as this can be determined without the repository.
    package var isOwn: Bool
    /// Kept, but who called it is needed, too: see `FrameList.Kind.prefix`.
    package var isPrefix: Bool

    /// The program begins here, by the name that the language gives it: `main`, Rust's
    /// `ledger::main`, Go's `main.main`, Windows' `wWinMain`.
    var isEntry: Bool {
        switch language {
        case .rust: name.hasSuffix("::main") && name.utf8.count { $0 == UInt8(ascii: ":") } == 2
        case .go: name == "main.main"
        default: name == "main" || name == "wmain" || name == "WinMain" || name == "wWinMain"
        }
    }

    /// `harbor+0x1a2b`: used instead of the name if nothing else distinguishes crashes. Offsets of
    /// two builds are unrelated, so the build is part of it. If the build is not known, equal
    /// offsets count as equal.
    var offsetLabel: String {
        let offsetText = offset.map { "+0x" + String($0.value, radix: 16) } ?? ""
        let owner = build.map { "@" + $0.hexadecimal.prefix(12) } ?? ""
        return moduleLabel + offsetText + owner
    }

    /// Used instead of the name if other frames distinguish crashes.
    var moduleLabel: String { module.isEmpty ? "?" : module }
}
