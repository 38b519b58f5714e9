/// A table of the store (`StoreSchema`), and what programs need to know to write its rows.
struct StoreTable: Sendable {
    let name: String
    /// In the order of the values of `OutcomeRows`.
    let columns: [String]

    private init(_ name: String, _ columns: String) {
        self.name = name
        self.columns = columns.split(separator: " ").map(String.init)
    }

    static let logs = Self("logs", "id content size result problems rules unanswered")
    static let files = Self("files", "path log size modified")
    static let signatures = Self("signatures", "id family words title exact own_code lacks_symbols absence frames")
    static let reports = Self(
        "reports",
        "id log number format process identifier version pid platform system device architecture instant time cause_kind cause_type signal message fault_address signature meaning"
    )
    static let images = Self("images", "id name identity path architecture has_symbols reason")
    static let loadedImages = Self("loaded_images", "report image base")
    static let stacks = Self("stacks", "id frames unanswered")
    static let threads = Self("threads", "report number role thread name crashed stack")
    static let texts = Self("texts", "id text")
    static let frameKinds = Self("frame_kinds", "id kind image reason")
    static let frames = Self("frame_rows", "stack number frame_kind offset address printed")
    static let functions = Self("function_rows", "stack frame depth name file line column inlined")

    /// All tables with all columns, each after those that it refers to.
    static let all = [
        Self("runs", "id began ended version roots logs"), logs, files,
        Self("signatures", "id family words title exact own_code lacks_symbols absence frames crash_group"),
        Self("crash_groups", "id title leader reports logs first last example"), Self("former_groups", "id crash_group"), reports,
        Self("moved_reports", "report crash_group"), images, loadedImages, stacks, threads, texts, frameKinds, frames, functions,
        Self("unread", "path problem"),
        Self("archives", "path size modified rules"), Self("state", "id grouped has_unused"),
    ]

    /// Statistics of a server's tables, by which it plans queries.
    static var analysis: String { "ANALYZE " + all.map(\.name).joined(separator: ", ") }

    private var quotedColumns: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// `SELECT "id", … FROM "logs"`
    var selection: String { "SELECT \(quotedColumns) FROM \"\(name)\"" }

    /// `INSERT INTO "logs" ("id", …) VALUES (?, …)`
    var insertion: String {
        "INSERT INTO \"\(name)\" (\(quotedColumns)) VALUES (\([String](repeating: "?", count: columns.count).joined(separator: ", ")))"
    }

    /// `INSERT INTO "logs" ("id", …) SELECT "id", … FROM new_logs AS new`: of rows that were put
    /// into a table of the same columns.
    var merging: String { "INSERT INTO \"\(name)\" (\(quotedColumns)) SELECT \(quotedColumns) FROM \"\(stage)\" AS new" }

    /// That table's name.
    var stage: String { "new_\(name)" }
}
