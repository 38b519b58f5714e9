import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import MemoryReports
import ObjectFiles
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// A program that was compiled and left a core, what it printed, and the core's report.
struct MadeCrash {
    /// The kernel writes a core into the working directory of a process that crashes.
    static let isPossible: Bool = {
        guard let pattern = try? readFile("/proc/sys/kernel/core_pattern"), TestPaths.isReadable("/usr/bin/gcc") else { return false }
        return String(decoding: pattern, as: UTF8.self).hasPrefix("core")
    }()

    let standardError: [String]
    let report: CrashReport
    /// The functions of the first thread, innermost first.
    let functions: [String]

    init(_ source: String, _ file: String, _ compiler: [String], arguments: [String], environment: [String: String] = [:]) throws {
        (standardError, report, functions) = try withTemporaryFolder { folder in
            try writeFile(folder + "/" + file, Array(source.utf8))
            try run(compiler[0], compiler.dropFirst() + [file, "-o", "prog"], directory: folder).requireSuccess()
            let values = environment.map { "\($0)='\($1)'" }.joined(separator: " ")
            _ = try run(
                "sh", ["-c", "ulimit -c unlimited; exec env \(values) ./prog \(arguments.joined(separator: " ")) 2> printed"],
                directory: folder)
            let printed = String(decoding: try readFile(folder + "/printed"), as: UTF8.self).split(separator: "\n").map(String.init)
            guard let core = TestPaths.files(under: folder).first(where: { $0.hasPrefix(folder + "/core") }) else {
                throw RunError(description: "no core was written: \(printed)")
            }
            let provider = SourceProvider(
                SearchLocations(symbols: [folder + "/prog"]),
                openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
                openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
            let made = try MemoryReader(Symbolicator(provider: provider)).report(
                .core, try MappedFile(path: core), from: LogOrigin(logAt: core))
            let symbolicated = made.symbolicator.symbolicate(made.report)
            return (printed, symbolicated.report, symbolicated.threads[0].map { $0.resolved?.functions.last?.name ?? "" })
        }
    }
}
