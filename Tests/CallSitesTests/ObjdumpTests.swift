import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

/// All calls of whole images of this machine against GNU's objdump: every one, no other, with its
/// target.
@Suite(.enabled(if: Tools.hasBinutils, Comment(rawValue: Tools.missingBinutils)))
struct ObjdumpTests {
    /// `CAIRN_CALL_FILES` (paths with colons between) has further ones:
    /// `scripts/checks/verify-calls`.
    static let files: [String] = {
        let further = TestPaths.environment("CAIRN_CALL_FILES")?.split(separator: ":").map(String.init) ?? []
        return (["/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11"] + further).filter(TestPaths.isReadable)
    }()

    /// By build ID, calls that objdump does not see. In Debian's libLLVM 14.0.6 and 15.0.6 zeros
    /// fill the space before three functions (0x37f99b0; 0x35431b0 and 0x3ad5d30, by their frame
    /// descriptions). objdump takes the last zero and the function's first two bytes for one
    /// instruction (`00 50 bf`, `add %dl,-0x41(%rax)`), and what follows is shifted. The functions
    /// begin with `50` (push), `bf 50 00 00 00` or `bf 48 02 00 00` (mov), `e8 …` (call of
    /// `operator new`).
    private static let unseen: [String: Set<UInt64>] = [
        "c660b6b628d81741b1a629afce603ae3b9849f4e": [0x37f99b6],
        "6ac279c54d342972ae394219852345c22a501989": [0x35431b6, 0x3ad5d36],
    ]

    @Test(arguments: files)
    func `every call of an image`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        let sites = try #require(CallSites([object]))
        let expected = try Disassembly.gnu(path).sites
        let comparison = Comparison(sites, expected)
        let unseen = object.identity.flatMap { Self.unseen["\($0)".lowercased().filter(\.isHexDigit)] } ?? []
        #expect(comparison.missing.isEmpty && comparison.count > 0, "\(comparison.summary)")
        #expect(Set(comparison.extra.map(\.call.value)) == unseen, "\(comparison.summary)")
        let some = expected.enumerated().filter { $0.offset % 40 == 0 }.map(\.element)
        checkAddresses(sites, some, everyAddress: false)
        if TestPaths.environment("CAIRN_CALL_FILES") != nil { print("\(path): \(comparison.count) calls") }
    }

    /// Every byte of a program's `.text`: an instruction begins there exactly where objdump has a
    /// line.
    @Test func `instructions begin where objdump has lines`() throws {
        let path = TestPaths.fixture("binaries/SwiftFerry/out/ferry")
        let object = try ObjectFiles.open(path: path)
        let text = try #require(object.section(named: ".text"))
        let sites = try #require(CallSites([object]))
        let lines = try run("objdump", ["-d", "-w", "--section=.text", path]).lines
        let begins = Set(
            lines.compactMap { line in
                line.hasPrefix(" ") ? line.firstIndex(of: ":").flatMap { UInt64(line[..<$0].drop { $0 == " " }, radix: 16) } : nil
            })
        #expect(begins.count > 500)
        for address in text.address.value..<text.address.value + text.size {
            guard let found = sites.isInstruction(at: LinkAddress(address)) else { continue }
            #expect(found == begins.contains(address), "\(String(address, radix: 16))")
        }
        let unknown = (text.address.value..<text.address.value + text.size).count { sites.isInstruction(at: LinkAddress($0)) == nil }
        #expect(unknown < 64)
    }

    static let fixtures: [String] = TestPaths.files(under: TestPaths.fixture("binaries")).filter { path in
        guard path.contains("/out/"), let object = try? ObjectFiles.open(path: path), object.description.container == .elf else {
            return false
        }
        return ["x86_64", "i386"].contains(object.architecture.name) && object.description.kind != .relocatable
            && CallSites([object]) != nil
    }

    @Test func `every call of the fixtures`() throws {
        #expect(Self.fixtures.count > 50)
        for path in Self.fixtures {
            let object = try ObjectFiles.open(path: path)
            // The sections of a debug companion have no code.
            guard object.description.kind != .debugCompanion else { continue }
            let comparison = Comparison(try #require(CallSites([object])), try Disassembly.gnu(path).sites)
            #expect(comparison.missing.isEmpty && comparison.extra.isEmpty, "\(path): \(comparison.summary)")
        }
    }

    @Test(arguments: ["-O0", "-O2"])
    func `every call of 32-bit code`(level: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try Tools.succeed(
                Tools.clang,
                [
                    "--target=i386-linux-gnu", level, "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld", TestPaths.fixture("calls/calls.c"),
                    "-o", path,
                ])
            let sites = try #require(CallSites([ObjectFiles.open(path: path)]))
            let expected = try Disassembly.gnu(path).sites
            let comparison = Comparison(sites, expected)
            #expect(comparison.isEqual, "\(comparison.summary)")
            checkAddresses(sites, expected, everyAddress: true)
        }
    }

    @Test(.enabled(if: Tools.swiftc != nil, "swiftc is not beside swift"))
    func `every call of a Swift program`() throws {
        try withTemporaryFolder { folder in
            let source =
                "let words = CommandLine.arguments.map { $0.uppercased() }\nprint(words.sorted(), Dictionary(grouping: words, by: \\.count))\n"
            try writeFile(folder + "/main.swift", Array(source.utf8))
            try Tools.succeed(Tools.swiftc, ["-O", folder + "/main.swift", "-o", folder + "/main"])
            let comparison = Comparison(
                try #require(CallSites([ObjectFiles.open(path: folder + "/main")])), try Disassembly.gnu(folder + "/main").sites)
            #expect(comparison.isEqual, "\(comparison.summary)")
        }
    }
}
