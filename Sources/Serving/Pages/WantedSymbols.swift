internal import BinaryPrimitives
internal import CrashLogModel
internal import Symbolication

/// Images whose symbols are missing, with what to get for each.
struct WantedSymbols {
    private struct Key: Hashable {
        var name: String
        var id: ImageID?
    }

    private struct Row {
        var image: BinaryImage
        var isApple: Bool
        var reason: String?
        var frames: Int
    }

    private var rows: [Key: Row] = [:]
    private var order: [Key] = []

    /// Images that are listed.
    private static let shown = 100

    mutating func add(_ symbolicated: SymbolicatedReport) {
        let report = symbolicated.report
        var counts: [Int: Int] = [:]
        for (frame, outcome) in symbolicated.allFrames {
            guard case .unresolved = outcome.result, frame.printed?.name == nil, let image = outcome.image ?? frame.image else { continue }
            counts[image, default: 0] += 1
        }
        for (index, count) in counts.sorted(by: { $0.key < $1.key }) where symbolicated.images.indices.contains(index) {
            let outcome = symbolicated.images[index]
            guard !outcome.image.isPlaceholder, !FilelessImage.isFileless(named: outcome.image.name) else { continue }
            let key = Key(name: outcome.image.name, id: outcome.image.id)
            if rows[key] == nil {
                guard rows.count < Self.shown else { continue }
                order.append(key)
                let isApple = report.format.hasPrefix("apple-") || outcome.image.id?.uuid != nil && outcome.image.debugFile == nil
                rows[key] = Row(image: outcome.image, isApple: isApple, reason: outcome.reason, frames: 0)
            }
            rows[key]?.frames += count
        }
    }

    /// Those with most frames first.
    /// - Parameter includesReasons: with why a file was not used, which may contain its path.
    func values(includesReasons: Bool) -> [[String: Any]] {
        let sorted = order.compactMap { rows[$0] }.enumerated().sorted { ($1.element.frames, $0.offset) < ($0.element.frames, $1.offset) }
        return sorted.map { _, row in
            var values: [String: Any] = [
                "name": PlainText.line(row.image.name, limit: 300), "frames": row.frames, "needed": Self.needed(row.image, row.isApple),
                "identity": row.image.debugIdentifier ?? row.image.id?.description ?? "no build ID or UUID in the log",
            ]
            if let architecture = row.image.architecture?.name { values["architecture"] = PlainText.line(architecture, limit: 40) }
            // Name and identifier are there already.
            if includesReasons, let reason = row.reason, !reason.hasPrefix("no symbol file for ") {
                values["reason"] = PlainText.line(reason, limit: 500)
            }
            return values
        }
    }

    private static func needed(_ image: BinaryImage, _ isApple: Bool) -> String {
        if let file = image.debugFile { return "Breakpad’s .sym of \(PlainText.line(file, limit: 200)), made by dump_syms" }
        let path = image.path ?? ""
        if isApple, ["/System/", "/usr/lib/", "/Library/Apple/"].contains(where: path.hasPrefix) {
            return "The symbols of exactly that version of Apple’s system"
        }
        return isApple ? "The dSYM of that build" : "The unstripped file of that build, or its debug file"
    }
}
