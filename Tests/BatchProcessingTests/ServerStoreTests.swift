import BinaryPrimitives
import Databases
import Synchronization
import TestSupport
import Testing

@testable import BatchProcessing

/// A store on a PostgreSQL server, beside one in a file: what the latter answers is counted in
/// `DatabaseQueriesTests`.
@Suite(.enabled(if: PostgresServer.isInstalled, "\(PostgresServer.isMissing)"))
struct ServerStoreTests {
    /// Ends with the process.
    private static let server = Result { try PostgresServer() }
    private static let numbers = Mutex(0)
    private static let rules = SignatureRules()
    private static let crashes = (try? LabelledCrashes().crashes) ?? []

    private func newStore() throws -> String {
        let number = Self.numbers.withLock { number in
            number += 1
            return number
        }
        return try Self.server.get().newDatabase("store_\(number)")
    }

    /// The store that is made by hand, in a file and on the server.
    private func withBoth(_ body: (_ file: String, _ server: String) throws -> Void) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let path = folder + "/crashes.sqlite"
            try fillStore(path)
            let server = try newStore()
            let counts = try StoreCopy(from: path, to: server).run()
            #expect(counts.first { $0.table == "reports" }?.rows == 11)
            try body(path, server)
        }
    }

    // MARK: Retention

    @Test func `what is removed from both is the same`() throws {
        try withBoth { (file: String, server: String) throws -> Void in
            let conditions = [
                PruneConditions(before: 20001 * 86_400_000_000_000, keepsRepresentatives: true),
                PruneConditions(filter: ReportFilter(version: "2.0")),
            ]
            for conditions in conditions {
                let counts = try DatabaseStore(path: file).prune(conditions)
                #expect(counts.reports > 0)
                #expect(try DatabaseStore(path: server).countPruned(conditions) == counts)
                #expect(try DatabaseStore(path: server).prune(conditions) == counts)
                for ((name, result), (_, other)) in try zip(
                    texts(of: DatabaseQueries(path: file)), texts(of: DatabaseQueries(path: server)))
                {
                    #expect(result == other, "\(name)")
                }
            }
        }
    }

    // MARK: Questions

    @Test(arguments: [
        ReportFilter(), ReportFilter(version: "2.0"), ReportFilter(process: MadeStore.hostileProcess),
        ReportFilter(process: "app' OR '1' = '1"), ReportFilter(columns: ["copy"]),
    ])
    func `every question has the same answer in both`(filter: ReportFilter) throws {
        try withBoth { (file: String, server: String) throws -> Void in
            let expected = try texts(of: DatabaseQueries(path: file, filter: filter))
            let found = try texts(of: DatabaseQueries(path: server, filter: filter))
            for ((name, result), (_, other)) in zip(expected, found) { #expect(result == other, "\(name)") }
        }
    }

    private func texts(of store: DatabaseQueries) throws -> [(String, String)] {
        var result: [(String, String)] = []
        func add(_ name: String, _ value: some Any) { result.append((name, "\(value)")) }
        func rows<Value>(_ body: ((Value) -> Bool) throws -> Void) throws -> [Value] {
            var rows: [Value] = []
            try body { row in
                rows.append(row)
                return true
            }
            return rows
        }
        let limits = QueryLimits()
        let ids = try store.groupIDs()
        add("overview", try store.overview(limits))
        add("count", try [nil, 0, 20001 * 86_400_000_000_000].map { try store.reportCount(since: $0) })
        for order in GroupOrder.allCases {
            for since: Int64? in [nil, -1, 20001 * 86_400_000_000_000] {
                add("\(order) since", try store.groups(order, since: since, limit: 2))
            }
        }
        for beginning in ["", "aaaa", "b000", "cccc", "dddd"] { add("match", try store.match(group: beginning)) }
        for id in ids.map(Optional.some) + [nil] {
            add("breakdown", try store.breakdown(ofGroup: id, limits))
            add("days", try store.days(ofGroup: id, limit: 2))
            add("instants", try store.instants(ofGroup: id, limit: 3))
            add("versions", try store.versions(ofGroup: id, limit: 10))
            add("reports", try rows { try store.forEachReport(ofGroup: id, $0) })
            add(
                "frames",
                try rows { (body: ((ReportReference, NamedFrame)) -> Bool) in try store.forEachFrame(ofGroup: id) { body(($0, $1)) } })
            for column in ValueColumn.allCases.map(Optional.some) + [nil] {
                var hours: [String] = []
                try store.forEachHour(ofGroup: id, by: column) { hours.append("\($0) \($1 ?? "-") \($2)") }
                // Within an hour in any order.
                add("hours", hours.sorted())
            }
            guard let id else { continue }
            let detail = try store.detail(ofGroup: id, limits)
            add("detail", detail as Any)
            add("messages", try store.messages(ofGroup: id, limit: 2))
            add("leading stack", try store.leadingStack(ofGroup: id, frames: 10))
            add("first version", try store.firstVersion(ofGroup: id) as Any)
            let stacks = detail?.stacks.map(\.id) ?? []
            add("unresolved", try store.unresolvedImages(inStacks: stacks, limit: 10))
            add("by stacks", try rows { try store.forEachReport(.group(id), by: .stacks(stacks), $0) })
        }
        add("unresolved", try store.unresolvedImages(inStacks: nil, limit: 10))
        for column in ValueColumn.allCases { add("by \(column)", try store.groups(by: column, values: 3, groups: 2)) }
        for selection: ReportSelection in [.all, .lackingSymbols, .withoutStack, .ungrouped] {
            for order: ReportOrder in [.instant, .version, .system, .device, .message] {
                add("\(selection) \(order)", try rows { try store.forEachReport(selection, by: order, $0) })
            }
        }
        for selection: LogSelection in [.withoutTrace, .unreadable] {
            add("\(selection)", try rows { try store.forEachLog(selection, $0) })
        }
        for id in 1...11 { add("report \(id)", try store.report(Int64(id), limits) as Any) }
        for text in ["outer", "OUTER", "%", "_", "\\", "boom", "libmissing", "/src", "evil", "nothing"] {
            add(text, try store.search(text, limit: 2))
        }
        add("groups", try rows { try store.forEachGroup($0) })
        add("signatures", try rows { try store.forEachSignature($0) })
        add("rules", try store.rules())
        return result
    }

    // MARK: Writing

    private func part(_ outcomes: [LogOutcome]) -> StoredPart {
        var part = StoredPart(rules: Self.rules.fingerprint)
        part.outcomes = outcomes
        part.files = outcomes.map {
            StoredFile(path: "/logs/\($0.content.hexadecimal)", stamp: FileStamp(size: 1, modified: 2), content: $0.content)
        }
        return part
    }

    /// All rows but those of the runs, in the order of their texts.
    private func rows(of path: String) throws -> [String: [String]] {
        let pool = try StoreLocation(path).poolToRead()
        return try pool.read { database in
            var rows: [String: [String]] = [:]
            for table in StoreTable.all where table.name != "runs" {
                var texts: [String] = []
                try database.each(table.selection, isLarge: true) { row in
                    texts.append("\(table.columns.indices.map { row.value(at: $0) })")
                    return true
                }
                rows[table.name] = texts.sorted()
            }
            return rows
        }
    }

    private func expectSameRows(_ server: String, _ file: String) throws {
        let (found, expected) = (try rows(of: server), try rows(of: file))
        for table in StoreTable.all {
            let (found, expected) = (found[table.name] ?? [], expected[table.name] ?? [])
            #expect(found == expected, "\(table.name): \(Set(found).symmetricDifference(expected).sorted().prefix(4))")
        }
    }

    /// Each begins elsewhere, and each writes all of them: the second time, nothing is new.
    @Test func `four writers of the same logs leave the rows of one`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let outcomes = Self.crashes.enumerated().map { outcome($0, of: $1) }
            try #require(outcomes.count > 100)
            let file = folder + "/s"
            let one = try DatabaseStore(path: file)
            try one.keep(part(outcomes))
            try one.group()
            let address = try newStore()
            let problems = Parallel.map([0, 1, 2, 3], chunk: 1) { writer -> String? in
                do throws(StoreError) {
                    let store = try DatabaseStore(path: address)
                    let start = outcomes.count / 4 * writer
                    let order = Array(outcomes[start...] + outcomes[..<start])
                    for first in stride(from: 0, to: order.count, by: 16) {
                        try store.keep(part(Array(order[first..<min(first + 16, order.count)])))
                    }
                    return nil
                } catch { return error.problem }
            }
            #expect(problems == [nil, nil, nil, nil])
            let store = try DatabaseStore(path: address)
            try store.group()
            #expect(try store.counts() == one.counts())
            try expectSameRows(address, file)
        }
    }

    /// Changes of a store other than added rows: symbols that come later, a log that grows, names
    /// that are removed.
    @Test func `a server's rows change as a file's do`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let paths = [folder + "/s", try newStore()]
            for path in paths {
                let store = try DatabaseStore(path: path)
                let run = try store.beginRun(["/logs"], version: "1")
                var bare = Self.crashes.prefix(40).enumerated().map { outcome($0, of: $1) }
                let whole = bare
                for index in bare.indices {
                    for stack in bare[index].reports[0].stacks.indices {
                        for frame in bare[index].reports[0].stacks[stack].frames.indices {
                            bare[index].reports[0].stacks[stack].frames[frame].functions = []
                            bare[index].reports[0].stacks[stack].frames[frame].reason = "no symbols"
                        }
                    }
                    for image in bare[index].reports[0].images.indices { bare[index].reports[0].images[image].image.hasSymbols = false }
                }
                var first = part(Array(bare[..<30]))
                first.unread = [("/logs/b", "denied"), ("/logs/a", "denied"), ("/other", "denied")]
                first.archives = [("/logs/x.zip", FileStamp(size: 3, modified: 4))]
                try store.keep(first)
                try store.group()
                // Twice the same in one part; symbols for most; a log of which another was the
                // beginning.
                var second = part(Array(whole[5...] + whole[5...6]))
                second.files[10].grownFrom = bare[0].content
                second.files.append(
                    StoredFile(
                        path: "/logs/\(bare[0].content.hexadecimal)", stamp: FileStamp(size: 9, modified: 9), content: whole[15].content,
                        grownFrom: bare[0].content))
                second.archives = [("/logs/x.zip", FileStamp(size: 5, modified: 6))]
                try store.keep(second)
                try store.keep(first)
                try store.group()
                try store.endRun(run, logs: 40)
                #expect(try store.beginRun(["/logs/"], version: "1") == run + 1)
                #expect(try store.counts().unread == 1)
                let requirements = ResultRequirements(rules: Self.rules.fingerprint)
                #expect(try store.has(whole[20].content, requirements) && !store.has(whole[39].content, .init(rules: "others")))
                #expect(try store.hasArchive(at: "/logs/x.zip", stamp: FileStamp(size: 3, modified: 4), requirements))
                let files = second.files.prefix(2).map { LogTree.File(path: $0.path, stamp: $0.stamp) }
                #expect(try store.statuses(of: files, requirements) == [.known, .known])
            }
            try expectSameRows(paths[1], paths[0])
        }
    }

    @Test func `names go from a server's rows as from a file's`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let paths = [folder + "/s", try newStore()]
            for path in paths {
                let store = try DatabaseStore(path: path)
                var outcomes = Self.crashes.prefix(20).enumerated().map { outcome($0, of: $1) }
                try store.keep(part(outcomes))
                for index in outcomes.indices {
                    outcomes[index].rules = "anonymous"
                    for image in outcomes[index].reports[0].images.indices {
                        outcomes[index].reports[0].images[image].image.path = "/Users/USER/\(image)"
                    }
                }
                var anonymous = StoredPart(rules: "anonymous", isAnonymous: true)
                anonymous.outcomes = [outcomes[3]]
                try store.keep(anonymous)
                try store.group()
            }
            try expectSameRows(paths[1], paths[0])
        }
    }

    // MARK: A server that goes away

    @Test(arguments: ["restart", "crash"])
    func `a server that comes back is waited for, and nothing is lost`(way: String) throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let server = try PostgresServer()
            let notices = Mutex<[String]>([])
            let store = try DatabaseStore(path: server.address) { line in notices.withLock { $0.append(line) } }
            let file = try DatabaseStore(path: folder + "/s")
            let outcomes = Self.crashes.prefix(60).enumerated().map { outcome($0, of: $1) }
            for first in stride(from: 0, to: 60, by: 20) {
                for target in [store, file] { try target.keep(part(Array(outcomes[first..<first + 20]))) }
                server.order(way)
            }
            for target in [store, file] { try target.group() }
            try expectSameRows(server.address, folder + "/s")
            let lines = notices.withLock { $0 }
            #expect(lines.count == 6 && lines[0].contains("waiting for the server") && lines[1].contains("the server is back"), "\(lines)")
        }
    }

    @Test func `a writer waits while the server is down`() throws {
        let server = try PostgresServer()
        let notices = Mutex<[String]>([])
        let isUp = Mutex(true)
        let store = try DatabaseStore(path: server.address) { line in
            notices.withLock { $0.append(line) }
            // It is started again when it is waited for.
            if isUp.withLock({ $0 == false }) {
                isUp.withLock { $0 = true }
                server.order("up")
            }
        }
        server.order("down")
        isUp.withLock { $0 = false }
        try store.keep(part([outcome(0, of: Self.crashes[0])]))
        #expect(try store.counts().logs == 1)
        #expect(notices.withLock { $0.count } == 2)
    }

    // MARK: Stores that are not taken

    @Test func `a store is copied into an empty one alone`() throws {
        try withBoth { (file: String, server: String) throws -> Void in
            try expectSameRows(server, file)
            let back = file + ".back"
            _ = try StoreCopy(from: server, to: back).run()
            try expectSameRows(back, file)
            for (from, to) in [(file, server), (server, file), (file, back)] {
                let error = #expect(throws: StoreError.self) { try StoreCopy(from: from, to: to).run() }
                #expect(error?.problem == "it is not empty. Choose a new store")
            }
            try expectSameRows(server, file)
        }
    }

    @Test func `what is no store, and what a newer cairn wrote, is said so`() throws {
        let address = try newStore()
        let missing = #expect(throws: StoreError.self) { try DatabaseQueries(path: address) }
        #expect(missing?.problem.hasPrefix("no crash store in this database. To create it, run: cairn batch DIR --store ") == true)
        _ = try DatabaseStore(path: address)
        _ = try Self.server.get().query("INSERT INTO grdb_migrations VALUES ('99: later')", at: address)
        #expect(throws: StoreError.self) { try DatabaseQueries(path: address) }
        #expect(throws: StoreError.self) { try DatabaseStore(path: address) }
    }

    /// The same tables in the server's dialect, and the same rows.
    @Test func `a store of version 4 has the same rows as one in a file afterwards`() throws {
        let sql = String(decoding: try readFile(TestPaths.fixture("stores/v4.sql")), as: UTF8.self)
        let address = try newStore()
        try #require(try StoreLocation(address).server() as? ServerConnection).execute(sql: sql)
        #expect(throws: StoreError.self) { try DatabaseQueries(path: address) }
        try withTemporaryFolder { folder in
            let file = folder + "/s"
            try Database(path: file).execute(sql: sql)
            for path in [file, address] { _ = try DatabaseStore(path: path) }
            try expectSameRows(address, file)
        }
        #expect(try Self.server.get().query("SELECT count(*) FROM frames", at: address) == "212\n")
    }

    // MARK: Search

    /// A user that may only make tables gets a store without the index.
    @Test func `an index of texts is made where the user may, and answers are the same without it`() throws {
        let server = try Self.server.get()
        let (address, plain) = (try newStore(), try newStore())
        _ = try server.query("CREATE ROLE plain LOGIN; GRANT CREATE ON SCHEMA public TO plain", at: plain)
        let addresses = [address, plain.replacing("//cairn@", with: "//plain@")]
        let indexes = "SELECT count(*) FROM pg_indexes WHERE indexname = 'reports_texts'"
        let isThere = try server.query("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'")
        for (address, count) in zip(addresses, [isThere, "0\n"]) {
            let store = try DatabaseStore(path: address)
            try store.keep(part(Self.crashes.prefix(40).enumerated().map { outcome($0, of: $1) }))
            try store.group()
            #expect(try server.query(indexes, at: address) == count)
        }
        let stores = try addresses.map { try DatabaseQueries(path: $0) }
        for text in ["a", "abort", "Main", "0x", "nothing of this"] {
            #expect("\(try stores[0].search(text, limit: 5))" == "\(try stores[1].search(text, limit: 5))", "\(text)")
        }
    }

    // MARK: Other clients

    /// The numbers are those of `MadeStore`'s table.
    @Test func `the views answer the common questions in both`() throws {
        let day = "20001"
        let questions = [
            "SELECT crash_group, reports, logs FROM top_groups ORDER BY reports DESC":
                "aaaa000000000001|6|5\naaaa000000000002|3|3\nb000000000000003|1|1\n",
            "SELECT count(*), min(path) FROM group_reports WHERE crash_group = 'aaaa000000000001'": "6|/copy/1.crash\n",
            // Reports 1 to 5 and 7 to 9 have libmissing; report 10 has libother, of which no reason
            // is known.
            "SELECT name, identity, reports FROM missing_symbols": "libmissing|BB|8\n",
            "SELECT day, reports FROM group_days WHERE crash_group = 'aaaa000000000001' ORDER BY day": "20000|2\n\(day)|3\n",
            "SELECT day, reports FROM group_days WHERE crash_group = 'aaaa000000000002' ORDER BY day": "-1|1\n20002|2\n",
        ]
        try withBoth { (file: String, server: String) throws -> Void in
            for (question, result) in questions {
                #expect(try Self.server.get().query(question, at: server) == result)
                let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep='|')"
                #expect(try run("python3", ["-c", script, file, question]).output == result)
            }
        }
    }
}

struct StoreLocationTests {
    @Test(arguments: [
        ("/srv/crashes.sqlite", "crashes.sqlite"), ("postgresql://crashes@db.example.org:5433/tide?sslmode=verify-full", "tide"),
        ("postgres:///tide?host=/run/postgresql", "tide"), ("postgresql://", "PostgreSQL"),
        ("postgresql:///?service=crashes", "PostgreSQL"),
    ])
    func `what people call it`(path: String, expected: String) { #expect(StoreLocation(path).name == expected) }
}
