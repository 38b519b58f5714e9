import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Go programs without symbols and DWARF, searched as for a report.
struct GoLineSourceTests {
    /// The first, a middle and the last byte of `main.main`, with the chains that llvm-symbolizer
    /// reads from the debug information: the middle one is in `main.apply`, which was inlined.
    @Test func `a stripped program's function has its entry, and what was inlined into it`() throws {
        let path = TestPaths.fixture("binaries/Go/out/tank-go1.19")
        let object = try ObjectFiles.open(path: path)
        let rows = try CorpusPair.table(path + ".expected.tsv").filter { $0[1] == "main.main" }
        let addresses = try rows.map { try #require(UInt64($0[0].dropFirst(2), radix: 16)) }
        let offsets = addresses.map { ImageOffset($0 - object.baseAddress.value) }
        #expect(offsets.count == 3)
        for (row, symbolResult) in zip(rows, ObjectSource([object]).frames(at: offsets)) {
            guard case .found(let frames) = symbolResult else {
                Issue.record("\(row[0]): \(symbolResult)")
                continue
            }
            #expect(Self.chain(frames) == row[4])
            #expect(frames.allSatisfy { $0.origin == .debugInformation && $0.note == nil })
            #expect(frames.map(\.isInlined) == frames.indices.map { $0 + 1 < frames.count })
            #expect(frames.map(\.entry) == frames.indices.map { $0 + 1 < frames.count ? nil : offsets[0] })
        }
    }

    /// As the tables of expected results write it.
    private static func chain(_ frames: [SourceFrame]) -> String {
        frames.map { "\($0.name) \($0.location?.file ?? ""):\($0.location?.line ?? 0)" }.joined(separator: "; ")
    }

    /// The addresses of one line are those around it that have the same result, and no more: looked
    /// up one by one.
    @Test(arguments: ["tank-go1.19", "tank-go1.27"])
    func `the addresses of a line reach as far as its answer`(name: String) throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/" + name))
        let source = ObjectSource([object])
        let rows = try CorpusPair.table(TestPaths.fixture("binaries/Go/out/\(name).expected.tsv")).filter { $0[1] == "main.main" }
        let addresses = rows.compactMap { UInt64($0[0].dropFirst(2), radix: 16) }
        let (first, last) = (try #require(addresses.first), try #require(addresses.last))
        let offsets = (first...last).map { ImageOffset($0 - object.baseAddress.value) }
        let locations = source.frames(at: offsets).map { symbolResult -> String in
            guard case .found(let frames) = symbolResult, let location = frames[0].location else { return "" }
            return "\(location.file):\(location.line)"
        }
        for (index, offset) in offsets.enumerated() {
            let line = try #require(source.lineRange(at: offset))
            #expect("\(line.file):\(line.line)" == locations[index])
            let start = locations[..<index].lastIndex { $0 != locations[index] }.map { $0 + 1 } ?? 0
            let end = locations[index...].firstIndex { $0 != locations[index] } ?? offsets.count
            #expect(line.range.lowerBound == offsets[start], "\(offset)")
            #expect(end == offsets.count || line.range.upperBound == offsets[end], "\(offset)")
        }
    }

    @Test func `an address outside of Go's functions has no answer`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/Go/out/tank-go1.19"))
        let text = try #require(object.section(named: ".text"))
        let after = text.address.value + text.size - object.baseAddress.value
        for symbolResult in ObjectSource([object]).frames(at: [ImageOffset(0), ImageOffset(after)]) {
            guard case .unresolved = symbolResult else { return #expect(Bool(false), "\(symbolResult)") }
        }
    }

    private static let go = "/usr/bin/go"

    /// 32 bits and big-endian; Mach-O.
    @Test(
        .enabled(if: TestPaths.isReadable(go), "go (package golang-go) is not installed"), .timeLimit(.minutes(5)),
        arguments: Repeats.areAll ? [("linux", "mips"), ("darwin", "arm64")] : [("linux", "mips")])
    func `every function of a program for another machine answers as go tool addr2line does`(system: String, machine: String) throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.fixture("binaries/Go/main.go"), folder])
            try writeFile(folder + "/go.mod", Array("module tank\n\ngo 1.18\n".utf8))
            let variables: [String: String?] = ["GOOS": system, "GOARCH": machine, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"]
            for (name, options) in [("full", ""), ("stripped", "-s -w")] {
                try run(
                    Self.go, ["build", "-trimpath", "-buildvcs=false", "-ldflags=" + options, "-o", name, "."], environment: variables,
                    directory: folder
                ).requireSuccess()
            }
            // ADDRESS SIZE KIND NAME
            let symbols = try run(Self.go, ["tool", "nm", "-n", "-size", folder + "/full"]).lines.map { $0.split(separator: " ") }
            let starts = symbols.filter { $0.count >= 4 && ($0[2] == "t" || $0[2] == "T") && $0[1] != "0" }
                .compactMap { UInt64($0[0], radix: 16) }
            let requested = Array(starts.map { "0x" + String($0, radix: 16) + "\n" }.joined().utf8)
            let said = try run(Self.go, ["tool", "addr2line", folder + "/full"], input: requested).lines
            let object = try ObjectFiles.open(path: folder + "/stripped")
            let found = ObjectSource([object]).frames(at: starts.map { ImageOffset($0 - object.baseAddress.value) })
            var compared = 0
            for (index, symbolResult) in found.enumerated() {
                // `?`, or a name and the line -1: Go's own reader knows no line; `go.buildid` is
                // data, whose line comes from the DWARF.
                guard said[2 * index] != "?", !said[2 * index + 1].hasSuffix(":-1"), said[2 * index] != "go.buildid" else { continue }
                guard case .found(let frames) = symbolResult, let location = frames[0].location else {
                    Issue.record("\(said[2 * index]) has no answer")
                    continue
                }
                #expect("\(frames[frames.count - 1].name) \(location.file):\(location.line)" == "\(said[2 * index]) \(said[2 * index + 1])")
                compared += 1
            }
            #expect(compared > 900)
        }
    }

    /// Go compiles its library anew for each.
    private static let modes: [[String]] =
        Repeats.areAll
        ? [["-buildmode=c-shared"], ["-buildmode=pie", "-ldflags=-linkmode=external"], ["-buildmode=pie"]]
        : [["-buildmode=pie", "-ldflags=-linkmode=external"]]

    /// llvm-symbolizer reads the DWARF of the program that was linked with it. A C linker writes
    /// zeros where addresses are relocated, and puts the line table among other data.
    @Test(
        .enabled(if: TestPaths.isReadable(go) && TestPaths.isReadable("/usr/bin/gcc"), "go (golang-go) or gcc is not installed"),
        .timeLimit(.minutes(5)),
        arguments: modes)
    func `a stripped program that is loaded anywhere has the inlined calls of its debug information`(mode: [String]) throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.fixture("binaries/Go/main.go"), folder])
            try writeFile(folder + "/go.mod", Array("module tank\n\ngo 1.18\n".utf8))
            let linker = (mode.first { $0.hasPrefix("-ldflags=") } ?? "-ldflags=") + " "
            for (name, options) in [("full", "-compressdwarf=false"), ("stripped", "-s -w")] {
                let arguments = mode.filter { !$0.hasPrefix("-ldflags=") } + [linker + options, "-o", name, "."]
                let variables: [String: String?] = ["CGO_ENABLED": "1", "GOFLAGS": "-mod=mod"]
                try run(
                    Self.go, ["build", "-trimpath", "-buildvcs=false"] + arguments, environment: variables, directory: folder
                ).requireSuccess()
            }
            // ADDRESS SIZE KIND NAME
            let symbols = try run(Self.go, ["tool", "nm", "-n", "-size", folder + "/full"]).lines.map { $0.split(separator: " ") }
            let extents = symbols.filter { $0.count == 4 && $0[3].hasPrefix("main.") && ["t", "T"].contains($0[2]) }
                .compactMap { cells in UInt64(cells[0], radix: 16).flatMap { start in UInt64(cells[1]).map { start..<start + $0 } } }
            let addresses = extents.flatMap { stride(from: $0.lowerBound, to: $0.upperBound, by: 3) }
            let requested = Array(addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined().utf8)
            let said = try Toolchain.run("llvm-symbolizer", ["--no-demangle", "--inlines", "--obj=" + folder + "/full"], input: requested)
                .output
                .split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
            try #require(said.count == addresses.count && said.count > 50)
            let object = try ObjectFiles.open(path: folder + "/stripped")
            let found = ObjectSource([object]).frames(at: addresses.map { ImageOffset($0 - object.baseAddress.value) })
            var calls = 0
            for (address, (lines, symbolResult)) in zip(addresses, zip(said, found)) {
                let chain = stride(from: 0, to: lines.count - 1, by: 2).map { index in
                    // FILE:LINE:COLUMN; the folder of what the compiler made up is the program's
                    // own.
                    let location = lines[index + 1].split(separator: ":").dropLast().joined(separator: ":")
                    return "\(lines[index]) \(location.hasPrefix("./") ? String(location.dropFirst(2)) : location)"
                }
                guard case .found(let frames) = symbolResult else {
                    Issue.record("\(address): \(symbolResult)")
                    continue
                }
                #expect(Self.chain(frames) == chain.joined(separator: "; ").replacing(".abi0 ", with: " "), "\(address)")
                if frames.count > 1 { calls += 1 }
            }
            #expect(calls > 10)
        }
    }
}
