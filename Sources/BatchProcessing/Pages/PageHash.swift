internal import BinaryPrimitives

/// The name of a page's own style sheet or script in its policy (Content Security Policy Level 3,
/// section 2.3.1).
enum PageHash {
    static func text(of source: String) -> String {
        var hasher = SHA256()
        hasher.update(Array(source.utf8))
        return "sha256-" + Base64.encoded(hasher.finish())
    }
}
