import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Our own reading of sections and symbols against `llvm-readobj`'s, over whole files.
@Suite(.enabled(if: Readobj.isInstalled, "llvm-readobj-19 (package llvm-19) is not installed"))
struct ELFDifferentialTests {
    /// The machine's own libraries, this project's ELF fixtures, and every ELF file of the corpus.
    static let files: [String] = {
        let system = ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11", "/usr/bin/python3.11d"]
        let folders = [TestPaths.fixture("binaries"), TestPaths.corpus.map { $0 + "/objects" }].compactMap { $0 }
        let found = folders.flatMap { (try? filesBelow($0)) ?? [] }
        return (system.filter(TestPaths.isReadable) + found).filter { path in
            (try? MappedFile(path: path).bytes(in: 0..<4)) == [0x7f, 0x45, 0x4c, 0x46]
        }
    }()

    @Test(arguments: files)
    func `sections have the names, addresses, sizes and bytes that llvm-readobj gives`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        let expected = try Readobj.blocks("Section", ["--sections"], path)
        #expect(object.description.sections.count == expected.count)
        for (section, block) in zip(object.description.sections, expected) {
            #expect(section.name == Readobj.name(block["Name"]))
            // All sections of a relocatable file are at 0: they are given addresses that the file does
            // not have.
            let address = object.description.sectionsArePlaced ? 0 : section.address.value
            #expect(address == Readobj.integer(block["Address"]), "\(section.name)")
            let type = Readobj.name(block["Type"])
            if type == "SHT_NOBITS" || type == "SHT_NULL" {
                #expect(section.fileRange.isEmpty, "\(section.name)")
            } else {
                // A compressed section's bytes begin after its header: Elf32_Chdr has 12 bytes,
                // Elf64_Chdr 24, GNU's old one 12.
                let isOld = section.name.hasPrefix(".zdebug_")
                let header = section.compression == nil ? 0 : object.description.addressSize == 8 && !isOld ? 24 : 12
                let offset = section.fileRange.lowerBound - header
                #expect(offset == Readobj.integer(block["Offset"]).map { Int($0) }, "\(section.name)")
                #expect(section.fileRange.count + header == Readobj.integer(block["Size"]).map { Int($0) }, "\(section.name)")
            }
            let flags = Readobj.integer(block["Flags"]) ?? 0
            let isThreadZeroFill = type == "SHT_NOBITS" && flags & 0x400 != 0
            #expect(section.isLoaded == (flags & 2 != 0 && !isThreadZeroFill), "\(section.name)")
            #expect(section.isExecutable == (flags & 4 != 0), "\(section.name)")
        }
    }

    @Test(arguments: files)
    func `symbols have the names, addresses and sizes that llvm-readobj gives, in the same order`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        let sections = try Readobj.blocks("Section", ["--sections"], path)
        let hasFullTable = sections.contains { Readobj.name($0["Type"]) == "SHT_SYMTAB" }
        #expect(object.hasFullSymbolTable == hasFullTable)
        let expected = try Readobj.blocks("Symbol", [hasFullTable ? "--symbols" : "--dyn-symbols"], path)
            .filter { isDefined($0, sections, object) }.map { text($0, object) }
        let descriptors = object.architecture == .ppc64 ? object.section(named: ".opd") : nil
        let found = try elements { try object.forEachSymbol($0) }.map { symbol in
            let start = object.description.sectionsArePlaced ? object.description.sections[symbol.section].address.value : 0
            // `.opd` holds the addresses of the code: they are compared where the code is
            // (SymbolizerDifferentialTests).
            let address = descriptors != nil && symbol.kind == .function ? LinkAddress(0) : LinkAddress(symbol.address.value - start)
            return "\(address) \(symbol.size) \(symbol.kind) \(symbol.binding) \(symbol.name.text(in: object))"
        }
        #expect(found.count == expected.count)
        let different = zip(found, expected).filter { $0 != $1 }
        #expect(different.isEmpty, "\(different.prefix(5))")
    }

    /// The contract of `forEachSymbol`: defined in a section that is in memory, or the name of a
    /// source file.
    private func isDefined(_ block: [String: String], _ sections: [[String: String]], _ object: ObjectFile) -> Bool {
        let type = Readobj.number(block["Type"]) ?? 0
        if type == 4 { return true }
        guard [0, 1, 2, 5, 10].contains(type), let number = Readobj.number(block["Section"]).map({ Int($0) }),
            sections.indices.contains(number)
        else { return false }
        if ["Undefined", "Absolute", "Common"].contains(Readobj.name(block["Section"])) { return false }
        let section = sections[number]
        let flags = Readobj.integer(section["Flags"]) ?? 0
        guard flags & 2 != 0, !(flags & 0x400 != 0 && Readobj.name(section["Type"]) == "SHT_NOBITS") else { return false }
        // The mapping symbols of ARM, AArch64 and RISC-V.
        let name = symbolName(block, object)
        let hasMapping = ["arm", "arm64", "riscv64", "riscv32", "csky"].contains(object.architecture.name)
        if object.architecture.family.hasPrefix("riscv"), name == ".L0 " { return false }
        return !(hasMapping && type == 0 && ["$a", "$t", "$d", "$x"].contains(String(name.prefix(2))))
    }

    private func symbolName(_ block: [String: String], _ object: ObjectFile) -> String {
        // llvm-readobj appends `@@VERSION` to the names of the dynamic table, where the version is
        // in a section of its own.
        let name = Readobj.name(block["Name"])
        return object.hasFullSymbolTable ? name : name.firstIndex(of: "@").map { String(name[..<$0]) } ?? name
    }

    private func text(_ block: [String: String], _ object: ObjectFile) -> String {
        let type = Readobj.number(block["Type"]) ?? 0
        let kind: Symbol.Kind =
            switch type {
            case 0: .untyped
            case 1, 5: .data
            case 4: .file
            default: .function
            }
        let binding: Symbol.Binding =
            switch Readobj.number(block["Binding"]) ?? 0 {
            case 0: .local
            case 2: .weak
            default: .global
            }
        var address = Readobj.integer(block["Value"]) ?? 0
        if object.architecture == .arm, kind == .function { address &= ~1 }
        if object.architecture == .ppc64, kind == .function, object.section(named: ".opd") != nil { address = 0 }
        return "\(LinkAddress(address)) \(Readobj.integer(block["Size"]) ?? 0) \(kind) \(binding) \(symbolName(block, object))"
    }
}
