import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// cairn's results beside those of llvm-symbolizer 21: function (linkage name), file, line, column
/// and inline depth, at every function start and at random addresses inside of the code. No
/// difference goes unexplained, and the explained ones are counted.
@Suite(.serialized)
struct SymbolizerDifferentialTests {
    @Test func `every fixture answers as the peer does`() throws {
        var table = DifferentialTable(try ExplainedDifferences())
        var peer = try PeerSymbolizer()
        let subjects = try Subject.fixtures()
        try peer.listFunctions(of: subjects.filter { $0.architecture == nil }.map(\.path))
        for subject in subjects { try table.compare(subject, peer) }
        table.report()
    }

    @Test func `the machine's own libc and python answer as the peer does`() throws {
        var table = DifferentialTable(try ExplainedDifferences())
        let peer = try PeerSymbolizer()
        let subjects = Subject.system()
        if subjects.count < 2 { print("libc6-dbg or python3.11-dbg is not installed: compared without") }
        for subject in subjects { try table.compare(subject, peer) }
        table.report()
    }
}

/// Compares objects, prints a row for each, and fails on unexplained differences.
struct DifferentialTable {
    private var explained: ExplainedDifferences
    private var rows: [String] = []

    init(_ explained: ExplainedDifferences) { self.explained = explained }

    mutating func compare(_ subject: Subject, _ peer: PeerSymbolizer) throws {
        let objects = try subject.open()
        guard let object = objects.last else { return }
        let addresses = try sample(subject, object, peer)
        let theirs = try peer.frames(of: subject.peerObject, at: addresses)
        let offsets = addresses.map { ImageOffset($0 - object.baseAddress.value) }
        // The peer names the last of several symbols at an address.
        let results = ObjectSource(objects, SourceOptions(symbols: .lastOfTable)).frames(at: offsets)
        checkNames(subject.name, addresses, results, preferred: ObjectSource(objects).frames(at: offsets), try symbols(of: objects))
        let ours = results.map(frames)
        let evidence = try SymbolEvidence(objects)
        var counts: [Difference: Int] = [:]
        var examples: [Difference: String] = [:]
        for (address, (their, our)) in zip(addresses, zip(theirs, ours)) where their != our {
            let difference = evidence.difference(at: address, peer: their, ours: our)
            counts[difference, default: 0] += 1
            if counts[difference] == 1 { examples[difference] = "0x\(String(address, radix: 16)): peer \(their[0]), cairn \(our[0])" }
            if difference == .unexplained, counts[difference, default: 0] <= 5 {
                Issue.record("\(subject.name) at 0x\(String(address, radix: 16)): the peer says \(their), cairn says \(our)")
            }
        }
        let differing = counts.values.reduce(0, +)
        let classes = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        rows.append("\(subject.name)\t\(addresses.count)\t\(addresses.count - differing)\t\(classes.joined(separator: ", "))")
        #expect(counts[.unexplained] == nil, "\(subject.name) has unexplained differences")
        if ExplainedDifferences.isRewriting {
            try explained.rewrite(subject.name, counts, examples)
        } else if explained.isKnown(subject.name) {
            for difference in Difference.allCases where difference != .unexplained {
                #expect(counts[difference] ?? 0 == explained.count(subject.name, difference), "\(subject.name): \(difference.rawValue)")
            }
        }
    }

    /// If the order of preference gives another symbol, that symbol begins at the same address as
    /// the peer's, and has its lines; or the debug information has the name.
    private func checkNames(
        _ subject: String, _ addresses: [UInt64], _ results: [SymbolResult], preferred: [SymbolResult],
        _ symbols: [String: Set<LinkAddress>]
    ) {
        for (address, (result, preferred)) in zip(addresses, zip(results, preferred)) {
            guard case .found(let theirs) = result, case .found(let ours) = preferred, let their = theirs.last, let our = ours.last,
                their.name != our.name
            else { continue }
            let isBeside = !(symbols[their.name] ?? []).isDisjoint(with: symbols[our.name] ?? [])
            let isLabel = their.name.hasPrefix(".") || their.name.hasPrefix("$")
            let isSame = their.location == our.location && theirs.dropLast() == ours.dropLast()
            #expect(
                isSame && (isBeside || isLabel || our.origin == .debugInformation && their.entry == our.entry),
                "\(subject) at 0x\(String(address, radix: 16)): \(our.name) in place of \(their.name)")
        }
    }

    private func symbols(of objects: [ObjectFile]) throws -> [String: Set<LinkAddress>] {
        var found: [String: Set<LinkAddress>] = [:]
        for object in objects {
            try object.forEachSymbol { symbol in
                found[object.sourceName(symbol.name.text(in: object)), default: []].insert(symbol.address)
                return true
            }
        }
        return found
    }

    func report() {
        print("object\taddresses\tagreements\tdifferences")
        for row in rows { print(row) }
    }

    /// Every function start, and 100 random addresses inside of executable sections.
    private func sample(_ subject: Subject, _ object: ObjectFile, _ peer: PeerSymbolizer) throws -> [UInt64] {
        let sections = object.description.sections.filter { $0.isExecutable && $0.isLoaded && $0.size > 0 }
        // In a relocatable file, addresses count from the section.
        let starts = sections.map { object.description.sectionsArePlaced ? 0 : $0.address.value }
        let isThumb = object.architecture.hasThumbBit
        var addresses = Set(
            try peer.functionStarts(of: subject.path, architecture: subject.architecture)
                .map { isThumb ? $0 & ~1 : $0 }
                .filter { start in zip(starts, sections).contains { $0 <= start && start - $0 < $1.size } })
        var numbers = SeededNumbers(seed: 20_081_026)
        let total = sections.reduce(0) { $0 + $1.size }
        for _ in 0..<100 where total > 0 {
            var position = UInt64.random(in: 0..<total, using: &numbers)
            for (start, section) in zip(starts, sections) {
                if position < section.size {
                    addresses.insert(start + position)
                    break
                }
                position -= section.size
            }
        }
        return addresses.sorted()
    }

    private func frames(_ result: SymbolResult) -> [PeerSymbolizer.Frame] {
        guard case .found(let frames) = result else { return [.unknown] }
        return frames.map { frame in
            PeerSymbolizer.Frame(
                function: frame.name.isEmpty ? "??" : frame.name, file: frame.location?.file ?? "??", line: frame.location?.line ?? 0,
                column: frame.location?.column ?? 0)
        }
    }
}
