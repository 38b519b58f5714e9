/// A chart of reports over time, maybe divided by program or version, and the same as a table.
struct TimeChart {
    /// A program or a version.
    struct Part {
        var name: String
        var href: String?
        var series: TimeSeries
        var kind = Kind.value
    }

    enum Kind {
        case value
        /// All other values, and reports without one.
        case others
        /// Reports without a timestamp, at the time of their file.
        case byFile
    }

    /// Links to the sections of a list of reports that are not in the chart, by their keys.
    enum Section {
        static let earlier = "earlier"
        static let later = "later"
    }

    let columns: TimeColumns
    /// None, two and more, or the one by the files' times.
    let parts: [Part]
    /// Reports that are not in the chart because they are far from the others.
    let earlier: Int
    let later: Int
    /// Those of them that have no timestamp.
    private let leftOutByFile: Int
    private let usesFileTimes: Bool

    /// - Parameters:
    ///   - usesFileTimes: Reports without a timestamp are at the time of their file.
    ///   - href: Returns the link to a value's groups or reports.
    init(_ divided: DividedSeries, links: [Int: String], usesFileTimes: Bool, href: (String) -> String? = { _ in nil }) {
        self.usesFileTimes = usesFileTimes
        columns = TimeColumns(divided.all, links: links)
        parts = divided.parts(href)
        (earlier, later, leftOutByFile) = (divided.earlier, divided.later, divided.leftOutByFile)
    }

    /// Parts with colours of their own; the others are one.
    static let limit = 5

    /// - Parameters:
    ///   - otherwise: Link for columns without a link of their own.
    ///   - sections: Links to the lists of reports that are not in the chart.
    ///   - undated: Number of reports without a timestamp.
    func values(root: String, otherwise: String, sections: [String: String], undated: Int) -> [String: Any] {
        let series = columns.series
        let drawing = StackedColumns(parts.isEmpty ? [series.counts] : parts.map(\.series.counts))
        let bars: [[String: Any]] = drawing.bars.map { bar in
            [
                "href": columns.href(bar.index, root: root, otherwise: otherwise), "x": bar.x,
                "title": "\(columns.label(bar.index)): \(PageText.count(series.counts[bar.index], "report"))",
                "parts": bar.parts.map { part -> [String: Any] in
                    ["style": style(part.series), "x": bar.x, "y": part.y, "height": part.height]
                },
            ]
        }
        let word = series.scale.word
        var values: [String: Any] = [
            "width": drawing.width, "bars": bars, "top": PageText.number(drawing.top), "half": PageText.number(drawing.top / 2),
            "firstLabel": columns.label(0), "lastLabel": series.counts.count > 1 ? columns.label(series.counts.count - 1) : "",
            "peak": PageText.number(series.largest) + (peak.map { ", \(columns.label($0))" } ?? ""), "word": word,
            "wordCapital": word.prefix(1).uppercased() + word.dropFirst(),
            "figure": "Reports by \(word) (UTC)." + (byFile > 0 ? " " + Self.noteOfFiles(byFile) : ""), "hasSeries": !parts.isEmpty,
        ]
        let leftOut = leftOut(root: root, otherwise: otherwise, sections, undated: undated)
        values["hasLeftOut"] = !leftOut.isEmpty
        values["leftOut"] = leftOut
        if !usesFileTimes, undated > 0 { values["aboutFiles"] = "The times of their files are those of copies, or unknown." }
        values["series"] = parts.enumerated().map { number, part in
            var values: [String: Any] = [
                "style": style(number), "name": part.name, "count": PageText.number(part.series.counts.reduce(0, +)),
            ]
            if let href = part.href { values["href"] = root + href }
            return values
        }
        values["pieces"] = series.counts.indices.filter { series.counts[$0] > 0 }.map { index -> [String: Any] in
            [
                "label": columns.label(index), "count": PageText.number(series.counts[index]),
                "href": columns.href(index, root: root, otherwise: otherwise),
                "cells": parts.map { PageText.number($0.series.counts.indices.contains(index) ? $0.series.counts[index] : 0) },
            ]
        }
        return values
    }

    /// `12 reports without a timestamp are at the time of their file.`
    private static func noteOfFiles(_ count: Int) -> String {
        "\(PageText.count(count, "report")) without a timestamp \(count == 1 ? "is" : "are") at the time of \(count == 1 ? "its" : "their") file."
    }

    /// Reports without a timestamp that are in the chart.
    private var byFile: Int { parts.filter { $0.kind == .byFile }.reduce(0) { $0 + $1.series.counts.reduce(0, +) } }

    /// `1 earlier report`, `2 later reports`, `3 reports without a timestamp`.
    private func leftOut(root: String, otherwise: String, _ sections: [String: String], undated: Int) -> [[String: Any]] {
        // Reports that are earlier or later by the time of their file have no timestamp either.
        let timeless = max(0, undated - byFile - leftOutByFile)
        let items = [
            (earlier, "earlier report", "", Section.earlier), (later, "later report", "", Section.later),
            (timeless, "report", " without a timestamp", TimeColumns.withoutTimestamp),
        ].filter { $0.0 > 0 }
        return items.enumerated().map { index, item in
            [
                "text": PageText.count(item.0, item.1) + item.2, "href": root + (sections[item.3] ?? otherwise),
                "separator": index + 1 < items.count ? ", " : ".",
            ]
        }
    }

    private var peak: Int? { columns.series.largest > 1 ? columns.series.counts.firstIndex(of: columns.series.largest) : nil }

    private func style(_ number: Int) -> String {
        guard parts.indices.contains(number) else { return "s\(number)" }
        return switch parts[number].kind {
        case .value: "s\(number)"
        case .others: "s5"
        case .byFile: "s6"
        }
    }
}

/// Counts of each hour put into a chart's pieces, all of them and those of some values.
struct DividedSeries {
    private(set) var all: TimeSeries
    private let names: [String: Int]
    private var series: [TimeSeries]
    private var others: TimeSeries
    private var byFile: TimeSeries
    /// Reports before and after the period.
    private(set) var earlier = 0
    private(set) var later = 0
    /// Those of them that have no timestamp.
    private(set) var leftOutByFile = 0

    /// - Parameter values: those that are counted by themselves.
    init(_ empty: TimeSeries, values: [String]) {
        all = empty
        others = empty
        byFile = empty
        let values = values.prefix(TimeChart.limit)
        names = Dictionary(values.enumerated().map { ($1, $0) }) { first, _ in first }
        series = Array(repeating: empty, count: values.count)
    }

    mutating func add(_ count: Int, of value: String?, at start: Int64) {
        addToAll(count, at: start)
        if let number = value.flatMap({ names[$0] }) { series[number].add(count, at: start) } else { others.add(count, at: start) }
    }

    /// Adds reports without a timestamp at the time of their file.
    mutating func add(_ count: Int, byFileAt start: Int64) {
        if !addToAll(count, at: start) { leftOutByFile += count }
        byFile.add(count, at: start)
    }

    /// - Returns: whether it is in the period.
    @discardableResult
    private mutating func addToAll(_ count: Int, at start: Int64) -> Bool {
        let side = all.side(of: all.scale.piece(of: start))
        if side < 0 { earlier += count }
        if side > 0 { later += count }
        all.add(count, at: start)
        return side == 0
    }

    /// - Parameter href: Returns the link to a value's groups or reports.
    func parts(_ href: (String) -> String? = { _ in nil }) -> [TimeChart.Part] {
        var parts = names.sorted { $0.value < $1.value }.map { name, number in
            TimeChart.Part(name: PageText.short(name, 60), href: href(name), series: series[number])
        }
        if others.largest > 0 { parts.append(TimeChart.Part(name: "other, or unknown", series: others, kind: .others)) }
        if byFile.largest > 0 {
            // Without a value the dated reports would have no name beside these.
            if parts.count == 1, parts[0].kind == .others { parts[0].name = "time of the log" }
            parts.append(TimeChart.Part(name: "time of the file", series: byFile, kind: .byFile))
            return parts
        }
        return parts.count > 1 ? parts : []
    }
}
