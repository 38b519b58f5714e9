internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
package import Symbolication

/// Writes an explanation for people: a block for each image.
package struct ExplanationText {
    private let theme: Theme
    private let isVerbose: Bool

    /// - Parameter isVerbose: prints every location that was searched, and all remedies.
    package init(theme: Theme = .plain, isVerbose: Bool = false) {
        self.theme = theme
        self.isVerbose = isVerbose
    }

    /// - Parameters:
    ///   - path: the log's name.
    ///   - command: what symbolicates the log, with the user's options: takes the options that are
    ///     added to them.
    /// - Returns: lines, each with its end.
    package func render(_ explanation: Explanation, path: String, command: (String) -> String) -> [UInt8] {
        var lines = [title(explanation, path: path)]
        let named = explanation.images.filter(Self.isNamedByLog)
        for image in explanation.images where !Self.isNamedByLog(image) { lines += [""] + block(image, command) }
        if !named.isEmpty {
            lines += ["", theme.heading("already named in the log: \(Self.count(named.count, "image"))")]
            for image in named { lines.append("  " + Self.title(image)) }
            if isVerbose {
                for remedy in Set(named.flatMap(\.remedies).map(\.sentence)).sorted().prefix(3) {
                    lines.append(row("to do", PlainText.line(remedy)))
                }
            }
        }
        if !explanation.reasonsWithoutImage.isEmpty {
            let count = explanation.reasonsWithoutImage.reduce(0) { $0 + $1.frames }
            lines += ["", theme.heading("no image: \(Self.count(count, "frame"))")] + explanation.reasonsWithoutImage.flatMap(reason)
        }
        if !explanation.notes.isEmpty { lines += ["", theme.heading("notes")] + explanation.notes.map { "  " + PlainText.line($0) } }
        return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }

    private func title(_ explanation: Explanation, path: String) -> String {
        let isWhole = !explanation.images.contains { $0.isFileless && $0.resolved < $0.frames }
        // Only if there is a remedy: the C library's own start code never has lines.
        let withoutLine = explanation.images.filter { !$0.remedies.isEmpty }.reduce(0) { $0 + $1.withoutLine }
        let lines = withoutLine == 0 ? "" : ", \(withoutLine) without a line"
        let answered =
            explanation.unresolved == 0
            ? (isWhole ? "every frame has a name" : "no symbols are missing") + lines
            : "\(explanation.unresolved) of \(Self.count(explanation.frames, "frame")) unresolved"
        let process = explanation.report.process.name.map { ", \(PlainText.line($0))" } ?? ""
        return theme.heading("\(PlainText.line(path)) (\(explanation.report.format)\(process)): \(answered)")
    }

    private func block(_ image: Explanation.Image, _ command: (String) -> String) -> [String] {
        let wanted = image.outcome.image
        let title = Self.title(image) + ": " + Self.state(image)
        var lines = [image.missing > 0 ? theme.alarm(title) : theme.heading(title)]
        // If nothing is missing, there is nothing to explain.
        if !isVerbose, image.missing == 0, image.withoutLine == 0 || image.remedies.isEmpty { return lines }
        if let path = wanted.path { lines.append(row("in the log", PlainText.line(path))) }
        for (index, file) in image.outcome.files.enumerated() {
            let what =
                switch file.proof {
                case .identity:
                    "matched by "
                        + (wanted.id == nil && wanted.codeIdentifier != nil
                            ? "timestamp and size" : wanted.id?.uuid == nil ? "build ID" : "UUID")
                case .name: "matched by name"
                case .path: "found by path, not modified since the log"
                case .memory: "it begins as the one in memory"
                case .forced: "another build, used because of --force"
                }
            lines.append(row(index == 0 ? "used" : "", PlainText.line("\(file.candidate.path) (\(file.candidate.origin), \(what))")))
        }
        let isFound = image.outcome.status == .found
        if isVerbose, image.missing > 0 || image.withoutLine > 0 { lines += searchRows(image.trail) }
        if !isVerbose { lines += image.trail.refusals.prefix(1).map { row("not used", PlainText.line($0.description)) } }
        // Without a file, the list of searched locations is sufficient.
        if isFound || image.trail.locations.isEmpty, !image.reasons.isEmpty {
            lines += [row("unresolved", "")] + image.reasons.flatMap(reason)
        }
        for (index, remedy) in image.remedies.prefix(isVerbose ? .max : 1).enumerated() {
            lines.append(row(index == 0 ? "to do" : "", PlainText.line(remedy.sentence)))
            switch remedy.command {
            case .again(let options): lines.append(row("", PlainText.line(command(options))))
            case .shell(let shell): lines.append(row("", PlainText.line(shell)))
            case nil: break
            }
        }
        return lines
    }

    private func searchRows(_ trail: SearchTrail) -> [String] {
        var lines: [String] = []
        for (index, searched) in trail.locations.enumerated() {
            let remarks = searched.remarks.isEmpty ? "" : " (\(searched.remarks.joined(separator: "; ")))"
            let expected = searched.expected.first.map { " at \($0)" } ?? ""
            let found = searched.files.isEmpty ? "nothing\(expected)" : Self.count(searched.files.count, "file")
            lines.append(row(index == 0 ? "searched" : "", PlainText.line("\(searched.name): \(found)\(remarks)")))
            for file in searched.files.prefix(Self.shown) { lines.append(row("", "  " + verdict(file))) }
            if searched.files.count > Self.shown { lines.append(row("", "  and \(searched.files.count - Self.shown) more")) }
        }
        return lines
    }

    private func verdict(_ file: SearchTrail.File) -> String {
        switch file.verdict {
        case .fits(let proof, let hasDebugInformation):
            let what =
                switch proof {
                case .identity: "it is the image"
                case .name: "it has the image's name"
                case .path: "it is at the image's path"
                case .memory: "it begins as the image in memory"
                case .forced: "it is another build"
                }
            return PlainText.line("\(file.path): \(what)\(hasDebugInformation ? "" : "; it has no debug information, only names")")
        case .refused(let reason): return PlainText.line(SymbolFileRefusal(path: file.path, reason: reason).description)
        }
    }

    private func reason(_ reason: Explanation.Reason) -> [String] {
        var lines = [row("", "\(Self.count(reason.frames, "frame")): \(PlainText.line(reason.sentence))")]
        if let remedy = reason.remedy { lines.append(row("", "  would help: \(PlainText.line(remedy))")) }
        return lines
    }

    /// Maximum number of files that are listed for one location; a directory of many builds may hold hundreds
    /// of one name.
    private static let shown = 8

    /// Nothing was found for it and nothing is missing: the log names its frames.
    private static func isNamedByLog(_ image: Explanation.Image) -> Bool {
        image.missing == 0 && image.outcome.status == .missing && !image.isFileless
    }

    private static func title(_ image: Explanation.Image) -> String {
        let wanted = image.outcome.image
        let architecture = wanted.architecture.map { " (\(PlainText.line($0.name)))" } ?? ""
        if image.isFileless { return PlainText.line(wanted.name) }
        let identifier = wanted.id?.description ?? wanted.codeIdentifier
        return PlainText.line(wanted.name) + architecture + (identifier.map { " \($0)" } ?? " (no build ID in the log)")
    }

    private static func state(_ image: Explanation.Image) -> String {
        if image.isFileless, image.resolved == 0 { return "\(count(image.frames, "frame")), not a file-backed image" }
        var parts = ["\(image.resolved) of \(count(image.frames, "frame")) resolved"]
        if image.withoutLine > 0 { parts.append("\(image.withoutLine) without a line") }
        let named = image.frames - image.resolved - image.missing
        if named > 0 { parts.append("\(named) already named in the log") }
        return parts.joined(separator: ", ")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private func row(_ label: String, _ text: String) -> String {
        "  " + (text.isEmpty ? label : label + String(repeating: " ", count: max(0, 12 - label.count)) + text)
    }
}
