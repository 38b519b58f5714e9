/// A chart of reports over time, maybe divided by program or version, and the same as a table.
struct TimeChart {
    /// A program or a version.
    struct Part {
        var name: String
        var href: String?
        var series: TimeSeries
        var isOther = false
    }

    let columns: TimeColumns
    /// None, or two and more.
    let parts: [Part]

    /// Parts with colours of their own; the others are one.
    static let limit = 5

    /// - Parameters:
    ///   - otherwise: Link for columns without a link of their own.
    ///   - hidden: Number of reports without a timestamp, which are not shown.
    func values(root: String, otherwise: String, hidden: Int) -> [String: Any] {
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
            "figure": "Reports by \(word) (UTC)."
                + (hidden > 0 ? " \(PageText.count(hidden, "report")) without a timestamp \(hidden == 1 ? "is" : "are") not shown." : ""),
            "hasSeries": !parts.isEmpty,
        ]
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

    private var peak: Int? { columns.series.largest > 1 ? columns.series.counts.firstIndex(of: columns.series.largest) : nil }

    private func style(_ number: Int) -> String { parts.indices.contains(number) && parts[number].isOther ? "s5" : "s\(number)" }
}

/// Counts of each hour put into a chart's pieces, all of them and those of some values.
struct DividedSeries {
    private(set) var all: TimeSeries
    private let names: [String: Int]
    private var series: [TimeSeries]
    private var others: TimeSeries

    /// - Parameter values: those that are counted by themselves.
    init(_ empty: TimeSeries, values: [String]) {
        all = empty
        others = empty
        let values = values.prefix(TimeChart.limit)
        names = Dictionary(values.enumerated().map { ($1, $0) }) { first, _ in first }
        series = Array(repeating: empty, count: values.count)
    }

    mutating func add(_ count: Int, of value: String?, at start: Int64) {
        all.add(count, at: start)
        if let number = value.flatMap({ names[$0] }) { series[number].add(count, at: start) } else { others.add(count, at: start) }
    }

    /// - Parameter href: Returns the link to a value's groups or reports.
    func parts(_ href: (String) -> String? = { _ in nil }) -> [TimeChart.Part] {
        var parts = names.sorted { $0.value < $1.value }.map { name, number in
            TimeChart.Part(name: PageText.short(name, 60), href: href(name), series: series[number])
        }
        if others.largest > 0 { parts.append(TimeChart.Part(name: "other, or unknown", series: others, isOther: true)) }
        return parts.count > 1 ? parts : []
    }
}
