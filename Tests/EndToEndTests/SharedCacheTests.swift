import TestSupport
import Testing

/// System frames of Apple's logs, with a shared cache on disk: the libraries are linked by LLVM's linker, the cache is
/// `SharedCacheBuilder`'s, and the addresses of the logs are llvm-nm's, moved into the cache and then by the slide of the log.
@Suite(.enabled(if: SharedCacheLibraries.isPossible, "\(SharedCacheLibraries.absence)"))
struct SharedCacheTests {
    private let slide: UInt64 = 0x2fc_4000
    private let libraries: SharedCacheLibraries

    init() throws { libraries = try SharedCacheLibraries(architecture: "arm64e") }

    /// Offsets in the libraries: of instructions a few bytes into a function. The frames of callers have one more instruction, since
    /// a return address is after its call.
    private var stack: [(library: Int, offset: UInt64)] {
        [
            (0, libraries.address(of: "_depth_of") + 4), (0, libraries.address(of: "_tide_open") + 12),
            (1, libraries.address(of: "__ZN7harbourL11lost_at_seaEi") + 8), (1, libraries.address(of: "__ZN7harbour3useEi") + 12),
        ]
    }

    private let names = ["depth_of + 4", "tide_open + 12", "harbour::lost_at_sea(int) + 8", "harbour::use(int) + 12"]

    private func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

    /// - Parameter lists: whether the libraries are in the list of images; else the frames have addresses alone.
    private func ips(_ builder: SharedCacheBuilder, ids: [String]? = nil, slides: [UInt64]? = nil) -> String {
        let images = builder.addresses.prefix(2).enumerated().map { index, address in
            """
            {"source":"P","arch":"arm64e","base":\(address + (slides?[index] ?? slide)),"size":16384,"uuid":"\((ids ?? libraries.ids)[index].lowercased())","path":"\(SharedCacheLibraries.paths[index])","name":"\(SharedCacheLibraries.paths[index].split(separator: "/").last ?? "")"}
            """
        }.joined(separator: ",")
        let frames = stack.map { "{\"imageOffset\":\($0.offset),\"imageIndex\":\($0.library)}" }.joined(separator: ",")
        return """
            {"app_name":"Tide","timestamp":"2024-05-01 12:00:00.00 +0200","bug_type":"309","os_version":"macOS 14.0 (23A344)","incident_id":"1"}
            {"procName":"Tide","pid":1,"cpuType":"ARM-64","exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"faultingThread":0,
            "threads":[{"triggered":true,"id":1,"frames":[\(frames)]}],"usedImages":[\(images)],
            "sharedCache":{"base":\(builder.base + slide),"size":1048576,"uuid":"\(uuid(builder))"}}
            """
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private func uuid(_ builder: SharedCacheBuilder) -> String {
        let digits = hexadecimal(builder.uuid(0))
        var text = ""
        for (index, digit) in digits.enumerated() { text += ([8, 12, 16, 20].contains(index) ? "-" : "") + String(digit) }
        return text
    }

    /// Function and offset of each frame, as `--format json` has them; the reason of a frame without one.
    private func results(_ log: String, _ options: String...) throws -> [String] { try results(log, options) }

    private func results(_ log: String, _ options: [String]) throws -> [String] {
        let result = try cairn(["-", "--format", "json", "--no-local"] + options, input: log)
        let report = try #require(try jsonLogs(result).first)
        return report.threads.flatMap(\.frames).map { frame in
            guard let function = frame.functions?.first, frame.status != "unresolved" else { return frame.reason ?? "" }
            return "\(function.name) + \(function.offset ?? 0)"
        }
    }

    @Test(arguments: SharedCacheBuilder.Version.allCases)
    func `frames in the system's libraries get names and offsets from the cache`(version: SharedCacheBuilder.Version) throws {
        let builder = libraries.cache(version, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            #expect(try results(ips(builder), "-s", main) == names)
            // The folder, and the layouts of Xcode and of a system.
            #expect(try results(ips(builder), "-s", folder) == names)
            let system = folder + "/system/System/Library/Caches/com.apple.dyld"
            try run("mkdir", ["-p", system]).requireSuccess()
            try builder.write(in: system)
            #expect(try results(ips(builder), "--sysroot", folder + "/system") == names)
        }
    }

    @Test func `a text report's frames get names in their rows`() throws {
        let builder = libraries.cache(.named, "arm64e")
        let base = builder.addresses.map { $0 + slide }
        let rows = stack.enumerated().map { index, frame in
            let name = frame.library == 0 ? "libtide.dylib" : "Harbour"
            return
                "\(index)   \(name)                 \t\(hexadecimal(base[frame.library] + frame.offset)) \(hexadecimal(base[frame.library])) + \(frame.offset)"
        }
        let images = libraries.ids.enumerated().map { index, id in
            "       \(hexadecimal(base[index])) -        \(hexadecimal(base[index] + 0x3fff)) \(SharedCacheLibraries.paths[index].split(separator: "/").last ?? "") arm64e  <\(id.lowercased().filter { $0 != "-" })> \(SharedCacheLibraries.paths[index])"
        }
        let log =
            "Process:             Tide [1]\nOS Version:          macOS 14.0 (23A344)\nReport Version:      104\n\nException Type:  EXC_CRASH (SIGABRT)\nCrashed Thread:  0\n\nThread 0 Crashed:\n"
            + rows.joined(separator: "\n") + "\n\nBinary Images:\n" + images.joined(separator: "\n") + "\n"
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            let result = try cairn("-", "-s", main, "--no-local", input: log)
            for (index, name) in names.enumerated() {
                let row = result.lines.first { $0.hasPrefix("\(index)   ") } ?? ""
                #expect(row.hasSuffix("\(hexadecimal(base[stack[index].library] + stack[index].offset)) \(name)"), "\(row)\(result.errors)")
            }
        }
    }

    @Test func `another cache is not used, and the reason has both UUIDs`() throws {
        let builder = libraries.cache(.named, "arm64e")
        let others = ["11111111-2222-3333-4444-555555555555", "11111111-2222-3333-4444-666666666666"]
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            #expect(try results(ips(builder, ids: others), "-s", main).allSatisfy { !$0.contains("+") })
            let why = try cairn("explain", "-", "-s", main, "--no-local", input: ips(builder, ids: others))
            for (index, id) in libraries.ids.enumerated() {
                let expected = "UUID differs: the log has \(others[index]), \(main)!\(SharedCacheLibraries.paths[index]) has \(id)"
                #expect(why.output.contains(expected), "\(why.output)")
            }
        }
    }

    @Test func `without the file of local symbols a local function's frame says which file is missing`() throws {
        let builder = libraries.cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            try run("rm", [main + ".symbols"]).requireSuccess()
            let found = try results(ips(builder), "-s", main)
            #expect([found[1], found[3]] == [names[1], names[3]])
            let reason =
                "no exported function and no method of Objective-C has the address, and \(main).symbols, which has the names of local functions, is missing"
            #expect([found[0], found[2]] == [reason, reason])
        }
    }

    @Test func `all images of a cache must have one slide`() throws {
        var builder = libraries.cache(.named, "arm64e")
        builder.libraries.append(("/usr/lib/libthird.dylib", libraries.files[0]))
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            let found = try results(ips(builder, slides: [slide, slide + 0x4000]), "-s", main)
            #expect(found.allSatisfy { $0.contains("each other image of the cache at another distance") }, "\(found)")
            let why = try cairn("explain", "-", "-s", main, "--no-local", input: ips(builder, slides: [slide, slide + 0x4000]))
            for (path, own) in zip(SharedCacheLibraries.paths, [slide, slide + 0x4000]) {
                let expected = "did not use \(main)!\(path): the log has it \(hexadecimal(own)) after its address in the shared cache"
                #expect(why.output.contains(expected), "\(why.output)")
            }
        }
    }

    @Test func `frames in no listed image are found by the address and UUID of the shared cache`() throws {
        let builder = libraries.cache(.named, "arm64e")
        // An `.ips` whose list is one image, at the cache's own address: as stackshots have it.
        let frames = stack.map { "{\"imageOffset\":\($0.offset + builder.addresses[$0.library] - builder.base),\"imageIndex\":0}" }
        let log = """
            {"app_name":"Tide","bug_type":"309","os_version":"macOS 14.0 (23A344)","incident_id":"1"}
            {"procName":"Tide","pid":1,"cpuType":"ARM-64","faultingThread":0,"threads":[{"triggered":true,"id":1,"frames":[\(frames.joined(separator: ","))]}],
            "usedImages":[["\(uuid(builder))",\(builder.base + slide),"S"]]}
            """
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            #expect(try results(log, "-s", main) == names)
        }
    }

    /// In some reports the frames of the system are in an image of source `A`, at 0; in others in one image for the whole cache.
    @Test(arguments: [false, true]) func `frames in what stands for no image, or for all of them, are found`(isWhole: Bool) throws {
        let builder = libraries.cache(.named, "arm64e")
        let base = isWhole ? builder.base + slide : 0
        let frames = stack.map {
            "{\"imageOffset\":\($0.offset + builder.addresses[$0.library] + slide - base),\"imageIndex\":0}"
        }
        let image =
            isWhole
            ? "{\"source\":\"S\",\"base\":\(base),\"size\":1048576,\"uuid\":\"\(uuid(builder))\"}"
            : "{\"source\":\"A\",\"base\":0,\"size\":0,\"uuid\":\"00000000-0000-0000-0000-000000000000\"}"
        let cache = isWhole ? "" : ",\"sharedCache\":{\"base\":\(builder.base + slide),\"size\":1048576,\"uuid\":\"\(uuid(builder))\"}"
        let log = """
            {"app_name":"Tide","bug_type":"309","os_version":"macOS 14.0 (23A344)","incident_id":"1"}
            {"procName":"Tide","pid":1,"cpuType":"ARM-64","faultingThread":0,"threads":[{"triggered":true,"id":1,"frames":[\(frames.joined(separator: ","))]}],
            "usedImages":[\(image)]\(cache)}
            """
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            #expect(try results(log, "-s", main) == names)
        }
    }

    @Test func `nobody is told to build Apple's libraries with debug information`() throws {
        let builder = libraries.cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            let result = try cairn("-", "-s", main, "--no-local", input: ips(builder))
            #expect(!result.errors.contains("has no debug information"), "\(result.errors)")
        }
    }

    /// A library with as many functions as UIKitCore. The second log is answered from the list that the first one left: it has the same
    /// answers, also without the file that had the local names.
    @Test func `a large image's symbols are kept by address under the UUIDs of the cache and the image`() throws {
        let large = try LargeLibrary()
        var builder = libraries.cache(.named, "arm64e")
        builder.libraries.append(("/usr/lib/liblarge.dylib", large.bytes))
        try withTemporaryFolder { folder in
            try run("mkdir", [folder + "/system"]).requireSuccess()
            let main = try builder.write(in: folder + "/system")
            let base = builder.addresses[2] + slide
            let frames = large.samples.map { "{\"imageOffset\":\($0.address + 4),\"imageIndex\":0}" }.joined(separator: ",")
            let log = """
                {"app_name":"Tide","bug_type":"309","os_version":"macOS 14.0 (23A344)","incident_id":"1"}
                {"procName":"Tide","pid":1,"cpuType":"ARM-64","faultingThread":0,"threads":[{"triggered":true,"id":1,"frames":[\(frames)]}],
                "usedImages":[{"source":"P","arch":"arm64e","base":\(base),"size":\(large.size),"uuid":"\(large.id)","path":"/usr/lib/liblarge.dylib","name":"liblarge.dylib"}]}
                """
            let expected = large.samples.map { "\($0.name.dropFirst()) + 4" }
            let cache = ["--index-cache", folder + "/kept"]
            func answers(_ options: [String]) throws -> [String] { try results(log, ["-s", main] + options) }
            #expect(try answers(cache) == expected)
            let kept = try run("ls", [folder + "/kept/indexes"]).requireSuccess().lines.map { String($0) }
            #expect(
                kept.count == 1 && kept[0].hasPrefix("\(hexadecimal(builder.uuid(0)))-\(large.id.lowercased().filter { $0 != "-" })-"),
                "\(kept)")
            #expect(try answers(cache) == expected)
            // Damaged, it is made anew; and nothing is kept where that is not wanted.
            try writeFile(folder + "/kept/indexes/" + kept[0], [1, 2, 3])
            #expect(try answers(cache) == expected)
            #expect(try answers(["--no-index"]) == expected)
            // A file of the cache changed: the list that was made before is not used.
            try run("touch", ["-d", "2030-01-01", main + ".symbols"]).requireSuccess()
            #expect(try answers(cache) == expected)
            #expect(try run("ls", [folder + "/kept/indexes"]).requireSuccess().lines.count == 2)
        }
    }

    @Test func `inspect lists the images and says which files are there`() throws {
        let builder = libraries.cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            try run("rm", [main + ".symbols"]).requireSuccess()
            let result = try cairn("inspect", main)
            #expect(result.status == 0)
            let rows = zip(libraries.ids, builder.addresses).enumerated().map { index, image in
                "  \(image.0)  \(hexadecimal(image.1))  0x4000  \(SharedCacheLibraries.paths[index])"
            }
            #expect(Array(result.lines.suffix(2)) == rows, "\(result.output)\(result.errors)")
            #expect(
                result.lines.contains("  architecture   arm64e") && result.lines.contains("  UUID           \(uuid(builder).uppercased())"))
            #expect(result.lines.contains("  local symbols  dyld_shared_cache_arm64e.symbols is missing"))
            #expect(result.lines.contains("  built for      macOS 14.0"))
            let image = try cairn("inspect", main + "!" + SharedCacheLibraries.paths[0])
            #expect(image.lines.first == "\(main)!\(SharedCacheLibraries.paths[0]):" && image.output.contains(libraries.ids[0]))
            let json = try cairn("inspect", "--format", "json", main).output
            for id in libraries.ids { #expect(json.contains("\"id\":\"\(id)\"")) }
            #expect(json.contains("\"problem\":\"is missing\""))
        }
    }

    @Test func `a store keeps a cache whole, and logs find it there`() throws {
        let builder = libraries.cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            let store = folder + "/store"
            let added = try cairn("symbols", "add", main, "--to", store)
            #expect(added.status == 0 && added.lines.last == "1 added, 0 already there", "\(added.output)\(added.errors)")
            let kept = store + "/shared-caches/" + uuid(builder).uppercased()
            for file in builder.files() {
                #expect(try readFile(kept + "/dyld_shared_cache_arm64e" + file.suffix) == file.bytes, "\(file.suffix)")
            }
            #expect(try results(ips(builder), "-s", store) == names)
            #expect(try cairn("symbols", "add", main, "--to", store).lines.last == "0 added, 1 already there")
        }
    }

    @Test func `the drop-in tools open an image by its path in the cache`() throws {
        let builder = libraries.cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let image = try builder.write(in: folder) + "!" + SharedCacheLibraries.paths[1]
            let address = hexadecimal(builder.addresses[1] + libraries.address(of: "__ZN7harbour3useEi"))
            #expect(try cairn("addr2line", "-f", "-C", "-e", image, address).lines.first == "harbour::use(int)")
            #expect(try cairn("atos", "-o", image, address).lines == ["harbour::use(int) (in Harbour) + 0"])
        }
    }
}

/// A library with as many symbols as a large one of the system: 40,000 functions of two instructions, each second one local.
private struct LargeLibrary {
    let bytes: [UInt8]
    /// Bytes of the segment with the code.
    let size: Int
    let id: String
    /// Some functions, by llvm-nm.
    let samples: [(name: String, address: UInt64)]

    init() throws {
        let count = 40_000
        let source =
            (0..<count).map { "\($0 % 2 == 0 ? ".globl _f\($0)\n" : "")_f\($0): nop\nret\n" }.joined() + ".subsections_via_symbols\n"
        let made = try withTemporaryFolder { folder in
            try writeFile(folder + "/large.s", Array(source.utf8))
            try Toolchain.run("clang", ["-target", "arm64e-apple-macos14.0", "-c", folder + "/large.s", "-o", folder + "/large.o"])
                .requireSuccess()
            let library = folder + "/large.dylib"
            try run(
                "ld64.lld-19",
                [
                    "-dylib", "-arch", "arm64e", "-platform_version", "macos", "14.0", "14.0", "-undefined", "dynamic_lookup",
                    "-install_name",
                    "/usr/lib/liblarge.dylib", folder + "/large.o", "-o", library,
                ]
            ).requireSuccess()
            let names = try run("llvm-nm-19", [library]).requireSuccess().lines.compactMap { line -> (String, UInt64)? in
                let fields = line.split(separator: " ")
                guard fields.count == 3, let address = UInt64(fields[0], radix: 16) else { return nil }
                return (String(fields[2]), address)
            }
            let headers = try run("llvm-objdump-19", ["--macho", "--private-headers", library]).requireSuccess().lines
            let id = headers.first { $0.contains(" uuid ") }?.split(separator: " ").last.map(String.init) ?? ""
            return (bytes: try readFile(library), names: names, id: id)
        }
        let wanted: Set = ["_f0", "_f1", "_f20001", "_f39998", "_f39999"]
        samples = made.names.filter { wanted.contains($0.0) }.map { (name: $0.0, address: $0.1) }
        try #require(samples.count == wanted.count && made.names.count == count)
        size = 1 << 19
        id = made.id
        bytes = made.bytes
    }
}
