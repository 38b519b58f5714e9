import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Our reader of COFF objects against `llvm-readobj`, over objects that the toolchain's clang makes for each machine of Windows.
struct COFFReaderTests {
    static let canCompare = PEReaderTests.canCompare
    static let missing = PEReaderTests.missing

    private static func withObject(_ machine: PEReaderTests.Machine, _ body: (String, ObjectFile) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(PEReaderTests.source.utf8))
            try Toolchain.run(
                "clang", ["-target", machine.target + "-w64-mingw32", "-O1", "-g", "-c", folder + "/a.c", "-o", folder + "/a.obj"]
            ).requireSuccess()
            try body(folder + "/a.obj", try ObjectFiles.open(path: folder + "/a.obj"))
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: PEReaderTests.machines)
    func `sections are those that llvm-readobj gives, and have addresses of their own`(machine: PEReaderTests.Machine) throws {
        try Self.withObject(machine) { path, object in
            let expected = try Readobj.blocks("Section", ["--sections"], path)
            let sections = object.description.sections
            #expect(
                object.description.kind == .relocatable && object.architecture == machine.architecture && sections.count == expected.count)
            for (section, block) in zip(sections, expected) {
                #expect(section.name == Readobj.name(block["Name"]) && section.number == Readobj.integer(block["Number"]).map { Int($0) })
                #expect(section.size == Readobj.integer(block["RawDataSize"]) && section.problem == nil)
                if !section.fileRange.isEmpty {
                    #expect(section.fileRange.lowerBound == Readobj.integer(block["PointerToRawData"]).map { Int($0) })
                }
            }
            #expect(object.section(named: ".text")?.address.value == 0)
            let loaded = sections.filter { $0.isLoaded && $0.size > 0 }.sorted { $0.address < $1.address }
            #expect(loaded.contains { $0.name == ".text$separate" })
            for (one, next) in zip(loaded, loaded.dropFirst()) { #expect(one.address.value + one.size < next.address.value) }
            #expect(object.hasDebugInformation)
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: PEReaderTests.machines)
    func `symbols are those that llvm-readobj gives`(machine: PEReaderTests.Machine) throws {
        try Self.withObject(machine) { path, object in
            let found = try elements { try object.forEachSymbol($0) }.map { symbol in
                "\(symbol.address) \(symbol.kind == .function) \(symbol.name.text(in: object))"
            }
            let sections = object.description.sections
            let expected = try Readobj.blocks("Symbol", ["--symbols"], path).compactMap { block -> String? in
                guard let number = Readobj.number(block["Section"]), sections.indices.contains(Int(number) - 1),
                    case let section = sections[Int(number) - 1], section.isLoaded, block["AuxSymbolCount"] == "0"
                else { return nil }
                let address = LinkAddress(section.address.value + (Readobj.integer(block["Value"]) ?? 0))
                return "\(address) \(block["ComplexType"]?.hasPrefix("Function") == true) \(block["Name"] ?? "")"
            }
            #expect(found == expected && found.count >= 5)
        }
    }

    /// More than 65,279 sections need the other header, whose symbols have section numbers of 32 bits.
    @Test(.enabled(if: canCompare, "\(missing)")) func `an object of many sections`() throws {
        let count = 65_400
        try withTemporaryFolder { folder in
            var text = ""
            for number in 1...count { text += ".section .text$\(number),\"xr\"\n.globl f\(number)\nf\(number): nop\n" }
            try writeFile(folder + "/a.s", Array(text.utf8))
            try Toolchain.run("clang", ["-target", "x86_64-w64-mingw32", "-c", folder + "/a.s", "-o", folder + "/a.obj"]).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/a.obj")
            let names = try elements { try object.forEachSymbol($0) }.map { symbol in
                "\(symbol.name.text(in: object)) \(object.description.sections[symbol.section - 1].name)"
            }
            #expect(names.filter { $0.hasPrefix("f") } == (1...count).map { "f\($0) .text$\($0)" })
        }
    }

    /// As a download that was cut short.
    @Test(.enabled(if: canCompare, "\(missing)")) func `an object that ends early is refused`() throws {
        try Self.withObject(PEReaderTests.machines[0]) { path, _ in
            let bytes = try readFile(path)
            for count in stride(from: 20, to: bytes.count - 200, by: 7) {
                let file = try MappedFile(bytes: Array(bytes[..<count]).span.rawBytes, name: "a.obj")
                let error = #expect(throws: ObjectFileError.self) { try ObjectFiles.openAll(file) }
                #expect(error?.problem.hasSuffix("it is cut short") == true)
            }
        }
    }
}
