import BinaryPrimitives
internal import LibC
import ObjectFiles
import SymbolSources
import Timing

/// Measures lookups in symbol indexes, in process, on one core: IndexLookups [--count N] [--checked
/// N] OBJECT…
///
/// Makes each object's index in a temporary file and looks up N random addresses (1,000,000) in it:
/// every byte of the executable sections is as likely as any other, whatever is there, padding and
/// code without debug information too. They are looked up in the order drawn, not sorted. Results
/// have inlined calls, each with name, file, line and column. The first of them (2,000) are
/// compared with what the file itself says. Ends with 1 where a result differs.
@main
enum IndexLookups {
    static func main() throws {
        var (count, checked) = (1_000_000, 2000)
        var arguments = Array(CommandLine.arguments.dropFirst())
        while let option = arguments.first, option.hasPrefix("--"), arguments.count > 1, let value = Int(arguments[1]) {
            if option == "--count" { count = value } else { checked = value }
            arguments.removeFirst(2)
        }
        Allocation.returnLargeBlocks()
        var failed = false
        for path in arguments {
            let object = try ObjectFiles.open(path: path)
            let index = try IndexWriter.make(object)
            let addresses = randomAddresses(count, in: object)
            var (frames, known, inlined) = (0, 0, 0)
            Timing(Path.name(of: path)).measure("lookups") {
                (frames, known, inlined) = (0, 0, 0)
                index.forEachResult(at: addresses) { _, result, found in
                    frames += found.count
                    if case .debugInformation = result { known += 1 }
                    if found.count > 1 { inlined += 1 }
                }
                return addresses.count
            }
            let different = differing(index, object, at: addresses.prefix(checked).sorted())
            print(
                "    \(frames) frames; \(known) from debug information, \(inlined) with inlined calls; \(different) of \(min(checked, count)) differ from the file's own answers"
            )
            failed = failed || different > 0
        }
        if failed { exit(1) }
    }

    /// Addresses of an object's code, each byte as likely as any other.
    static func randomAddresses(_ count: Int, in object: ObjectFile) -> [LinkAddress] {
        let code = object.description.sections.filter { $0.isLoaded && $0.isExecutable }
        let total = code.reduce(0) { $0 + $1.size }
        guard total > 0 else { fatalError("\(object.file.path): no code") }
        var numbers = RandomNumbers(seed: 7)
        return (0..<count).map { _ in
            var offset = numbers.next() % total
            for section in code {
                if offset < section.size { return LinkAddress(section.address.value + offset) }
                offset -= section.size
            }
            fatalError("a place behind all sections")
        }
    }

    /// How many of the results differ from the file's own.
    static func differing(_ index: SymbolIndex, _ object: ObjectFile, at addresses: [LinkAddress]) -> Int {
        let direct = ObjectSource([object]).frames(at: addresses)
        let indexed = IndexSource(index).frames(at: addresses)
        var count = 0
        for (address, (first, second)) in zip(addresses, zip(direct, indexed)) where first != second {
            count += 1
            if count <= 5 { print("\(address)\n  file  \(first)\n  index \(second)") }
        }
        return count
    }
}
