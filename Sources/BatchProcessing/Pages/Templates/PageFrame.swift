extension PageTemplates {
    /// Markup around every page. Pages are also well-formed XML, so that a strict parser can check
    /// them.
    static let frame = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta http-equiv="Content-Security-Policy" content="{{policy}}"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="referrer" content="no-referrer"/>
        <meta name="color-scheme" content="light dark"/>
        <meta name="generator" content="cairn {{version}}"/>
        <title>{{title}}</title>
        <style>{{{style}}}</style>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
        {{#hasTrail}}
        <nav aria-label="Where this page is">
        <ol>
        {{#trail}}<li><a href="{{href}}">{{text}}</a> ›</li>
        {{/trail}}</ol>
        </nav>
        {{/hasTrail}}
        {{#function}}<h1 class="code">{{> pieces}}</h1>{{/function}}{{^function}}<h1>{{heading}}</h1>{{/function}}
        {{#about}}<p class="quiet">{{about}}</p>{{/about}}
        </header>
        <main id="content" tabindex="-1">
        {{$main}}{{/main}}
        </main>
        <footer>
        {{#ingest}}<p class="quiet">{{#parts}}{{#href}}<a href="{{href}}">{{text}}</a>{{/href}}{{^href}}{{text}}{{/href}}{{separator}}{{/parts}}</p>{{/ingest}}
        <p class="quiet">Written <time datetime="{{written.machine}}">{{written.text}}</time> by cairn {{version}}. Times are in UTC.</p>
        </footer>
        {{#hasScript}}<script>{{{script}}}</script>{{/hasScript}}
        </body>
        </html>

        """

    /// A name that is broken only where it may be: `pieces`, each with `text` or `pair`.
    static let pieces = """
        {{#pieces}}{{#pair}}<span class="pair">{{pair}}</span>{{/pair}}{{^pair}}{{text}}{{/pair}}{{/pieces}}
        """

    /// A timestamp, or a note that it is missing. With `ago` its age is shown.
    static let instant = """
        {{#machine}}<time datetime="{{machine}}"{{#ago}} title="{{text}}"{{/ago}}>{{#ago}}{{ago}}{{/ago}}{{^ago}}{{text}}{{/ago}}</time>{{/machine}}{{^machine}}{{text}}{{/machine}}{{#timeNote}} <span class="tag">{{timeNote}}</span>{{/timeNote}}
        """

    /// Facts in boxes: `facts`, each with `term`, `value` and maybe `href` and `note`.
    static let facts = """
        <ul class="facts">
        {{#facts}}<li><span class="{{#isWords}}words{{/isWords}}{{^isWords}}figure{{/isWords}}">{{#href}}<a href="{{href}}">{{value}}</a>{{/href}}{{^href}}{{#instant}}{{> instant}}{{/instant}}{{^instant}}{{value}}{{/instant}}{{/href}}</span> <span class="term">{{term}}</span>{{#note}} <span class="note">{{note}}</span>{{/note}}</li>
        {{/facts}}</ul>
        """

    /// Counts as small columns: a picture, which says what a table beside it says; so programs that
    /// read pages aloud pass over it, and so does the tabulator key.
    static let columns = """
        <svg class="columns {{size}}" viewBox="0 0 {{width}} 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {{#bars}}<a href="{{href}}" tabindex="-1"><title>{{title}}</title><rect class="hit" x="{{x}}" y="0" width="10" height="100"/><rect x="{{x}}" y="{{y}}" width="9" height="{{height}}"/></a>
        {{/bars}}</svg>
        """

    /// Reports over time: a chart with its axis, and the same as a table.
    static let chart = """
        <figure class="chart">
        <div class="plot">
        <p class="scale" aria-hidden="true"><span>{{top}}</span><span>{{half}}</span><span>0</span></p>
        <svg class="columns tall" viewBox="0 0 {{width}} 1000" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="grid-line" x="0" y="0" width="{{width}}" height="4"/><rect class="grid-line" x="0" y="498" width="{{width}}" height="4"/>
        {{#bars}}<a href="{{href}}" tabindex="-1"><title>{{title}}</title><rect class="hit" x="{{x}}" y="0" width="10" height="1000"/>{{#parts}}<rect class="{{style}}" x="{{x}}" y="{{y}}" width="9" height="{{height}}"/>{{/parts}}</a>
        {{/bars}}</svg>
        </div>
        <p class="axis"><span>{{firstLabel}}</span><span>peak: {{peak}}</span><span>{{lastLabel}}</span></p>
        {{#hasSeries}}<ul class="legend">{{#series}}<li><span class="key {{style}}"></span> {{#href}}<a href="{{href}}">{{name}}</a>{{/href}}{{^href}}{{name}}{{/href}} {{count}}</li>{{/series}}</ul>{{/hasSeries}}
        <figcaption>{{figure}}{{#hasLeftOut}} Not shown: {{#leftOut}}<a href="{{href}}">{{text}}</a>{{separator}}{{/leftOut}}{{/hasLeftOut}}{{#aboutFiles}} {{aboutFiles}}{{/aboutFiles}}</figcaption>
        </figure>
        <details>
        <summary>These counts as a table</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Counts over time">
        <table>
        <caption>Reports by {{word}} (UTC).</caption>
        <thead><tr><th scope="col">{{wordCapital}}</th><th scope="col" class="number">Reports</th>{{#hasSeries}}{{#series}}<th scope="col" class="number">{{name}}</th>{{/series}}{{/hasSeries}}</tr></thead>
        <tbody>
        {{#pieces}}<tr><th scope="row">{{label}}</th><td class="number"><a href="{{href}}">{{count}}</a></td>{{#cells}}<td class="number part">{{.}}</td>{{/cells}}</tr>
        {{/pieces}}</tbody>
        </table>
        </div>
        </details>
        """

    /// How many reports have each value: `caption`, `word`, `rows`.
    static let tallies = """
        {{#only}}<p><span class="quiet">{{word}}:</span> {{only}}</p>{{/only}}{{^only}}
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">{{word}}</th><th scope="col">Share</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr{{#isUnknown}} class="unknown"{{/isUnknown}}><th scope="row">{{value}}</th><td class="bars">{{#href}}<a href="{{href}}" tabindex="-1" aria-hidden="true">{{> bar}}</a>{{/href}}{{^href}}{{> bar}}{{/href}}<span class="quiet">{{share}}</span></td><td class="number">{{#href}}<a href="{{href}}">{{count}}</a>{{/href}}{{^href}}{{count}}{{/href}}</td></tr>
        {{/rows}}</tbody>
        </table>
        {{/only}}
        """

    static let bar = """
        <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect x="0" y="0" width="{{width}}" height="10"/></svg>
        """

    /// Files that would resolve frames: `caption`, `rows`, `command`, and those of the system.
    static let missingImages = """
        {{#hasRows}}
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">File and its build ID or UUID</th><th scope="col" class="number">Frames</th></tr></thead>
        <tbody>
        {{#rows}}{{> missingImage}}{{/rows}}</tbody>
        </table>
        <p>Put the unstripped files or dSYMs into a directory, and run:</p>
        <pre>{{command}}</pre>
        {{/hasRows}}
        {{#hasSystem}}
        <details>
        <summary>{{systemSummary}}</summary>
        <table>
        <caption>Only the symbols of that build of the system fit.</caption>
        <thead><tr><th scope="col">File and its build ID or UUID</th><th scope="col" class="number">Frames</th></tr></thead>
        <tbody>
        {{#system}}{{> missingImage}}{{/system}}</tbody>
        </table>
        </details>
        {{/hasSystem}}
        """

    static let missingImage = """
        <tr><th scope="row"><code>{{name}}</code>{{#architecture}} <span class="tag">{{architecture}}</span>{{/architecture}}<div><code class="quiet">{{identity}}</code></div>{{#reason}}<div class="quiet">{{reason}}</div>{{/reason}}</th><td class="number">{{frames}}</td></tr>

        """
}
