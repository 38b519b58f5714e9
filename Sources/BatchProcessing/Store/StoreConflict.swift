/// What a row that is there already becomes: the ends of INSERT statements.
enum StoreConflict {
    static let nothing = " ON CONFLICT DO NOTHING"

    static let log =
        " ON CONFLICT (id) DO UPDATE SET result = excluded.result, problems = excluded.problems, rules = excluded.rules, unanswered = excluded.unanswered"

    static let file = " ON CONFLICT (path) DO UPDATE SET log = excluded.log, size = excluded.size, modified = excluded.modified"

    static let stack = " ON CONFLICT (id) DO UPDATE SET unanswered = excluded.unanswered"

    /// Of one image two reports may know differently much: none of its frames were looked up in one.
    /// What found symbols counts.
    static func image(isAnonymous: Bool) -> String {
        let hasSymbols = "CASE WHEN images.has_symbols > excluded.has_symbols THEN images.has_symbols ELSE excluded.has_symbols END"
        return " ON CONFLICT (id) DO UPDATE SET "
            + (isAnonymous
                ? "path = excluded.path, has_symbols = \(hasSymbols), reason = CASE WHEN \(hasSymbols) = 1 THEN NULL ELSE excluded.reason END"
                : "has_symbols = 1, reason = NULL WHERE excluded.has_symbols = 1 AND images.has_symbols = 0")
    }
}
