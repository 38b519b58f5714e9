internal import Templating

/// The pages' templates. They are in Swift files, as the lists of frames are: a program of one file
/// needs no folder beside it. An array of bytes, as SwiftPM would make of a resource, takes the
/// compiler longer than a string.
struct PageTemplates {
    private let library: TemplateLibrary
    /// Names of the templates that could not be parsed; none, unless one of ours is wrong.
    let missing: [String]
    /// What every page has.
    private let common: [String: Any]

    /// - Parameter version: of this program.
    init(version: String, written: Int64) {
        let templates = Self.texts.compactMapValues { try? Template($0) }
        missing = Self.texts.keys.filter { templates[$0] == nil }.sorted()
        library = TemplateLibrary(templates, escape: PageText.escaped)
        common = [
            "style": Self.styleSheet, "script": Self.script, "version": version, "written": Self.instant(written, text: nil),
            // The browser uses only what is in the page itself, whatever a log has injected.
            "policy":
                "default-src 'none'; style-src '\(PageHash.text(of: Self.styleSheet))'; script-src '\(PageHash.text(of: Self.script))'; base-uri 'none'; form-action 'none'",
        ]
    }

    static let texts = [
        "frame": frame, "instant": instant, "facts": facts, "columns": columns, "tallies": tallies, "missingImages": missingImages,
        "index": index,
        "groupTable": groupTable, "groupList": groupList, "group": group, "list": list, "log": log, "pager": pager,
    ]

    /// - Returns: a page's bytes.
    func page(_ name: String, _ values: [String: Any]) -> [UInt8] {
        library.render(name, TemplateValue(common.merging(values) { $1 }) ?? .object([:]))
    }

    /// An instant's values; without one what the log says, or that it says nothing.
    static func instant(_ nanoseconds: Int64?, text: String?) -> [String: Any] {
        guard let nanoseconds else { return ["text": text.map { PageText.short($0, 80) + " (no time zone)" } ?? "no timestamp"] }
        let instant = PageText.instant(nanoseconds)
        return ["machine": instant.machine, "text": instant.text]
    }
}
