import BinaryPrimitives
import ObjectFiles
import SecondOpinion
import TestSupport
import Testing

@testable import DwarfdumpCommand

/// Both readers on every fixture with debug information.
struct FixtureAgreementTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        var path: String
        var isMachO: Bool
        var architecture: String
        var version: Int
        /// libdwarf 20210528 does not read them as the standard has it: `strx3` and `addrx3` are
        /// three bytes (section 7.5.6; it takes four), and an address advances by whole
        /// instructions of several operations (6.2.5.1; it takes one operation for an instruction).
        /// llvm-symbolizer reads them as cairn does.
        var isBeyondLibdwarf: Bool { ["Forms/out/forms", "Forms/out/forms-big-dwarf64", "LineRules/out/vliw"].contains(path) }
        var testDescription: String { path + (isMachO ? ":" + architecture : "") }
    }

    /// The rows of the index whose `dwarf` column has a version, without files of split units:
    /// those resolve no address by themselves.
    static let fixtures: [Fixture] = {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().compactMap { row in
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count > 3, let version = Int(columns[3]), !columns[0].hasSuffix(".dwp"), !columns[0].hasSuffix(".dwo")
            else { return nil }
            return Fixture(path: columns[0], isMachO: columns[1].hasPrefix("macho"), architecture: columns[2], version: version)
        }
    }()

    @Test func `the index has fixtures with debug information`() { #expect(Self.fixtures.count > 30) }

    @Test(arguments: fixtures.filter { !$0.isBeyondLibdwarf })
    func `both readers agree on every function's start and middle and anywhere between`(fixture: Fixture) throws {
        let choice = fixture.isMachO ? SliceChoice.architecture(Architecture(fixture.architecture)) : .only
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/" + fixture.path), choosing: choice)
        let everywhere = try compare(object, [], sample: 300)
        let middles = try compare(object, try middles(of: object), sample: 0)
        for comparison in [everywhere, middles] {
            let summary = comparison.summary
            #expect(summary.isAgreement, "\(comparison.text(fixture.path))")
            #expect(summary.unreadable == 0)
            // libdwarf 20210528 does not follow DWARF 5's references into the supplementary file.
            #expect(summary.supplementaryFiles == 0 || fixture.path.hasSuffix("/sup-one"))
            // libdwarf is not used for the entries that signatures mean.
            #expect(summary.typeUnits == 0 || fixture.path.hasPrefix("Signatures/"))
            // libdwarf 20210528 is known to get this wrong: the first file of tables of version 5.
            #expect(summary.firstFiles == 0 || fixture.version == 5)
            #expect(summary.splitUnits == 0 || fixture.path.hasSuffix("/split-missing"))
        }
        // The supplementary file has no code.
        #expect(everywhere.summary.agreements > 0 || fixture.path.hasSuffix("/dwz-common") || fixture.path.hasSuffix("/sup-common"))
    }

    /// `split-missing` has one `.dwo` of two (README): the functions of `shapes.cpp`, the sources'
    /// largest part, are not resolved by either reader, and are counted.
    @Test func `what is in a file that is missing is no agreement`() throws {
        let object = try ObjectFiles.open(path: TestPaths.fixture("binaries/SplitUnits/out/split-missing"))
        let summary = try compare(object, try middles(of: object), sample: 0).summary
        #expect(summary.splitUnits > summary.agreements && summary.agreements > 0 && summary.differing == 0)
    }

    /// A program beside which there is no supplementary file: names and files are left out, lines
    /// and inlined calls are compared.
    @Test func `names that dwz moved to a file that is missing are no agreement`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/program"
            try writeFile(path, try readFile(TestPaths.fixture("binaries/SplitUnits/out/dwz-one")))
            let object = try ObjectFiles.open(path: path)
            let summary = try compare(object, [], sample: 300).summary
            #expect(summary.supplementaryFiles > 100 && summary.differing == 0 && summary.unreadable == 0)
        }
    }

    private func compare(_ object: ObjectFile, _ given: [LinkAddress], sample: Int) throws -> Comparison {
        try ComparisonRun(object.path).compare(
            ComparisonRun.Subject(name: object.path, object: object, symbols: []), ComparisonRun.Readers(object),
            ComparisonRun.Choice(given: given, sample: sample, seed: 20_081_026))
    }

    /// The middle of every function that has a size, or reaches to the next function's start.
    private func middles(of object: ObjectFile) throws -> [LinkAddress] {
        let starts = try ReferenceSource(object).functionStarts()
        var middles = zip(starts, starts.dropFirst()).map { LinkAddress($0.value + ($1.value - $0.value) / 2) }
        try object.forEachSymbol { symbol in
            if symbol.kind == .function, symbol.size > 1, let middle = symbol.address.advanced(by: symbol.size / 2) {
                middles.append(middle)
            }
            return true
        }
        return middles + starts
    }
}
