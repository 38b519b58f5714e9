import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// Objects that nobody here built, with results that cairn did not give: what compilers of twenty
/// years wrote.
@Suite(.enabled(if: TestPaths.corpus != nil, "the corpus is absent: set CAIRN_CORPUS to its folder"))
struct CorpusPairsTests {
    @Test func `every object of the corpus answers as its table says, except where the differences are explained`() throws {
        let corpus = try #require(TestPaths.corpus)
        let explained = try CorpusPair.table(TestPaths.root + "/Tests/SymbolSourcesTests/corpus-differences.tsv")
        var expected = Dictionary(explained.map { ($0[0] + " " + $0[1], Int($0[2]) ?? -1) }) { first, _ in first }
        var totals = (addresses: 0, agree: 0)
        print("pair\taddresses\tagree\tdiffer")
        for pair in try CorpusPair.all(in: corpus) {
            var counts: [CorpusDifference: Int] = [:]
            for (question, ours) in zip(pair.questions, try results(pair)) {
                if ours == question.expected { continue }
                var difference = CorpusDifference(theirs: question.expected, ours: ours)
                if difference == .nearerSymbol, try areAtOneAddress(question.expected.last?.name, ours.last?.name, in: pair) {
                    print("\(pair.id): \(ours.last?.name ?? "") in place of \(question.expected.last?.name ?? "")")
                    difference = .preferredSymbol
                }
                counts[difference, default: 0] += 1
                if difference == .notRead, expected["\(pair.id) \(difference.rawValue)"] == nil {
                    let address = String(question.address, radix: 16)
                    Issue.record("\(pair.id) at 0x\(address): expected \(question.expected), cairn says \(ours)")
                }
            }
            for difference in CorpusDifference.allCases {
                let count = expected.removeValue(forKey: "\(pair.id) \(difference.rawValue)") ?? 0
                #expect(counts[difference] ?? 0 == count, "\(pair.id): \(difference.rawValue)")
            }
            let differing = counts.values.reduce(0, +)
            totals.addresses += pair.questions.count
            totals.agree += pair.questions.count - differing
            let classes = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
            print("\(pair.id)\t\(pair.questions.count)\t\(pair.questions.count - differing)\t\(classes.joined(separator: ", "))")
        }
        print("all\t\(totals.addresses)\t\(totals.agree)\t\(totals.addresses - totals.agree)")
        #expect(expected.isEmpty, "the table of differences names pairs that the corpus does not have: \(expected.keys.sorted())")
    }

    private func areAtOneAddress(_ one: String?, _ other: String?, in pair: CorpusPair) throws -> Bool {
        var addresses: [String: Set<LinkAddress>] = [:]
        for object in try ObjectFiles.openAll(path: pair.object) {
            for symbol in try elements({ try object.forEachSymbol($0) }) {
                addresses[symbol.name.text(in: object), default: []].insert(symbol.address)
            }
        }
        guard let one, let other, let first = addresses[one], let second = addresses[other] else { return false }
        return !first.isDisjoint(with: second)
    }

    /// The frames for each question as the tables write them, looked up all at once, as for a
    /// report; one without anything known where there is no result and theirs was none either.
    private func results(_ pair: CorpusPair) throws -> [[CorpusPair.Frame]] {
        let objects = try ObjectFiles.openAll(path: pair.object)
        var known: [String: [ImageOffset: SymbolResult]] = [:]
        var bases: [String: LinkAddress] = [:]
        for (slice, questions) in Dictionary(grouping: pair.questions, by: \.slice) {
            let object = try #require(objects.first { slice.isEmpty || $0.architecture.description == slice })
            let offsets = Set(questions.compactMap { LinkAddress($0.address).offset(fromImageBase: object.baseAddress) }).sorted()
            known[slice] = Dictionary(uniqueKeysWithValues: zip(offsets, ObjectSource([object]).frames(at: offsets)))
            bases[slice] = object.baseAddress
        }
        return pair.questions.map { question in
            let offset = bases[question.slice].flatMap { LinkAddress(question.address).offset(fromImageBase: $0) }
            guard let offset, case .found(let frames) = known[question.slice]?[offset] else {
                let unknown = CorpusPair.Frame(name: "", file: "", line: 0, column: 0)
                return question.expected == [unknown] ? [unknown] : []
            }
            return frames.map { frame in
                CorpusPair.Frame(
                    name: frame.name, file: frame.location?.file ?? "", line: frame.location?.line ?? 0, column: frame.location?.column ?? 0
                )
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `every object of the corpus is opened and asked, or refused with a reason`() throws {
        try sweep(try #require(TestPaths.corpus) + "/objects", secondsPerFile: 60)
    }

    @Test(.timeLimit(.minutes(5))) func `every malformed file of the corpus is opened and asked, or refused with a reason`() throws {
        try sweep(try #require(TestPaths.corpus) + "/malformed", secondsPerFile: 20)
    }

    /// Looks up in every file below a folder 50 addresses spread over what it maps, and some
    /// outside. The results are not judged: only that there is one.
    private func sweep(_ folder: String, secondsPerFile: Int) throws {
        var opened = 0
        var refused = 0
        for path in try files(below: folder) {
            let duration = processorTime {
                do {
                    for object in try ObjectFiles.openAll(path: path) {
                        let offsets = spread(object)
                        let found = ObjectSource([object]).frames(at: offsets)
                        #expect(found.count == offsets.count, "\(path)")
                        // One address is the special case of many.
                        for index in offsets.indices.filter({ $0 % 10 == 0 }) where index < found.count {
                            #expect(ObjectSource([object]).frames(at: [offsets[index]]) == [found[index]], "\(path) at \(offsets[index])")
                        }
                        for case .found(let frames) in found { #expect(frames.last?.isInlined == false, "\(path)") }
                    }
                    opened += 1
                } catch {
                    refused += 1
                    #expect(!"\(error)".isEmpty && !"\(error)".contains("\n"), "\(path): \(error)")
                }
            }
            #expect(duration < .seconds(secondsPerFile), "\(path) took \(duration)")
        }
        print("\(folder.split(separator: "/").last ?? ""): \(opened) files opened and asked, \(refused) refused with a reason")
        #expect(opened > 0)
    }

    private func spread(_ object: ObjectFile) -> [ImageOffset] {
        var offsets: Set<UInt64> = [0, 1, .max, .max / 2]
        let loaded = object.description.sections.filter { $0.isLoaded && $0.size > 0 }
        let ranges = loaded.isEmpty ? object.description.segments.map { ($0.address, $0.size) } : loaded.map { ($0.address, $0.size) }
        for (address, size) in ranges {
            guard let start = address.offset(fromImageBase: object.baseAddress)?.value else { continue }
            let steps = UInt64(max(1, 46 / ranges.count))
            for step in 0..<steps { offsets.insert(start &+ size / steps * step) }
        }
        return offsets.sorted().map(ImageOffset.init)
    }

    private func files(below folder: String) throws -> [String] {
        try Directory.names(in: folder).flatMap { name in
            let path = folder + "/" + name
            return PathKind(path: path) == .directory ? try files(below: path) : [path]
        }
    }
}
