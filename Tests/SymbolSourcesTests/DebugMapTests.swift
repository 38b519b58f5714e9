import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// Programs without a dSYM: the results are those that the dSYM would give, and an object file that
/// is not what was linked gives none.
struct DebugMapTests {
    private static let fixtures = TestPaths.fixture("binaries/DebugMap/out/")

    /// The results for every byte of every function of a program, from its debug map, and from the
    /// dSYM that dsymutil makes of it.
    private func compare(_ program: String, with bundle: String) throws {
        let object = try ObjectFiles.open(path: program)
        let dSYM = try ObjectFiles.open(path: bundle)
        let map = try #require(try object.debugMap())
        let offsets = Set(
            map.functions.flatMap { function in (0..<function.size).map { function.address.value + $0 - object.baseAddress.value } }
        )
        .sorted().map(ImageOffset.init)
        try #require(!offsets.isEmpty)
        let ours = ObjectSource([object]).frames(at: offsets)
        let theirs = ObjectSource([dSYM, object]).frames(at: offsets)
        let different = zip(offsets, zip(ours, theirs)).filter { $0.1.0 != $0.1.1 }
        #expect(different.isEmpty, "\(different.count) of \(offsets.count), the first: \(different.prefix(3))")
        // All but what fills up the space between functions has a line.
        let answered = ours.filter { if case .found(let frames) = $0 { frames[0].location != nil } else { false } }
        #expect(answered.count > offsets.count / 10 * 9)
    }

    @Test(arguments: ["arm64", "x86_64"])
    func `every byte of the program is answered as its dSYM answers it`(architecture: String) throws {
        let folder = Self.fixtures + architecture
        try compare(folder + "/meter", with: folder + "/linked.dSYM")
    }

    /// `function`, `line` and `column` of llvm-symbolizer's table, looked up in the dSYM.
    @Test(arguments: ["arm64", "x86_64"])
    func `the answers are llvm-symbolizer's`(architecture: String) throws {
        let folder = Self.fixtures + architecture
        let object = try ObjectFiles.open(path: folder + "/meter")
        let source = ObjectSource([object])
        let rows = try CorpusPair.table(folder + "/meter.\(architecture).expected.tsv")
        for (address, group) in Dictionary(grouping: rows, by: { $0[1] }) {
            let offset = try #require(UInt64(address.dropFirst(2), radix: 16)) - object.baseAddress.value
            guard case .found(let frames) = source.frames(at: [ImageOffset(offset)])[0] else {
                Issue.record("\(address) is not answered")
                continue
            }
            let found = frames.map { "\($0.name) \($0.location?.file ?? ""):\($0.location?.line ?? 0):\($0.location?.column ?? 0)" }
            #expect(found == group.map { "\($0[7].isEmpty ? $0[2] : $0[7]) \($0[3]):\(Int($0[4]) ?? 0):\(Int($0[5]) ?? 0)" }, "\(address)")
        }
    }

    /// A function of the static library, and one of the same name in the program: each is resolved
    /// from its own object file.
    @Test func `two static functions of one name are told apart`() throws {
        let object = try ObjectFiles.open(path: Self.fixtures + "arm64/meter")
        let map = try #require(try object.debugMap())
        let clamps = map.functions.filter { $0.name.text(in: object) == "_clamp" }
        #expect(clamps.map { map.objects[$0.object].recorded } == ["main.o", "libpool.a(pool.o)"])
        let files = ObjectSource([object]).frames(at: clamps.map { ImageOffset($0.address.value - object.baseAddress.value) }).map {
            symbolResult in
            if case .found(let frames) = symbolResult { frames[0].location?.file ?? "" } else { "" }
        }
        #expect(files == ["/src/main.c", "/src/pool.c"])
    }

    @Test func `a dSYM at hand is asked instead`() throws {
        let folder = Self.fixtures + "arm64"
        let program = try ObjectFiles.open(path: folder + "/meter")
        let other = try ObjectFiles.open(path: folder + "/main.o")
        // The first file has DWARF, of other addresses: the program itself is then resolved by its
        // symbols alone.
        let symbolResult = ObjectSource([other, program]).frames(at: [ImageOffset(0x568)])[0]
        guard case .found(let frames) = symbolResult else { return #expect(Bool(false), "\(symbolResult)") }
        #expect(frames.map(\.origin) == [.symbolTable])
    }

    // MARK: Object files that cannot be used

    /// Copies the fixture, makes its main.o something else, and says why it is not used.
    private func refusal(after change: (_ folder: String) throws -> Void) throws -> [String] {
        try withTemporaryFolder { folder in
            _ = try run("cp", ["-r", Self.fixtures + "arm64/.", folder])
            try change(folder)
            let program = try ObjectFiles.open(path: folder + "/meter")
            let source = try #require(DebugMapSource(program))
            #expect(source.objects().map(\.recorded.recorded) == ["main.o", "meter.o", "libpool.a(pool.o)"])
            let symbolResult = source.results(for: [LinkAddress(0x1_0000_0568)])[0]
            let reasons = source.objects().compactMap { $0.refusal?.reason.replacing(folder, with: "") }
            #expect((symbolResult.dwarf == nil) == !reasons.isEmpty)
            // The function at the address is one of main.o, and says why it has no line.
            #expect(symbolResult.refusal?.replacing(folder, with: "") == reasons.first)
            return reasons
        }
    }

    @Test func `all are used where they are as they were`() throws {
        #expect(try refusal { _ in } == [])
    }

    @Test func `a missing file is told with the places where it was looked for`() throws {
        let reasons = try refusal { folder in _ = try run("rm", [folder + "/main.o"]) }
        #expect(reasons == ["main.o is missing, also as /main.o"])
    }

    @Test func `a file for another machine is refused`() throws {
        let reasons = try refusal { folder in _ = try run("cp", [Self.fixtures + "x86_64/main.o", folder + "/main.o"]) }
        #expect(reasons == ["/main.o is x86_64 relocatable: expected arm64 relocatable"])
    }

    @Test func `a pipe is not opened`() throws {
        let reasons = try refusal { folder in _ = try run("sh", ["-c", "rm main.o; mkfifo main.o"], directory: folder) }
        #expect(reasons == ["main.o is missing, also as /main.o"])
    }

    /// The time that the program has for main.o is a number of its symbol table: 1704067200 is put
    /// there, 2024-01-01 00:00:00 UTC.
    @Test func `a file that was changed since it was linked is refused`() throws {
        func date(_ folder: String) throws {
            let path = folder + "/meter"
            let before = try #require(try ObjectFiles.open(path: path).debugMap())
            #expect(before.objects.map(\.modificationTime) == [0, 0, 0])
            var bytes = try readFile(path)
            // `nlist_64` of the first N_OSO (0x66): n_strx, n_type, n_sect, n_desc (1), n_value; of
            // an arm64 file n_sect is 0.
            let record = try #require(
                bytes.indices.dropLast(16).first {
                    $0 % 4 == 0 && Array(bytes[$0 + 4..<$0 + 16]) == [0x66, 0, 1, 0] + [UInt8](repeating: 0, count: 8)
                })
            bytes.replaceSubrange(record + 8..<record + 16, with: [0x80, 0x00, 0x92, 0x65, 0, 0, 0, 0])
            try writeFile(path, bytes)
        }
        let changed = try refusal { folder in
            try date(folder)
            _ = try run("touch", ["-d", "@1704067201", folder + "/main.o"])
        }
        #expect(
            changed == [
                "/main.o was changed since it was linked: its time is 1704067201, expected 1704067200 (seconds since 1970)"
            ])
        let unchanged = try refusal { folder in
            try date(folder)
            _ = try run("touch", ["-d", "@1704067200", folder + "/main.o"])
        }
        #expect(unchanged == [])
    }

    // MARK: Programs of other linkers

    /// Programs that Apple's linker made on another machine, copied here with the times that it recorded; a
    /// member of its library has its time in the library.
    @Test(
        .enabled(if: TestPaths.corpus != nil, "the corpus is absent: set CAIRN_CORPUS to its folder"),
        .enabled(if: TestPaths.isReadable("/usr/bin/dsymutil-19"), "dsymutil-19 (package llvm-19) is not installed"),
        arguments: ["samply-simple-mac-oso", "samply-other/abstract-linkage-names/out/mac-oso"])
    func `a program of Apple's linker is answered as the dSYM that dsymutil makes of it`(name: String) throws {
        let corpus = try #require(TestPaths.corpus)
        try withTemporaryFolder { folder in
            _ = try run("cp", ["-r", corpus + "/objects/" + name + "/.", folder])
            _ = try run("chmod", ["-R", "u+w", folder])
            let program = try ObjectFiles.open(path: folder + "/main")
            let recorded = try #require(try program.debugMap()).objects
            for object in recorded where object.member == nil {
                _ = try run("touch", ["-d", "@\(object.modificationTime)", folder + "/" + Path.name(of: object.path)])
            }
            let source = try #require(DebugMapSource(program))
            #expect(source.objects().compactMap(\.refusal) == [])
            // dsymutil knows no rule for moved folders, but a prefix that it puts before the
            // recorded paths: the folders are made below it.
            for object in recorded {
                let copy = folder + "/prefix" + object.path
                try makeFolders(Path.directory(of: copy))
                _ = try run("cp", ["-p", folder + "/" + Path.name(of: object.path), copy])
            }
            try run(
                "/usr/bin/dsymutil-19", ["--oso-prepend-path", folder + "/prefix", folder + "/main", "-o", folder + "/linked.dSYM"]
            ).requireSuccess()
            try compare(folder + "/main", with: folder + "/linked.dSYM")
        }
    }
}
