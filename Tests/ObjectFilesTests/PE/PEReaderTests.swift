import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Our reader of PE images against `llvm-readobj`, over programs that the toolchain's clang and lld make for each machine.
struct PEReaderTests {
    /// A machine of Windows, as the compiler, the linker and we call it.
    struct Machine: Sendable, CustomStringConvertible {
        var target: String
        var format: String
        var architecture: Architecture
        var description: String { target }
    }

    static let machines = [
        Machine(target: "x86_64", format: "i386pep", architecture: .x86_64), Machine(target: "i686", format: "i386pe", architecture: .i386),
        Machine(target: "aarch64", format: "arm64pe", architecture: .arm64),
        Machine(target: "thumbv7", format: "thumb2pe", architecture: .arm),
    ]
    static let canCompare = Toolchain.has("clang", "ld.lld") && Readobj.isInstalled
    static let missing = "the toolchain has no clang and ld.lld, or llvm-readobj-19 (package llvm-19) is not installed"

    /// A name of eight bytes has no zero after it; the section's name is longer than eight.
    static let source = """
        int number = 5;
        __attribute__((noinline)) static int hidden(int a) { return a * number; }
        __attribute__((noinline)) int eight_by(int a) { return hidden(a) + hidden(a + 1); }
        __attribute__((section(".text$separate"), noinline)) int a_name_in_the_string_table(int a) { return eight_by(a) * 2; }
        int start(void) { return a_name_in_the_string_table(number); }
        """

    private static func withImage(_ machine: Machine, _ body: (String, ObjectFile) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            try Toolchain.run(
                "clang", ["-target", machine.target + "-w64-mingw32", "-O1", "-g", "-c", folder + "/a.c", "-o", folder + "/a.o"]
            )
            .requireSuccess()
            let entry = machine.architecture == .i386 ? "_start" : "start"
            try Toolchain.run("ld.lld", ["-m", machine.format, "--build-id", "-e", entry, folder + "/a.o", "-o", folder + "/a.exe"])
                .requireSuccess()
            try body(folder + "/a.exe", try ObjectFiles.open(path: folder + "/a.exe"))
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: machines)
    func `headers are those that llvm-readobj gives`(machine: Machine) throws {
        try Self.withImage(machine) { path, object in
            let header = try #require(try Readobj.blocks("ImageFileHeader", ["--file-headers"], path).first)
            let optional = try #require(try Readobj.blocks("ImageOptionalHeader", ["--file-headers"], path).first)
            let entry = try #require(try Readobj.blocks("DebugEntry", ["--coff-debug-directory"], path).first)
            #expect(object.description.container == .pe && object.description.kind == .executable)
            #expect(object.architecture == machine.architecture)
            #expect(object.baseAddress.value == Readobj.integer(optional["ImageBase"]))
            // SymSrv's name: the number in parentheses after the date, and the size.
            let time = try #require(header["TimeDateStamp"]?.split(separator: "(0x").last?.dropLast())
            let size = try #require(Readobj.integer(optional["SizeOfImage"]))
            #expect(object.codeIdentifier == String(repeating: "0", count: 8 - time.count) + time + String(size, radix: 16))
            let guid = try #require(entry["PDBGUID"]?.dropFirst().dropLast())
            #expect(object.identity == ImageID(text: guid))
            let age = try #require(Readobj.integer(entry["PDBAge"]))
            #expect(object.debugIdentifier == guid.filter { $0 != "-" } + String(age, radix: 16))
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: machines)
    func `sections are those that llvm-readobj gives`(machine: Machine) throws {
        try Self.withImage(machine) { path, object in
            let expected = try Readobj.blocks("Section", ["--sections"], path)
            #expect(object.description.sections.count == expected.count)
            for (section, block) in zip(object.description.sections, expected) {
                let size = try #require(Readobj.integer(block["VirtualSize"]))
                #expect(section.name == Readobj.name(block["Name"]) && section.number == Readobj.integer(block["Number"]).map { Int($0) })
                #expect(section.address.value - object.baseAddress.value == Readobj.integer(block["VirtualAddress"]))
                #expect(section.size == size && section.problem == nil)
                #expect(UInt64(section.fileRange.count) == min(size, Readobj.integer(block["RawDataSize"]) ?? 0))
                if !section.fileRange.isEmpty {
                    #expect(section.fileRange.lowerBound == Readobj.integer(block["PointerToRawData"]).map { Int($0) })
                }
                // IMAGE_SCN_MEM_EXECUTE.
                #expect(section.isExecutable == ((Readobj.integer(block["Characteristics"]) ?? 0) & 0x2000_0000 != 0))
            }
            #expect(object.section(named: ".debug_info") != nil && object.hasDebugInformation)
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: machines)
    func `symbols are those that llvm-readobj gives`(machine: Machine) throws {
        try Self.withImage(machine) { path, object in
            let found = try elements { try object.forEachSymbol($0) }.map { symbol in
                "\(symbol.address) \(symbol.kind == .function) \(symbol.binding) \(symbol.name.text(in: object))"
            }
            let sections = object.description.sections
            let expected = try Readobj.blocks("Symbol", ["--symbols"], path).compactMap { block -> String? in
                guard let number = Readobj.number(block["Section"]), sections.indices.contains(Int(number) - 1),
                    case let section = sections[Int(number) - 1], section.isLoaded, block["AuxSymbolCount"] == "0"
                else { return nil }
                let isFunction = block["ComplexType"]?.hasPrefix("Function") == true
                let binding = block["StorageClass"]?.hasPrefix("External") == true ? "global" : "local"
                let address = LinkAddress(section.address.value + (Readobj.integer(block["Value"]) ?? 0))
                return "\(address) \(isFunction) \(binding) \(block["Name"] ?? "")"
            }
            #expect(found == expected)
            let names = Set(found.compactMap { $0.split(separator: " ").last })
            let underscore = machine.architecture == .i386 ? "_" : ""
            #expect(names.isSuperset(of: ["hidden", "eight_by", "a_name_in_the_string_table"].map { Substring(underscore + $0) }))
        }
    }

    @Test(.enabled(if: canCompare, "\(missing)"), arguments: machines.filter { $0.architecture != .i386 })
    func `functions of the exception directory are those that llvm-readobj gives`(machine: Machine) throws {
        try Self.withImage(machine) { path, object in
            let table = try #require(FunctionTable(object))
            let blocks = try Readobj.blocks("RuntimeFunction", ["--unwind"], path)
            func address(_ text: String?) -> UInt64? {
                (text?.split(separator: "0x").last?.prefix { $0.isHexDigit }).flatMap { UInt64($0, radix: 16) }
            }
            let starts = try blocks.map { block in try #require(address(block["StartAddress"] ?? block["Function"])) & ~1 }
            #expect(table.allRanges().map(\.lowerBound.value) == starts)
            for (range, block) in zip(table.allRanges(), blocks) {
                if let end = address(block["EndAddress"]) { #expect(range.upperBound.value == end) }
                if let length = Readobj.integer(block["FunctionLength"]) {
                    #expect(range.upperBound.value - range.lowerBound.value == length)
                }
                #expect(table.entry(containing: range.lowerBound)?.range == range)
                #expect(table.lastEntry(startingAtOrBefore: range.upperBound)?.range.lowerBound ?? range.lowerBound >= range.lowerBound)
            }
        }
    }

    /// As a download that was cut short.
    @Test(.enabled(if: canCompare, "\(missing)")) func `a file that ends early is refused, or says which section is missing`() throws {
        try Self.withImage(Self.machines[0]) { path, whole in
            let bytes = try readFile(path)
            let headers = Int(try #require(whole.description.sections.map(\.fileRange.lowerBound).min()))
            for count in 0..<headers {
                let file = try MappedFile(bytes: Array(bytes[..<count]).span.rawBytes, name: "a.exe")
                if let object = try? ObjectFiles.openAll(file).first {
                    #expect(object.description.sections.allSatisfy { $0.problem != nil })
                }
            }
            let text = try #require(whole.section(named: ".text"))
            let file = try MappedFile(bytes: Array(bytes[..<(text.fileRange.upperBound - 1)]).span.rawBytes, name: "a.exe")
            let problem = try #require(try ObjectFiles.openAll(file).first?.section(named: ".text")?.problem)
            #expect(
                problem
                    == "section .text of \(text.size) bytes should be at byte \(text.fileRange.lowerBound), the file ends at byte \(file.size)"
            )
        }
    }

    /// A library without a symbol table; of data and of another library's functions there are no functions here.
    @Test(.enabled(if: canCompare, "\(missing)"), arguments: machines)
    func `a stripped library has the names that it exports`(machine: Machine) throws {
        let code = """
            __declspec(dllexport) int depth = 5;
            __declspec(dllexport) int hoist(int a) { return a * depth; }
            __declspec(dllexport) int moor(int a) { return hoist(a) + 1; }
            int entry(void) { return moor(depth); }
            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(code.utf8))
            try Toolchain.run(
                "clang", ["-target", machine.target + "-w64-mingw32", "-O1", "-c", folder + "/a.c", "-o", folder + "/a.o"]
            ).requireSuccess()
            let entry = machine.architecture == .i386 ? "_entry" : "entry"
            try Toolchain.run("ld.lld", ["-m", machine.format, "-shared", "-s", "-e", entry, folder + "/a.o", "-o", folder + "/a.dll"])
                .requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/a.dll")
            let rows = try Readobj.blocks("Export", ["--coff-exports"], folder + "/a.dll").filter { $0["Name"] != "depth" }
            let expected = try rows.map { row in
                let offset = try #require(row["RVA"].flatMap { UInt64($0.dropFirst(2), radix: 16) })
                return "\(row["Name"] ?? "") \((object.baseAddress.value + offset) & (machine.architecture == .arm ? ~1 : ~0))"
            }
            #expect(expected.count == 2)
            #expect(try object.exports().map { "\($0.name) \($0.address.value)" }.sorted() == expected.sorted())
        }
    }
}
