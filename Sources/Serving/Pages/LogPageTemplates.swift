internal import BinaryPrimitives
internal import Pages

/// The pages of logs that people symbolicate in a browser, without a script.
enum LogPageTemplates {
    /// Frame around every page. Pages are also well-formed XML.
    private static let frame = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="robots" content="noindex"/>
        <meta name="color-scheme" content="light dark"/>
        <title>{{title}}</title>
        <link rel="stylesheet" href="/style.css"/>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
        {{#isBelow}}
        <nav aria-label="Where this page is"><ol><li><a href="/">Symbolicate a log</a> ›</li></ol></nav>
        {{/isBelow}}
        <h1>{{title}}</h1>
        </header>
        <main id="content" tabindex="-1">
        {{$main}}{{/main}}
        </main>
        <footer>
        <p class="quiet">cairn{{#version}} {{version}}{{/version}}</p>
        </footer>
        </body>
        </html>

        """

    private static let form = """
        <form method="post" action="/" enctype="multipart/form-data">
        <p><label for="log">Crash log, core file or minidump, also compressed</label>
        <input type="file" id="log" name="log"/></p>
        <p><label for="text">Or its text</label>
        <textarea id="text" name="text" rows="12" spellcheck="false" autocomplete="off"></textarea></p>
        {{#canShare}}
        <p><input type="checkbox" id="share" name="share" value="yes"/> <label class="inline" for="share">Share the result for {{days}} days. Anyone with its link can read it.</label></p>
        {{/canShare}}
        <p><button type="submit">Symbolicate</button></p>
        <p class="quiet">The log is not kept{{#canShare}} unless you share it{{/canShare}}.</p>
        </form>
        """

    private static let formPage = """
        {{< frame}}
        {{$main}}
        {{#problem}}<p class="problem" role="alert">{{problem}}</p>{{/problem}}
        {{> form}}
        {{/main}}
        {{/frame}}
        """

    private static let result = """
        {{< frame}}
        {{$main}}
        <p>{{count}}</p>
        {{#link}}<p>Anyone with this link can read the result until {{until}} (UTC): <a href="{{link}}">{{link}}</a></p>{{/link}}
        {{#problems}}<p class="problem">{{.}}</p>
        {{/problems}}
        {{#hasWanted}}
        <h2>Missing symbol files</h2>
        <table>
        <caption>Files whose symbols would resolve frames.</caption>
        <thead><tr><th scope="col">File and its build ID or UUID</th><th scope="col">What to get</th><th scope="col" class="number">Frames</th></tr></thead>
        <tbody>
        {{#wanted}}<tr><th scope="row"><code>{{name}}</code>{{#architecture}} <span class="tag">{{architecture}}</span>{{/architecture}}<div><code class="quiet">{{identity}}</code></div></th><td>{{needed}}{{#reason}}<div class="quiet">{{reason}}</div>{{/reason}}</td><td class="number">{{frames}}</td></tr>
        {{/wanted}}</tbody>
        </table>
        {{#canUpload}}<p>Upload them with a token of this server:</p>
        <pre>cairn symbols push SERVER FILE --token-file TOKENS</pre>{{/canUpload}}
        {{/hasWanted}}
        <h2>The symbolicated log</h2>
        <div class="scroll" tabindex="0" role="region" aria-label="The symbolicated log"><pre class="log">{{log}}</pre></div>
        {{#isCut}}<p class="problem">The rest is left out here. All of it: <code>curl --data-binary @LOG SERVER/v1/logs</code></p>{{/isCut}}
        {{/main}}
        {{/frame}}
        """

    private static let library: TemplateLibrary = {
        let texts = ["frame": frame, "form": form, "formPage": formPage, "result": result]
        return TemplateLibrary(texts.compactMapValues { try? Template($0) }, escape: PageEscaping.escaped)
    }()

    /// For tests: templates that cannot be parsed.
    static var count: Int { [frame, form, formPage, result].count { (try? Template($0)) != nil } }

    static func page(_ name: String, _ values: [String: Any]) -> [UInt8] {
        library.render(name, TemplateValue(values) ?? .object([:]))
    }

    /// Style sheet of these pages: the rules of the pages of `cairn batch`, and more.
    static let style = PageStyle.compact(PageStyle.plain + PageStyle.scroll + PageStyle.report + own)

    private static let own = """

        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
        label.inline { display: inline; font-weight: inherit; }
        textarea { width: 100%; font-family: var(--mono); font-size: .9rem; color: inherit; background: var(--page); border: 1px solid var(--edge); border-radius: 6px; padding: .5rem; resize: vertical; }
        input[type=file] { font: inherit; max-width: 100%; }
        button { padding: .4rem 1.2rem; border-color: var(--edge); }
        textarea:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        pre.log { width: max-content; min-width: 100%; }
        .problem { border-left: 4px solid var(--focus); padding-left: .6rem; }
        """
}
