#if Batch
    internal import BinaryPrimitives
    internal import GRDB

    /// Writes outcomes into the store's tables, in a transaction that is the caller's.
    struct OutcomeWriter {
        private let database: Database
        private let log: Statement
        private let file: Statement
        private let report: Statement
        private let image: Statement
        private let loadedImage: Statement
        private let stack: Statement
        private let thread: Statement
        private let frame: Statement
        private let function: Statement

        init(_ database: Database) throws {
            self.database = database
            func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }
            log = try statement("INSERT INTO logs (id, content, size, result, problems) VALUES (?, ?, ?, ?, ?)")
            file = try statement(
                "INSERT INTO files (path, log, size, modified) VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET log = excluded.log, size = excluded.size, modified = excluded.modified"
            )
            report = try statement(
                "INSERT INTO reports (id, log, number, format, process, identifier, version, pid, platform, architecture, instant, time, cause_kind, cause_type, signal, message, fault_address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            )
            // Of one image two reports may know differently much: none of its frames were looked up in one. What found symbols counts.
            image = try statement(
                "INSERT INTO images (id, name, identity, path, architecture, has_symbols, reason) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET has_symbols = 1, reason = NULL WHERE excluded.has_symbols = 1 AND has_symbols = 0"
            )
            loadedImage = try statement("INSERT OR IGNORE INTO loaded_images (report, image, base) VALUES (?, ?, ?)")
            stack = try statement("INSERT OR IGNORE INTO stacks (id, frames) VALUES (?, ?)")
            thread = try statement("INSERT INTO threads (report, number, role, thread, name, crashed, stack) VALUES (?, ?, ?, ?, ?, ?, ?)")
            frame = try statement(
                "INSERT INTO frames (stack, number, kind, image, offset, address, printed, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            function = try statement(
                "INSERT INTO functions (stack, frame, depth, name, file, line, column, inlined) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        }

        mutating func write(_ outcome: LogOutcome) throws {
            let id = outcome.content.number
            if let other = try String.fetchOne(database, sql: "SELECT content FROM logs WHERE id = ?", arguments: [id]) {
                // Two files of one content in one batch.
                guard other != outcome.content.hexadecimal else { return }
                throw StoreError(path: "logs", problem: "two logs share the first 63 bits of their hashes, and the second cannot be kept")
            }
            let problems = outcome.problems.isEmpty ? nil : outcome.problems.joined(separator: "\n")
            try log.execute(arguments: [id, outcome.content.hexadecimal, outcome.size, outcome.result.rawValue, problems])
            for (number, report) in outcome.reports.enumerated() { try write(report, number, log: id) }
        }

        mutating func write(_ stored: StoredFile) throws {
            try file.execute(
                arguments: [stored.path, stored.content.number, Int64(clamping: stored.stamp.size), stored.stamp.modified])
        }

        private func write(_ value: LogOutcome.Report, _ number: Int, log: Int64) throws {
            let id = ContentHash.number(of: "report \(log) \(number)")
            try report.execute(
                arguments: [
                    id, log, number, value.format, value.process, value.identifier, value.version, value.pid, value.platform,
                    value.architecture, value.instant, value.time, value.causeKind, value.causeType, value.signal, value.message,
                    value.faultAddress.map { Int64(bitPattern: $0) },
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
            try stack.execute(arguments: [id, frames.count])
            guard database.changesCount > 0 else { return id }
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
#endif
