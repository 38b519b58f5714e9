import BinaryPrimitives
import Foundation
import ObjectFiles
import Synchronization
import TestSupport
import Testing

@testable import SymbolSources

/// An index never changes a result: function, entry, file, line, column, discriminator, inlining,
/// note and reason are those of the file that it was made of.
struct IndexEqualityTests {
    /// Link addresses across the file: all of its code if it has little, else evenly spaced addresses; starts
    /// and ends of symbols and blocks; and addresses outside the segments.
    private static func addresses(of object: ObjectFile, _ index: SymbolIndex, limit: Int) -> [LinkAddress] {
        var addresses: Set<UInt64> = [0, 1, .max]
        let code = object.description.sections.filter { $0.isLoaded && $0.isExecutable }
        let step = max(1, Int(code.reduce(0) { $0 + $1.size }) / limit)
        for section in code {
            for offset in stride(from: 0, to: Int(section.size), by: step) { addresses.insert(section.address.value + UInt64(offset)) }
        }
        func addBounds(_ start: UInt64, _ size: UInt64) {
            for address in [start &- 1, start, start &+ size &- 1, start &+ size] { addresses.insert(address) }
        }
        for segment in object.description.segments { addBounds(segment.address.value, segment.size) }
        for section in object.description.sections where section.isLoaded { addBounds(section.address.value, section.size) }
        try? object.forEachSymbol { symbol in
            addBounds(symbol.address.value, symbol.size)
            return addresses.count < 3 * limit
        }
        index.file.withBytes { bytes in
            let starts = index.tables[SymbolIndexLayout.Table.blockStarts.rawValue]
            let stride = max(1, starts.count / 4 / limit)
            for position in Swift.stride(from: starts.lowerBound, to: starts.upperBound, by: 4 * stride) {
                addBounds(index.codeStart + UInt64(bytes.word32(at: position)), 0)
            }
        }
        return addresses.sorted().map(LinkAddress.init)
    }

    /// - Returns: how many results were compared, and how many of them had an inlined call.
    private static func compare(
        _ object: ObjectFile, _ path: String, limit: Int
    ) throws -> (count: Int, inlined: Int, discriminated: Int) {
        let index = try IndexWriter.make(object)
        try index.verify()
        let addresses = addresses(of: object, index, limit: limit)
        var rows: [ResultDetails] = []
        let expected = ObjectSource([object]).frames(at: addresses, details: &rows)
        let discriminators = try #require(index.discriminators(at: addresses))
        let source = IndexSource(index, [object])
        var found = source.frames(at: addresses)
        // Blocks are read in another way where few addresses are looked up.
        for number in stride(from: 0, to: addresses.count, by: max(1, addresses.count / 500)) {
            found[number] = source.frames(at: [addresses[number]])[0]
        }
        var inlined = 0
        var shown = 0
        for (address, (expected, found)) in zip(addresses, zip(expected, found)) {
            if case .found(let frames) = expected, frames.count > 1 { inlined += 1 }
            if expected != found, shown < 3 {
                Issue.record("\(path) at \(address): the file says \(expected), its index \(found)")
                shown += 1
            }
        }
        for (address, (row, discriminator)) in zip(addresses, zip(rows, discriminators)) where row.discriminator != discriminator {
            guard shown < 3 else { break }
            Issue.record("\(path) at \(address): discriminator \(row.discriminator) in the file, \(discriminator) in its index")
            shown += 1
        }
        return (addresses.count, inlined, discriminators.count { $0 > 0 })
    }

    @Test func `every fixture, in all of its code`() throws {
        let paths = try CorpusPair.table(TestPaths.fixture("binaries/INDEX.tsv")).map { $0[0] }
        var (indexed, compared, inlined, discriminated) = (0, 0, 0, 0)
        var refusals: [String: Int] = [:]
        for path in Set(paths).sorted() {
            for object in try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + path)) {
                do {
                    let result = try Self.compare(object, path, limit: 20_000)
                    (indexed, compared, inlined) = (indexed + 1, compared + result.count, inlined + result.inlined)
                    discriminated += result.discriminated
                } catch let refusal as IndexRefusal {
                    let kind = refusal.reason.prefix { $0 != ":" && !$0.isNumber }
                    refusals[String(kind), default: 0] += 1
                }
            }
        }
        print(
            "\(indexed) fixtures have an index: \(compared) answers compared, \(inlined) with inlined calls; refused: \(refusals.sorted { $0.key < $1.key })"
        )
        #expect(indexed > 60)
        #expect(inlined > 10_000)
        #expect(discriminated > 1000)
        // Every refusal has a known reason: no file is refused by mistake.
        let known = [
            "it has no debug information", "it is relocatable", "it is a Go program, which carries a line table of its own",
            ".debug_info at", "further symbols are packed in it",
            "the dynamic linker's tables, or Objective-C's, name functions in it", "it has no list of its mapped segments",
        ]
        for refusal in refusals.keys { #expect(known.contains { refusal.hasPrefix($0) }, "\(refusal)") }
    }

    @Test func `libc`() throws {
        let folder = "/usr/lib/debug/.build-id"
        let candidates = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let libc = candidates.lazy.map { folder + "/" + $0 }.first { path in
            guard path.hasSuffix(".debug"), let object = try? ObjectFiles.open(path: path), object.hasDebugInformation else { return false }
            var isLibc = false
            try? object.forEachSymbol { symbol in
                isLibc = symbol.kind == .function && symbol.name.text(in: object) == "__libc_start_main_impl"
                return !isLibc
            }
            return isLibc
        }
        guard let libc else {
            print("libc's debug file is not there (Debian's libc6-dbg): its index was not compared")
            return
        }
        let result = try Self.compare(try ObjectFiles.open(path: libc), libc, limit: 20_000)
        #expect(result.count > 20_000)
        #expect(result.inlined > 500)
        #expect(result.discriminated > 500)
    }
}

extension IndexContents {
    /// The file's bytes.
    func bytes() throws -> [UInt8] {
        let file = Mutex<[UInt8]>([])
        try write({ bytes in file.withLock { $0 += bytes } }) { start in
            file.withLock { $0.replaceSubrange(start.indices, with: start) }
        }
        return file.withLock { $0 }
    }
}
