import Synchronization
import TestSupport
import Testing

/// `cairn addr2line` and `cairn eu-addr2line` beside the originals, over every combination of the
/// flags that change what is printed.
struct FlagCombinationTests {
    private static let objects: [String: [String]] = [
        "addr2line": [
            "C/out/c-gcc-dwarf4-O0", "C/out/c-gcc-dwarf2-O1", "C/out/c-gcc-dwarf5-O2", "C/out/c-gcc-gc-sections", "C/out/c-clang-dwarf4-O0",
            "C/out/c-clang-dwarf5-O2", "CXX/out/cxx-clang-dwarf4-O2", "CXX/out/cxx-gcc-dwarf4-O0", "CXX/out/cxx-gcc-lto",
            "Stripped/out/shapes-stripped", "Stripped/out/shapes-symbols-only", "Stripped/out/shapes-linked", "Relocatable/out/gauge-gcc.o",
            "Relocatable/out/gauge-function-sections.o", "SharedLibrary/out/libqueue.so.1", "Functions/out/cold",
            "Freestanding/out/machine-i386", "Freestanding/out/machine-aarch64", "SwiftCrash/out/SwiftCrash",
        ],
        "eu-addr2line": [
            "C/out/c-gcc-dwarf4-O0", "C/out/c-gcc-dwarf5-O2", "C/out/c-clang-aranges", "CXX/out/cxx-gcc-dwarf4-O0",
            "CXX/out/cxx-gcc-dwarf5-O2", "Stripped/out/shapes-stripped", "Stripped/out/shapes-linked", "Relocatable/out/gauge-gcc.o",
            "SharedLibrary/out/libqueue.so.1", "Functions/out/cold",
        ],
    ]
    private static let cases: [(String, String)] = {
        var cases: [(String, String)] = []
        for tool in objects.keys.sorted() { for object in objects[tool] ?? [] { cases.append((tool, object)) } }
        return cases
    }()

    /// Cases run side by side; the tables are of all of them.
    private static let tables = Mutex(0)

    @Test(arguments: cases)
    func `as many combinations agree as are recorded, and the rest has its reason`(tool: String, object: String) throws {
        let subject = FlagCombinations(tool: tool, object: object)
        let combinations = FlagCombinations.combinations(of: tool)
        if FlagCombinations.isRewriting { for places in FlagCombinations.Places.allCases { try record(subject, combinations, places) } }
        let inside = try answers(subject, .inside)
        let everywhere = try answers(subject, .everywhere)
        try #require(inside.sums.count == combinations.count && everywhere.sums.count == combinations.count)
        var agreeing = [0, 0, 0]
        for (index, options) in combinations.enumerated() {
            for (column, (answers, isStrict)) in [(inside, false), (inside, true), (everywhere, true)].enumerated() {
                let answered = try subject.ours(options, answers.addresses, isStrict: isStrict)
                if FlagCombinations.checksum(answered) == answers.sums[index] { agreeing[column] += 1 }
            }
        }
        // What is recorded is what the original prints, where it is installed.
        if FlagCombinations.hasOriginal(tool), let last = combinations.last {
            #expect(try FlagCombinations.checksum(subject.original(last, inside.addresses)) == inside.sums.last)
            #expect(try FlagCombinations.checksum(subject.original(last, everywhere.addresses)) == everywhere.sums.last)
        }
        let counts = ([combinations.count] + agreeing).map { String($0) }
        if FlagCombinations.isRewriting {
            try Self.tables.withLock { _ in
                var table = FlagCombinationTable("agreement.tsv")
                try table.set([tool, object] + counts + [table.row(tool, object)?.last ?? ""], keys: 2)
            }
        }
        let recorded = try #require(Self.tables.withLock { _ in FlagCombinationTable("agreement.tsv").row(tool, object) })
        #expect(Array(recorded[2...5]) == counts, "of all; inside: as it is, with --strict-compat; everywhere: with --strict-compat")
        let isWhole = recorded[3...5].allSatisfy { $0 == recorded[2] }
        #expect(isWhole || !recorded[6].isEmpty, "the reason is missing")
    }

    private func answers(_ subject: FlagCombinations, _ places: FlagCombinations.Places) throws -> (addresses: [String], sums: [String]) {
        let table = Self.tables.withLock { _ in FlagCombinationTable("answers.tsv") }
        let row = try #require(table.row(subject.tool, subject.object, places.rawValue))
        return (row[3].split(separator: " ").map(String.init), row[4].split(separator: " ").map(String.init))
    }

    private func record(_ subject: FlagCombinations, _ combinations: [[String]], _ places: FlagCombinations.Places) throws {
        let addresses = try subject.addresses(places)
        let sums = try combinations.map { FlagCombinations.checksum(try subject.original($0, addresses)) }
        try Self.tables.withLock { _ in
            var table = FlagCombinationTable("answers.tsv")
            let row = [subject.tool, subject.object, places.rawValue, addresses.joined(separator: " "), sums.joined(separator: " ")]
            try table.set(row, keys: 3)
        }
    }

    @Test func `the counts are told`() throws {
        let rows = Self.tables.withLock { _ in FlagCombinationTable("agreement.tsv").rows }
        #expect(rows.count == Self.cases.count)
        for tool in Self.objects.keys.sorted() {
            var counts = [0, 0, 0]
            for row in rows where row[0] == tool { for column in 0..<3 { counts[column] += Int(row[2 + column]) ?? 0 } }
            print(
                "\(tool): of \(counts[0]) combinations of flags and files, \(counts[1]) agree as it is, \(counts[2]) with --strict-compat")
            #expect(counts[1] <= counts[0] && counts[2] <= counts[0])
        }
    }
}
