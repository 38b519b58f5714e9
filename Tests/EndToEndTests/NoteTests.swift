import TestSupport
import Testing

/// Frames without lines give the reason, in every output.
struct NoteTests {
    private static let fixture = TestPaths.fixture("binaries/DebugMap/out/arm64/.")
    /// 0x100000569: the return address one byte after the first of `main`
    /// (`meter.arm64.expected.tsv`).
    private static let log = "2008-10-26 13:25:43.385 meter[41720:20b] Stack: (\n    4294968681\n)\n"

    private func withProgram(_ body: (_ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", ["-r", Self.fixture, folder])
            try writeFile(folder + "/console.log", Array(Self.log.utf8))
            try body(folder)
        }
    }

    private func symbolicate(_ folder: String, _ format: String) throws -> RunResult {
        try cairn(["symbolicate", folder + "/console.log", "--symbols", folder + "/meter", "--format", format])
    }

    private func frame(_ folder: String) throws -> JSONLog.Frame {
        let log = try #require(try jsonLogs(symbolicate(folder, "json")).first)
        return try #require(log.exceptionBacktrace?.frames.first ?? log.threads.first?.frames.first)
    }

    @Test func `a missing object file of a debug map is told with the frame`() throws {
        try withProgram { folder in
            let before = try #require(try frame(folder).functions)
            #expect(before.last?.file == "/src/main.c")
            _ = try run("rm", [folder + "/main.o"])
            let reason = "main.o is missing, also as \(folder)/main.o"
            let log = try #require(try jsonLogs(symbolicate(folder, "json")).first)
            let frame = try frame(folder)
            #expect(frame.status == "symbolOnly")
            #expect(frame.functions?.map(\.name) == ["main"])
            #expect(frame.note == reason)
            #expect(log.notes == ["meter: " + reason])

            let text = try symbolicate(folder, "text").output
            #expect(text.contains(" [no line, see the notes]\n"), "\(text)")
            #expect(text.hasSuffix("Notes:\n  meter: \(reason)\n"), "\(text)")

            let same = try symbolicate(folder, "same")
            #expect(same.errors.contains("meter: " + reason), "\(same.errors)")

            let line = try cairn(["info", "line", "-o", folder + "/meter", "0x100000568"])
            #expect(line.output.hasPrefix("No line number information available for address 0x100000568"))
            #expect(line.errors.contains(reason))
        }
    }

    @Test func `an object file that was changed since is told with the frame`() throws {
        try withProgram { folder in
            // The time in the debug map's first entry becomes 2024-01-01, 1704067200: `n_value` of
            // the first N_OSO (0x66, section 0, description 1).
            var bytes = try readFile(folder + "/meter")
            let record = try #require(
                bytes.indices.dropLast(16).first {
                    $0 % 4 == 0 && Array(bytes[$0 + 4..<$0 + 16]) == [0x66, 0, 1, 0] + [UInt8](repeating: 0, count: 8)
                })
            bytes.replaceSubrange(record + 8..<record + 12, with: [0x80, 0x00, 0x92, 0x65])
            try writeFile(folder + "/meter", bytes)
            _ = try run("touch", ["-d", "@1704067201", folder + "/main.o"])
            let frame = try frame(folder)
            #expect(
                frame.note
                    == "\(folder)/main.o was changed since it was linked: its time is 1704067201, expected 1704067200 (seconds since 1970)")
        }
    }
}
