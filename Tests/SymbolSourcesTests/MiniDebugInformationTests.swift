import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// `.gnu_debugdata`: the names of a stripped library's functions, packed in the library.
struct MiniDebugInformationTests {
    static func library(_ name: String) throws -> ObjectFile {
        try ObjectFiles.open(path: TestPaths.fixture("binaries/SharedLibrary/out/" + name))
    }

    /// Every function of the library's own full table, from start to end, with all names that it
    /// has there.
    static func functions(of object: ObjectFile) throws -> [(start: UInt64, size: UInt64, name: String)] {
        try elements { try object.forEachSymbol($0) }.filter { $0.kind == .function && $0.size > 0 }
            .map { ($0.address.value, $0.size, $0.name.text(in: object)) }
    }

    @Test func `a stripped library names its hidden functions by what is packed in it`() throws {
        let whole = try Self.library("libqueue.so.1")
        let mini = try Self.library("libqueue-mini.so.1")
        #expect(!mini.hasFullSymbolTable && mini.identity == whole.identity)
        let source = ObjectSource([mini])
        let functions = try Self.functions(of: whole)
        #expect(functions.count >= 6)
        for function in functions {
            let names = functions.filter { $0.start == function.start }.map(\.name)
            for offset in [0, function.size - 1] {
                let symbolResult = source.frames(at: [ImageOffset(function.start + offset)])[0]
                guard case .found(let frames) = symbolResult, let frame = frames.first, frames.count == 1 else {
                    Issue.record("\(function.name)+\(offset): \(symbolResult)")
                    continue
                }
                #expect(names.contains(frame.name), "\(function.name)+\(offset)")
                #expect(frame.entry == ImageOffset(function.start) && frame.origin == .symbolTable)
            }
        }
        // Without it, hidden functions have no name.
        let stripped = ObjectSource([try Self.library("libqueue-stripped.so.1")])
        let hidden = try #require(functions.first { $0.name == "queue_is_full" })
        guard case .unresolved = stripped.frames(at: [ImageOffset(hidden.start)])[0] else {
            Issue.record("the stripped library names queue_is_full")
            return
        }
    }

    @Test func `a symbol without a size does not reach over what is not packed`() throws {
        // The packed table has only the functions that the dynamic one does not: the code after one of them may
        // be a function of the other table.
        let mini = try Self.library("libqueue-mini.so.1")
        let packed = try #require(try mini.miniDebugInformation())
        #expect(packed.hasFullSymbolTable && packed.section(named: ".text")?.fileRange.isEmpty == true)
        #expect(try mini.miniDebugInformation() === packed)
        #expect(try packed.miniDebugInformation() == nil)
    }

    @Test func `what is damaged gives no names and says why`() throws {
        let bytes = TestPaths.bytes(of: TestPaths.fixture("binaries/SharedLibrary/out/libqueue-mini.so.1"))
        let whole = try Self.library("libqueue-mini.so.1")
        let range = try #require(whole.section(named: ".gnu_debugdata")).fileRange
        let hidden = try #require(try Self.functions(of: try Self.library("libqueue.so.1")).first { $0.name == "queue_is_full" })
        for (position, message) in [
            (range.lowerBound, "they are not an XZ file"), (range.lowerBound + range.count / 2, "XZ's checksum does not match"),
        ] {
            var changed = bytes
            changed[position] ^= 0x55
            let object = try ObjectFiles.openAll(try MappedFile(bytes: changed.span.rawBytes, name: "changed"))[0]
            let error = #expect(throws: ObjectFileError.self) { _ = try object.miniDebugInformation() }
            #expect(error?.problem.contains(message) == true, "\(error?.problem ?? "")")
            let symbolResult = ObjectSource([object]).frames(at: [ImageOffset(hidden.start)])[0]
            guard case .unresolved(.corrupt(let reason)) = symbolResult else {
                Issue.record("\(symbolResult)")
                continue
            }
            #expect(reason.contains(".gnu_debugdata"))
        }
    }
}
