internal import Mustache

/// The pages' templates. They are in Swift files, as the lists of frames are: a program of one file
/// needs no folder beside it. An array of bytes, as SwiftPM would make of a resource, takes the
/// compiler longer than a string.
struct PageTemplates {
    private let library: MustacheLibrary
    /// What every page has.
    private let common: [String: Any]
    /// The style of each kind of page, its script, and the policy that allows these two.
    private let kinds: [PageKind: [String: Any]]
    let written: Int64
    let version: String

    /// - Parameter version: of this program.
    init(version: String, written: Int64) {
        // The package escapes by characters, so it does not escape a `<` after U+0600 or a
        // quotation mark under an accent.
        MustacheContentTypes.register(HarmlessText(), named: "CAIRN")
        var templates: [String: MustacheTemplate] = [:]
        for (name, text) in Self.texts {
            // Each template says how its values are escaped, because partials would begin with the
            // package's own way again. A template that cannot be parsed is missing, which a test
            // would see.
            templates[name] = try? MustacheTemplate(string: "{{% CONTENT_TYPE:CAIRN}}" + text)
        }
        library = MustacheLibrary(templates: templates)
        common = [
            "version": PageText.short(version, 60), "written": Self.instant(written, text: nil),
        ]
        self.written = written
        self.version = PageText.short(version, 60)
        var kinds: [PageKind: [String: Any]] = [:]
        for (kind, style) in Self.styles {
            let script = Self.scripts[kind]
            // The browser uses only what is in the page itself, whatever a log has injected.
            kinds[kind] = [
                "style": style, "script": script ?? "", "hasScript": script != nil,
                "policy": "default-src 'none'; style-src '\(PageHash.text(of: style))'; "
                    + (script.map { "script-src '\(PageHash.text(of: $0))'; " } ?? "") + "base-uri 'none'; form-action 'none'",
            ]
        }
        self.kinds = kinds
    }

    static let texts = [
        "frame": frame, "pieces": pieces, "instant": instant, "facts": facts, "columns": columns, "chart": chart, "tallies": tallies,
        "bar": bar, "missingImages": missingImages, "missingImage": missingImage, "index": index, "sorting": sorting,
        "groupTable": groupTable, "groupRow": groupRow, "groupList": groupList, "group": group, "list": list, "log": log,
        "report": report, "pager": pager,
    ]

    /// Names of the templates that could not be parsed; none, unless one of ours is wrong.
    var missing: [String] { Self.texts.keys.filter { library.getTemplate(named: $0) == nil }.sorted() }

    /// - Returns: a page's bytes.
    func page(_ kind: PageKind, _ values: [String: Any]) -> [UInt8] {
        let values = common.merging(kinds[kind] ?? [:]) { $1 }.merging(values) { $1 }
        return Array((library.render(values, withTemplate: kind.template) ?? "").utf8)
    }

    /// The log's own words for when it was, which have no time zone.
    static func timeText(_ text: String?) -> String { text.map { PageText.short($0, 80) } ?? "no timestamp" }

    /// A part of a page.
    func part(_ name: String, _ values: [String: Any]) -> String { library.render(values, withTemplate: name) ?? "" }

    /// An instant's values; without one what the log says, or that it says nothing.
    static func instant(_ nanoseconds: Int64?, text: String?) -> [String: Any] {
        guard let nanoseconds else { return ["text": timeText(text)] }
        let instant = PageText.instant(nanoseconds)
        return ["machine": instant.machine, "text": instant.text]
    }
}

/// What kind of page it is: which template, style and script it has.
enum PageKind: Hashable, CaseIterable {
    case index, groups, list, report
    case group
    /// With a flame graph.
    case groupOfStacks

    var template: String {
        switch self {
        case .index: "index"
        case .groups: "groupList"
        case .list: "list"
        case .report: "report"
        case .group, .groupOfStacks: "group"
        }
    }
}

private struct HarmlessText: MustacheContentType {
    func escapeText(_ text: String) -> String { PageText.escaped(text) }
}
