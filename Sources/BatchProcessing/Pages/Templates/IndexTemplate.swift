extension PageTemplates {
    /// The first page.
    static let index = """
        {{< frame}}
        {{$main}}
        <p>{{summary}}</p>
        {{> facts}}
        {{#groups}}
        <section aria-labelledby="groups">
        <h2 id="groups">Top groups</h2>
        <p class="quiet">Reports of one bug are a group. {{groupsShown}}</p>
        {{> groupTable}}
        <p><a href="{{all}}">All {{count}}</a></p>
        </section>
        {{/groups}}
        {{^groups}}
        <p>No groups yet: a run groups the reports at its end.</p>
        {{/groups}}
        {{#time}}
        <section aria-labelledby="time">
        <h2 id="time">Over time</h2>
        <h3>All reports by {{word}}</h3>
        <figure>
        {{> columns}}
        <p class="axis"><span>{{firstLabel}}</span><span>peak: {{largest}}</span><span>{{lastLabel}}</span></p>
        <figcaption>{{figure}}</figcaption>
        </figure>
        <div class="grid">
        {{#multiples}}
        <figure>
        <figcaption><a href="{{href}}">{{title}}</a></figcaption>
        {{> columns}}
        <p class="axis"><span>{{firstLabel}}</span><span>peak: {{largest}}</span><span>{{lastLabel}}</span></p>
        </figure>
        {{/multiples}}
        </div>
        <details>
        <summary>These counts as a table</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Counts over time">
        <table>
        <caption>Reports by {{word}} (UTC): all, and those of the top groups.</caption>
        <thead><tr><th scope="col">{{wordCapital}}</th><th scope="col" class="number">All</th>{{#multiples}}<th scope="col" class="number">{{short}}</th>{{/multiples}}</tr></thead>
        <tbody>
        {{#pieces}}<tr><th scope="row">{{label}}</th>{{#cells}}<td class="number">{{#href}}<a href="{{href}}">{{count}}</a>{{/href}}{{^href}}0{{/href}}</td>{{/cells}}</tr>
        {{/pieces}}</tbody>
        </table>
        </div>
        </details>
        </section>
        {{/time}}
        <section aria-labelledby="where">
        <h2 id="where">Versions, systems, devices</h2>
        <div class="grid">
        {{#tallies}}
        <div>
        {{> tallies}}
        </div>
        {{/tallies}}
        </div>
        </section>
        {{#missing}}
        <section aria-labelledby="symbols">
        <h2 id="symbols">Symbols still missing</h2>
        {{> missingImages}}
        </section>
        {{/missing}}
        {{#unread}}
        <section aria-labelledby="unread">
        <h2 id="unread">Not readable</h2>
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Path</th><th scope="col">What is wrong</th></tr></thead>
        <tbody>
        {{#rows}}<tr><th scope="row">{{> log}}</th><td>{{problem}}</td></tr>
        {{/rows}}</tbody>
        </table>
        </section>
        {{/unread}}
        {{/main}}
        {{/frame}}
        """

    /// Groups, the largest first: `rows`.
    static let groupTable = """
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col" class="number">Rank</th><th scope="col">Group</th><th scope="col" class="number">Reports{{#hasSparks}} over time{{/hasSparks}}</th></tr></thead>
        <tbody>
        {{#rows}}<tr>
        <td class="number">{{rank}}</td>
        <th scope="row"><a class="title" href="{{href}}">{{title}}</a>
        <div class="quiet">{{#seen}}{{#first}}{{> instant}}{{/first}} to {{#last}}{{> instant}}{{/last}}{{/seen}}{{^seen}}No timestamps{{/seen}}</div>
        <div class="quiet">{{versions}}{{#note}} · {{note}}{{/note}}</div></th>
        <td class="number"><a href="{{reports}}">{{count}}</a> <span class="quiet">{{share}}</span>
        {{#spark}}{{> columns}}{{/spark}}</td>
        </tr>
        {{/rows}}</tbody>
        </table>
        """

    /// All groups, a piece of them a page.
    static let groupList = """
        {{< frame}}
        {{$main}}
        <p>{{summary}}</p>
        {{> pager}}
        {{> groupTable}}
        {{> pager}}
        {{/main}}
        {{/frame}}
        """
}
