internal import BinaryPrimitives

/// Result of comparing two readers' results for one address.
package enum ComparisonVerdict: Sendable, Hashable {
    /// The first attribute in which they differ.
    package enum Difference: String, Sendable, CaseIterable {
        case knowledge = "only one knows the address"
        case inlining = "the inlined calls differ"
        case name = "the names differ"
        case entry = "the entries differ"
        case file = "the files differ"
        case line = "the lines differ"
        case column = "the columns differ"
    }

    case agree
    /// The debug information allows several results, and the readers chose different ones.
    case bothAllowed
    /// libdwarf's result is known to be incomplete, mainly for this reason; the part that it has agrees.
    case notCompared(ReferenceResult.Gap)
    case differ(Difference)

    /// - Parameters:
    ///   - ours: the result of the reader under test.
    ///   - reference: the result of libdwarf.
    package init(_ ours: AddressResult, _ reference: ReferenceResult) {
        let theirs = reference.result.withCallFiles(of: ours)
        if ours == theirs, let gap = reference.gaps.first(where: \.isMissingFile) {
            // Neither reader has the contents of the missing file: that is no agreement.
            self = .notCompared(gap)
        } else if ours == theirs {
            self = .agree
        } else if let gap = reference.gaps.first, reference.fits(ours) {
            self = .notCompared(gap)
        } else if reference.alternatives.contains(where: { $0.withCallFiles(of: ours) == ours }) {
            self = .bothAllowed
        } else {
            self = .differ(Self.difference(ours, theirs))
        }
    }

    private static func difference(_ ours: AddressResult, _ theirs: AddressResult) -> Difference {
        guard ours.isKnown == theirs.isKnown else { return .knowledge }
        guard ours.functions.map(\.isInlined) == theirs.functions.map(\.isInlined) else { return .inlining }
        guard ours.functions.map(\.name) == theirs.functions.map(\.name) else { return .name }
        guard ours.functions.map(\.entry) == theirs.functions.map(\.entry) else { return .entry }
        let locations = zip([ours.location] + ours.functions.map(\.callSite), [theirs.location] + theirs.functions.map(\.callSite))
        for (our, their) in locations where our != their {
            if our?.file != their?.file { return .file }
            return our?.line != their?.line ? .line : .column
        }
        return .column
    }
}

extension ReferenceResult.Gap {
    fileprivate var isMissingFile: Bool { self == .splitUnit || self == .supplementaryFile }
}

extension ReferenceResult {
    /// Whether a result is the same, except for the parts that libdwarf lacks or is known to get wrong.
    fileprivate func fits(_ ours: AddressResult) -> Bool {
        var (ours, theirs, corrected) = (ours, result.withCallFiles(of: ours), result.withCallFiles(of: ours))
        for gap in gaps {
            ours = ours.comparable(despite: gap)
            theirs = theirs.comparable(despite: gap)
            corrected = corrected.corrected(by: gap).comparable(despite: gap)
        }
        return ours == theirs || ours == corrected
    }
}

extension AddressResult {
    /// The part of the result that libdwarf has completely, regardless of other gaps.
    fileprivate func comparable(despite gap: ReferenceResult.Gap) -> AddressResult {
        var part = self
        switch gap {
        case .splitUnit: part.functions = []
        case .supplementaryFile:
            part.location?.file = ""
            for index in part.functions.indices {
                part.functions[index].name = nil
                part.functions[index].callSite?.file = ""
            }
        case .typeUnit:
            for index in part.functions.indices { part.functions[index].name = nil }
        case .unreadable: part = AddressResult()
        case .firstFile, .outsideUnit: break
        }
        return part
    }

    /// The same result, with another result's files for the calls that swiftc attributes to
    /// `<compiler-generated>` though their lines are real: other parts of the debug information have the
    /// file.
    fileprivate func withCallFiles(of other: AddressResult) -> AddressResult {
        guard functions.count == other.functions.count else { return self }
        var result = self
        for (index, function) in other.functions.enumerated() {
            guard let site = result.functions[index].callSite, site.line > 0, site.file.hasSuffix("<compiler-generated>"),
                let file = function.callSite?.file, file.hasSuffix(".swift")
            else { continue }
            result.functions[index].callSite?.file = file
        }
        return result
    }

    /// libdwarf's result with its known errors corrected.
    fileprivate func corrected(by gap: ReferenceResult.Gap) -> AddressResult {
        switch gap {
        case .firstFile(let file):
            var result = self
            result.location?.file = file
            return result
        case .outsideUnit: return AddressResult()
        default: return self
        }
    }
}

/// Counts of verdicts.
package struct ComparisonSummary: Sendable {
    package private(set) var agreements = 0
    package private(set) var bothAllowed = 0
    package private(set) var differences: [ComparisonVerdict.Difference: Int] = [:]
    package private(set) var splitUnits = 0
    package private(set) var supplementaryFiles = 0
    package private(set) var typeUnits = 0
    package private(set) var firstFiles = 0
    package private(set) var outsideUnits = 0
    package private(set) var unreadable = 0

    package init() {}

    package mutating func add(_ verdict: ComparisonVerdict) {
        switch verdict {
        case .agree: agreements += 1
        case .bothAllowed: bothAllowed += 1
        case .differ(let difference): differences[difference, default: 0] += 1
        case .notCompared(.splitUnit): splitUnits += 1
        case .notCompared(.supplementaryFile): supplementaryFiles += 1
        case .notCompared(.typeUnit): typeUnits += 1
        case .notCompared(.firstFile): firstFiles += 1
        case .notCompared(.outsideUnit): outsideUnits += 1
        case .notCompared(.unreadable): unreadable += 1
        }
    }

    package var differing: Int { differences.values.reduce(0, +) }

    /// Number of addresses that were compared, or at least tried.
    package var total: Int {
        agreements + bothAllowed + differing + splitUnits + supplementaryFiles + typeUnits + firstFiles + outsideUnits + unreadable
    }

    /// Whether the readers agree on all addresses for which libdwarf has a result. Files that neither reader
    /// has (split units and supplementary files that are missing) and known errors of libdwarf are not
    /// disagreements; debug information that it refuses to read could not be compared.
    package var isAgreement: Bool { differing == 0 && unreadable == 0 }
}
