extension PageTemplates {
    /// The first page.
    static let index = """
        {{< frame}}
        {{$main}}
        {{> facts}}
        {{#time}}
        <section aria-labelledby="time">
        <h2 id="time">Reports over time</h2>
        {{> chart}}
        </section>
        {{/time}}
        {{#groups}}
        <section aria-labelledby="groups">
        <h2 id="groups">{{heading}}</h2>
        <p class="quiet">Reports of one bug are a group.{{#legend}} {{legend}}{{/legend}}</p>
        {{> sorting}}
        {{> groupTable}}
        {{#all}}<p><a href="{{all}}">All {{count}}</a></p>{{/all}}
        </section>
        {{/groups}}
        {{^groups}}
        <p>{{noGroups}}</p>
        {{/groups}}
        {{#withoutStack}}<p><a href="{{href}}">{{text}}</a> without a usable stack {{verb}} in no group.</p>{{/withoutStack}}
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
        <h2 id="symbols">Missing symbols</h2>
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
        {{#rows}}<tr><th scope="row"><span class="code">{{path}}</span></th><td>{{problem}}</td></tr>
        {{/rows}}</tbody>
        </table>
        </section>
        {{/unread}}
        {{/main}}
        {{/frame}}
        """

    /// Ways to other lists of the groups, and a search field that the script shows.
    static let sorting = """
        {{#hasSorting}}
        <nav aria-label="Lists of groups">
        <ul class="sorting">{{#sorting}}<li>{{#href}}<a href="{{href}}">{{text}}</a>{{/href}}{{^href}}<span aria-current="page">{{text}}</span>{{/href}}</li>{{/sorting}}</ul>
        </nav>
        <p class="search" hidden="hidden"><label for="search">Search this page</label> <input id="search" type="search"/> <span class="quiet found" aria-live="polite"></span></p>
        {{/hasSorting}}
        """

    /// Groups: `rows`.
    static let groupTable = """
        <table class="groups">
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col" class="number">Rank</th><th scope="col">Group</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}{{> groupRow}}{{/rows}}</tbody>
        </table>
        """

    static let groupRow = """
        <tr class="group" data-words="{{words}}">
        <td class="number">{{rank}}</td>
        <th scope="row"><div class="row"><div class="what"><a class="code title" href="{{href}}">{{> pieces}}</a>{{#isNew}} <span class="badge new">new</span>{{/isNew}}{{#isRising}} <span class="badge rising">rising</span>{{/isRising}}
        {{#callers}}<div class="quiet">called from <span class="code">{{> pieces}}</span></div>{{/callers}}
        <div class="chips">{{#processes}}<span class="chip">{{.}}</span> {{/processes}}{{#kinds}}<span class="chip kind">{{.}}</span> {{/kinds}}<span class="quiet">{{#firstVersion}}since {{firstVersion}} · {{/firstVersion}}{{#last}}last seen {{> instant}}{{/last}}{{^last}}no timestamps{{/last}}{{#note}} · {{note}}{{/note}}</span></div></div>{{#spark}}<div class="spark-place">{{> columns}}</div>{{/spark}}</div></th>
        <td class="number"><a href="{{reports}}">{{count}}</a> <span class="quiet">{{share}}</span></td>
        </tr>

        """

    /// A list of groups, a piece of it a page, maybe in sections.
    static let groupList = """
        {{< frame}}
        {{$main}}
        {{> sorting}}
        {{> pager}}
        <table class="groups">
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col" class="number">Rank</th><th scope="col">Group</th><th scope="col" class="number">Reports</th></tr></thead>
        {{#sections}}
        <tbody{{#sectionTitle}} class="section"{{/sectionTitle}}>
        {{#sectionTitle}}<tr><th colspan="3" scope="rowgroup"{{#sectionAnchor}} id="{{sectionAnchor}}"{{/sectionAnchor}}>{{sectionTitle}}</th></tr>
        {{/sectionTitle}}
        {{{rows}}}
        </tbody>
        {{/sections}}
        </table>
        {{> pager}}
        {{/main}}
        {{/frame}}
        """
}
