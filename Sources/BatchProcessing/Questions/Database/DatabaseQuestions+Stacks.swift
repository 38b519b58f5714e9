internal import BinaryPrimitives
internal import CrashLogModel
internal import Databases
internal import Reporting
internal import TestReports

extension DatabaseQuestions {
    /// The stack that a report is known by, as `SignatureStack` chooses it: the exception's, else
    /// the crashed thread's, else the first thread's, else the first of the others.
    static let chosenStack = """
        (SELECT stack FROM threads JOIN stacks ON stacks.id = stack WHERE report = reports.id AND frames > 0
        ORDER BY CASE WHEN role = 'exception' THEN 0 WHEN crashed = 1 THEN 1 WHEN role = 'thread' THEN 2 ELSE 3 END, number LIMIT 1)
        """

    /// Stacks that look alike are one: a log that lists no images has other raw addresses in each
    /// process.
    static func stacks(_ database: any DatabaseConnection, ofGroup id: String, _ limits: QuestionLimits) throws -> ([GroupStack], Int) {
        var stacksByHash: [StackHash: GroupStack] = [:]
        for stack in try distinctStacks(database, ofGroup: id) {
            let hash = try stackHash(database, ofStack: stack.id)
            // The first of the stacks that look alike is used: it has the most reports.
            stacksByHash[hash, default: stack].reports += stacksByHash[hash] == nil ? 0 : stack.reports
            stacksByHash[hash]?.alike.append(stack.id)
        }
        var stacks = stacksByHash.values.sorted { ($1.reports, $0.id) < ($0.reports, $1.id) }
        stacks.removeLast(max(0, stacks.count - limits.stacks))
        for index in stacks.indices {
            try eachFrame(database, ofStack: stacks[index].id, rows: limits.frames) { frame in
                guard stacks[index].frames.count < limits.frames else { return false }
                stacks[index].frames.append(frame)
                return true
            }
        }
        return (stacks, stacksByHash.count)
    }

    /// Without their frames, those of most reports first.
    private static func distinctStacks(_ database: any DatabaseConnection, ofGroup id: String) throws -> [GroupStack] {
        var stacks: [GroupStack] = []
        // Materialised, so that each report's stack is chosen once.
        let sql = """
            WITH each_report AS MATERIALIZED (
                SELECT \(chosenStack) AS chosen, reports.id AS report FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group = ?)
            SELECT chosen, count(*), min(report), (SELECT frames FROM stacks WHERE stacks.id = chosen)
            FROM each_report WHERE chosen IS NOT NULL GROUP BY chosen ORDER BY count(*) DESC, chosen
            """
        try database.each(sql, [id]) { row in
            stacks.append(
                GroupStack(id: row.number(0) ?? 0, reports: row.count(1), example: row.number(2) ?? 0, rows: row.count(3), frames: []))
            return true
        }
        return stacks
    }

    /// 128-bit hash of a stack as it is shown. Texts would need too much memory for a group of many
    /// thousand different stacks.
    private struct StackHash: Hashable {
        var first: UInt64?
        var second: UInt64?

        init(_ text: String) {
            first = UInt64(StableHash.text(text), radix: 16)
            second = UInt64(StableHash.text(text, start: 0x6c62_272e_07bb_0142), radix: 16)
        }
    }

    private static func stackHash(_ database: any DatabaseConnection, ofStack stack: Int64) throws -> StackHash {
        let sql = """
            SELECT f.number, coalesce(c.name, f.printed), c.file, c.line, c.column, c.inlined, i.name, f.offset, f.address
            FROM frames AS f LEFT JOIN images AS i ON i.id = f.image LEFT JOIN functions AS c ON c.stack = f.stack AND c.frame = f.number
            WHERE f.stack = ? ORDER BY f.number, c.depth
            """
        var text = ""
        try database.each(sql, [stack]) { row in
            let (function, module) = (row.text(1), row.text(6))
            var parts = [function, row.text(2), module]
            for index in [0, 3, 4, 5] { parts.append(row.number(index).map { String($0) }) }
            // A frame with a name does not need its offset. A frame with neither name nor image has
            // only its address.
            if function == nil { parts.append((module == nil ? row.number(8) : row.number(7)).map { String($0) }) }
            for part in parts { text += (part ?? "\u{1}") + "\u{2}" }
            text += "\u{3}"
            return true
        }
        return StackHash(text)
    }

    /// The frames of a stack, innermost first.
    static func eachFrame(_ database: any DatabaseConnection, ofStack stack: Int64, rows: Int, _ body: (NamedFrame) -> Bool) throws {
        let rule = OwnCodeRule()
        let sql = """
            SELECT f.number, f.kind, f.offset, f.address, f.printed, f.reason, i.name, i.path, c.name, c.file, c.line, c.column, c.inlined
            FROM frames AS f LEFT JOIN images AS i ON i.id = f.image LEFT JOIN functions AS c ON c.stack = f.stack AND c.frame = f.number
            WHERE f.stack = ? AND f.number < ? ORDER BY f.number, c.depth
            """
        try database.each(sql, [stack, rows]) { row in
            let module = row.text(6)
            let file = row.text(9)
            let image = module.map { BinaryImage(name: $0, path: row.text(7)) }
            let location = file.map { SourceLocation(file: $0, line: row.count(10)) }
            let function = row.text(8) ?? row.text(4)
            return body(
                NamedFrame(
                    row: row.count(0), kind: row.text(1) ?? "", function: function, file: file, line: row.count(10),
                    column: row.count(11), module: module, offset: row.bits(2), address: row.bits(3), isInlined: row.number(12) == 1,
                    isOwn: (function != nil || image != nil) && rule.isOwn(location, image), reason: row.text(5)))
        }
    }
}
