import Foundation
import TestSupport
import Testing

/// The interface that another package sees, read from the compiled modules as the compiler and DocC do.
@Suite(.enabled(if: TestPaths.isReadable(Modules.folder + "/CrashSymbolication.swiftmodule"), "the modules are not beside the tests"))
struct LibraryInterfaceTests {
    /// The tutorials' last steps and the README's example, without access to what is `package`.
    @Test(arguments: [
        "Tests/CrashSymbolicationTests/ReadmeExample.swift",
        "Tests/CrashSymbolicationTests/LibraryExample.swift",
        "Sources/CrashSymbolication/CrashSymbolication.docc/Resources/server-3.swift",
        "Sources/CrashSymbolication/CrashSymbolication.docc/Resources/server-4.swift",
        "Sources/CrashSymbolication/CrashSymbolication.docc/Resources/format-3.swift",
    ])
    func `examples compile in another package`(path: String) throws {
        try run(
            "/usr/bin/env",
            ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library"] + Modules.options + [TestPaths.root + "/" + path]
        ).requireSuccess()
    }

    /// The other way round: the check finds what another package cannot use.
    @Test func `what is package is not seen`() throws {
        try withTemporaryFolder { folder in
            let file = folder + "/main.swift"
            try writeFile(file, Array("import CrashSymbolication\nlet bytes = try MappedFile(path: \"a\")\n".utf8))
            let result = try run("/usr/bin/env", ["swiftc", "-typecheck", "-swift-version", "6"] + Modules.options + [file])
            #expect(result.status != 0 && result.errors.contains("MappedFile"))
        }
    }

    @Test func `each public declaration is documented`() throws {
        let symbols = try symbols()
        try #require(!symbols.isEmpty)
        for symbol in symbols where symbol.docComment == nil {
            Issue.record("no documentation: \(symbol.pathComponents.joined(separator: "."))")
        }
    }

    private struct SymbolGraph: Decodable {
        struct Symbol: Decodable {
            struct Identifier: Decodable { var precise: String }
            struct Comment: Decodable {}
            struct Location: Decodable { var uri: String }

            var identifier: Identifier
            var pathComponents: [String]
            var docComment: Comment?
            var location: Location?
        }

        var symbols: [Symbol]
    }

    /// The public declarations in our sources: no default implementations that the standard library
    /// adds.
    private func symbols() throws -> [SymbolGraph.Symbol] {
        try withTemporaryFolder { folder in
            try run(
                "/usr/bin/env",
                [
                    "swift", "symbolgraph-extract", "-module-name", "CrashSymbolication", "-minimum-access-level", "public",
                    "-experimental-allowed-reexported-modules=" + Modules.exported.joined(separator: ","), "-output-dir", folder,
                ] + Modules.targetOptions + Modules.options
            ).requireSuccess()
            let graph = try JSONDecoder().decode(
                SymbolGraph.self, from: Data(try readFile(folder + "/CrashSymbolication.symbols.json")))
            return graph.symbols.filter { $0.location != nil && !$0.identifier.precise.contains("::SYNTHESIZED::") }
        }
    }
}

/// The compiled modules beside the test program.
private enum Modules {
    static let build: String = {
        let program = CommandLine.arguments[0]
        return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    }()
    static let folder = build + "/Modules"
    static let exported = [
        "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "Demangling", "Reporting", "SymbolFiles", "SymbolSources",
        "Symbolication",
    ]

    /// Modules that are not resilient are loaded with all that they import, C modules included.
    static let options: [String] = {
        let sources = TestPaths.root + "/Sources/"
        let system = ["CBzip2", "CISAL", "CLZ4", "CLZMA", "CLibelf", "CZlib", "CZstd"].map { sources + $0 + "/module.modulemap" }
        let maps = system + [build + "/CCairn.build/module.modulemap"]
        return ["-I", folder, "-I", sources + "CCairn/include"] + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
    }()

    /// `symbolgraph-extract` takes no default.
    static let targetOptions: [String] = {
        #if arch(arm64)
            let machine = "aarch64"
        #else
            let machine = "x86_64"
        #endif
        #if canImport(Darwin)
            return ["-target", "arm64-apple-macos26"]
        #else
            return ["-target", machine + "-unknown-linux-gnu"]
        #endif
    }()
}
