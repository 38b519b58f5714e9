import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Our own Mach-O reader against `llvm-readobj` and `llvm-objdump`, over whole files; the slices of
/// universal files one after the other.
@Suite(.enabled(if: Readobj.isInstalled, "llvm-readobj-19 (package llvm-19) is not installed"))
struct MachODifferentialTests {
    static let files: [String] = {
        let folders = [TestPaths.fixture("binaries"), TestPaths.corpus.map { $0 + "/objects" }].compactMap { $0 }
        return folders.flatMap { (try? filesBelow($0)) ?? [] }.filter { path in
            guard let objects = try? ObjectFiles.openAll(path: path) else { return false }
            return objects[0].description.container == .machO
        }
    }()

    @Test(arguments: files)
    func `sections have the names, addresses, sizes and bytes that llvm-readobj gives`(path: String) throws {
        let objects = try ObjectFiles.openAll(path: path)
        let sections = objects.flatMap { object in object.description.sections.map { (object, $0) } }
        let expected = try Readobj.blocks("Section", ["--sections"], path)
        #expect(sections.count == expected.count)
        for ((object, section), block) in zip(sections, expected) {
            #expect(section.name == Readobj.name(block["Name"]))
            #expect(section.segmentName == Readobj.name(block["Segment"]))
            #expect(section.number == Readobj.integer(block["Index"]).map { Int($0) + 1 })
            #expect(section.address.value == Readobj.integer(block["Address"]), "\(section.name)")
            #expect(section.size == Readobj.integer(block["Size"]), "\(section.name)")
            #expect(section.problem == nil)
            // llvm-readobj prints the attributes without their lowest byte.
            let attributes = Readobj.integer(block["Attributes"]) ?? 0
            #expect(section.isExecutable == (attributes & 0x80_0004 != 0), "\(section.name)")
            if let offset = Readobj.integer(block["Offset"]), offset > 0, Readobj.name(block["Type"]) != "ZeroFill" {
                #expect(section.fileRange.lowerBound - object.slice.lowerBound == Int(offset), "\(section.name)")
                #expect(section.fileRange.count == Int(section.size), "\(section.name)")
            } else {
                #expect(section.fileRange.isEmpty, "\(section.name)")
            }
        }
    }

    @Test(arguments: files)
    func `symbols have the names and addresses that llvm-readobj gives, in the same order`(path: String) throws {
        let found = try ObjectFiles.openAll(path: path).flatMap { object in
            try elements { try object.forEachSymbol($0) }.map { symbol in
                "\(symbol.address) \(symbol.section) \(symbol.binding) \(symbol.name.text(in: object))"
            }
        }
        // Assemblers leave `ltmp` symbols in sections that are never loaded (S_ATTR_DEBUG:
        // `__LD,__compact_unwind`, `__DWARF`). Only object files have them, and those are thin
        // here, so the section's number finds it.
        let unloaded = try Readobj.blocks("Section", ["--sections"], path).map { (Readobj.integer($0["Attributes"]) ?? 0) & 0x2_0000 != 0 }
        let expected = try Readobj.blocks("Symbol", ["--symbols"], path)
            .filter { Readobj.name($0["Type"]) == "Section" && !unloaded[Int(Readobj.number($0["Section"]) ?? 1) - 1] }.map(text)
        #expect(found.count == expected.count)
        let different = zip(found, expected).filter { $0 != $1 }
        #expect(different.isEmpty, "\(different.prefix(5))")
    }

    private func text(_ block: [String: String]) -> String {
        // `Extern` and `PrivateExtern` are alone in lines of their own; the weak definition is bit
        // 7 of the flags.
        let isWeak = (Readobj.integer(block["Flags"]) ?? 0) & 0x80 != 0
        let binding = block["Extern"] == nil || block["PrivateExtern"] != nil ? "local" : isWeak ? "weak" : "global"
        let address = LinkAddress(Readobj.integer(block["Value"]) ?? 0)
        return "\(address) \(Readobj.number(block["Section"]) ?? 0) \(binding) \(Readobj.name(block["Name"]))"
    }

    @Test(arguments: files)
    func `function starts are those that llvm-objdump gives`(path: String) throws {
        let objects = try ObjectFiles.openAll(path: path)
        let found = objects.flatMap(\.description.functionStarts).map(\.value)
        let lines = try run("/usr/bin/llvm-objdump-19", ["--macho", "--arch=all", "--function-starts", path]).lines
        // llvm-objdump leaves the Thumb bit in.
        let mask: UInt64 = objects.allSatisfy(\.architecture.hasThumbBit) ? ~1 : ~0
        let expected = lines.filter { $0.allSatisfy(\.isHexDigit) }.compactMap { UInt64($0, radix: 16) }.map { $0 & mask }
        #expect(found == expected)
    }

    @Test(arguments: files)
    func `identities and architectures are those that llvm-dwarfdump gives`(path: String) throws {
        // `UUID: XXXXXXXX-… (arm64) path`
        let expected = try run("/usr/bin/llvm-dwarfdump-19", ["--uuid", path]).lines.map { line in
            line.split(separator: " ").prefix(3).joined(separator: " ")
        }
        let found = try ObjectFiles.openAll(path: path).filter { $0.identity != nil }
            .map { "UUID: \($0.identity?.description ?? "") (\($0.architecture))" }
        #expect(found == expected)
    }

    /// Every stub at its first and its last byte, and the byte after the last.
    @Test(arguments: files)
    func `stubs have the names that llvm-objdump gives`(path: String) throws {
        let objects = try ObjectFiles.openAll(path: path)
        // Slices of a universal file are distinguished by the heading's architecture; stubs of a
        // dSYM have no names.
        var slice = objects[0]
        var sections: [String: Bool] = [:]
        var isStubs = false
        var expected: [String] = []
        var found: [String] = []
        for line in try run("/usr/bin/llvm-objdump-19", ["--macho", "--arch=all", "--indirect-symbols", path]).lines {
            if line.contains("(architecture "), let name = line.split(separator: " ").last?.dropLast(2) {
                slice = try #require(objects.first { $0.architecture.name == name })
            } else if line.hasPrefix("Indirect symbols for (") {
                let section = line.drop { $0 != "," }.dropFirst().prefix { $0 != ")" }
                isStubs = slice.section(named: String(section))?.isExecutable ?? false
                sections[String(section)] = isStubs
            } else if isStubs, line.hasPrefix("0x") {
                let columns = line.split(separator: " ")
                let address = LinkAddress(try #require(UInt64(columns[0].dropFirst(2), radix: 16)))
                guard columns.count == 3 else { continue }
                expected.append("\(address) DYLD-STUB$$\(columns[2].dropFirst(columns[2].hasPrefix("_") ? 1 : 0))")
                let stub = slice.stub(containing: address)
                found.append("\(stub?.address ?? LinkAddress(0)) \(stub?.name ?? "")")
                let last = try #require(address.advanced(by: (stub?.size ?? 1) - 1))
                #expect(slice.stub(containing: last) == stub)
                #expect(last.advanced(by: 1).flatMap { slice.stub(containing: $0) } != stub)
            }
        }
        #expect(found == expected)
    }

    @Test(arguments: files)
    func `exports have the names and addresses that llvm-objdump gives`(path: String) throws {
        for object in try ObjectFiles.openAll(path: path) where object.description.kind != .relocatable {
            let arguments = ["--macho", "--arch=\(object.architecture)", "--exports-trie", path]
            let expected = try run("/usr/bin/llvm-objdump-19", arguments).lines.compactMap { line -> String? in
                // `0x100003F10  _main`; names of other images begin with `[re-export]`.
                let columns = line.split(separator: " ")
                guard columns.count >= 2, let address = UInt64(columns[0].dropFirst(2), radix: 16), line.hasPrefix("0x") else { return nil }
                return "\(LinkAddress(address)) \(columns[1])"
            }.sorted()  // It names a node after its children.
            let found = try object.exports().map { "\($0.address) \($0.name)" }.sorted()
            #expect(found.count == expected.count)
            let different = zip(found, expected).filter { $0 != $1 }
            #expect(different.isEmpty, "\(different.prefix(5))")
        }
    }
}
