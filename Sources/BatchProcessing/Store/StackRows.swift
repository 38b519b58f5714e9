internal import Databases

/// Rows of stacks, and of the texts and kinds of frames that they refer to: the values of
/// `StoreTable`'s columns. Each text and each kind is there once for all stacks that were added.
struct StackRows {
    private(set) var texts: [StatementArguments] = []
    private(set) var kinds: [StatementArguments] = []
    private(set) var frames: [StatementArguments] = []
    private(set) var functions: [StatementArguments] = []

    private var textKeys: [String: Int64] = [:]
    private var kindKeys: [Kind: Int64] = [:]

    /// The parts of frames that many stacks share.
    private struct Kind: Hashable {
        var kind: String
        var image: Int64?
        var reason: String?

        var key: Int64 {
            let reason = reason.map { "\u{1}" + $0 } ?? ""
            return ContentHash.number(of: "frame kind\u{1}\(kind)\u{1}\(image.map { String($0) } ?? "")" + reason)
        }
    }

    /// - Parameter images: The keys of the report's images.
    mutating func add(_ stack: LogOutcome.Stack, key: Int64, _ images: [Int64]) {
        for (number, frame) in stack.frames.enumerated() {
            let kind = Kind(kind: frame.kind, image: OutcomeRows.image(of: frame, images), reason: frame.reason)
            let kindKey = self.key(of: kind)
            addFrame(
                [key, number, kindKey], frame.offset.map { Int64(bitPattern: $0) },
                frame.address.map { Int64(bitPattern: $0) }, frame.printed)
            for (depth, function) in frame.functions.enumerated() {
                addFunction(
                    [key, number, depth], function.name, function.file, [function.line, function.column, function.isInlined])
            }
        }
    }

    /// Removes the rows of stacks, of texts and of kinds. Texts and kinds that were added once are
    /// not added again.
    mutating func removeRows() {
        texts.removeAll(keepingCapacity: true)
        kinds.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        functions.removeAll(keepingCapacity: true)
    }

    private mutating func addFrame(_ start: StatementArguments, _ offset: Int64?, _ address: Int64?, _ printed: String?) {
        frames.append(start + [offset, address, printed.map { key(ofText: $0) }])
    }

    private mutating func addFunction(_ start: StatementArguments, _ name: String, _ file: String?, _ end: StatementArguments) {
        functions.append(start + [key(ofText: name), file.map { key(ofText: $0) }] + end)
    }

    private mutating func key(ofText text: String) -> Int64 {
        if let known = textKeys[text] { return known }
        let key = ContentHash.number(of: "text\u{1}" + text)
        textKeys[text] = key
        texts.append([key, text])
        return key
    }

    private mutating func key(of kind: Kind) -> Int64 {
        if let known = kindKeys[kind] { return known }
        let key = kind.key
        kindKeys[kind] = key
        kinds.append([key, kind.kind, kind.image, kind.reason])
        return key
    }
}

// MARK: Older stores

extension StackRows {
    /// Rows that are read at once.
    private static let rowsPerStep = 20_000

    /// Moves the rows of version 1's tables, which had each text in each row.
    @Sendable static func convert(_ database: any DatabaseConnection) throws {
        var rows = Self()
        func write() throws {
            for (table, values) in [
                (StoreTable.texts, rows.texts), (.frameKinds, rows.kinds), (.frames, rows.frames), (.functions, rows.functions),
            ] where !values.isEmpty {
                var values = values.makeIterator()
                try database.load(table.name, table.columns) { values.next() }
            }
            rows.removeRows()
        }
        let frames = """
            SELECT stack, number, kind, image, offset, address, printed, reason FROM former_frames
            WHERE (stack, number) > (CAST(? AS INTEGER), CAST(? AS INTEGER)) ORDER BY stack, number LIMIT \(rowsPerStep)
            """
        var last: [Int64]? = [.min, .min]
        while let start = last {
            last = nil
            try database.each(frames, StatementArguments(start.map { .integer($0) })) { row in
                let (stack, number) = (row.number(0), row.number(1))
                let kind = Kind(kind: row.text(2) ?? "", image: row.number(3), reason: row.text(7))
                let key = rows.key(of: kind)
                rows.addFrame([stack, number, key], row.number(4), row.number(5), row.text(6))
                last = [stack ?? 0, number ?? 0]
                return true
            }
            try write()
        }
        let functions = """
            SELECT stack, frame, depth, name, file, line, column, inlined FROM former_functions
            WHERE (stack, frame, depth) > (CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER))
            ORDER BY stack, frame, depth LIMIT \(rowsPerStep)
            """
        last = [.min, .min, .min]
        while let start = last {
            last = nil
            try database.each(functions, StatementArguments(start.map { .integer($0) })) { row in
                let (stack, frame, depth) = (row.number(0), row.number(1), row.number(2))
                rows.addFunction([stack, frame, depth], row.text(3) ?? "", row.text(4), [row.number(5), row.number(6), row.number(7)])
                last = [stack ?? 0, frame ?? 0, depth ?? 0]
                return true
            }
            try write()
        }
        // Statements that are kept refer to them.
        database.forgetStatements()
        try database.execute(sql: "DROP TABLE former_frames; DROP TABLE former_functions")
    }
}
