import BinaryPrimitives
import TestSupport
import Testing

/// What the caps say that are more than a number, and that each is tested.
struct LimitsTests {
    /// Three times 34 bytes are more than 100, and three times 33 are not.
    @Test func `names to write are so many bytes, or so many times the file's`() {
        var limits = Limits()
        limits.writtenNames = 100
        limits.writtenNamesPerByte = 3
        #expect([0, 33, 34, 1000].map { limits.namesToWrite(fromFileOf: $0) } == [100, 100, 102, 3000])
        #expect(limits.namesToWrite(fromFileOf: .max) == .max)
    }

    /// The names after `limits.` and `Limits.standard.` in a line, without its comment.
    private static func names(in line: Span<UInt8>) -> [String] {
        let code = line.upTo(line.firstRange(of: "//")?.lowerBound ?? line.count)
        var names: [String] = []
        for start in ["limits.", "Limits.standard."] {
            var position = 0
            while let found = code.firstRange(of: start, from: position) {
                position = found.upperBound
                while let byte = code.at(position), UInt8(ascii: "A")...UInt8(ascii: "z") ~= byte { position += 1 }
                names.append(code.clamped(to: found.upperBound..<position).text)
            }
        }
        return names
    }

    @Test func `a cap is named in code`() {
        func names(_ line: String) -> [String] { Self.names(in: Array(line.utf8).span) }
        #expect(names("        limits.sections = 4") == ["sections"])
        #expect(names("foo(limits.sections, Limits.standard.notes - 1)") == ["sections", "notes"])
        #expect(names("    /// `Limits.sections`, limits.notes") == [] && names("limits.notes // limits.sections") == ["notes"])
        #expect(names("limits = Limits()") == [])
    }

    /// A cap has a test right below it and right above, which sets it or says how large it is. The
    /// fuzzers say it too, and prove no cap.
    @Test func `every cap is tested`() throws {
        let labels = Mirror(reflecting: Limits()).children.compactMap(\.label)
        #expect(labels.count > 40)
        var tested: Set<String> = []
        let folder = TestPaths.root + "/Tests"
        for path in TestPaths.files(under: folder) where path.hasSuffix("Tests.swift") && path != #filePath {
            guard !path.hasPrefix(folder + "/Fuzzing/") else { continue }
            let bytes = TestPaths.bytes(of: path)
            var rest = bytes.span
            while let line = rest.takeLine() { tested.formUnion(Self.names(in: line)) }
        }
        #expect(labels.filter { !tested.contains($0) } == [], "a cap without a test at it, right below and right above")
    }
}
