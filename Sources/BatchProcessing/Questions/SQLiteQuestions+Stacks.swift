#if Batch
    internal import BinaryPrimitives
    internal import CrashReports
    internal import GRDB
    internal import TestReports

    extension SQLiteQuestions {
        /// The stack that a report is known by, as `SignatureStack` chooses it: the exception's, else the crashed thread's, else the first thread's, else the first of the others.
        static let chosenStack = """
            (SELECT stack FROM threads JOIN stacks ON stacks.id = stack WHERE report = reports.id AND frames > 0
            ORDER BY CASE WHEN role = 'exception' THEN 0 WHEN crashed THEN 1 WHEN role = 'thread' THEN 2 ELSE 3 END, number LIMIT 1)
            """

        static func stacks(_ database: Database, ofGroup id: String, _ limits: QuestionLimits) throws -> ([GroupStack], Int) {
            var stacks: [GroupStack] = []
            var count = 0
            // Materialised, so that each report's stack is chosen once.
            let sql = """
                WITH each_report AS MATERIALIZED (
                    SELECT \(chosenStack) AS chosen, reports.id AS report FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group = ?)
                SELECT chosen, count(*), min(report), (SELECT frames FROM stacks WHERE stacks.id = chosen), count(*) OVER ()
                FROM each_report WHERE chosen IS NOT NULL GROUP BY chosen ORDER BY count(*) DESC, chosen LIMIT ?
                """
            try database.each(sql, [id, limits.stacks]) { row in
                stacks.append(
                    GroupStack(id: row.number(0) ?? 0, reports: row.count(1), example: row.number(2) ?? 0, rows: row.count(3), frames: []))
                count = row.count(4)
                return true
            }
            for index in stacks.indices {
                try eachFrame(database, ofStack: stacks[index].id, rows: limits.frames) { frame in
                    guard stacks[index].frames.count < limits.frames else { return false }
                    stacks[index].frames.append(frame)
                    return true
                }
            }
            return (stacks, count)
        }

        /// The frames of a stack, innermost first.
        static func eachFrame(_ database: Database, ofStack stack: Int64, rows: Int, _ body: (NamedFrame) -> Bool) throws {
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
                        isOwn: (function != nil || image != nil) && SignatureStack.isOwn(location, image, rule), reason: row.text(5)))
            }
        }
    }
#endif
