import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Whole symbol files beside the debug information that they were made of, at every byte of the
/// code.
struct BreakpadFixtureTests {
    /// Data that both files have: files, lines and inlined calls. Names are demangled in one of them, so they
    /// are compared as pairs.
    struct Location: Hashable {
        var file: String
        var line: Int
        var isInlined: Bool
    }

    private func locations(_ symbolResult: SymbolResult) -> [Location] {
        guard case .found(let frames) = symbolResult else { return [] }
        return frames.map { Location(file: Self.plain($0.location?.file ?? ""), line: $0.location?.line ?? 0, isInlined: $0.isInlined) }
    }

    /// Without `folder/..`, as dumpers write paths.
    private static func plain(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            if part == "..", parts.count > 1 { parts.removeLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// - Returns: how many addresses were compared.
    private func compare(_ symbols: BreakpadFile, _ object: ObjectFile) throws -> Int {
        let code = object.description.sections.filter { $0.isExecutable && $0.isLoaded && $0.size > 0 }
        var compared = 0
        var differences = 0
        var names: [String: String] = [:]
        for section in code {
            let start = section.address.value - object.baseAddress.value
            let offsets = (start..<start + section.size).map { ImageOffset($0) }
            let expected = ObjectSource([object]).frames(at: offsets)
            for (offset, (ours, theirs)) in zip(offsets, zip(BreakpadSource(symbols).frames(at: offsets), expected)) where hasLine(theirs) {
                compared += 1
                var isSame = locations(ours) == locations(theirs)
                if case .found(let own) = ours, case .found(let other) = theirs, own.count == other.count {
                    for (a, b) in zip(own, other) {
                        isSame = isSame && names[b.name, default: a.name] == a.name && (a.entry == b.entry || b.isInlined)
                        names[b.name] = a.name
                    }
                }
                if isSame { continue }
                differences += 1
                if differences <= 5 { Issue.record("\(symbols.path) at \(offset): \(ours), expected \(theirs)") }
            }
        }
        #expect(differences == 0, "of \(compared)")
        return compared
    }

    /// With a line, and in a function: the dumpers leave out what is neither.
    private func hasLine(_ symbolResult: SymbolResult) -> Bool {
        guard case .found(let frames) = symbolResult else { return false }
        return frames[0].location != nil && frames.last?.entry != nil
    }

    @Test(arguments: [
        ("cxx-gcc-dwarf5-O2", "CXX/out/cxx-gcc-dwarf5-O2", "x86_64"), ("ferry-nopie", "Ferry/out/ferry-nopie.debug", "x86_64"),
        ("CrashExample-arm64", "CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample", "arm64"),
        ("CrashExample-x86_64", "CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample", "x86_64"),
    ])
    func `a symbol file answers as the debug information`(name: String, path: String, architecture: String) throws {
        let symbols = try #require(BreakpadFile(try MappedFile(path: TestPaths.fixture("symbols/\(name).sym"))))
        let object = try ObjectFiles.open(
            path: TestPaths.fixture("binaries/" + path), choosing: .architecture(Architecture(architecture)))
        #expect(symbols.identity == object.identity && symbols.machine == object.architecture && symbols.hasDebugInformation)
        #expect(try compare(symbols, object) > 300)
    }

    /// Mozilla's dump of its own test program, and Sentry's of an application: real dumpers' files
    /// beside the objects they read.
    @Test(
        .enabled(if: TestPaths.corpus != nil, "the corpus is absent: set CAIRN_CORPUS to its folder"),
        arguments: [
            ("expected/upstream/dump_syms-basic.full.inlines.sym", "objects/dump_syms-linux/basic.full"),
            ("objects/symbolic-macos/crash.inlines.sym", "objects/symbolic-macos/crash.dSYM/Contents/Resources/DWARF/crash"),
        ])
    func `real dumpers' files answer as the debug information`(symbols: String, object: String) throws {
        let corpus = try #require(TestPaths.corpus) + "/"
        let file = try #require(BreakpadFile(try MappedFile(path: corpus + symbols)))
        let object = try ObjectFiles.open(path: corpus + object)
        #expect(file.identity == object.identity)
        #expect(try compare(file, object) > 300)
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus is absent: set CAIRN_CORPUS to its folder"))
    func `other real files are read`() throws {
        let corpus = try #require(TestPaths.corpus) + "/"
        let overflow = corpus + "objects/breakpad-symbols/overflow/B0E1FC01EF48E39CAF5C881D2DF0C3840/overflow.sym"
        // Whatever the file says in its first function's first line.
        for path in [overflow, corpus + "objects/symbolic-macos/crash.sym", corpus + "malformed/symbolic-large_symbol.sym"] {
            let text = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            let symbols = try #require(BreakpadFile(try MappedFile(path: path)))
            let index = try #require(text.firstIndex { $0.hasPrefix("FUNC ") })
            let fields = text[index].split(separator: " ", maxSplits: 4)
            let line = text[index + 1].split(separator: " ")
            let file = try #require(text.first { $0.hasPrefix("FILE \(line[3]) ") }).split(separator: " ", maxSplits: 2)[2]
            let address = try #require(UInt64(fields[1], radix: 16))
            guard case .found(let frames) = BreakpadSource(symbols).frames(at: [ImageOffset(address)])[0] else {
                Issue.record("\(path): no answer")
                continue
            }
            // The dumper writes this for a function without a name.
            #expect(frames[0].name == (fields[4] == "<name omitted>" ? "" : fields[4]), "\(path)")
            #expect(frames[0].entry == ImageOffset(address), "\(path)")
            #expect(frames[0].location == SourceLocation(file: String(file), line: try #require(Int(line[2]))))
        }
        // `FUNC 1000` is no function.
        let bad = try #require(BreakpadFile(try MappedFile(path: corpus + "malformed/breakpad-module3_bad.out")))
        #expect(BreakpadSource(bad).frames(at: [ImageOffset(0x1000)]) == [.unresolved(.noSymbol)])
    }
}
