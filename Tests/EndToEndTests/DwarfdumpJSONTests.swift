import Foundation
import TestSupport
import Testing

/// `cairn dwarfdump --format json`: what programs read.
struct DwarfdumpJSONTests {
    private func documents(_ arguments: String...) throws -> [[String: Any]] {
        let result = try cairn(["dwarfdump", "--format", "json"] + arguments)
        #expect(result.status == 0 && result.errors.isEmpty)
        return try result.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    /// As many entries, rows and units, with the same tags, names and addresses, as llvm-dwarfdump
    /// 19 lists.
    @Test(
        .enabled(if: DwarfdumpPeer.isThere, DwarfdumpPeer.absence),
        arguments: [
            "C/out/c-gcc-dwarf5-O2", "CXX/out/cxx-clang-dwarf4-O2", "CXX/out/cxx-gcc-dwarf5-O2", "Freestanding/out/machine-mips-be",
        ])
    func `it has what the text has`(fixture: String) throws {
        let path = "binaries/" + fixture
        let text = try DwarfdumpPeer.run(["--debug-info", "--debug-line", path]).lines
        let all = try documents("--debug-info", "--debug-line", path)
        let entries = all.compactMap { $0["entry"] as? [String: Any] }
        let tags = text.filter { $0.hasPrefix("0x") && $0.contains(": ") && $0.contains("DW_TAG_") }.map { line in
            (String(line.prefix { $0 != ":" }), String(line.drop { $0 != "D" }), line.dropFirst(12).prefix { $0 == " " }.count / 2)
        }
        #expect(entries.map { $0["offset"] as? String } == tags.map(\.0))
        #expect(entries.map { $0["tag"] as? String } == tags.map(\.1))
        #expect(entries.map { $0["depth"] as? Int } == tags.map(\.2))
        let attributes = entries.flatMap { $0["attributes"] as? [[String: Any]] ?? [] }
        let expectedNames = text.compactMap { line in
            line.hasPrefix("                DW_AT_name\t(\"") || line.hasPrefix("              DW_AT_name\t(\"")
                || line.contains("  DW_AT_name\t(\"")
                ? String(line.drop { $0 != "\"" }.dropFirst().dropLast(2)) : nil
        }
        #expect(attributes.filter { $0["name"] as? String == "DW_AT_name" }.map { $0["value"] as? String } == expectedNames)
        let rows = all.compactMap { $0["row"] as? [String: Any] }
        let expectedRows = text.filter { $0.hasPrefix("0x") && $0.split(separator: " ").count > 6 && !$0.contains(":") }
        #expect(rows.count == expectedRows.count)
        for (row, line) in zip(rows, expectedRows) {
            let columns = line.split(separator: " ").map(String.init)
            #expect(
                row["address"] as? String == columns[0] && row["line"] as? Int == Int(columns[1])
                    && row["column"] as? Int == Int(columns[2]))
            #expect((row["endsSequence"] as? Bool ?? false) == line.contains("end_sequence"))
        }
        #expect(all.filter { $0["unit"] != nil }.count == text.filter { $0.contains(": Compile Unit: ") }.count)
    }

    @Test func `the first line says what was read`() throws {
        let slices = try documents("--uuid", "binaries/CrashExample/out/CrashExample.dSYM")
        #expect(slices.map { $0["architecture"] as? String } == ["x86_64", "arm64"])
        #expect(slices.allSatisfy { $0["schema"] as? Int == 1 && $0["file"] != nil && $0["format"] != nil })
        // `dwarfdump --uuid` of the dSYM, in the golden.
        #expect(
            slices.map { ($0["identity"] as? String)?.uppercased().filter { $0 != "-" } } == [
                "4C4C441555553144A1EEF64263BE1FB5", "4C4C44FC55553144A11BE947A8E8E6FE",
            ])
    }

    @Test func `a section without JSON is refused`() throws {
        let result = try cairn("dwarfdump", "--format=json", "--debug-frame", "binaries/C/out/c-gcc-dwarf5-O2")
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("--debug-frame has no JSON"))
    }

    /// Line 94 of the founding article's example, at 6805 (Documentation/drop-in-tools.md).
    @Test func `an address is looked up`() throws {
        let all = try documents("--arch", "x86_64", "--lookup", "6805", "binaries/CrashExample/out/CrashExample.dSYM")
        let line = try #require(all.last?["line"] as? [String: Any])
        #expect(line["line"] as? Int == 94 && line["file"] as? String == "CrashExampleAppDelegate.m")
    }
}
