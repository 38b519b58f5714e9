extension PageTemplates {
    /// Reports or logs, a piece of them a page.
    static let list = """
        {{< frame}}
        {{$main}}
        {{> pager}}
        {{#reports}}
        <table class="logs">
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Log</th><th scope="col">When</th></tr></thead>
        {{#sections}}
        <tbody{{#sectionTitle}} class="section"{{/sectionTitle}}>
        {{#sectionTitle}}<tr><th colspan="2" scope="rowgroup"{{#sectionAnchor}} id="{{sectionAnchor}}"{{/sectionAnchor}}>{{sectionTitle}}</th></tr>
        {{/sectionTitle}}
        {{{rows}}}
        </tbody>
        {{/sections}}
        </table>
        {{/reports}}
        {{#logs}}
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Path</th><th scope="col">What it is</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{{rows}}}
        </tbody>
        </table>
        {{/logs}}
        {{> pager}}
        {{/main}}
        {{/frame}}
        """

    /// A log: its path, with a link where its report has a page.
    static let log = """
        {{#page}}<a class="code" href="{{page}}">{{path}}</a>{{/page}}{{^page}}<code>{{path}}</code>{{/page}}{{#pathNote}} <span class="tag">{{pathNote}}</span>{{/pathNote}}
        """

    /// A report with the symbolicated log.
    static let report = """
        {{< frame}}
        {{$main}}
        <p>{{#where}}{{where}} · {{/where}}{{> instant}}{{#group}} · <a href="{{href}}">all reports of this group</a>{{/group}}</p>
        <p class="code">{{path}}{{#pathNote}} <span class="tag">{{pathNote}}</span>{{/pathNote}}</p>
        <p class="actions"><a href="{{json}}" download="download">JSON</a> <button type="button" class="copy" hidden="hidden">Copy</button></p>
        <div class="scroll" tabindex="0" role="region" aria-label="The symbolicated log"><pre class="log">{{log}}</pre></div>
        {{/main}}
        {{/frame}}
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
