/// Suggestions for a name that does not exist: `explain` for `explian`, `sanitizer-asan` for
/// `asan`.
package enum SimilarNames {
    /// Maximum number of names to show: a longer list does not help.
    private static let limit = 3

    /// The names that have the word as one of their parts (`sanitizer-asan` has `asan`); where
    /// there are none, the names with the fewest differing letters.
    package static func matches(for word: String, among names: some Sequence<String>) -> [String] {
        let names = Array(names)
        let whole = names.filter { $0.lowercased() == word.lowercased() || $0.split(separator: "-").contains(Substring(word.lowercased())) }
        if !whole.isEmpty { return whole.count > limit ? [] : whole }
        let word = Array(word.lowercased().utf8)
        // A third of the letters may differ: of a short name, one.
        let maxDistance = max(1, word.count / 3)
        let near = names.map { (name: $0, distance: distance(word, Array($0.lowercased().utf8))) }.filter { $0.distance <= maxDistance }
        let least = near.map(\.distance).min()
        return Array(near.filter { $0.distance == least }.map(\.name).prefix(limit))
    }

    /// ` Did you mean explain?`, to be put after a sentence; empty where no name is similar.
    /// - Parameter shown: how a name is shown: `cairn explain a.log`.
    package static func suggestion(for word: String, among names: some Sequence<String>, shown: (String) -> String = { $0 }) -> String {
        let similar = matches(for: word, among: names).map(shown)
        guard let last = similar.last else { return "" }
        return " Did you mean \(similar.count > 1 ? similar.dropLast().joined(separator: ", ") + " or " : "")\(last)?"
    }

    /// Letters that are inserted, left out, changed or exchanged with the next: the “optimal string
    /// alignment” distance.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        // Nobody types a name of this length by mistake, and the table has the square of it.
        guard left.count <= 64, right.count <= 64 else { return Int.max }
        var before: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                var best = min(last[column + 1] + 1, next[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            before = last
            last = next
        }
        return last[right.count]
    }
}
