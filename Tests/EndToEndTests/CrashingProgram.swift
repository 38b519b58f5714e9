import TestSupport
import Testing

/// A program of `Tests/Crashes/programs`, built in a folder of its own as `a`.
struct CrashingProgram: Sendable, CustomTestStringConvertible {
    enum Linkage: String, Sendable { case pie, noPie, staticPie }

    var compiler: String
    var optimisation: String
    var linkage = Linkage.pie
    /// Stripped, with its debug information in `a.debug` beside it, which it names by
    /// `.gnu_debuglink`.
    var isStripped = false
    var source: String

    init(_ compiler: String, _ optimisation: String, _ linkage: Linkage = .pie, stripped: Bool = false, source: String? = nil) {
        self.compiler = compiler
        self.optimisation = optimisation
        self.linkage = linkage
        isStripped = stripped
        self.source = source ?? ["rustc": "crash.rs", "swiftc": "crash.swift"][compiler] ?? "crash.c"
    }

    var testDescription: String { "\(compiler) \(optimisation) \(linkage.rawValue)\(isStripped ? " stripped" : "")" }

    static let folder = TestPaths.root + "/Tests/Crashes/programs/"

    /// clang and swiftc are the Swift toolchain's.
    static func isInstalled(_ compiler: String) -> Bool { path(of: compiler) != nil }

    private static func path(of compiler: String) -> String? {
        ["clang", "swiftc"].contains(compiler) ? Toolchain.path(compiler) : Installed.path(compiler)
    }

    private var command: [String] {
        switch compiler {
        case "rustc":
            let flags: [Linkage: [String]] = [
                .pie: [], .noPie: ["-Crelocation-model=static"], .staticPie: ["-Ctarget-feature=+crt-static"],
            ]
            return ["rustc", "--edition", "2021", "-Cdebuginfo=2", "-Copt-level=\(optimisation.dropFirst(2))"] + (flags[linkage] ?? [])
        case "swiftc":
            let flags: [Linkage: [String]] = [
                .pie: [], .noPie: ["-Xclang-linker", "-no-pie"],
                .staticPie: ["-static-stdlib", "-use-ld=lld", "-Xclang-linker", "-static-pie"],
            ]
            return [Self.path(of: compiler) ?? compiler, "-parse-as-library", "-g", optimisation] + (flags[linkage] ?? [])
        default:
            let flags: [Linkage: [String]] = [
                .pie: ["-fPIE", "-pie"], .noPie: ["-fno-PIE", "-no-pie"], .staticPie: ["-fPIE", "-static-pie"],
            ]
            // The order of the functions is a part of the tests (see the source).
            let order = ["-fno-toplevel-reorder", "-fno-reorder-functions", "-falign-functions=1"]
            let program = compiler == "clang" ? [Self.path(of: compiler) ?? compiler] : [compiler] + order
            let linker = compiler == "clang" && linkage == .staticPie ? ["-fuse-ld=lld"] : []
            return program + ["-g", optimisation, "-fno-optimize-sibling-calls"] + linker + (flags[linkage] ?? [])
        }
    }

    /// Builds it as `a` in `folder`; the source is copied there, so that nothing of it but the name
    /// counts.
    func build(in folder: String, flags: [String] = [], edited: String? = nil) throws {
        let text = try edited ?? String(decoding: readFile(Self.folder + source), as: UTF8.self)
        try writeFile(folder + "/" + source, Array(text.utf8))
        let commandLine = command + flags + [source, "-o", "a"]
        try run(commandLine[0], Array(commandLine.dropFirst()), directory: folder).requireSuccess()
        guard isStripped else { return }
        let script = "objcopy --only-keep-debug a a.debug && strip --strip-all a && objcopy --add-gnu-debuglink=a.debug a"
        try run("sh", ["-c", script], directory: folder).requireSuccess()
    }
}

/// Expected stacks of a program, from the comments in its source: `CRASH f` and `CALL f` mark
/// lines, `STACK case: f g | h main:case` lists a stack, innermost call first.
struct MarkedStacks {
    let file: String
    private var lines: [String: Set<Int>] = [:]
    private var stacks: [String: [String]] = [:]

    /// - Parameter source: the name of a program's source, or a path.
    init(source: String) throws {
        file = String(source.split(separator: "/").last ?? "")
        let path = source.hasPrefix("/") ? source : CrashingProgram.folder + source
        let text = String(decoding: try readFile(path), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let mark = line.firstMatch(of: #/(?:/\*|//) (?:CRASH|CALL) ([\w:-]+)(?: \*/)?$/#) {
                lines[String(mark.1), default: []].insert(index + 1)
            }
            if let stack = line.firstMatch(of: #/// (STACK|ALLOCATED|PANIC) ([\w-]+): (.+)$/#) {
                stacks["\(stack.1) \(stack.2)"] = stack.3.split(separator: " ").filter { $0 != "|" }.map(String.init)
            }
        }
    }

    var cases: [String] { stacks.keys.filter { $0.hasPrefix("STACK ") }.map { String($0.dropFirst("STACK ".count)) }.sorted() }

    /// `function:line` of each call. Where the preprocessor takes one of two functions, a mark has
    /// two lines, either of which is right: it is the line of `found` at the same place, if it is
    /// one of them.
    func expected(_ name: String, kind: String = "STACK", like found: [String]) -> [String] {
        (stacks["\(kind) \(name)"] ?? []).enumerated().map { index, mark in
            let function = mark.prefix { $0 != ":" }
            let possible = (lines[mark] ?? []).sorted().map { "\(function):\($0)" }
            let own = found.indices.contains(index) ? found[index] : ""
            return possible.contains(own) ? own : possible.joined(separator: " or ")
        }
    }

    /// `function:line` of calls in this source, of which all after `main` are those that the
    /// compiler makes before it.
    func own(_ calls: [(name: String, file: String, line: Int)]) -> [String] {
        var own = calls.filter { $0.file.split(separator: "/").last.map(String.init) == file }.map { (Self.plain($0.name), $0.line) }
        while own.count > 1, own[own.count - 2].0.hasSuffix("main"), own[own.count - 1].0.hasSuffix("main") { own.removeLast() }
        return own.map { "\($0.0):\($0.1)" }
    }

    /// A function's name without its arguments, its scope, and what a compiler adds.
    static func plain(_ name: String) -> String {
        var name = name.prefix { $0 != "(" && $0 != "<" }
        if let scope = name.firstMatch(of: #/\.(cold|part|isra|constprop)(\.\d+)?$/#) { name = name[..<scope.range.lowerBound] }
        let parts = name.split(whereSeparator: { $0 == ":" || $0 == "." || $0 == " " }).filter {
            $0.wholeMatch(of: #/h[0-9a-f]{16}/#) == nil
        }
        return String(parts.last ?? name)
    }

    /// The calls of frames.
    func own(_ frames: [JSONLog.Frame]) -> [String] {
        own(frames.filter { $0.inlined != true }.flatMap { $0.functions ?? [] }.map { ($0.name, $0.file ?? "", $0.line ?? 0) })
    }

    /// The calls that cairn wrote after rows, `NAME at FILE:LINE`, those that are inlined each on a
    /// line of its own.
    func own(rows text: String) -> [String] {
        own(
            text.split(separator: "\n").compactMap { line in
                guard
                    let found = line.firstMatch(
                        of: #/(?:^ *\(inlined by\) |\] | in )(\S[^\[\]]*?) (?:at |\(?)([^\s()]+?):(\d+)(?::\d+)?\)?$/#)
                else { return nil }
                return (String(found.1), String(found.2), Int(found.3) ?? 0)
            })
    }
}
