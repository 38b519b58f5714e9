internal import Databases

extension DatabaseQuestions {
    package func forEachGroup(_ body: (GroupSummary) -> Bool) throws(StoreError) {
        try read { database in
            try database.each(Self.summaries + " ORDER BY g.reports DESC, g.id", isLarge: true) { row in
                var group = Self.summary(row)
                try Self.addVersions(database, to: &group)
                return body(group)
            }
        }
    }

    package func forEachSignature(_ body: (SignatureCount) -> Bool) throws(StoreError) {
        try read { database in
            let sql = """
                SELECT family, words, title, exact, own_code, lacks_symbols, absence, frames, crash_group, count(*), min(instant), max(instant)
                FROM signatures JOIN reports ON signature = signatures.id GROUP BY signatures.id ORDER BY signatures.id
                """
            try database.each(sql, isLarge: true) { row in
                let signature = StoredSignature(
                    family: row.text(0) ?? "", kindLabel: row.text(1) ?? "", title: row.text(2) ?? "", exact: row.text(3) ?? "",
                    ownCode: row.text(4) ?? "", lacksSymbols: row.number(5) == 1, absence: row.text(6), frames: row.text(7) ?? "")
                return body(
                    SignatureCount(
                        signature: signature, group: row.text(8), reports: row.count(9), first: row.number(10), last: row.number(11)))
            }
        }
    }

    package func rules() throws(StoreError) -> [String] {
        try read { database in
            var rules: [String] = []
            try database.each("SELECT DISTINCT rules FROM logs WHERE result = 'answered' AND rules IS NOT NULL ORDER BY rules LIMIT 10") {
                rules.append($0.text(0) ?? "")
                return true
            }
            return rules
        }
    }
}
