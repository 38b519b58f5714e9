import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// Symbols whose names are outside of the table of names, as in a file that was cut off.
struct MissingNamesTests {
    private static let path = TestPaths.fixture("binaries/C/out/c-gcc-dwarf5-O2")

    /// - Parameter hasDebugInformation: or none of it can be found.
    private static func withoutNames(hasDebugInformation: Bool) throws -> ObjectFile {
        var bytes = try readFile(path)
        let object = try ObjectFiles.open(path: path)
        let table = try #require(object.section(named: ".symtab")).fileRange
        // Elf64_Sym: 24 bytes; st_name is the first field (System V ABI, "Symbol Table").
        for record in stride(from: table.lowerBound, to: table.upperBound, by: 24) {
            bytes.replaceSubrange(record..<record + 4, with: [0xff, 0xff, 0xff, 0x7f])
        }
        if !hasDebugInformation {
            let info = try #require(object.section(named: ".debug_info")).fileRange
            bytes.replaceSubrange(info, with: [UInt8](repeating: 0, count: info.count))
        }
        return try #require(try ObjectFiles.openAll(try MappedFile(bytes: bytes.span.rawBytes, name: "cut")).first)
    }

    private static func main() throws -> ImageOffset {
        let object = try ObjectFiles.open(path: path)
        var main: ImageOffset?
        try object.forEachSymbol(around: .everywhere) { symbol in
            if symbol.kind == .function, symbol.name.text(in: object) == "main" { main = object.offset(of: symbol.address) }
            return main == nil
        }
        return try #require(main)
    }

    @Test func `a symbol without its name names nothing, and says why`() throws {
        let object = try Self.withoutNames(hasDebugInformation: false)
        let result = ObjectSource([object]).frames(at: [try Self.main()])[0]
        guard case .unresolved(.corrupt(let reason)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("outside of the table of names"))
    }

    @Test func `the debug information's name stays`() throws {
        let object = try Self.withoutNames(hasDebugInformation: true)
        guard case .found(let frames) = ObjectSource([object]).frames(at: [try Self.main()])[0] else {
            Issue.record("nothing was found")
            return
        }
        #expect(frames.last?.name == "main" && frames.last?.location?.line ?? 0 > 0)
    }

    @Test func `such a file gets no index`() throws {
        let object = try Self.withoutNames(hasDebugInformation: true)
        let refusal = #expect(throws: IndexRefusal.self) { try IndexBuilder(object, threads: 1).build().bytes() }
        #expect(refusal?.description.contains("the name of a symbol is missing") == true)
    }
}
