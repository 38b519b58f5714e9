import BinaryPrimitives
import CrashLogModel
import SymbolSources
import Symbolication
import TestReports

@testable import BatchProcessing
@testable import Reporting

/// The rules of other tools, as far as they are known, so that ours is measured beside them on the
/// same crashes.
///
/// Their lists of functions are not copied: where they skip functions by a list, ours is used
/// instead, which has more than theirs for some languages.
enum PeerRules {
    /// A function of the crashed stack with what the peers look at.
    struct Row {
        var name: String
        var file: String?
        var line: Int
        var module: String
        var isSystem: Bool
        var offset: UInt64?
    }

    static func rows(_ report: SymbolicatedReport) -> [Row] {
        let threads = zip(report.report.threads, report.threads)
        let found =
            report.report.exceptionBacktrace.map { ($0, report.exceptionBacktrace) } ?? threads.first(where: \.0.crashed)
            ?? threads.first { _ in true }
        guard let (trace, outcomes) = found else { return [] }
        return zip(trace.frames, outcomes).flatMap { frame, outcome -> [Row] in
            if case .partOfNextFrame = outcome.result { return [] }
            let image = outcome.image.map { report.images[$0].image }
            let isSystem = image.map { OwnCodeRule().foreignReason(image: $0) != nil } ?? false
            func row(_ name: String, _ location: SourceLocation?) -> Row {
                Row(
                    name: name, file: location?.file, line: location?.line ?? 0, module: image?.name ?? "", isSystem: isSystem,
                    offset: outcome.imageOffset?.value)
            }
            return outcome.resolved?.functions.map { row($0.name, $0.location) } ?? [
                row(frame.printed?.name ?? "", frame.printed?.location)
            ]
        }
    }

    /// Types folded to `<T>`, arguments dropped, hashes and clones stripped.
    private static func folded(_ name: String) -> String {
        var text = NameText(name)
        CloneSuffix.remove(from: &text)
        if text.count > 19, text.bytes.suffix(19).starts(with: "::h".utf8) { text.bytes.removeLast(19) }
        if !text.contains(" as ") { text.fold(UInt8(ascii: "<"), UInt8(ascii: ">")) }
        text.replace("(anonymous namespace)", with: "{anonymous namespace}")
        text.fold(UInt8(ascii: "("), UInt8(ascii: ")"))
        while text.drop(suffix: " const") || text.drop(suffix: " ") {}
        if let space = text.last(" "), !text.contains("operator"), !text.contains(" as "), !text.contains("{anonymous namespace}") {
            text.keep(from: space + 1)
        }
        return text.string
    }

    // MARK: Socorro

    /// From the first sentinel on, without irrelevant functions, up to and with the first that is
    /// no prefix; modules that repeat once; at most 40 functions and 255 bytes.
    static func socorro(_ report: SymbolicatedReport, lists: FrameLists = .standard) -> String {
        var rows = rows(report).prefix(40)
        func roles(_ row: Row) -> FrameLists.Roles {
            lists.roles(function: NormalizedName(row.name, file: row.file).text, module: row.module)
        }
        if let sentinel = rows.firstIndex(where: { roles($0).isSentinel }) { rows = rows[sentinel...] }
        var parts: [String] = []
        for row in rows {
            let roles = roles(row)
            if roles.isIrrelevant || roles.isSentinel { continue }
            let part =
                !row.name.isEmpty
                ? folded(row.name)
                : row.file.map { "\($0)#\(row.line)" } ?? (row.module.isEmpty ? "@0x\(String(row.offset ?? 0, radix: 16))" : row.module)
            if row.name.isEmpty, parts.last == part { continue }
            parts.append(part)
            // Modules without symbols and the language's library are prefixes there, too.
            if !roles.isPrefix, !roles.isLibrary, !row.name.isEmpty { break }
        }
        return parts.isEmpty ? "EMPTY: no frame data available" : String(parts.joined(separator: " | ").prefix(255))
    }

    // MARK: xcsym

    /// The kind, and the first three functions of the application's images, or of the system's if
    /// there are none.
    static func xcsym(_ report: SymbolicatedReport) -> String {
        let kind = CrashKind(report.report)
        let rows = rows(report)
        let own = rows.filter { !$0.isSystem }
        func symbol(_ row: Row) -> String { row.name.isEmpty ? row.module + "+0x" + String(row.offset ?? 0, radix: 16) : folded(row.name) }
        guard !own.isEmpty else { return "\(kind.familyKey)|sys:\(rows.first.map(symbol) ?? "")" }
        return "\(kind.familyKey)|\(kind.label)|" + own.prefix(3).map(symbol).joined(separator: ">")
    }

    // MARK: casr

    /// Complete linkage over 1 − similarity, cut at 0.3: a number for each report.
    static func casr(_ reports: [SymbolicatedReport], lists: FrameLists = .standard) -> [Int] {
        let traces = reports.map { report in
            rows(report).filter { row in
                let roles = lists.roles(function: NormalizedName(row.name, file: row.file).text, module: row.module)
                return !roles.isIrrelevant && !roles.isSentinel
            }.prefix(24).map { $0.name.isEmpty ? $0.module + "+0x" + String($0.offset ?? 0, radix: 16) : folded($0.name) }
        }
        var numbers: [String: Int] = [:]
        func number(_ name: String) -> Int {
            let number = numbers[name] ?? numbers.count
            numbers[name] = number
            return number
        }
        var distinct: [[Int]: Int] = [:]
        var unique: [[Int]] = []
        let indices = traces.map { trace -> Int in
            let key = trace.map(number)
            if let known = distinct[key] { return known }
            distinct[key] = unique.count
            unique.append(key)
            return unique.count - 1
        }
        let clusters = CompleteLinkage.clusters(count: unique.count, cut: 0.3) { 1 - similarity(unique[$0], unique[$1]) }
        return indices.map { clusters[$0] }
    }

    /// exp(−0.04 · i) and exp(−0.13 · d)
    private static let positions = (0..<64).map { power(0.960_789_439_152_323_2, $0) }
    private static let distances = (0..<64).map { power(0.878_095_430_920_561_5, $0) }
    private static func power(_ base: Double, _ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * base } }

    private static func similarity(_ left: [Int], _ right: [Int]) -> Double {
        guard !left.isEmpty, !right.isEmpty else { return left.isEmpty && right.isEmpty ? 1 : 0 }
        let width = right.count + 1
        var best = [Double](repeating: 0, count: (left.count + 1) * width)
        for i in left.indices {
            for j in right.indices {
                let step = left[i] == right[j] ? best[i * width + j] + positions[min(i, j)] * distances[abs(i - j)] : 0
                best[(i + 1) * width + j + 1] = max(step, best[i * width + j + 1], best[(i + 1) * width + j])
            }
        }
        return best[left.count * width + right.count] / positions[..<min(left.count, right.count)].reduce(0, +)
    }
}

/// Hierarchical clustering in which two clusters are as far apart as their farthest members, by
/// chains of nearest neighbours.
enum CompleteLinkage {
    static func clusters(count: Int, cut: Double, distance: (Int, Int) -> Double) -> [Int] {
        var distances = [Float](repeating: 0, count: count * count)
        for i in 0..<count {
            for j in 0..<i {
                let value = Float(distance(i, j))
                distances[i * count + j] = value
                distances[j * count + i] = value
            }
        }
        var parent = Array(0..<count)
        var active = Array(0..<count)
        var chain: [Int] = []
        while active.count > 1 {
            if chain.isEmpty { chain = [active[0]] }
            let tip = chain[chain.count - 1]
            var nearest = -1
            var least = Float.infinity
            for other in active where other != tip {
                let value = distances[tip * count + other]
                // Among equals the previous one in the chain is chosen, or the chain would have no
                // end.
                if value < least || value == least && chain.count > 1 && other == chain[chain.count - 2] {
                    (nearest, least) = (other, value)
                }
            }
            guard Double(least) <= cut else {
                // Nothing comes nearer in complete linkage: this cluster is done.
                active.removeAll { $0 == tip }
                chain.removeLast()
                continue
            }
            guard chain.count > 1, chain[chain.count - 2] == nearest else {
                chain.append(nearest)
                continue
            }
            chain.removeLast(2)
            parent[tip] = nearest
            active.removeAll { $0 == tip }
            for other in active where other != nearest {
                let value = max(distances[tip * count + other], distances[nearest * count + other])
                distances[nearest * count + other] = value
                distances[other * count + nearest] = value
            }
        }
        return parent.indices.map { index in
            var root = index
            while parent[root] != root { root = parent[root] }
            return root
        }
    }
}
