internal import BinaryPrimitives
internal import Console
internal import CrashLogModel
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
package import Symbolication

/// Which of the symbol files that the user gave were used, and which of them have no lines: what
/// would otherwise look like success.
package struct SymbolFileUsage: Sendable {
    private let given: [String]
    private let deadSettings: [String]
    private var unseen: Set<String>
    /// A frame has no name.
    private var hasGap = false
    /// A log has addresses without modules, for which only files that were named are used.
    private var hasBareAddresses = false
    private var hasFrames = false
    /// A backtrace of Rust has neither addresses nor lines: with `RUST_BACKTRACE=1`, of a program without debug information.
    private var hasBareRustNames = false
    private var debugInformation: [String: Bool] = [:]
    private var sharedCaches: [String: Bool] = [:]

    package init(_ source: SymbolOptions) {
        given = SymbolLocations(source.symbols).paths
        deadSettings = source.deadSettings
        unseen = Set(given)
    }

    /// Notes which of the files the report's frames used.
    package mutating func note(_ report: SymbolicatedReport) {
        guard !given.isEmpty else { return }
        for image in report.images where !unseen.isEmpty {
            for path in image.files.map(\.candidate.path) + image.refusals.map(\.path) {
                for one in unseen where Self.holds(one, path) { unseen.remove(one) }
            }
        }
        if !hasGap, report.unresolvedFrames > 0 { hasGap = true }
        if report.report.images.isEmpty { hasBareAddresses = true }
        if report.report.format == "rust-panic", !report.report.stacks.contains(where: { $0.frames.contains(where: \.hasPosition) }) {
            hasBareRustNames = true
        }
        guard !hasFrames else { return }
        hasFrames = report.allFrames.contains { if case .notLookedUp = $0.outcome.result { false } else { true } }
    }

    /// Notes which of the files the report's frames used.
    /// - Returns: warnings about frames that have no line because the file that the user gave is
    ///   stripped.
    package mutating func record(_ report: SymbolicatedReport) -> [String] {
        guard !given.isEmpty else { return [] }
        note(report)
        var withoutLine: [String: Int] = [:]
        for (frame, outcome) in report.allFrames {
            guard case .resolved(let result, .symbolTable) = outcome.result, frame.printed?.location == nil,
                !result.functions.contains(where: { $0.location != nil }), let index = outcome.image,
                report.images.indices.contains(index)
            else { continue }
            let files = report.images[index].files.map(\.candidate.path)
            guard let file = files.first(where: { path in given.contains { Self.holds($0, path) } }) else { continue }
            if !files.contains(where: { isInSharedCache($0) || hasDebugInformation($0) }) { withoutLine[file, default: 0] += 1 }
        }
        return withoutLine.sorted { $0.key < $1.key }.map { file, count in
            "\(count) frame\(count == 1 ? " has" : "s have") no line: \(file) has no debug information. Use the unstripped file, or build with -g"
        }
    }

    /// Prints, when all logs have been read, what no frame used and what the settings name in vain.
    package func report() {
        for problem in unused { printDiagnostic(problem, as: .warning) }
        if hasBareRustNames {
            printDiagnostic("a backtrace of Rust has no addresses. For its lines, run the program with RUST_BACKTRACE=full", as: .note)
        }
        for remark in deadSettings { printDiagnostic(remark, as: .note) }
    }

    /// Files that the user gave and no frame used; a directory that is not needed is left alone.
    private var unused: [String] {
        guard hasFrames else { return [] }
        return given.filter { unseen.contains($0) }.compactMap { path in
            switch PathKind(path: path) {
            // A store of a whole company is given for every log.
            case .directory where !path.hasSuffix(".dSYM") && !hasGap: return nil
            case .directory where !path.hasSuffix(".dSYM") && hasBareAddresses:
                return "\(path): a log without modules needs the program itself: --symbols \(ShellWord.quoted(path + "/PROGRAM"))"
            case .directory where !path.hasSuffix(".dSYM"): return "\(path): no file in it matches an image of the log"
            case .directory, .file:
                // A file that is not an image (a map of hidden names, a list of UUIDs) is not used
                // by frames.
                let files = (try? SymbolFileReader.openAll(path: path)) ?? []
                if let process = (files.first as? GeneratedCodeFile)?.process {
                    return "\(path): not used: it is the code of process \(process), and no frame is in it"
                }
                let ids = files.compactMap(\.identity)
                guard let id = ids.first else { return nil }
                if hasBareAddresses {
                    return
                        "\(path): not used: the log's addresses have no modules, and none is known to be in it. If it was loaded at BASE: --image =\(ShellWord.quoted(path))@BASE"
                }
                return "\(path): not needed: no frame is in an image with \(id.uuid == nil ? "build ID" : "UUID") \(id)"
            case .other, nil: return nil
            }
        }
    }

    private mutating func hasDebugInformation(_ path: String) -> Bool {
        if let known = debugInformation[path] { return known }
        let files = (try? SymbolFileReader.openAll(path: path)) ?? []
        // A list of generated code has no other form with lines.
        let found = files.contains { $0.hasDebugInformation || $0 is GeneratedCodeFile }
        debugInformation[path] = found
        return found
    }

    /// Whether the file is an image of Apple's shared cache, of which nobody has the lines.
    private mutating func isInSharedCache(_ path: String) -> Bool {
        guard let archive = MemberPath.split(path)?.file else { return false }
        if let known = sharedCaches[archive] { return known }
        let isCache = SharedCache.isCache(archive)
        sharedCaches[archive] = isCache
        return isCache
    }

    /// The path is what was given, or is below it: in a directory, a bundle or an archive.
    private static func holds(_ given: String, _ path: String) -> Bool {
        guard path.hasPrefix(given) else { return false }
        let rest = path.dropFirst(given.count)
        return rest.isEmpty || given.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("!")
    }
}

extension Frame {
    /// Whether the log has an address of it, or a line.
    fileprivate var hasPosition: Bool { address != nil || imageLocation != nil || printed?.location != nil }
}
