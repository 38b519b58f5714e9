extension PageTemplates {
    /// What surrounds every page. Pages are also well-formed XML, so that a strict parser can check
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
        <nav aria-label="Where this page is">
        <ol>
        {{#trail}}<li><a href="{{href}}">{{text}}</a> ›</li>
        {{/trail}}<li aria-current="page">{{here}}</li>
        </ol>
        </nav>
        </header>
        <main id="content" tabindex="-1">
        <h1>{{heading}}</h1>
        {{$main}}{{/main}}
        </main>
        <footer>
        <p class="quiet zone">Times are in UTC.</p>
        <p class="quiet">Written by cairn {{version}}, <time datetime="{{written.machine}}">{{written.text}}</time>. Nothing is fetched from a network.</p>
        </footer>
        <script>{{{script}}}</script>
        </body>
        </html>

        """

    /// An instant, or that there is none.
    static let instant = """
        {{#machine}}<time datetime="{{machine}}">{{text}}</time>{{/machine}}{{^machine}}{{text}}{{/machine}}
        """

    /// Facts in boxes: `facts`, each with `term`, `value` and maybe `href`.
    static let facts = """
        <ul class="facts">
        {{#facts}}<li><span class="{{#isWords}}words{{/isWords}}{{^isWords}}figure{{/isWords}}">{{#href}}<a href="{{href}}">{{value}}</a>{{/href}}{{^href}}{{#instant}}{{> instant}}{{/instant}}{{^instant}}{{value}}{{/instant}}{{/href}}</span> <span class="term">{{term}}</span></li>
        {{/facts}}</ul>
        """

    /// Counts as columns: a picture, which says what a table beside it says; so programs that read
    /// pages aloud pass over it, and so does the tabulator key.
    static let columns = """
        <svg class="columns {{size}}" viewBox="0 0 {{width}} 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {{#bars}}<a href="{{href}}" tabindex="-1"><title>{{title}}</title><rect class="hit" x="{{x}}" y="0" width="10" height="100"/><rect x="{{x}}" y="{{y}}" width="9" height="{{height}}"/></a>
        {{/bars}}</svg>
        """

    /// How many reports have each value: `caption`, `word`, `rows`.
    static let tallies = """
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">{{word}}</th><th scope="col">Share</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr><th scope="row">{{value}}</th><td class="bars"><a href="{{href}}" tabindex="-1" aria-hidden="true"><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" focusable="false"><rect x="0" y="0" width="{{width}}" height="10"/></svg></a><span class="quiet">{{share}}</span></td><td class="number"><a href="{{href}}">{{count}}</a></td></tr>
        {{/rows}}</tbody>
        </table>
        {{#more}}<p class="quiet">{{more}}</p>
        {{/more}}
        """

    /// Images without symbols: `missing`, with `caption` and `rows`.
    static let missingImages = """
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">File and its build ID or UUID</th><th scope="col">Why there are none</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr><th scope="row"><code>{{name}}</code>{{#architecture}} <span class="tag">{{architecture}}</span>{{/architecture}}<div><code class="quiet">{{identity}}</code></div></th><td>{{reason}}</td><td class="number"><a href="{{href}}">{{count}}</a></td></tr>
        {{/rows}}</tbody>
        </table>
        """
}
