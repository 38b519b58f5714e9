extension PageTemplates {
    /// Reports or logs, a piece of them a page.
    static let list = """
        {{< frame}}
        {{$main}}
        <p>{{summary}}</p>
        {{> pager}}
        {{#reports}}
        <table class="logs">
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Log</th><th scope="col">When</th></tr></thead>
        {{#sections}}
        <tbody{{#sectionTitle}} class="section"{{/sectionTitle}}>
        {{#sectionTitle}}<tr><th colspan="2" scope="rowgroup"{{#sectionAnchor}} id="{{sectionAnchor}}"{{/sectionAnchor}}>{{sectionTitle}}</th></tr>
        {{/sectionTitle}}
        {{#rows}}<tr{{#rowAnchor}} id="{{rowAnchor}}"{{/rowAnchor}}><td>{{> log}}{{#where}}<div class="quiet">{{where}}</div>{{/where}}{{#group}}<div><a class="quiet" href="{{href}}">{{name}}</a></div>{{/group}}</td><td>{{> instant}}</td></tr>
        {{/rows}}
        </tbody>
        {{/sections}}
        </table>
        {{/reports}}
        {{#logs}}
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Path</th><th scope="col">What it is</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr><td>{{> log}}</td><td>{{result}}{{#problem}}<pre>{{problem}}</pre>{{/problem}}</td><td class="number">{{count}}</td></tr>
        {{/rows}}
        </tbody>
        </table>
        {{/logs}}
        {{> pager}}
        {{/main}}
        {{/frame}}
        """

    /// A log: a link to the file, or its path where a browser cannot show it.
    static let log = """
        {{#file}}<a class="code" href="{{file}}" rel="noopener noreferrer" type="text/plain">{{path}}</a>{{/file}}{{^file}}<span class="code">{{path}}</span>{{/file}}{{#pathNote}} <span class="tag">{{pathNote}}</span>{{/pathNote}}
        """

    /// Ways to a list's other pages: `pager` with `label`, `links`.
    static let pager = """
        {{#pager}}
        <nav aria-label="{{label}}">
        <ul>{{#links}}<li>{{#href}}<a href="{{href}}">{{text}}</a>{{/href}}{{^href}}<span aria-current="page">{{text}}</span>{{/href}}</li>{{/links}}</ul>
        </nav>
        {{/pager}}
        """
}
