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

/// Each file of a large module is compiled by itself, so that a change in one compiles that one alone; all together take half as long
/// again. Nothing is inlined from one file into another, which costs 1 % of the time in which logs are read. No package may depend on a
/// target with such flags.
let byFile: [SwiftSetting] = [
    .unsafeFlags(
        ["-no-whole-module-optimization", "-enable-batch-mode", "-incremental", "-num-threads", "0"], .when(configuration: .release))
]

/// Settings of the tests' own code: it is not optimised in the one build (`scripts/test`), because it
/// runs once.
let testing = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = testing) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies, swiftSettings: settings)
}

/// A product that only the server needs.
func service(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Service"]))
}

/// A product of a package that another package brings, named so that its version is exact: what is linked, and the licences beside it, then differ from no build before.
/// On no platform of ours is it linked for its own sake, and SwiftPM warns of packages that no target names.
func pinned(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(platforms: [.wasi], traits: ["Service"]))
}

/// Whether the fuzzers themselves are wanted, which have no `main` of their own and link with the fuzzer's runtime alone: `scripts/fuzz` says so.
let isFuzzing = Context.environment["CAIRN_FUZZ"] != nil

/// A family of parsers for libFuzzer: a folder whose `fuzz` takes any bytes. A library otherwise, so that the tests read again what was found.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let (path, dependencies) = ("Tests/Fuzzing/" + name, dependencies + ["BinaryPrimitives"])
    guard isFuzzing else { return .target(name: name, dependencies: dependencies, path: path, swiftSettings: testing) }
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
    .target(
        name: name, dependencies: dependencies + ["BinaryPrimitives"], path: "Tests/Fuzzing/" + name,
        swiftSettings: isFuzzing ? strict : testing)
}

/// Whether `scripts/release` builds.
let isRelease = Context.environment["CAIRN_RELEASE"] != nil

/// How the programs are linked on Linux, so that they start quickly; `Documentation/linking.md` has the reasons and the figures. Swift's library
/// is linked from its archives into the programs alone: the tests use the toolchain's.
let quickStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-static-stdlib", "-Xclang-linker", "-no-pie", "-Xclang-linker", "-static-libgcc",
            "-L\(Context.packageDirectory)/scripts/release/link", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--as-needed", "-Xlinker",
            "--icf=safe", "-lFoundationEssentials", "-l_FoundationCShims", "-l_FoundationCollections",
        ]
            // A release has its functions in the order of their use (`scripts/release`).
            + (isRelease
                ? [
                    "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/scripts/release/link/functions.txt", "-Xlinker",
                    "--no-warn-symbol-ordering",
                ] : []),
        .when(platforms: [.linux], configuration: .release))
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
    // What only cairn-tools needs is neither fetched nor built where another package uses the library, or with `--disable-default-traits`.
    traits: [
        .trait(name: "Service", description: "cairn serve, which needs swift-nio and swift-log."),
        .default(enabledTraits: isDependency ? [] : ["Service"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        // Neither fetched nor built without the trait that its products are used under.
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        // What swift-nio brings (`pinned`).
        .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    ],
    targets: [
        .systemLibrary(name: "CLibelf", providers: [.apt(["libelf-dev"])]),
        .systemLibrary(name: "CLibdwarf", providers: [.apt(["libdwarf-dev"])]),
        .systemLibrary(name: "CLibxml2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        // Its header alone: the library is opened at run time.
        .systemLibrary(name: "CLibpq", providers: [.apt(["libpq-dev"])]),
        // The declarations that are needed, and nothing of the system: the library is opened at run time.
        .systemLibrary(name: "CLibssl"),
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
        library("Decompression", ["BinaryPrimitives", "CBzip2", "CISAL", "CLZ4", "CLZMA", "CZlib", "CZstd", "LibC"]),
        // A crash report, and what its readers are made of: values, JSON, the prefixes of lines.
        library("CrashLogModel", ["BinaryPrimitives"]),
        // One folder for each format; what the formats mean, and how damaged logs are restored.
        .target(
            name: "CrashLogFormats", dependencies: ["BinaryPrimitives", "CrashLogModel", "Decompression"],
            swiftSettings: strict + (isDependency ? [] : byFile)),
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
            "Symbolication",
            ["BinaryPrimitives", "CallSites", "CrashLogModel", "ObjectFiles", "SymbolSources", "SymbolFiles", "Demangling"]),
        // Reports of memory: of core files and minidumps.
        library(
            "MemoryReports",
            [
                "BinaryPrimitives", "CallSites", "CrashLogFormats", "CrashLogModel", "Demangling", "MemoryImages", "ObjectFiles",
                "SymbolFiles",
                "SymbolSources", "Symbolication", "Unwinding",
            ]),
        // Programs that are run, and the memory of those that a signal ends.
        library("CrashCapture", ["BinaryPrimitives", "CCairn", "LibC", "ObjectFiles"]),
        // What a server for existing protocols does, without the network: requests in, responses out.
        library(
            "Serving",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "DWARF", "Demangling", "LibC", "MemoryImages",
                "MemoryReports", "ObjectFiles", "Pages", "Reporting", "SymbolFiles", "SymbolSources", "Symbolication",
            ]),
        library(
            "Reporting",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "Demangling", "SymbolSources", "SymbolFiles",
                "Symbolication",
            ]),
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
        library("TestReports", ["BinaryPrimitives", "CrashLogModel", "Reporting", "SymbolFiles", "Symbolication"]),
        // The options and settings that commands share, here and in neighbours.
        library(
            "CommandSupport",
            [
                "BinaryPrimitives", "Console", "CrashLogFormats", "CrashLogModel", "ObjectFiles", "Reporting", "SymbolFiles",
                "SymbolSources", "Symbolication", "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // The commands of the program cairn, apart from the program so that tests link them without how it is linked.
        library(
            "CairnCommands",
            [
                "BinaryPrimitives", "CCairn", "CommandSupport", "Console", "CrashCapture", "CrashLogFormats", "CrashLogModel",
                "CrashReports",
                "MemoryReports", "ObjectFiles", "Personalities",
                "SymbolSources", "SymbolFiles",
                "Symbolication", "Demangling", "Reporting", "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "cairn", dependencies: ["CairnCommands"], swiftSettings: strict, linkerSettings: quickStart),

        // Commands that need more than the core, in a program of their own: libxml2 changes JUnit reports of other tools, SQLite and libpq keep
        // stores, libdwarf is the second opinion.
        library(
            "CICommand",
            [
                "BinaryPrimitives", "CCairn", "CLibxml2", "CommandSupport", "Console", "CrashCapture", "CrashLogFormats", "CrashLogModel",
                "CrashReports",
                "LibC", "MemoryReports", "Reporting", "Symbolication", "TestReports",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // How pages of different origin look, their templates in Mustache's language, and text that is harmless in them.
        library("Pages", ["BinaryPrimitives"]),
        // Connections, statements and rows; the part of SQLite's and of PostgreSQL's interface that a store needs, over their C libraries.
        library("Databases", ["CLibpq", "CSQLite"]),
        // Many logs at once, and what they have in common.
        library(
            "BatchProcessing",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "CrashReports", "Databases", "Demangling", "LibC", "MemoryReports",
                "ObjectFiles", "Pages", "Reporting", "SymbolSources", "Symbolication", "TestReports",
            ]),
        library(
            "BatchCommand",
            [
                "BatchProcessing", "BinaryPrimitives", "CommandSupport", "Console", "CrashLogModel", "LibC", "Reporting", "SymbolSources",
                "Symbolication", "TestReports", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        library("DWARFInspection", ["BinaryPrimitives", "CallFrames", "DWARF", "LibC", "ObjectFiles"]),
        // Shares no code with what it checks.
        library("SecondOpinion", ["BinaryPrimitives", "CLibdwarf", "ObjectFiles"]),
        library(
            "DwarfdumpCommand",
            [
                "BinaryPrimitives", "CCairn", "Console", "DWARF", "DWARFInspection", "LibC", "ObjectFiles", "SecondOpinion", "SymbolFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        library("Downloading", ["BinaryPrimitives", "CCairn", "Console", "LibC", "ObjectFiles", "SymbolFiles"]),
        library(
            "FetchCommand",
            [
                "BinaryPrimitives", "Console", "Downloading", "LibC", "ObjectFiles", "SymbolFiles", "Symbolication",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Connections and the clock of `Serving`.
        library(
            "ServeCommand",
            [
                "BinaryPrimitives", "CLibssl", "CZlib", "CommandSupport", "Console", "CrashLogModel", "LibC", "ObjectFiles", "Serving",
                "SymbolFiles", "SymbolSources",
                "Symbolication",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                service("Logging", "swift-log"), service("NIOCore", "swift-nio"), service("NIOHTTP1", "swift-nio"),
                service("NIOPosix", "swift-nio"),
                pinned("Atomics", "swift-atomics"), pinned("DequeModule", "swift-collections"), pinned("SystemPackage", "swift-system"),
            ]),

        .executableTarget(
            name: "cairn-tools",
            dependencies: ["BatchCommand", "BinaryPrimitives", "CICommand", "Console", "DwarfdumpCommand", "FetchCommand", "ServeCommand"],
            swiftSettings: strict, linkerSettings: quickStart),

        .target(name: "CSpawning", path: "Tests/CSpawning"),
        .target(
            name: "TestSupport", dependencies: ["BinaryPrimitives", "CSpawning", "LibC"], path: "Tests/TestSupport", swiftSettings: testing),
        .testTarget(name: "SourceTreeTests", dependencies: ["Console", "TestSupport"], swiftSettings: testing),
        .testTarget(name: "FixturesTests", dependencies: ["BinaryPrimitives", "TestSupport"], swiftSettings: testing),
        .testTarget(
            name: "DifferentialTests", dependencies: ["BinaryPrimitives", "LibC", "ObjectFiles", "SymbolSources", "TestSupport"],
            exclude: ["explained.tsv"], swiftSettings: testing),
        tests("BinaryPrimitives", ["CCairn", "LibC"]),
        tests("CrashReports", ["BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "LogChecks"], testing + byFile),
        tests("ObjectFiles", ["BinaryPrimitives", "CZlib", "CallFrames", "Decompression"]),
        tests("Demangling", ["BinaryPrimitives"]),
        tests("DWARF", ["BinaryPrimitives", "ObjectFiles"]),
        tests("CallFrames", ["BinaryPrimitives", "ObjectFiles"]),
        tests("CallSites", ["BinaryPrimitives", "ObjectFiles", "SymbolSources"]),
        tests("Unwinding", ["BinaryPrimitives", "CallFrames", "CallSites", "ObjectFiles"]),
        tests("MemoryImages", ["BinaryPrimitives", "ObjectFiles", "Unwinding"]),
        tests(
            "MemoryReports",
            [
                "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "ObjectFiles", "SymbolFiles", "SymbolSources",
                "Symbolication",
            ]),
        .testTarget(
            name: "SymbolSourcesTests", dependencies: ["BinaryPrimitives", "LibC", "ObjectFiles", "SymbolSources", "TestSupport"],
            exclude: ["corpus-differences.tsv"], swiftSettings: testing),
        tests("SymbolFiles", ["BinaryPrimitives", "ObjectFiles"]),
        tests(
            "Symbolication",
            [
                "BinaryPrimitives", "CallSites", "CrashLogModel", "DWARF", "ObjectFiles", "SymbolFiles",
                "SymbolSources", "Demangling",
            ]),
        tests("Personalities", ["BinaryPrimitives", "Demangling"]),
        tests(
            "Serving",
            ["BinaryPrimitives", "CrashLogModel", "ObjectFiles", "SymbolFiles", "SymbolSources", "Symbolication"]),
        tests(
            "Reporting",
            ["BinaryPrimitives", "CrashLogModel", "CrashReports", "SymbolFiles", "SymbolSources", "Symbolication"]),
        tests("CrashSymbolication"),
        tests(
            "CommandSupport",
            [
                "BinaryPrimitives", "Reporting", "SymbolFiles", "Symbolication",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests("Console"),
        tests("CrashCapture"),
        tests(
            "TestReports",
            [
                "BinaryPrimitives", "CrashLogModel", "CrashReports", "Reporting", "SymbolFiles", "SymbolSources",
                "Symbolication",
            ]),
        tests(
            "CICommand",
            ["BinaryPrimitives", "CrashCapture", "CrashLogModel", "LibC", "Reporting", "SymbolFiles", "Symbolication", "TestReports"]),
        tests(
            "BatchProcessing",
            [
                "LibC", "BinaryPrimitives", "CrashLogFormats", "CrashLogModel", "Databases", "Pages", "Reporting",
                "SymbolFiles", "SymbolSources", "Symbolication", "TestReports",
            ]),
        tests("Databases", ["BinaryPrimitives"]),
        tests("Pages"),
        tests("Downloading", ["BinaryPrimitives", "LibC", "SymbolFiles", "Symbolication"]),
        tests(
            "ServeCommand",
            [
                "BinaryPrimitives", "Serving", service("NIOCore", "swift-nio"), service("NIOEmbedded", "swift-nio"),
                service("NIOHTTP1", "swift-nio"),
            ]),
        .target(name: "CFilterProbe", dependencies: ["CCairn"], path: "Tests/CFilterProbe"),
        tests("DWARFInspection", ["BinaryPrimitives", "CFilterProbe", "DwarfdumpCommand", "ObjectFiles", "Recipes", "SecondOpinion"]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "BatchCommand", "CICommand", "CairnCommands", "CommandSupport", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: testing),
        .testTarget(
            name: "EndToEndTests", dependencies: ["BinaryPrimitives", "Console", "ObjectFiles", "Personalities", "TestSupport"],
            exclude: ["Goldens"],
            swiftSettings: testing + byFile,
            // All tests are one program, which gold takes four times as long to link.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]),
    ]
)

// Fuzzing: each family of parsers is a line, and a test that reads again what was found.
let families = [
    fuzzer("FuzzAnonymizing", ["CrashReports"]),
    fuzzer("FuzzArchives", ["Decompression", "ObjectFiles"]),
    fuzzer("FuzzCallSites", ["CallSites", "ObjectFiles"]),
    fuzzer("FuzzCores", ["MemoryImages", "ObjectFiles", "Unwinding"]),
    fuzzer("FuzzDamage", ["CrashReports", "LogChecks"]),
    fuzzer("FuzzDemangling", ["Demangling"]),
    fuzzer("FuzzDocumentFormats", ["CrashLogFormats", "CrashLogModel", "CrashReports", "LogChecks"]),
    fuzzer("FuzzDump", ["DWARFInspection", "ObjectFiles", "Recipes"]),
    fuzzer("FuzzDWARFUnits", ["DWARF", "ObjectFiles", "ObjectQuestions", "Recipes"]),
    fuzzer("FuzzELF", ["CallFrames", "ObjectFiles"]),
    fuzzer("FuzzLayers", ["LogChecks"]),
    fuzzer("FuzzLinePrograms", ["DWARF", "ObjectFiles", "Recipes", "TestSupport"]),
    fuzzer("FuzzLineFormats", ["CrashLogFormats", "CrashReports", "LogChecks"]),
    fuzzer("FuzzLogContainers", ["CrashLogModel", "CrashReports"]),
    fuzzer("FuzzLogStream", ["CrashLogFormats", "CrashLogModel", "LogChecks"]),
    fuzzer("FuzzMachO", ["ObjectFiles"]),
    fuzzer("FuzzMinidumps", ["MemoryImages", "Unwinding"]),
    fuzzer("FuzzMultipart", ["CrashLogModel", "Serving", "Symbolication"]),
    fuzzer("FuzzPE", ["ObjectFiles", "Unwinding"]),
    fuzzer("FuzzPersonalities", ["Personalities"]),
    fuzzer("FuzzRows", ["CrashLogFormats", "CrashReports", "LogChecks"]),
    fuzzer("FuzzServing", ["CrashLogModel", "Serving", "SymbolSources", "SymbolFiles", "Symbolication"]),
    fuzzer("FuzzSharedCache", ["ObjectFiles"]),
    fuzzer("FuzzSignatures", ["Reporting"]),
    fuzzer("FuzzSplitUnits", ["DWARF", "LibC", "ObjectFiles", "ObjectQuestions", "Recipes", "TestSupport"]),
    fuzzer("FuzzStream", ["BatchProcessing", "CrashLogModel"]),
    fuzzer("FuzzSymbolFiles", ["SymbolFiles", "SymbolSources"]),
    fuzzer("FuzzSymbolIndex", ["SymbolSources"]),
    fuzzer("FuzzTestReports", ["CICommand", "Reporting", "TestReports"]),
    fuzzer("FuzzUnwinding", ["MemoryImages", "ObjectFiles", "Unwinding"]),
    fuzzer("FuzzWebAssembly", ["ObjectFiles"]),
]
package.targets += families
package.targets += [
    fuzzing("LogChecks", ["CrashLogFormats", "CrashLogModel", "CrashReports"]),
    fuzzing("ObjectQuestions", ["ObjectFiles", "SymbolSources"]),
    fuzzing("Recipes", ["TestSupport"]),
]
if !isFuzzing {
    package.targets.append(
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["TestSupport"] + families.map { .init(stringLiteral: $0.name) }, swiftSettings: testing))
}

// Micro-benchmarks use the modules as other modules of this package do. `scripts/bench --micro` runs them.
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
