/// Ends of INSERT statements that update a row that exists already.
enum StoreConflict {
    static let nothing = " ON CONFLICT DO NOTHING"

    static let log =
        " ON CONFLICT (id) DO UPDATE SET result = excluded.result, problems = excluded.problems, rules = excluded.rules, unanswered = excluded.unanswered"

    static let file = " ON CONFLICT (path) DO UPDATE SET log = excluded.log, size = excluded.size, modified = excluded.modified"

    static let stack = " ON CONFLICT (id) DO UPDATE SET unanswered = excluded.unanswered"

    /// Two reports may have different data for one image, because none of its frames may have been
    /// looked up in one of them. Data with symbols is preferred; else the first of the texts in the
    /// order of their bytes, so that the row is the same for every order of the reports.
    ///
    /// Without names, data that was kept with names is replaced.
    static func image(isAnonymous: Bool) -> String {
        let hasSymbols = "CASE WHEN images.has_symbols > excluded.has_symbols THEN images.has_symbols ELSE excluded.has_symbols END"
        func first(_ column: String) -> String {
            "CASE WHEN images.\(column) IS NULL OR excluded.\(column) < images.\(column) THEN excluded.\(column) ELSE images.\(column) END"
        }
        func isNew(_ column: String) -> String {
            "excluded.\(column) < images.\(column) OR images.\(column) IS NULL AND excluded.\(column) IS NOT NULL"
        }
        let (path, reason) = isAnonymous ? ("excluded.path", "excluded.reason") : (first("path"), first("reason"))
        let change = "path = \(path), has_symbols = \(hasSymbols), reason = CASE WHEN \(hasSymbols) = 1 THEN NULL ELSE \(reason) END"
        let condition = "excluded.has_symbols > images.has_symbols OR \(isNew("path")) OR images.has_symbols = 0 AND (\(isNew("reason")))"
        return " ON CONFLICT (id) DO UPDATE SET " + change + (isAnonymous ? "" : " WHERE " + condition)
    }

    /// Whether a row that is there has all of another (`new`) for certain.
    static func isKnown(imageUnlessAnonymous isAnonymous: Bool) -> String {
        isAnonymous
            ? "FALSE"
            : "images.has_symbols >= new.has_symbols AND images.path <= new.path AND (images.has_symbols = 1 OR images.reason <= new.reason)"
    }

    /// The same of two rows of one part.
    static func joined(_ left: LogOutcome.Image, _ right: LogOutcome.Image, isAnonymous: Bool) -> LogOutcome.Image {
        var image = right
        image.hasSymbols = left.hasSymbols || right.hasSymbols
        if !isAnonymous {
            image.path = first(left.path, right.path)
            image.reason = first(left.reason, right.reason)
        }
        if image.hasSymbols { image.reason = nil }
        return image
    }

    private static func first(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        return right.utf8.lexicographicallyPrecedes(left.utf8) ? right : left
    }
}
