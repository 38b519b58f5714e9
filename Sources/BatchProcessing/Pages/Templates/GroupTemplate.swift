extension PageTemplates {
    /// A group.
    static let group = """
        {{< frame}}
        {{$main}}
        {{#callers}}<p class="quiet">called from <span class="code">{{> pieces}}</span></p>{{/callers}}
        <p class="chips">{{#processes}}<span class="chip">{{.}}</span> {{/processes}}{{#kinds}}<span class="chip kind">{{.}}</span> {{/kinds}}</p>
        {{#notes}}<p class="warning">{{.}}</p>
        {{/notes}}
        {{> facts}}
        {{#time}}
        <section aria-labelledby="time">
        <h2 id="time">Over time</h2>
        {{> chart}}
        </section>
        {{/time}}
        {{#meaning}}<p><span class="quiet">Meaning, in the representative report:</span> {{meaning}}</p>
        {{/meaning}}{{#leader}}
        <section aria-labelledby="stack">
        <h2 id="stack">Where it happens</h2>
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col" class="number">Frame</th><th scope="col">Function and location</th></tr></thead>
        <tbody>
        {{#rows}}<tr><td class="number">{{number}}</td><td><span class="code{{#isOwn}} own-code{{/isOwn}}">{{> pieces}}</span>{{#tag}} <span class="tag">{{tag}}</span>{{/tag}}<div class="quiet">{{#place}}<span class="code">{{place}}</span> {{/place}}{{module}}{{reason}}</div></td></tr>
        {{/rows}}</tbody>
        </table>
        {{#more}}<p class="quiet">{{more}}</p>{{/more}}
        </section>
        {{/leader}}
        {{#flame}}
        <section aria-labelledby="stacks">
        <h2 id="stacks">All its stacks, merged</h2>
        <p>{{explanation}}</p>
        <ul class="legend"><li><span class="own">your code</span></li><li><span class="library">library or system</span></li><li><span class="inlined">↳ inlined into the one below</span></li><li><span class="named">named by the log</span></li><li><span class="unresolved">? no symbols</span></li></ul>
        <div class="scroll" tabindex="0" role="region" aria-label="Flame graph">
        <svg class="flame" viewBox="0 0 1000 {{height}}" aria-hidden="true" focusable="false">
        {{{boxes}}}</svg>
        </div>
        {{#hidden}}<p class="quiet">{{hidden}}</p>{{/hidden}}
        <details>
        <summary>The merged stacks as a table</summary>
        <table>
        <caption>Functions from the outermost inwards. The level is the depth of the call.</caption>
        <thead><tr><th scope="col" class="number">Level</th><th scope="col">Function</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr><td class="number">{{level}}</td><td class="code">{{function}}{{#tag}} <span class="tag">{{tag}}</span>{{/tag}}</td><td class="number"><a href="{{href}}">{{count}}</a></td></tr>
        {{/rows}}</tbody>
        </table>
        {{#more}}<p class="quiet">{{more}}</p>{{/more}}
        </details>
        </section>
        {{/flame}}
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
        {{#messages}}
        <section aria-labelledby="messages">
        <h2 id="messages">Messages</h2>
        <table>
        <caption>{{caption}}</caption>
        <thead><tr><th scope="col">Message</th><th scope="col" class="number">Reports</th></tr></thead>
        <tbody>
        {{#rows}}<tr><td><pre>{{value}}</pre></td><td class="number"><a href="{{href}}">{{count}}</a></td></tr>
        {{/rows}}</tbody>
        </table>
        </section>
        {{/messages}}
        <section aria-labelledby="examples">
        <h2 id="examples">Examples</h2>
        <table class="logs">
        <caption>{{examplesCaption}}</caption>
        <thead><tr><th scope="col">Log</th><th scope="col">When</th></tr></thead>
        <tbody>
        {{#examples}}<tr><th scope="row">{{> log}}{{#where}}<div class="quiet">{{where}}</div>{{/where}}</th><td>{{> instant}}</td></tr>
        {{/examples}}</tbody>
        </table>
        {{#hasMore}}<p><a href="{{all}}">All {{allText}}</a></p>{{/hasMore}}
        </section>
        {{#missing}}
        <section aria-labelledby="symbols">
        <h2 id="symbols">Missing symbols</h2>
        {{> missingImages}}
        </section>
        {{/missing}}
        <section aria-labelledby="name">
        <h2 id="name">Identifier</h2>
        <p>Group <code>{{id}}</code>{{#hasFormer}}; merged from: {{#former}}<code>{{.}}</code> {{/former}}{{/hasFormer}}</p>
        </section>
        {{/main}}
        {{/frame}}
        """
}
