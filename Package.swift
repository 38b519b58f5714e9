// swift-tools-version: 6.3
// The package graph is the only definition of which target may use which; the scripts build with
// `--explicit-target-dependency-import-check error`, so an import that is not written here fails.
import PackageDescription

/// Settings of every Swift target: language mode 6 comes with the tools version, the rest is stated.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatWarning("StrictMemorySafety", as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies, swiftSettings: strict)
}

/// A product that only the network needs.
func network(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Network"]))
}

/// A product that only the server needs.
func service(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Service"]))
}

/// Whether the fuzzers themselves are wanted, which have no `main` of their own and link with the fuzzer's runtime alone: `scripts/fuzz` says so.
let isFuzzing = Context.environment["CAIRN_FUZZ"] != nil

/// A family of parsers for libFuzzer: a folder whose `fuzz` takes any bytes. A library otherwise, so that the tests read again what was found.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let (path, dependencies) = ("Tests/Fuzzing/" + name, dependencies + ["BinaryPrimitives"])
    guard isFuzzing else { return .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict) }
    return .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict + [.define("FUZZING")])
}

/// A micro-benchmark: a program that answers one question, built on demand (`scripts/bench --micro`).
func benchmark(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["BinaryPrimitives", "LibC", "Timing"] + dependencies, path: "Tests/Benchmarks/Sources/" + name,
        swiftSettings: strict)
}

/// What several families of parsers are fuzzed with.
func fuzzing(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies + ["BinaryPrimitives"], path: "Tests/Fuzzing/" + name, swiftSettings: strict)
}

/// How release builds of the programs are linked on Linux, so that they start quickly; CONTRIBUTING.md ("How the programs are linked") has the reasons and the figures.
let quickStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-Xclang-linker", "-no-pie", "-Xclang-linker", "-static-libgcc", "-L\(Context.packageDirectory)/scripts/release/link",
            "-Xlinker", "--no-export-dynamic", "-Xlinker", "--as-needed", "-Xlinker", "--icf=safe",
            "-Xlinker", "--section-ordering-file=\(Context.packageDirectory)/scripts/release/link/functions.txt",
        ], .when(platforms: [.linux], configuration: .release))
]

/// Whether another package uses this one as a library. Then no program's dependencies are fetched, unless it asks for the trait.
///
/// SwiftPM keeps such a copy in `.build/checkouts/cairn`, Xcode in `SourcePackages/checkouts/cairn`.
let isDependency: Bool = {
    let folders = Context.packageDirectory.split(separator: "/").suffix(3)
    guard folders.count == 3, let keeper = folders.first, folders[folders.startIndex + 1] == "checkouts" else { return false }
    return keeper.hasPrefix(".build") || keeper == "SourcePackages"
}()

let package = Package(
    name: "cairn",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "CrashSymbolication", targets: ["CrashSymbolication"]),
        .executable(name: "cairn", targets: ["cairn"]),
        .executable(name: "cairn-tools", targets: ["cairn-tools"]),
    ],
    // What the neighbours of `cairn` need is neither fetched nor built without their traits: `--disable-default-traits --product cairn` builds the core alone.
    traits: [
        .trait(name: "Batch", description: "The store and the pages of cairn batch, which need SQLite and swift-crypto."),
        .trait(name: "CI", description: "Reports of test runs, which need libxml2."),
        .trait(name: "Inspection", description: "The second opinion of cairn verify, which needs libdwarf."),
        .trait(name: "Network", description: "cairn fetch, which needs async-http-client."),
        .trait(name: "PostgreSQL", description: "The store of cairn batch on a server, which needs PostgreSQL's client library, libpq."),
        .trait(name: "Service", description: "cairn serve, which needs Hummingbird."),
        .default(enabledTraits: isDependency ? [] : ["Batch", "CI", "Inspection", "Network", "PostgreSQL", "Service"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Neither fetched nor built without the trait that its products are used under.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        // Its server alone: no configuration, no Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibelf", providers: [.apt(["libelf-dev"])]),
        .systemLibrary(name: "CLibdwarf", providers: [.apt(["libdwarf-dev"])]),
        .systemLibrary(name: "CLibxml2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        // Its header alone: the library is opened at run time.
        .systemLibrary(name: "CLibpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CISAL", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CLZMA", providers: [.apt(["liblzma-dev"])]),
        .systemLibrary(name: "CBzip2", providers: [.apt(["libbz2-dev"])]),
        .systemLibrary(name: "CLZ4", providers: [.apt(["liblz4-dev"])]),
        // The system's C library under one name.
        library("LibC"),
        // What Swift cannot say, a header for each: handlers of signals, fork, constructors, functions that the C library's module leaves out. Programs are linked
        // without what they do not call (`--gc-sections`).
        .target(name: "CCairn"),

        // Functions that return a span need `Lifetimes`, as in swift-nio, swift-system and swift-collections; only the byte
        // primitives have such functions, everything above re-slices a local span or hands it down to a closure.
        .target(
            name: "BinaryPrimitives", dependencies: ["CCairn", "LibC"],
            swiftSettings: strict + [.enableExperimentalFeature("Lifetimes")]),
        // What compressed bytes hold, whoever needs it: sections, archives, logs.
        library("Decompression", ["CBzip2", "CISAL", "CLZ4", "CLZMA", "CZlib", "CZstd", "LibC"]),
        // A crash report, and what its readers are made of: values, JSON, the prefixes of lines.
        library("CrashLogModel", ["BinaryPrimitives"]),
        // One folder for each format; what the formats mean, and how damaged logs are restored.
        library("CrashLogFormats", ["BinaryPrimitives", "CrashLogModel", "Decompression"]),
        // Finds reports in logs, part by part, and takes people's names out of them.
        library("CrashReports", ["BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "Decompression"]),
        library("ObjectFiles", ["BinaryPrimitives", "CLibelf", "CZlib", "Decompression", "LibC"]),
        library("DWARF", ["BinaryPrimitives", "ObjectFiles"]),
        library("CallFrames", ["BinaryPrimitives", "ObjectFiles"]),
        library("CallSites", ["BinaryPrimitives", "CallFrames", "ObjectFiles", "DWARF"]),
        // Registers and memory in, frames out.
        library("Unwinding", ["BinaryPrimitives", "CallFrames", "CallSites", "ObjectFiles"]),
        // Cores: threads, what was mapped, and memory.
        library("MemoryImages", ["BinaryPrimitives", "ObjectFiles", "Unwinding"]),
        library("Demangling", ["BinaryPrimitives", "CCairn", "LibC"]),
        library("SymbolSources", ["BinaryPrimitives", "CallFrames", "ObjectFiles", "DWARF"]),
        library("SymbolFiles", ["BinaryPrimitives", "ObjectFiles"]),
        library(
            "Symbolication", ["BinaryPrimitives", "CallSites", "CrashReports", "ObjectFiles", "SymbolSources", "SymbolFiles", "Demangling"]),
        // Reports of memory: of core files and minidumps.
        library(
            "MemoryReports",
            [
                "BinaryPrimitives", "CallSites", "CrashReports", "MemoryImages", "ObjectFiles", "SymbolFiles", "SymbolSources",
                "Symbolication", "Unwinding",
            ]),
        // What a server for existing protocols does, without the network: requests in, responses out.
        library(
            "Serving",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "Demangling", "LibC", "MemoryImages",
                "MemoryReports", "ObjectFiles", "Pages", "Reporting", "SymbolFiles", "SymbolSources", "Symbolication", "Templating",
            ]),
        library("Reporting", ["BinaryPrimitives", "CrashReports", "SymbolSources", "SymbolFiles", "Symbolication"]),
        library(
            "CrashSymbolication",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "MemoryReports", "ObjectFiles", "SymbolSources",
                "SymbolFiles", "Symbolication", "Demangling", "Reporting",
            ]),
        // What every program of ours says and how it ends.
        library("Console", ["BinaryPrimitives", "LibC"]),
        // The tools whose place cairn takes. A library, so that their grammars can be tested and fuzzed.
        library(
            "Personalities",
            ["BinaryPrimitives", "Console", "Demangling", "DWARF", "ObjectFiles", "SymbolFiles", "SymbolSources", "Symbolication"]),
        // What went wrong, told on a change's lines and in reports: of a run of tests, or of crash logs.
        library("TestReports", ["BinaryPrimitives", "CrashReports", "Reporting", "SymbolFiles", "Symbolication"]),
        // The options and settings that commands share, here and in neighbours.
        library(
            "CommandSupport",
            [
                "BinaryPrimitives", "Console", "CrashReports", "ObjectFiles", "Reporting", "SymbolFiles", "SymbolSources", "Symbolication",
                "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "cairn",
            dependencies: [
                "BinaryPrimitives", "CCairn", "CommandSupport", "Console", "CrashReports", "MemoryReports", "ObjectFiles", "Personalities",
                "SymbolSources", "SymbolFiles",
                "Symbolication", "Demangling", "Reporting", "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: quickStart),

        // Commands that need more than the core, in a program of their own, each with its trait.
        library("CommandRunning", ["BinaryPrimitives", "CCairn", "LibC"]),
        // JUnit reports of other tools, read and changed with libxml2.
        library(
            "JUnitRewriting", ["BinaryPrimitives", "TestReports", .target(name: "CLibxml2", condition: .when(traits: ["CI"]))]),
        library(
            "CICommand",
            [
                "BinaryPrimitives", "CommandRunning", "CommandSupport", "Console", "CrashReports", "JUnitRewriting", "MemoryReports",
                "Reporting", "SymbolFiles", "Symbolication", "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Pages' templates, in Mustache's language.
        library("Templating"),
        // What pages of different origin have in common: how they look, and text that is harmless in
        // them.
        library("Pages", ["BinaryPrimitives"]),
        // Connections, statements and rows, whatever database they are of.
        library("Databases"),
        // The part of SQLite's interface that a store needs, over the C library; and that of PostgreSQL's.
        library("SQLite", ["CSQLite", "Databases"]),
        library("PostgreSQL", ["CLibpq", "Databases"]),
        // Many logs at once, and what they have in common.
        library(
            "BatchProcessing",
            [
                "BinaryPrimitives", "CrashReports", "Databases", "Demangling", "LibC", "MemoryReports", "ObjectFiles", "Pages",
                .target(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])), "Reporting", "SQLite", "SymbolSources",
                "Symbolication", "Templating", "TestReports",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Batch"])),
            ]),
        library(
            "BatchCommand",
            [
                "BatchProcessing", "BinaryPrimitives", "CommandSupport", "Console", "CrashReports", "LibC", "Reporting", "Symbolication",
                "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // What a contained process is at.
        library("Containment", ["CCairn"]),
        library("DWARFInspection", ["BinaryPrimitives", "CallFrames", "Containment", "DWARF", "ObjectFiles"]),
        // Shares no code with what it checks.
        library(
            "SecondOpinion",
            [
                "BinaryPrimitives", "Containment", "LibC", "ObjectFiles",
                .target(name: "CLibdwarf", condition: .when(traits: ["Inspection"])),
            ]),
        library(
            "DwarfdumpCommand",
            [
                "BinaryPrimitives", "CCairn", "Console", "Containment", "DWARF", "DWARFInspection", "LibC", "ObjectFiles",
                "SecondOpinion",
                "SymbolFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        library(
            "Debuginfod",
            [
                "BinaryPrimitives", "Console", "LibC", "ObjectFiles", "SymbolFiles",
                network("AsyncHTTPClient", "async-http-client"), network("NIOCore", "swift-nio"), network("NIOHTTP1", "swift-nio"),
                network("NIOHTTPCompression", "swift-nio-extras"), network("NIOPosix", "swift-nio"), network("NIOSSL", "swift-nio-ssl"),
            ]),
        library(
            "FetchCommand",
            [
                "BinaryPrimitives", "Console", "Debuginfod", "LibC", "ObjectFiles", "SymbolFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Connections and the clock of `Serving`.
        library(
            "ServeCommand",
            [
                "BinaryPrimitives", "CZlib", "CommandSupport", "Console", "ObjectFiles", "Serving", "SymbolFiles", "Symbolication",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                service("HTTPTypes", "swift-http-types"), service("HummingbirdCore", "hummingbird"), service("Logging", "swift-log"),
                service("NIOCore", "swift-nio"), service("NIOHTTPTypes", "swift-nio-extras"), service("NIOPosix", "swift-nio"),
                service("NIOSSL", "swift-nio-ssl"), service("ServiceLifecycle", "swift-service-lifecycle"),
                service("UnixSignals", "swift-service-lifecycle"),
            ]),

        .executableTarget(
            name: "cairn-tools",
            dependencies: ["BatchCommand", "CICommand", "Console", "DwarfdumpCommand", "FetchCommand", "ServeCommand"],
            swiftSettings: strict, linkerSettings: quickStart),

        .target(name: "CSpawning", path: "Tests/CSpawning"),
        .target(
            name: "TestSupport", dependencies: ["BinaryPrimitives", "CSpawning", "LibC"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "SourceTreeTests", dependencies: ["Console", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "FixturesTests", dependencies: ["BinaryPrimitives", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "DifferentialTests", dependencies: ["BinaryPrimitives", "LibC", "ObjectFiles", "SymbolSources", "TestSupport"],
            exclude: ["explained.tsv"], swiftSettings: strict),
        tests("BinaryPrimitives", ["LibC"]),
        tests("CrashReports", ["BinaryPrimitives", "CrashLogFormats", "CrashLogModel"]),
        tests("ObjectFiles", ["BinaryPrimitives", "CZlib", "CallFrames", "Decompression"]),
        tests("Demangling", ["BinaryPrimitives"]),
        tests("DWARF", ["BinaryPrimitives", "ObjectFiles"]),
        tests("CallFrames", ["BinaryPrimitives", "ObjectFiles"]),
        tests("CallSites", ["BinaryPrimitives", "ObjectFiles"]),
        tests("Unwinding", ["BinaryPrimitives", "CallFrames", "ObjectFiles"]),
        tests("MemoryImages", ["BinaryPrimitives", "ObjectFiles", "Unwinding"]),
        tests("MemoryReports", ["BinaryPrimitives", "CrashReports", "ObjectFiles", "SymbolFiles", "SymbolSources", "Symbolication"]),
        .testTarget(
            name: "SymbolSourcesTests", dependencies: ["BinaryPrimitives", "LibC", "ObjectFiles", "SymbolSources", "TestSupport"],
            exclude: ["corpus-differences.tsv"], swiftSettings: strict),
        tests("SymbolFiles", ["BinaryPrimitives", "ObjectFiles"]),
        tests("Symbolication", ["BinaryPrimitives", "CrashReports", "ObjectFiles", "SymbolFiles", "SymbolSources", "Demangling"]),
        tests("Personalities", ["BinaryPrimitives", "Demangling"]),
        tests(
            "Serving",
            ["BinaryPrimitives", "CrashLogModel", "CrashReports", "LibC", "ObjectFiles", "SymbolFiles", "SymbolSources", "Symbolication"]),
        tests("Reporting", ["BinaryPrimitives", "CrashReports", "SymbolFiles", "SymbolSources", "Symbolication"]),
        tests("CrashSymbolication"),
        tests(
            "CommandSupport",
            [
                "BinaryPrimitives", "Reporting", "SymbolFiles", "Symbolication",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests("Console"),
        tests("CommandRunning", ["BinaryPrimitives", "LibC"]),
        tests("TestReports", ["BinaryPrimitives", "CrashReports", "Reporting", "SymbolFiles", "SymbolSources", "Symbolication"]),
        tests("JUnitRewriting", ["BinaryPrimitives", "TestReports"]),
        tests(
            "BatchProcessing",
            [
                "BinaryPrimitives", "CrashReports", "Databases", "Pages", "Reporting", "SQLite", "SymbolFiles", "SymbolSources",
                "Symbolication", "TestReports",
            ]),
        tests("SQLite", ["BinaryPrimitives", "Databases"]),
        tests("PostgreSQL", ["BinaryPrimitives", "Databases"]),
        tests("Templating"),
        tests("Debuginfod", ["BinaryPrimitives", "SymbolFiles", network("NIOCore", "swift-nio"), network("NIOPosix", "swift-nio")]),
        tests("ServeCommand", ["BinaryPrimitives", "Serving"]),
        .target(name: "CFilterProbe", dependencies: ["CCairn"], path: "Tests/CFilterProbe"),
        tests("DWARFInspection", ["BinaryPrimitives", "CFilterProbe", "DwarfdumpCommand", "ObjectFiles", "Recipes", "SecondOpinion"]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "BatchCommand", "CICommand", "CommandSupport", "TestSupport", "cairn",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests", dependencies: ["Console", "Personalities", "TestSupport", "cairn", "cairn-tools"],
            exclude: ["Goldens"],
            swiftSettings: strict),
    ]
)

// The neighbours, which `CAIRN_CORE=1` leaves out: then `swift build` and `swift test` are about the core, and need nothing that it does not need.
let isWhole = Context.environment["CAIRN_CORE"] == nil
let neighbours: Set = [
    "BatchCommand", "BatchProcessing", "BatchProcessingTests", "CICommand", "CLibdwarf", "CLibpq", "CLibxml2", "CSQLite",
    "CommandLineTests", "DWARFInspection",
    "DWARFInspectionTests", "Databases", "Debuginfod", "DebuginfodTests", "DwarfdumpCommand", "EndToEndTests", "FetchCommand", "FuzzDump",
    "FuzzSignatures", "FuzzStream", "FuzzTestReports", "JUnitRewriting", "JUnitRewritingTests", "PostgreSQL", "PostgreSQLTests", "SQLite",
    "SQLiteTests",
    "SecondOpinion", "ServeCommand",
    "ServeCommandTests", "cairn-tools",
]
if !isWhole {
    package.targets.removeAll { neighbours.contains($0.name) }
    package.products.removeAll { neighbours.contains($0.name) }
}

// Fuzzing: each family of parsers is a line, and a test that reads again what was found.
let families = [
    fuzzer("FuzzAnonymizing", ["CrashReports"]),
    fuzzer("FuzzArchives", ["Decompression", "ObjectFiles"]),
    fuzzer("FuzzCallSites", ["CallSites", "ObjectFiles"]),
    fuzzer("FuzzCores", ["MemoryImages", "ObjectFiles", "Unwinding"]),
    fuzzer("FuzzDamage", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzDemangling", ["Demangling"]),
    fuzzer("FuzzDocumentFormats", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzDump", ["DWARFInspection", "ObjectFiles", "Recipes"]),
    fuzzer("FuzzDWARFUnits", ["DWARF", "ObjectFiles", "ObjectQuestions", "Recipes"]),
    fuzzer("FuzzELF", ["CallFrames", "ObjectFiles"]),
    fuzzer("FuzzLinePrograms", ["DWARF", "ObjectFiles", "Recipes", "TestSupport"]),
    fuzzer("FuzzLineFormats", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzLogContainers", ["CrashReports"]),
    fuzzer("FuzzLogStream", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzMachO", ["ObjectFiles"]),
    fuzzer("FuzzMinidumps", ["MemoryImages", "Unwinding"]),
    fuzzer("FuzzMultipart", ["CrashLogModel", "Serving", "Symbolication"]),
    fuzzer("FuzzPersonalities", ["Personalities"]),
    fuzzer("FuzzRows", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzServing", ["CrashLogModel", "Serving", "SymbolSources", "SymbolFiles", "Symbolication"]),
    fuzzer("FuzzSignatures", ["BatchProcessing"]),
    fuzzer("FuzzSplitUnits", ["DWARF", "LibC", "ObjectFiles", "ObjectQuestions", "Recipes", "TestSupport"]),
    fuzzer("FuzzStream", ["BatchProcessing", "CrashReports"]),
    fuzzer("FuzzSymbolFiles", ["SymbolFiles", "SymbolSources"]),
    fuzzer("FuzzSymbolIndex", ["SymbolSources"]),
    fuzzer("FuzzTestReports", ["JUnitRewriting", "Reporting", "TestReports"]),
    fuzzer("FuzzUnwinding", ["MemoryImages", "ObjectFiles", "Unwinding"]),
]
package.targets += families.filter { isWhole || !neighbours.contains($0.name) }
package.targets += [
    fuzzing("LogChecks", ["CrashReports"]),
    fuzzing("ObjectQuestions", ["ObjectFiles", "SymbolSources"]),
    fuzzing("Recipes", ["TestSupport"]),
]
if !isFuzzing {
    package.targets.append(
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["TestSupport"]
                + families.filter { isWhole || !neighbours.contains($0.name) }.map { .init(stringLiteral: $0.name) },
            swiftSettings: strict))
}

// Micro-benchmarks use the modules as other modules of this package do. CONTRIBUTING.md says when to use which benchmark.
if Context.environment["CAIRN_BENCHMARKS"] != nil {
    package.targets += [
        .target(name: "Timing", dependencies: ["LibC"], path: "Tests/Benchmarks/Sources/Timing", swiftSettings: strict),
        benchmark("ByteReading", []),
        benchmark("EntryWalk", ["DWARF", "ObjectFiles"]),
        benchmark("LineRows", ["DWARF", "ObjectFiles"]),
        benchmark("IndexLookups", ["ObjectFiles", "SymbolSources"]),
        benchmark("LogScanning", ["CrashReports"]),
        // No measurement: the filter that `scripts/checks/verify-names` compares with other demanglers, and times as they are.
        benchmark("DemangleNames", ["Demangling"]),
    ]
}

// The tests read millions of damaged logs: with the parsers optimised those suites take a fortieth of the time. All checks of values stay. `scripts/test` says so.
if Context.environment["CAIRN_OPTIMIZED"] != nil {
    let parsers: Set = ["BinaryPrimitives", "CrashLogModel", "CrashLogFormats", "CrashReports", "Reporting", "Symbolication", "Templating"]
    for target in package.targets where parsers.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"])]
    }
}
