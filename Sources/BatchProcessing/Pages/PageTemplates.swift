internal import Mustache

/// The pages' templates. They are in Swift files, as the lists of frames are: a program of one file
/// needs no folder beside it. An array of bytes, as SwiftPM would make of a resource, takes the
/// compiler longer than a string.
struct PageTemplates {
    private let library: MustacheLibrary
    /// What every page has.
    private let common: [String: Any]

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

    /// Names of the templates that could not be parsed; none, unless one of ours is wrong.
    var missing: [String] { Self.texts.keys.filter { library.getTemplate(named: $0) == nil }.sorted() }

    /// - Returns: a page's bytes.
    func page(_ name: String, _ values: [String: Any]) -> [UInt8] {
        Array((library.render(common.merging(values) { $1 }, withTemplate: name) ?? "").utf8)
    }

    /// An instant's values; without one what the log says, or that it says nothing.
    static func instant(_ nanoseconds: Int64?, text: String?) -> [String: Any] {
        guard let nanoseconds else { return ["text": text.map { PageText.short($0, 80) + " (no time zone)" } ?? "no timestamp"] }
        let instant = PageText.instant(nanoseconds)
        return ["machine": instant.machine, "text": instant.text]
    }
}

private struct HarmlessText: MustacheContentType {
    func escapeText(_ text: String) -> String { PageText.escaped(text) }
}
