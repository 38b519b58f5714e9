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

/// Stacks through code that a process compiled while it ran.
@Suite(.enabled(if: MadeCrash.isPossible, "the kernel writes no core files into the working directory"))
struct GeneratedCodeStackTests {
    /// Runs a line of a shell in a folder, with cores.
    /// - Returns: the core that is there then.
    private func core(of line: String, in folder: String) throws -> String {
        let environment = "env -i PATH=/usr/bin:/bin HOME=\(folder) JITDUMPDIR=\(folder)"
        _ = try run("sh", ["-c", "ulimit -c unlimited; exec \(environment) sh -c '\(line)'"], directory: folder)
        guard let core = TestPaths.files(under: folder).first(where: { $0.hasPrefix(folder + "/core") }) else {
            throw RunError(description: "no core was written by \(line)")
        }
        return core
    }

    /// Function, and file and line where it has them, of each frame of the first thread, innermost first.
    private func rows(_ core: String, symbols: [String] = []) throws -> [String] {
        let provider = SourceProvider(
            SearchLocations(symbols: symbols),
            openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
            openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
        let made = try MemoryReader(Symbolicator(provider: provider)).report(
            .core, try MappedFile(path: core), from: LogOrigin(logAt: core))
        return made.symbolicator.symbolicate(made.report).threads[0].map { outcome in
            guard let function = outcome.resolved?.functions.last else { return "?" }
            return function.name + (function.location.map { " \(Path.name(of: $0.file)):\($0.line)" } ?? "")
        }
    }

    /// The names of the functions of a script, as the map has them: `JS:~inner`.
    private func scriptFunctions(_ core: String, symbols: String) throws -> [String] {
        var names: [String] = []
        for row in try rows(core, symbols: [symbols]) where row.contains("/a.js:") { names.append(String(row.split(separator: " ")[0])) }
        return names
    }

    private static let hasNode = TestPaths.isReadable("/usr/bin/node")
    private static let script = """
        function inner(n) { if (n === 0) process.abort(); return inner(n - 1) + 1; }
        function middle(k) { return inner(2) + k; }
        function outer() { return middle(2); }
        outer();

        """

    /// The map names each function by its definition. The calls are those of the script.
    @Test(.enabled(if: hasNode, "node is missing")) func `frames of JavaScript have the names of perf's map`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.js", Array(Self.script.utf8))
            // node writes the map into /tmp, where it stays.
            let node = "node --perf-basic-prof --interpreted-frames-native-stack a.js & wait $!; mv /tmp/perf-$!.map ."
            let core = try core(of: node, in: folder)
            let map = try #require(TestPaths.files(under: folder).first { $0.hasSuffix(".map") })
            let expected = ["JS:~inner", "JS:~inner", "JS:~inner", "JS:~middle", "JS:~outer", "JS:~"]
            #expect(try scriptFunctions(core, symbols: map) == expected)
            #expect(try scriptFunctions(core, symbols: folder) == expected)
            // Another process's map names nothing.
            try run("mv", [map, folder + "/perf-1.map"]).requireSuccess()
            #expect(try scriptFunctions(core, symbols: folder + "/perf-1.map") == [])
        }
    }

    private static let lli = TestPaths.isReadable("/usr/bin/lli-19") && TestPaths.isReadable("/usr/bin/clang-19")
    private static let c = """
        static int *volatile p;
        __attribute__((noinline)) int leaf(int n) {
          return *p + n;            // line 3
        }
        __attribute__((noinline)) int middle(int n) {
          return leaf(n) * 3 + 1;   // line 6
        }
        int main(int argc, char **argv) {
          return middle(argc) + 2;  // line 9
        }
        """

    /// LLVM registers each object that it has compiled for debuggers. Both of its compilers do.
    @Test(.enabled(if: lli, "lli-19 or clang-19 is missing"), arguments: ["mcjit", "orc"], ["-O0", "-O2"])
    func `frames of code that LLVM compiled have the lines of its registered objects`(kind: String, level: String) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/j.c", Array(Self.c.utf8))
            try run("clang-19", ["-g", level, "-S", "-emit-llvm", "j.c", "-o", "j.ll"], directory: folder).requireSuccess()
            let rows = try rows(try core(of: "lli-19 --jit-kind=\(kind) j.ll", in: folder))
            #expect(rows.prefix(3) == ["leaf j.c:3", "middle j.c:6", "main j.c:9"])
            // The frame description of `main` leads into LLVM, and on to lli's own `main`.
            #expect(rows[3].contains("runFunction") || rows[3].contains("runAsMain"))
            #expect(rows.contains("__libc_start_main") || rows.contains { $0.hasPrefix("__libc_start_main") })
        }
    }

    /// LLVM's dump for perf has the same lines, if nothing is registered: `-s` names it.
    @Test(.enabled(if: lli, "lli-19 or clang-19 is missing")) func `frames have the lines of perf's dump`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/j.c", Array(Self.c.utf8))
            try run("clang-19", ["-g", "-O1", "-S", "-emit-llvm", "j.c", "-o", "j.ll"], directory: folder).requireSuccess()
            let core = try core(of: "lli-19 --jit-kind=mcjit j.ll", in: folder)
            let dump = try #require(TestPaths.files(under: folder).first { $0.hasSuffix(".dump") })
            let file = try #require(GeneratedCodeFile(try MappedFile(path: dump)))
            #expect(file.hasDebugInformation && file.machine == .x86_64)
            let frames = GeneratedCodeSource(file).frames(at: file.code.map { ImageOffset($0.upperBound - 1) })
            let lines = frames.map { result -> String in
                guard case .found(let frames) = result, let frame = frames.first else { return "?" }
                return "\(frame.name) \(frame.location?.line ?? 0)"
            }
            #expect(Set(lines) == ["leaf 3", "middle 6", "main 9"])
            #expect(try rows(core, symbols: [dump]).first == "leaf j.c:3")
        }
    }
}
