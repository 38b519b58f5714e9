import BinaryPrimitives
import LibC
import TestSupport

/// The committed table of explained differences: object, class, count, and an example.
/// `CAIRN_UPDATE_GOLDENS=1` rewrites the rows of the compared objects; the change is read before it
/// is committed.
struct ExplainedDifferences {
    static let isRewriting = TestPaths.environment("CAIRN_UPDATE_GOLDENS") == "1"

    private static let path = TestPaths.root + "/Tests/DifferentialTests/explained.tsv"
    private static let heading = "object\tclass\tcount\texample"
    private var rows: [[String]]

    init() throws {
        let text = try MappedFile(path: Self.path).withBytes { $0.string() }
        rows = text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    func count(_ object: String, _ difference: Difference) -> Int {
        rows.first { $0[0] == object && $0[1] == difference.rawValue }.flatMap { Int($0[2]) } ?? 0
    }

    /// The machine's own files (named with their build ID) change with its updates; the counts hold
    /// for those that were looked at.
    func isKnown(_ object: String) -> Bool { !object.contains("@") || rows.contains { $0[0] == object } }

    mutating func rewrite(_ object: String, _ counts: [Difference: Int], _ examples: [Difference: String]) throws {
        rows.removeAll { $0[0] == object }
        for (difference, count) in counts where difference != .unexplained {
            rows.append([object, difference.rawValue, String(count), examples[difference] ?? ""])
        }
        rows.sort { ($0[0], $0[1]) < ($1[0], $1[1]) }
        let text = ([Self.heading] + rows.map { $0.joined(separator: "\t") }).joined(separator: "\n") + "\n"
        guard let file = unsafe fopen(Self.path, "w") else { return }
        unsafe fputs(text, file)
        unsafe fclose(file)
    }
}
