import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Go's own line table: small ones of each version whose every byte is stated, and those of real
/// programs beside the results of Go's own reader.
struct GoLineTableTests {
    private static let text: UInt64 = 0x40_1000

    /// A table that `Fixtures/hostile/go/build.py` put together.
    static let small = ["1.2", "1.16", "1.18", "1.20"].flatMap { release in ["64le", "32be"].map { "go\(release)-\($0)" } }

    private static func bytes(_ name: String) throws -> [UInt8] { try readFile(TestPaths.fixture("hostile/go/\(name).pclntab")) }

    private static func order(_ name: String) -> ByteOrder { name.hasSuffix("be") ? .bigEndian : .littleEndian }

    private static func table(
        _ bytes: [UInt8], _ name: String, inlineTrees: Int? = nil, limits: Limits = .standard
    ) throws -> GoLineTable? {
        GoLineTable(
            try MappedFile(bytes: bytes.span.rawBytes, name: name), order(name), textStart: text, inlineTrees: inlineTrees, limits: limits)
    }

    /// As `name + offset file:line`, innermost first, for distances from the start of the text.
    private func results(_ table: GoLineTable, at distances: [UInt64]) -> [String] {
        zip(distances, table.results(for: distances.map { LinkAddress(Self.text + $0) })).map { distance, result in
            guard let result else { return "none" }
            let offset = Self.text + distance - result.entry.value
            return result.functions.map { "\($0.name) + \(offset) \($0.location?.file ?? "?"):\($0.location?.line ?? -1)" }.joined(
                separator: "; ")
        }
    }

    /// Two functions of 12 bytes. One program serves for file and line: 0 for the first four bytes
    /// of a function, 4 for the next eight. There are two files; Go 1.2 counts them from 1, the
    /// others from 0; 4 is the number of none.
    @Test(arguments: small)
    func `an address has the function around it, and what the programs give for its distance from the entry`(name: String) throws {
        let table = try #require(try Self.table(try Self.bytes(name), name))
        let first = name.hasPrefix("go1.2-") ? "?:-1" : "/src/main.go:0"
        #expect(
            results(table, at: [0, 3, 4, 11, 12, 15, 16, 23, 24])
                == [
                    "main.main + 0 \(first)", "main.main + 3 \(first)", "main.main + 4 ?:-1", "main.main + 11 ?:-1",
                    "main.fill + 0 \(first)",
                    "main.fill + 3 \(first)", "main.fill + 4 ?:-1", "main.fill + 11 ?:-1", "none",
                ])
        #expect(table.results(for: [LinkAddress(0), LinkAddress(Self.text - 1), LinkAddress(.max)]) == [nil, nil, nil])
    }

    /// The table of inlined calls is the table's last 16 bytes, before Go 1.20 the last 20: from
    /// the fifth byte on, the code is `main.limit`'s, called from the function's third byte.
    @Test(arguments: small.filter { !$0.hasPrefix("go1.2-") })
    func `inlined calls come first, with the place of the call behind them`(name: String) throws {
        let bytes = try Self.bytes(name)
        let size = name.hasPrefix("go1.20-") ? 16 : 20
        let table = try #require(try Self.table(bytes, name, inlineTrees: bytes.count - size))
        #expect(
            results(table, at: [15, 16])
                == ["main.fill + 3 /src/main.go:0", "main.limit + 4 ?:-1; main.fill + 4 /src/main.go:0"])
        // Without the address of the tables there is the function that holds the code.
        let plain = try #require(try Self.table(bytes, name))
        #expect(results(plain, at: [16]) == ["main.fill + 4 ?:-1"])
    }

    @Test(arguments: small)
    func `a table that is cut anywhere is none, or answers what it can`(name: String) throws {
        let bytes = try Self.bytes(name)
        for count in bytes.indices {
            let table = try Self.table(Array(bytes.prefix(count)), name, inlineTrees: count / 2)
            _ = table.map { results($0, at: [0, 5, 12, 20]) }
            if count < 24 { #expect(table == nil) }
        }
    }

    @Test(arguments: small)
    func `a table with any byte changed is none, or answers what it can`(name: String) throws {
        let bytes = try Self.bytes(name)
        for index in bytes.indices {
            for value: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var changed = bytes
                changed[index] = value
                _ = try Self.table(changed, name, inlineTrees: bytes.count - 16).map { results($0, at: [0, 5, 12, 20]) }
            }
        }
    }

    /// A call whose parent is inside of itself: the function that holds the code is known, as
    /// without a tree.
    @Test func `a chain of inlined calls that goes in a circle does not count`() throws {
        var bytes = try Self.bytes("go1.20-64le")
        bytes.replaceSubrange(bytes.count - 8..<bytes.count - 4, with: [4, 0, 0, 0])
        let table = try #require(try Self.table(bytes, "go1.20-64le", inlineTrees: bytes.count - 16))
        let result = try #require(table.results(for: [LinkAddress(Self.text + 16)])[0])
        let plain = try #require(try Self.table(bytes, "go1.20-64le", inlineTrees: nil)).results(for: [LinkAddress(Self.text + 16)])[0]
        #expect(result.functions.count == 1 && result == plain)
    }

    /// The programs of a function have two rows each: the first gives the origin of the first four
    /// bytes, the second the origin of the other eight, and the calls that were inlined there.
    @Test(arguments: [(2, "main.limit + 4 ?:-1; main.fill + 4 /src/main.go:0"), (1, "main.fill + 4 ?:-1")])
    func `so many rows of a program are read`(limit: Int, second: String) throws {
        let bytes = try Self.bytes("go1.20-64le")
        var limits = Limits()
        limits.goTableRows = limit
        let table = try #require(try Self.table(bytes, "go1.20-64le", inlineTrees: bytes.count - 16, limits: limits))
        #expect(results(table, at: [15, 16]) == ["main.fill + 3 /src/main.go:0", second])
    }

    // MARK: Real programs

    /// `go tool addr2line` prints `?` for the file, or nothing, and the line -1 or 0 where it knows
    /// none.
    @Test(arguments: ["tank-go1.19", "tank-go1.27"])
    func `a real table answers as go tool addr2line does`(name: String) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/" + name))
        let table = try #require(GoLineTable(object))
        let rows = try Self.rows(name)
        #expect(rows.count > 150)
        for (row, result) in zip(rows, table.results(for: rows.map(\.address))) {
            guard row.columns[1] != "?" else {
                #expect(result == nil)
                continue
            }
            let location = result?.functions.first?.location
            let found = [result?.functions.last?.name ?? "none", location?.file ?? "", "\(location?.line ?? -1)"]
            #expect(found == Array(row.columns[1...3]), "\(row.address)")
        }
    }

    /// llvm-symbolizer reads the program's DWARF. It puts a suffix after the names of assembly
    /// functions (their symbols'), and knows no line at the start of some functions that the
    /// compiler made up: those are left out.
    @Test(arguments: ["tank-go1.19", "tank-go1.27"])
    func `the inlined calls are those of the debug information`(name: String) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/" + name))
        let table = try #require(GoLineTable(object))
        let rows = try Self.rows(name).filter { $0.columns[1] != "?" && !$0.columns[4].contains(":0") }
        var chains = 0
        for (row, result) in zip(rows, table.results(for: rows.map(\.address))) {
            let found = (result?.functions ?? []).map { "\($0.name) \($0.location?.file ?? ""):\($0.location?.line ?? 0)" }
            #expect(found.joined(separator: "; ") == row.columns[4].replacing(".abi0 ", with: " "), "\(row.address)")
            if found.count > 1 { chains += 1 }
        }
        #expect(rows.count > (name == "tank-go1.27" ? 200 : 150) && chains > 10)
    }

    private static func rows(_ name: String) throws -> [(address: LinkAddress, columns: [String])] {
        let text = String(decoding: try readFile(TestPaths.fixture("binaries/Go/out/\(name).expected.tsv")), as: UTF8.self)
        return try text.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return (LinkAddress(try #require(UInt64(columns[0].dropFirst(2), radix: 16))), columns)
        }
    }

    @Test func `a program of another language has none`() throws {
        #expect(GoLineTable(try ObjectFiles.open(path: TestPaths.fixture("binaries/C/out/c-gcc-dwarf5-O2"))) == nil)
    }

    /// `main.main` is all in one file; what the line table says of another file there is code that
    /// was inlined from it.
    @Test func `without the runtime's description no function has a line of another file`() throws {
        var bytes = try readFile(TestPaths.fixture("binaries/Go/out/tank-go1.19"))
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/tank-go1.19"))
        let data = try #require(object.section(named: ".noptrdata")).fileRange
        let rows = try Self.rows("tank-go1.19").filter { $0.columns[1] != "?" }
        let full = try #require(GoLineTable(object)).results(for: rows.map(\.address))
        bytes.replaceSubrange(data, with: [UInt8](repeating: 0, count: data.count))
        let damaged = try #require(try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: "tank")).first)
        let table = try #require(GoLineTable(damaged))
        var without = 0
        for ((row, whole), plain) in zip(zip(rows, full), table.results(for: rows.map(\.address))) {
            let (own, found) = (try #require(whole?.functions.last), try #require(plain?.functions.first))
            #expect(plain?.functions.count == 1 && found.name == own.name)
            if let location = found.location { #expect(location.file == own.location?.file, "\(row.address)") }
            if found.location == nil { without += 1 }
        }
        #expect(without > 3)
    }

    /// Without `.go.module` nothing shows where the text of a program of Go 1.26 starts, except
    /// that the whole text is Go's: the section is as long as the functions.
    @Test func `a table that does not say where the text starts is not guessed at`() throws {
        var bytes = try readFile(TestPaths.fixture("binaries/Go/out/tank-go1.27"))
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/tank-go1.27"))
        let module = try #require(object.section(named: ".go.module")).fileRange
        // The first word, the address of the line table, belongs to another table.
        bytes[module.lowerBound] ^= 0x10
        func table() throws -> GoLineTable? {
            try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: "tank")).first.flatMap { GoLineTable($0) }
        }
        let plain = try #require(try table())
        #expect(plain.results(for: [LinkAddress(0x40_1000)])[0]?.functions.map(\.name) == ["internal/abi.BoundsDecode"])
        // `.text` made longer by 256 bytes in its section header, as if C's code followed:
        // `sh_size` is the fifth field of the third header.
        let text = try #require(object.section(named: ".text"))
        let headers = Int(try #require(UInt64(exactly: bytes[40..<48].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })))
        bytes[headers + text.number * 64 + 33] += 1
        #expect(try table() == nil)
    }
}
