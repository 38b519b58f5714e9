extension PageTemplates {
    /// How pages look. No font, image or sheet is fetched; colours have a contrast of at least 4.5
    /// to 1 for text and 3 to 1 for what is drawn (WCAG 2.2, AA), in the light and in the dark.
    static let styleSheet = """
        :root {
          color-scheme: light dark;
          --page: #ffffff; --panel: #f4f6f8; --text: #1a1f26; --quiet: #515b68; --line: #c9d1da; --link: #0b57b0; --focus: #b3261e;
          --bar: #2f6fb7; --own: #f4b672; --own-text: #1a1f26; --library: #d3dde9; --library-text: #1a1f26; --unknown: #ffffff; --unknown-text: #1a1f26; --edge: #5c6773;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #14181d; --panel: #1d232a; --text: #e6eaef; --quiet: #a9b3bf; --line: #3b4550; --link: #8ab8ff; --focus: #ffb4ab;
            --bar: #5d96db; --own: #8a4b14; --own-text: #ffffff; --library: #35424f; --library-text: #e6eaef; --unknown: #14181d; --unknown-text: #e6eaef; --edge: #8d99a6;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 78rem; padding: 0 1rem 3rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 1rem 0 .25rem; overflow-wrap: anywhere; }
        p { margin: .4rem 0; max-width: 60rem; }
        a { color: var(--link); }
        a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
        code, .code { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em; overflow-wrap: anywhere; }
        pre { margin: .4rem 0; padding: .5rem .75rem; background: var(--panel); border-left: 4px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
        .quiet { color: var(--quiet); font-size: .9rem; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
        header { border-bottom: 1px solid var(--line); padding: .75rem 0; }
        nav li, .grid > *, .legend li { min-width: 0; }
        nav ol, nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: 0; }
        footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .75rem; }
        ul.facts { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem; margin: 1rem 0; }
        ul.facts li { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .7rem; display: flex; flex-direction: column; }
        .facts .term { font-size: .85rem; color: var(--quiet); }
        .facts .figure { font-size: 1.35rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
        .facts .words { overflow-wrap: anywhere; }
        table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
        caption { text-align: left; color: var(--quiet); font-size: .9rem; padding: .25rem 0; }
        th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
        thead th { font-size: .85rem; color: var(--quiet); border-bottom: 2px solid var(--line); overflow-wrap: normal; }
        tbody th { font-weight: inherit; }
        tbody.section th { background: var(--panel); font-weight: 600; }
        tr:target, th:target { outline: 3px solid var(--focus); outline-offset: -3px; }
        table.logs td:first-child, table.logs tbody th[scope=row] { width: 75%; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .title { font-weight: 600; }
        svg { display: block; }
        .columns { width: 100%; height: 9rem; border-bottom: 1px solid var(--edge); }
        .columns.small { height: 2.75rem; }
        .columns.spark { width: 7rem; height: 1.6rem; margin-left: auto; }
        .columns rect, .bar rect { fill: var(--bar); }
        .columns a:hover rect { fill: var(--focus); }
        .columns .hit { fill: transparent; }
        .columns a:hover .hit { fill: transparent; }
        .axis { display: flex; justify-content: space-between; gap: 1rem; font-size: .85rem; color: var(--quiet); margin: .15rem 0 0; max-width: none; }
        .bar { width: 100%; height: .8rem; margin-top: .35rem; min-width: 3rem; }
        td.bars { width: 34%; }
        .grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
        .flame { width: 100%; min-width: 44rem; height: auto; font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        .flame rect { stroke: var(--page); stroke-width: 1; }
        .flame .own rect { fill: var(--own); } .flame .own text { fill: var(--own-text); font-weight: 700; }
        .flame .library rect { fill: var(--library); } .flame .library text { fill: var(--library-text); }
        .flame .unresolved rect { fill: var(--unknown); stroke: var(--edge); stroke-width: .6; stroke-dasharray: 2 2; } .flame .unresolved text { fill: var(--unknown-text); font-style: italic; }
        .flame .gap rect { fill: var(--panel); stroke: var(--edge); } .flame .gap text { fill: var(--text); font-style: italic; }
        .flame .inlined rect { stroke: var(--edge); stroke-dasharray: 6 3; }
        .flame a:hover rect { stroke: var(--focus); stroke-width: 2; stroke-dasharray: none; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .5rem 0; font-size: .9rem; }
        .legend span { display: inline-block; padding: 0 .4rem; border: 1px solid var(--edge); font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .85em; }
        .legend .own { background: var(--own); color: var(--own-text); font-weight: 700; }
        .legend .library { background: var(--library); color: var(--library-text); }
        .legend .inlined { border-style: dashed; }
        .legend .unresolved { background: var(--unknown); color: var(--unknown-text); font-style: italic; border-style: dotted; }
        .own-code { font-weight: 700; }
        .tag { font-size: .8rem; color: var(--quiet); white-space: nowrap; }
        summary { cursor: pointer; color: var(--link); padding: .25rem 0; }
        @media (max-width: 34rem) {
          body { padding: 0 .6rem 2rem; }
          th, td { padding: .3rem .25rem; }
          .columns.spark { width: 4.5rem; }
        }
        @media print {
          body { max-width: none; padding: 0; font-size: 10pt; }
          nav, .skip { display: none; }
          a { color: inherit; text-decoration: none; }
          h2, h3 { break-after: avoid; }
          tr, .facts li, .grid > *, figure { break-inside: avoid; }
          .scroll { overflow: visible; border: 0; padding: 0; }
          .flame { min-width: 0; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          details::details-content { content-visibility: visible; height: auto; }
        }
        figure { margin: .5rem 0 1rem; }
        figcaption { font-size: .9rem; color: var(--quiet); }
        """

    /// Says instants in the reader's zone. Pages are whole without it: what it finds is in UTC, and
    /// says so.
    static let script = """
        (function () {
          var zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
          var format = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' });
          document.querySelectorAll('time[datetime]').forEach(function (element) {
            var instant = new Date(element.dateTime);
            if (isNaN(instant)) { return; }
            element.title = element.textContent;
            element.textContent = format.format(instant);
          });
          document.querySelectorAll('.zone').forEach(function (element) {
            element.textContent = zone ? 'Times are in your zone (' + zone + '), in UTC where you point at them.' : 'Times are in your zone.';
          });
        }());
        """
}
