internal import BinaryPrimitives
internal import SQLite

/// Writes outcomes into the store's tables, in a transaction that is the caller's.
struct OutcomeWriter {
    private let database: Database
    private let rules: String
    private let log: Statement
    private let signature: Statement
    private let knownStack: Statement
    private let knownLog: Statement
    private let file: Statement
    private let report: Statement
    private let image: Statement
    private let loadedImage: Statement
    private let stack: Statement
    private let thread: Statement
    private let frame: Statement
    private let function: Statement

    /// - Parameters:
    ///   - rules: what is kept with others is replaced.
    ///   - isAnonymous: of images that are kept already the path and the reason are replaced, too.
    init(_ database: Database, rules: String, isAnonymous: Bool = false) throws {
        self.database = database
        self.rules = rules
        func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }
        log = try statement(
            "INSERT INTO logs (id, content, size, result, problems, rules, unanswered) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET result = excluded.result, problems = excluded.problems, rules = excluded.rules, unanswered = excluded.unanswered"
        )
        signature = try statement(
            "INSERT OR IGNORE INTO signatures (id, family, words, title, exact, own_code, lacks_symbols, absence, frames) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        knownLog = try statement("SELECT content, rules, unanswered FROM logs WHERE id = ?")
        knownStack = try statement("SELECT unanswered FROM stacks WHERE id = ?")
        file = try statement(
            "INSERT INTO files (path, log, size, modified) VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET log = excluded.log, size = excluded.size, modified = excluded.modified"
        )
        report = try statement(
            "INSERT INTO reports (id, log, number, format, process, identifier, version, pid, platform, system, device, architecture, instant, time, cause_kind, cause_type, signal, message, fault_address, signature, meaning) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        // Of one image two reports may know differently much: none of its frames were looked up in
        // one. What found symbols counts.
        image = try statement(
            "INSERT INTO images (id, name, identity, path, architecture, has_symbols, reason) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                + (isAnonymous
                    ? "path = excluded.path, has_symbols = max(has_symbols, excluded.has_symbols), reason = iif(max(has_symbols, excluded.has_symbols), NULL, excluded.reason)"
                    : "has_symbols = 1, reason = NULL WHERE excluded.has_symbols = 1 AND has_symbols = 0"))
        loadedImage = try statement("INSERT OR IGNORE INTO loaded_images (report, image, base) VALUES (?, ?, ?)")
        stack = try statement(
            "INSERT INTO stacks (id, frames, unanswered) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET unanswered = excluded.unanswered"
        )
        thread = try statement("INSERT INTO threads (report, number, role, thread, name, crashed, stack) VALUES (?, ?, ?, ?, ?, ?, ?)")
        frame = try statement(
            "INSERT INTO frames (stack, number, kind, image, offset, address, printed, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        function = try statement(
            "INSERT INTO functions (stack, frame, depth, name, file, line, column, inlined) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    }

    func write(_ outcome: LogOutcome) throws {
        let id = outcome.content.number
        if let known = try Row.fetchOne(knownLog, arguments: [id]) {
            guard known["content"] == outcome.content.hexadecimal else {
                throw StoreError(
                    path: "logs", problem: "two logs share the first 63 bits of their hashes, and the second cannot be stored")
            }
            // Two files of one content in one batch; or symbols that are as far away as they were.
            if known["rules"] == rules, known["unanswered"] <= outcome.unanswered { return }
            try removeReports(ofLog: id)
        }
        let problems = outcome.problems.isEmpty ? nil : outcome.problems.joined(separator: "\n")
        try log.execute(
            arguments: [
                id, outcome.content.hexadecimal, outcome.size, outcome.result.rawValue, problems, rules, outcome.unanswered,
            ])
        for (number, report) in outcome.reports.enumerated() { try write(report, number, log: id) }
    }

    private func removeReports(ofLog log: Int64) throws {
        try database.execute(
            sql:
                "INSERT OR IGNORE INTO moved_reports SELECT reports.id, crash_group FROM reports JOIN signatures ON signatures.id = signature WHERE log = ? AND crash_group IS NOT NULL",
            arguments: [log])
        for table in ["threads", "loaded_images"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE report IN (SELECT id FROM reports WHERE log = ?)", arguments: [log])
        }
        try database.execute(sql: "DELETE FROM reports WHERE log = ?", arguments: [log])
    }

    func write(_ stored: StoredFile) throws {
        try file.execute(
            arguments: [stored.path, stored.content.number, Int64(clamping: stored.stamp.size), stored.stamp.modified])
        // The whole log has what its beginning had.
        guard let former = stored.grownFrom?.number else { return }
        guard try Int.fetchOne(database, sql: "SELECT 1 FROM files WHERE log = ?", arguments: [former]) == nil else { return }
        try removeReports(ofLog: former)
        try database.execute(sql: "DELETE FROM logs WHERE id = ?", arguments: [former])
    }

    func write(unread: [(path: String, problem: String)]) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO unread (path, problem) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET problem = excluded.problem")
        for (path, problem) in unread { try statement.execute(arguments: [path, problem]) }
    }

    func write(archiveAt path: String, _ stamp: FileStamp) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO archives (path, size, modified, rules) VALUES (?, ?, ?, ?)",
            arguments: [path, Int64(clamping: stamp.size), stamp.modified, rules])
    }

    private func write(_ value: LogOutcome.Report, _ number: Int, log: Int64) throws {
        let id = ContentHash.number(of: "report \(log) \(number)")
        let signature = try write(value.signature)
        try report.execute(
            arguments: [
                id, log, number, value.format, value.process, value.identifier, value.version, value.pid, value.platform,
                value.system, value.device, value.architecture, value.instant, value.time, value.causeKind, value.causeType,
                value.signal,
                value.message, value.faultAddress.map { Int64(bitPattern: $0) }, signature, value.meaning,
            ])
        var images: [Int64] = []
        for loaded in value.images {
            let image = loaded.image
            let key = Self.key(image)
            images.append(key)
            try self.image.execute(
                arguments: [key, image.name, image.identity, image.path, image.architecture, image.hasSymbols, image.reason])
            try loadedImage.execute(arguments: [id, key, loaded.base.map { Int64(bitPattern: $0) }])
        }
        for (index, thread) in value.stacks.enumerated() {
            let stack = try write(thread.frames, images)
            try self.thread.execute(
                arguments: [id, index, thread.role.rawValue, thread.index, thread.name, thread.crashed, stack])
        }
    }

    private func write(_ value: StoredSignature) throws -> Int64 {
        let texts = [
            value.family, value.words, value.title, value.exact, value.ownCode, "\(value.lacksSymbols)", value.absence ?? "",
            value.frames,
        ]
        let id = ContentHash.number(of: "signature\u{1}" + texts.joined(separator: "\u{1}"))
        try signature.execute(
            arguments: [
                id, value.family, value.words, value.title, value.exact, value.ownCode, value.lacksSymbols, value.absence, value.frames,
            ])
        return id
    }

    /// An identity says which file it is; without one the path does.
    private static func key(_ image: LogOutcome.Image) -> Int64 {
        let place = image.identity ?? "path \(image.path ?? "")"
        return ContentHash.number(of: "image\u{1}\(image.name)\u{1}\(image.architecture ?? "")\u{1}\(place)")
    }

    private func write(_ frames: [LogOutcome.Frame], _ images: [Int64]) throws -> Int64 {
        var text = "stack"
        for frame in frames {
            let image = frame.image.flatMap { images.indices.contains($0) ? images[$0] : nil }
            text +=
                "\u{1}\(frame.kind)\u{2}\(image ?? 0)\u{2}\(frame.offset ?? 0)\u{2}\(frame.address ?? 0)\u{2}\(frame.printed ?? "")"
        }
        let id = ContentHash.number(of: text)
        let unanswered = frames.count { $0.reason != nil }
        if let known = try Int.fetchOne(knownStack, arguments: [id]) {
            // What resolves more of the same stack counts: symbols that came later.
            guard unanswered < known else { return id }
            try database.execute(sql: "DELETE FROM functions WHERE stack = ?", arguments: [id])
            try database.execute(sql: "DELETE FROM frames WHERE stack = ?", arguments: [id])
        }
        try stack.execute(arguments: [id, frames.count, unanswered])
        for (number, frame) in frames.enumerated() {
            let image = frame.image.flatMap { images.indices.contains($0) ? images[$0] : nil }
            try self.frame.execute(
                arguments: [
                    id, number, frame.kind, image, frame.offset.map { Int64(bitPattern: $0) },
                    frame.address.map { Int64(bitPattern: $0) }, frame.printed, frame.reason,
                ])
            for (depth, function) in frame.functions.enumerated() {
                try self.function.execute(
                    arguments: [
                        id, number, depth, function.name, function.file, function.line, function.column, function.isInlined,
                    ])
            }
        }
        return id
    }
}
