internal import BinaryPrimitives
internal import Databases

/// Writes outcomes into the store's tables, in a transaction that is the caller's, while nobody
/// else writes.
struct OutcomeWriter {
    private let database: any DatabaseConnection
    private let rules: String
    private let log: any PreparedStatement
    private let signature: any PreparedStatement
    private let knownStack: any PreparedStatement
    private let knownLog: any PreparedStatement
    private let file: any PreparedStatement
    private let report: any PreparedStatement
    private let image: any PreparedStatement
    private let loadedImage: any PreparedStatement
    private let stack: any PreparedStatement
    private let thread: any PreparedStatement
    private let text: any PreparedStatement
    private let frameKind: any PreparedStatement
    private let frame: any PreparedStatement
    private let function: any PreparedStatement
    private var rows = StackRows()
    /// Rows of a stack were replaced by others.
    private var replacesRows = false

    /// - Parameters:
    ///   - rules: Outcomes that were made with other rules are replaced.
    ///   - isAnonymous: The path and the reason of stored images are replaced, too.
    init(_ database: any DatabaseConnection, rules: String, isAnonymous: Bool = false) throws {
        self.database = database
        self.rules = rules
        func statement(_ table: StoreTable, _ conflict: String = "") throws -> any PreparedStatement {
            try database.cachedStatement(sql: table.insertion + conflict)
        }
        log = try statement(.logs, StoreConflict.log)
        signature = try statement(.signatures, StoreConflict.nothing)
        knownLog = try database.cachedStatement(sql: "SELECT content, rules, unanswered, result FROM logs WHERE id = ?")
        knownStack = try database.cachedStatement(sql: "SELECT unanswered FROM stacks WHERE id = ?")
        file = try statement(.files, StoreConflict.file)
        report = try statement(.reports)
        image = try statement(.images, StoreConflict.image(isAnonymous: isAnonymous))
        loadedImage = try statement(.loadedImages, StoreConflict.nothing)
        stack = try statement(.stacks, StoreConflict.stack)
        thread = try statement(.threads)
        text = try statement(.texts, StoreConflict.nothing)
        frameKind = try statement(.frameKinds, StoreConflict.nothing)
        frame = try statement(.frames)
        function = try statement(.functions)
    }

    mutating func write(_ part: StoredPart) throws {
        for outcome in part.outcomes { try write(outcome) }
        for file in part.files { try write(file) }
        try StoreNotes.write(part, replacesRows: replacesRows, in: database)
    }

    private mutating func write(_ outcome: LogOutcome) throws {
        let id = outcome.content.number
        if let known = try Row.fetchOne(knownLog, arguments: [id]) {
            guard known["content"] == outcome.content.hexadecimal else { throw StoreError.sharedHash }
            // Two files of one content in one batch; or symbols that are as far away as they were.
            if known["rules"] == rules, known["unanswered"] <= outcome.unanswered { return }
            if known["result"] == DatabaseStore.prunedResult { return }
            try StoreNotes.removeReports(ofLog: id, in: database)
        }
        try log.execute(arguments: OutcomeRows.log(outcome, rules: rules))
        for (number, report) in outcome.reports.enumerated() { try write(report, number, log: id) }
    }

    private func write(_ stored: StoredFile) throws {
        try file.execute(arguments: OutcomeRows.file(stored))
        try StoreNotes.removeBeginning(of: stored, in: database)
    }

    private mutating func write(_ value: LogOutcome.Report, _ number: Int, log: Int64) throws {
        let id = OutcomeRows.key(ofReport: number, log: log)
        let signature = OutcomeRows.key(value.signature)
        try self.signature.execute(arguments: OutcomeRows.signature(value.signature, id: signature))
        try report.execute(arguments: OutcomeRows.report(value, id: id, number: number, log: log, signature: signature))
        var images: [Int64] = []
        for loaded in value.images {
            let key = OutcomeRows.key(loaded.image)
            images.append(key)
            try image.execute(arguments: OutcomeRows.image(loaded.image, id: key))
            try loadedImage.execute(arguments: OutcomeRows.loadedImage(loaded, id: key, report: id))
        }
        for (index, thread) in value.stacks.enumerated() {
            let stack = try write(thread, images)
            try self.thread.execute(arguments: OutcomeRows.thread(thread, number: index, report: id, stack: stack))
        }
    }

    private mutating func write(_ value: LogOutcome.Stack, _ images: [Int64]) throws -> Int64 {
        let id = OutcomeRows.key(value.frames, images)
        if let known = try Int.fetchOne(knownStack, arguments: [id]) {
            // A result with more resolved frames of the same stack replaces the stored one: symbols
            // may have come later.
            guard value.unanswered < known else { return id }
            for table in [StoreTable.functions, .frames] {
                try database.execute(sql: "DELETE FROM \(table.name) WHERE stack = ?", arguments: [id])
            }
            replacesRows = true
        }
        try stack.execute(arguments: [id, value.frames.count, value.unanswered])
        rows.add(value, key: id, images)
        for row in rows.texts { try text.execute(arguments: row) }
        for row in rows.kinds { try frameKind.execute(arguments: row) }
        for row in rows.frames { try frame.execute(arguments: row) }
        for row in rows.functions { try function.execute(arguments: row) }
        rows.removeRows()
        return id
    }
}
