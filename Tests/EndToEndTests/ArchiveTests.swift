import TestSupport
import Testing

/// Symbols in archives, as apps are packed and as CI keeps them: made by the field's own tools, and
/// the results those that llvm-symbolizer gives for the plain files.
struct ArchiveTests {
    /// Content of an archive: the files of a crash whose log has a build ID or UUID.
    enum Content: String, CaseIterable {
        /// An ELF library of an app and its debug file.
        case library
        /// A universal dSYM bundle.
        case bundle

        var log: String {
            self == .library
                ? "logs/android-tombstone/libshop-x86_64/apk-13.txt" : "logs/apple-crash/CrashExample-bad-access/bad-access.crash"
        }

        /// The image's name in the log.
        var image: String { self == .library ? "libshop.so" : "CrashExample" }

        /// The shell's commands that put the files into the folder `files`.
        func files(_ state: State) -> String {
            let fixtures = TestPaths.fixture("binaries")
            switch (self, state) {
            case (.library, .right): return "mkdir -p files/lib/x86_64; cp \(fixtures)/Android/out/x86_64/libshop.so* files/lib/x86_64"
            case (.library, .wrong): return "mkdir -p files/lib/x86_64; cp \(fixtures)/Android/out/arm64-v8a/libshop.so files/lib/x86_64"
            case (.bundle, .right): return "mkdir files; cp -r \(fixtures)/CrashExample/out/CrashExample.dSYM files"
            case (.bundle, .wrong):
                let member = "files/CrashExample.dSYM/Contents/Resources/DWARF"
                return "mkdir -p \(member); cp \(fixtures)/MachOCXX/out/shapes.dSYM/Contents/Resources/DWARF/shapes \(member)/CrashExample"
            case (_, .missing): return "mkdir files; printf x > files/other.so; printf x > files/program"
            }
        }

        /// Results of llvm-symbolizer (`expected.tsv`, `expected-rows.tsv`), by thread and frame.
        func expected() throws -> [String: [String]] {
            let folder = log[..<(log.lastIndex(of: "/") ?? log.endIndex)]
            let name = self == .library ? "expected-rows.tsv" : "expected.tsv"
            var expected: [String: [String]] = [:]
            for row in try table(TestPaths.fixture("\(folder)/\(name)")) where row["function"] != "" {
                expected["\(row["thread"] ?? "") \(row["frame"] ?? "")", default: []]
                    .append("\(row["function"] ?? "") \(row["file"] ?? ""):\(row["line"] ?? "")")
            }
            return expected
        }
    }

    enum State: CaseIterable { case right, wrong, missing }

    struct Location: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Makes `archive` of the folder `files`; what is given is `given`.
        var script: String
        var given: String
    }

    static let locations: [Location] = [
        ("an APK, stored", "(cd files; zip -q -0 -r ../app.apk .)", "app.apk"),
        ("an APK, deflated", "(cd files; zip -q -9 -r ../app.apk .)", "app.apk"),
        ("a ZIP file under another name", "zip -q -r a.zip files; mv a.zip artefact", "artefact"), ("tar", "tar -cf a.tar files", "a.tar"),
        ("tar.gz", "tar -czf a.tar.gz files", "a.tar.gz"), ("tar.xz", "tar -cJf a.tar.xz files", "a.tar.xz"),
        ("tar.zst", "tar --zstd -cf a.tar.zst files", "a.tar.zst"),
        ("a ZIP file in a tree", "mkdir -p tree/deep; zip -q -r tree/deep/a.zip files", "tree"),
        ("tar.gz in a tree", "mkdir -p tree/deep; tar -C files -czf tree/deep/a.tgz .", "tree"),
        ("a ZIP file in a ZIP file, as GitHub makes of it", "zip -q -r a.zip files; zip -q b.zip a.zip", "b.zip"),
        ("tar.gz in a ZIP file in a tree", "mkdir tree; tar -czf a.tar.gz files; zip -q tree/b.zip a.tar.gz", "tree"),
    ].map { Location(testDescription: $0.0, script: $0.1, given: $0.2) }

    private func make(_ location: Location, of content: Content, _ state: State, in folder: String) throws {
        try run("sh", ["-c", "set -e; \(content.files(state)); \(location.script)"], directory: folder).requireSuccess()
    }

    /// Symbolicates the log with what the place holds.
    private func symbolicate(_ content: Content, _ location: Location, in folder: String) throws -> (JSONLog, RunResult) {
        let result = try cairn(
            content.log, "--symbols", "\(folder)/\(location.given)", "--index-cache", folder + "/cache", "--format", "json")
        return (try #require(try jsonLogs(result).first), result)
    }

    private func found(_ report: JSONLog, _ keys: some Sequence<String>) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for key in keys {
            let parts = key.split(separator: " ").map(String.init)
            let frame = report.frames(ofThread: parts[0])?.first { String($0.index) == parts[1] && $0.inlined != true }
            found[key] = frame?.functions?.map { "\($0.name) \($0.file ?? ""):\($0.line.map(String.init) ?? "")" }
        }
        return found
    }

    @Test(arguments: Content.allCases, locations)
    func `what is in the place is found`(content: Content, location: Location) throws {
        try withTemporaryFolder { folder in
            let expected = try content.expected()
            #expect(expected.count >= 3)
            // The second time from what was kept.
            try make(location, of: content, .right, in: folder)
            for _ in 0..<2 {
                let (report, result) = try symbolicate(content, location, in: folder)
                #expect(found(report, expected.keys) == expected, "\(result.errors)")
                let image = report.images.first { $0.name.hasPrefix(content.image) }
                #expect(image?.symbols.path?.contains("!/") == true && image?.symbols.origin == "archive")
            }
        }
    }

    @Test(arguments: Content.allCases, locations)
    func `another build in the place is refused`(content: Content, location: Location) throws {
        try withTemporaryFolder { folder in
            try make(location, of: content, .wrong, in: folder)
            let (report, result) = try symbolicate(content, location, in: folder)
            let image = try #require(report.images.first { $0.name == content.image })
            let reason = try #require(image.symbols.reason)
            #expect(reason.contains(" differs: the log has ") && reason.contains("!/"), "\(reason)")
            #expect(result.errors.contains(reason))
        }
    }

    @Test(arguments: Content.allCases, locations)
    func `a place without it says nothing of it`(content: Content, location: Location) throws {
        try withTemporaryFolder { folder in
            try make(location, of: content, .missing, in: folder)
            let (report, _) = try symbolicate(content, location, in: folder)
            let image = try #require(report.images.first { $0.name == content.image })
            #expect(image.symbols.status == "missing" && image.symbols.reason?.hasPrefix("no symbol file for \(content.image) (") == true)
        }
    }

    /// `ARCHIVE!/MEMBER`, as Android's linker writes it.
    @Test func `a member is given by its path`() throws {
        try withTemporaryFolder { folder in
            let location = Location(
                testDescription: "", script: "(cd files; zip -q -r ../a.apk .)", given: "a.apk!/lib/x86_64/libshop.so.debug")
            let expected = try Content.library.expected()
            try make(location, of: .library, .right, in: folder)
            let (report, result) = try symbolicate(.library, location, in: folder)
            #expect(found(report, expected.keys) == expected && !result.errors.contains("no such file or directory"), "\(result.errors)")
            #expect(report.images.first { $0.name == "libshop.so" }?.symbols.origin == "given")
            let none = try cairn(Content.library.log, "--symbols", folder + "/a.apk!/lib/x86_64/libother.so", "-q")
            #expect(none.status == 1 && none.errors.contains("libother.so: no such file or directory"))
        }
    }

    /// Logs without build IDs: the library inside the APK is the one of that name and architecture,
    /// or the one that is stored where the log says; a message says that nothing proves it.
    @Test func `without a build ID the name counts, and the place in the APK`() throws {
        try withTemporaryFolder { folder in
            let android = TestPaths.fixture("binaries/Android/out")
            // As zipalign does: the bytes in front fill the APK up, so that the library begins at
            // 0x5000. A local header has 30 bytes and the name.
            let name = "lib/x86_64/libshop.so"
            try #require(
                try run(
                    "sh",
                    [
                        "-c",
                        "mkdir -p lib/x86_64 lib/arm64-v8a; cp \(android)/x86_64/libshop.so lib/x86_64; cp \(android)/arm64-v8a/libshop.so lib/arm64-v8a",
                    ], directory: folder
                )
                .status == 0)
            try writeFile(folder + "/a", [UInt8](repeating: 1, count: 0x5000 - 30 - name.utf8.count - 31))
            try run("zip", ["-q", "-0", "-X", "base.apk", "a", name, "lib/arm64-v8a/libshop.so"], directory: folder).requireSuccess()
            #expect(try Array(readFile(folder + "/base.apk")[0x5000..<0x5004]) == Array("\u{7f}ELF".utf8))
            for (log, tie, label) in [
                ("apk-13.txt", "matched by name", "libshop.so"),
                ("apk-unnamed-13.txt", "matched by its offset in the archive", "base.apk (offset 0x5000)"),
            ] {
                let text = String(decoding: try readFile(TestPaths.fixture("logs/android-tombstone/libshop-x86_64/" + log)), as: UTF8.self)
                try writeFile(folder + "/log", Array(text.replacing(#/ \(BuildId: [0-9a-f]+\)/#, with: "").utf8))
                let result = try cairn(folder + "/log", "--symbols", folder + "/base.apk", "--format", "json")
                let report = try #require(try jsonLogs(result).first)
                // The library that an app ships is stripped: of the three functions it exports one,
                // and the row of the log names that.
                let frame = try #require(report.frames(ofThread: "9981")?.first { $0.index == 2 })
                #expect(frame.functions?.map(\.name) == ["shop_open"] && frame.functions?.first?.offset == 24)
                let note = "using \(folder)/base.apk!/\(name) for \(label) (\(tie); the log has no build ID)"
                #expect(report.notes?.contains(note) == true && result.errors.contains(note), "\(report.notes ?? [])")
                // At another place in the APK there is no library.
                if log == "apk-unnamed-13.txt" {
                    try writeFile(
                        folder + "/log",
                        Array(text.replacing(#/ \(BuildId: [0-9a-f]+\)/#, with: "").replacing("0x5000", with: "0x6000").utf8))
                    let other = try #require(
                        try jsonLogs(try cairn(folder + "/log", "--symbols", folder + "/base.apk", "--format", "json")).first)
                    #expect(other.images.first?.symbols.status == "missing")
                }
            }
        }
    }

    @Test func `archives and members that cannot be read say why`() throws {
        try withTemporaryFolder { folder in
            let location = Location(
                testDescription: "", script: "zip -q -r -P secret a.zip files; printf '7z\\274\\257\\047\\034' > a.7z", given: "a.zip")
            try make(location, of: .library, .right, in: folder)
            let (report, result) = try symbolicate(.library, location, in: folder)
            let image = try #require(report.images.first { $0.name == "libshop.so" })
            #expect(image.symbols.reason?.contains("it is encrypted, expected a ZIP file without a password") == true)
            #expect(result.errors.contains("it is encrypted"))
            let refused = try cairn(Content.library.log, "--symbols", folder + "/a.7z", "-q")
            #expect(refused.status == 1 && refused.errors.contains("a.7z: it is a 7-Zip archive, which is not read"))
            #expect(refused.output.contains("libshop.so"))
        }
    }
}

/// `cairn inspect` of archives: what it says of a member is what it says of the plain file.
struct InspectArchiveTests {
    @Test(arguments: ["zip -q -9 -r a.zip lib", "tar -czf a.zip lib"])
    func `inspect lists the objects in an archive`(script: String) throws {
        try withTemporaryFolder { folder in
            let fixtures = TestPaths.fixture("binaries/Android/out/x86_64")
            try run(
                "sh", ["-c", "mkdir lib; cp \(fixtures)/libshop.so* lib; rm lib/*.tsv; printf x > lib/other.so; \(script)"],
                directory: folder
            ).requireSuccess()
            let whole = try cairn("inspect", folder + "/a.zip")
            #expect(whole.status == 0 && whole.errors == "")
            let parts = try ["libshop.so", "libshop.so.debug"].map { name in
                try cairn("inspect", "\(folder)/a.zip!/lib/\(name)").output
            }
            #expect(whole.output == parts.joined() || whole.output == parts.reversed().joined())
            // The debug file beside the plain library would be listed too.
            let plain = try cairn("inspect", folder + "/lib/libshop.so.debug").output
            #expect(parts[1] == plain.replacing("\(folder)/lib/", with: "\(folder)/a.zip!/lib/"))
            // atos takes a member too.
            func atos(_ path: String) throws -> String { try cairn("atos", "-o", path, "0x21798").output }
            #expect(try atos("\(folder)/a.zip!/lib/libshop.so.debug") == atos("\(folder)/lib/libshop.so.debug"))
            #expect(try atos("\(folder)/lib/libshop.so.debug").hasPrefix("shop_open"))
            let archive = try cairn("atos", "-o", folder + "/a.zip", "0x21798")
            #expect(archive.errors.contains("or a member of it: \(folder)/a.zip!/NAME"))
            let none = try cairn("inspect", "\(folder)/a.zip!/lib/other.so")
            #expect(none.status == 1 && none.errors.contains("not an object file"))
        }
    }
}
