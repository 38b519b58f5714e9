internal import BinaryPrimitives
internal import Pages

/// The pages' templates. They are in Swift files, as the lists of frames are: a program of one file
/// needs no folder beside it. An array of bytes, as SwiftPM would make of a resource, takes the
/// compiler longer than a string.
struct PageTemplates {
    private let library: TemplateLibrary
    /// Names of the templates that could not be parsed; empty unless one of our templates is wrong.
    let missing: [String]
    /// Values that every page has.
    private let common: [String: Any]
    /// The style of each kind of page, its script, and the policy that allows these two.
    private let kinds: [PageKind: [String: Any]]
    let written: Int64
    let version: String

    /// - Parameter version: Version of this program.
    init(version: String, written: Int64) {
        let templates = Self.texts.compactMapValues { try? Template($0) }
        missing = Self.texts.keys.filter { templates[$0] == nil }.sorted()
        library = TemplateLibrary(templates, escape: PageText.escaped)
        common = [
            "version": PageText.short(version, 60), "written": Self.instant(written, text: nil),
        ]
        self.written = written
        self.version = PageText.short(version, 60)
        var kinds: [PageKind: [String: Any]] = [:]
        for (kind, style) in Self.styles {
            let script = Self.scripts[kind]
            // The browser uses only the page itself, even if a log has injected something.
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

    /// - Returns: a page's bytes.
    func page(_ kind: PageKind, _ values: [String: Any]) -> [UInt8] {
        let values = common.merging(kinds[kind] ?? [:]) { $1 }.merging(values) { $1 }
        return library.render(kind.template, TemplateValue(values) ?? .object([:]))
    }

    /// The timestamp as the log writes it, without a time zone.
    static func timeText(_ text: String?) -> String { text.map { PageText.short($0, 80) } ?? "no timestamp" }

    /// A part of a page.
    func part(_ name: String, _ values: [String: Any]) -> String {
        String(decoding: library.render(name, TemplateValue(values) ?? .object([:])), as: UTF8.self)
    }

    /// Mark of an instant that is the file's, not the log's.
    static let timeOfFile = "time of the file"

    /// An instant's values; without one what the log says, or the time of its file, or that there is
    /// none.
    static func instant(_ nanoseconds: Int64?, text: String?, fileTime: Int64? = nil) -> [String: Any] {
        guard let shown = nanoseconds ?? (text == nil ? fileTime : nil) else { return ["text": timeText(text)] }
        let instant = PageText.instant(shown)
        var values: [String: Any] = ["machine": instant.machine, "text": instant.text]
        if nanoseconds == nil { values["timeNote"] = timeOfFile }
        return values
    }
}

/// Kind of a page: selects its template, style and script.
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

/// The name of a page's own style sheet or script in its policy (Content Security Policy Level 3,
/// section 2.3.1).
enum PageHash {
    static func text(of source: String) -> String {
        var hasher = SHA256()
        hasher.update(Array(source.utf8))
        return "sha256-" + Base64.encoded(hasher.finish())
    }
}
