import TestSupport
import Testing

/// A folder of Breakpad's files, one for each module, as Mozilla's and Chromium's symbol servers have them.
@Suite struct BreakpadTreeTests {
    /// More than the 64 files of a folder whose identities are worth being kept for the next run.
    private static let count = 300

    /// A UUID's digits.
    private func digits(_ index: Int) -> String {
        let number = String(index, radix: 16, uppercase: true)
        return "ABCDEF01234567890102" + String(repeating: "0", count: 12 - number.count) + number
    }

    private func uuid(_ index: Int) -> String {
        let digits = Array(digits(index))
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]].map { String($0) }.joined(separator: "-")
    }

    private func identity(_ index: Int) -> String { digits(index) + "0" }

    private func add(_ index: Int, to folder: String) throws {
        let (name, id) = ("lib\(index).dylib", identity(index))
        let text = "MODULE mac x86_64 \(id) \(name)\nFILE 0 stock.c\nFUNC 1000 100 0 function_\(index)\n1000 100 7 0\n"
        try makeFolders("\(folder)/\(name)/\(id)")
        try writeFile("\(folder)/\(name)/\(id)/\(name).sym", Array(text.utf8))
    }

    private func tree(_ folder: String) throws -> String {
        for index in 0..<Self.count { try add(index, to: folder + "/symbols") }
        return folder + "/symbols"
    }

    /// The identities of a folder that was walked are kept in `trees` of the cache folder.
    @Test func `a log of known modules is answered without a walk`() throws {
        try withTemporaryFolder { folder in
            let symbols = try tree(folder)
            // A report of Apple's, which has the images' addresses, and of modules by their UUIDs.
            func output(_ libraries: [Int]) throws -> String {
                var (frames, images) = ("", "")
                for (number, library) in libraries.enumerated() {
                    let base = "0x\(number + 1)00000000"
                    frames += "\(number)   lib\(library).dylib   0x\(number + 1)00001010 \(base) + 4112\n"
                    images +=
                        "       \(base) -        0x\(number + 1)00001fff lib\(library).dylib (1) <\(uuid(library))> /usr/lib/lib\(library).dylib\n"
                }
                let head = "Process:               app [1]\nPath:                  /data/app\nIdentifier:            app\n"
                let log = head + "Code Type:             X86-64 (Native)\n\nThread 0 Crashed:\n\(frames)\nBinary Images:\n\(images)"
                try writeFile(folder + "/log.txt", Array(log.utf8))
                return try cairn(
                    folder + "/log.txt", "--symbols", symbols, "--no-local", environment: ["CAIRN_CACHE": folder + "/cache"]
                ).output
            }
            let known = try output([5, 299])
            #expect(known.contains("function_5 ") && known.contains("function_299 ") && known.contains("stock.c:7"))
            #expect(try run("test", ["-e", folder + "/cache/trees"]).status == 1)
            // A module that is nowhere may have a file anywhere.
            _ = try output([5, 300])
            #expect(try run("test", ["-e", folder + "/cache/trees"]).status == 0)
        }
    }

    @Test func `the server finds files by layout, files that lie anywhere, and new ones`() throws {
        try withTemporaryFolder { folder in
            let symbols = try tree(folder)
            let program = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
            try makeFolders(symbols + "/anywhere")
            try run("cp", [program, symbols + "/anywhere/renamed"]).requireSuccess()
            let server = try RunningServer(["--symbols", symbols])
            func ask(_ name: String, _ id: String, _ offset: Int) throws -> String {
                let body = "{\"memoryMap\":[[\"\(name)\",\"\(id)\"]],\"stacks\":[[[0,\(offset)]]]}"
                let reply = try server.curl("/symbolicate/v5", ["--data-binary", "@-"], input: Array(body.utf8))
                #expect(reply.status == 200)
                return reply.text
            }
            #expect(try ask("lib5.dylib", identity(5), 0x1010).contains("\"function_5\""))
            // `RefreshMissingTests` has the identity and the function.
            #expect(try ask("cxx", "DC968DABDEC97A62CE64EA0173E42ADB0", 0x1100).contains("_GLOBAL__sub_I_main"))
            #expect(!(try ask("lib300.dylib", identity(300), 0x1010).contains("function_")))
            try add(301, to: symbols)
            #expect(try ask("lib301.dylib", identity(301), 0x1010).contains("\"function_301\""))
            #expect(try server.curl("/readyz").status == 200)
        }
    }
}
