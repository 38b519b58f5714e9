internal import ObjectFiles

/// All locations that a search for an image's symbols checks, in order, to explain why there are no
/// symbols.
package struct SearchTrail: Sendable {
    /// One location and its files.
    package struct Location: Sendable {
        /// Description of the location.
        package var name: String
        /// Paths at which a file would be, whether it exists or not; empty if the location is searched
        /// instead.
        package var expected: [String]
        /// The files that are there and were looked into.
        package var files: [File]
        /// Other remarks of the location: one sentence each.
        package var remarks: [String]

        package init(name: String, expected: [String], files: [File], remarks: [String] = []) {
            self.name = name
            self.expected = expected
            self.files = files
            self.remarks = remarks
        }
    }

    package struct File: Sendable, Hashable {
        package var path: String
        package var verdict: Verdict

        package init(path: String, verdict: Verdict) {
            self.path = path
            self.verdict = verdict
        }
    }

    package enum Verdict: Sendable, Hashable {
        /// It is the image's; whether it has debug information, or only names.
        case fits(AcceptedSymbolFile.Proof, hasDebugInformation: Bool)
        case refused(SymbolFileRefusal.Reason)
    }

    /// In the order in which they are searched.
    package var locations: [Location]

    package init(locations: [Location] = []) { self.locations = locations }

    /// Marks a file that fits as one that was not used.
    package mutating func reject(_ refusal: SymbolFileRefusal) {
        for location in locations.indices {
            for file in locations[location].files.indices where locations[location].files[file].path == refusal.path {
                locations[location].files[file].verdict = .refused(refusal.reason)
            }
        }
    }

    /// Every file that was not used, with the reason.
    package var refusals: [SymbolFileRefusal] {
        locations.flatMap(\.files).compactMap { file in
            guard case .refused(let reason) = file.verdict else { return nil }
            return SymbolFileRefusal(path: file.path, reason: reason)
        }
    }
}

extension SymbolFileSearch {
    /// Looks into every location, also after the one that brought the files that are used. Costly
    /// places are searched only where the others have no debug information.
    package func trail(for request: ImageRequest, in locators: [any DebugFileLocator], judge: CodeVerdict.Judge? = nil) -> SearchTrail {
        var trail = SearchTrail()
        var hasDebugInformation = false
        var seen: Set<String> = []
        for locator in locators {
            let isAnyFound = trail.locations.contains { $0.files.contains { if case .fits = $0.verdict { true } else { false } } }
            if locator.isCostly && hasDebugInformation || locator.completesOnly && !isAnyFound { continue }
            var files: [SearchTrail.File] = []
            var named = NamedFiles(request: request)
            for candidate in locator.candidates(for: request) where seen.insert(candidate.path).inserted {
                switch check(candidate, for: request, mayUsePath: judge != nil) {
                case .accepted(let file):
                    if file.proof == .name || file.proof == .path { named.add(file) }
                    files.append(
                        SearchTrail.File(path: file.path, verdict: .fits(file.proof, hasDebugInformation: file.file.hasDebugInformation)))
                    if file.proof != .forced, file.file.hasDebugInformation { hasDebugInformation = true }
                case .refused(let reason): files.append(SearchTrail.File(path: candidate.path, verdict: .refused(reason)))
                case .unrelated: break
                }
            }
            _ = named.choose(judge)
            for refusal in named.refusals {
                guard let index = files.firstIndex(where: { $0.path == refusal.path }) else { continue }
                files[index].verdict = .refused(refusal.reason)
            }
            let expected = locator.expectedPaths(for: request)
            trail.locations.append(
                SearchTrail.Location(name: locator.location, expected: expected, files: files, remarks: locator.remarks(for: request)))
        }
        return trail
    }
}
