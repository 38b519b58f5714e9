internal import Pages

extension PageTemplates {
    /// Style of pages of a store only: lists of groups, charts, and flame graphs. `PageStyle` has
    /// the style of all pages.
    static let groupStyle = """

        :root { --bar: #2f6fb7; --s1: #b0611b; --s2: #2e7d4f; --s3: #8a4fa3; --s4: #b8325a; --other: #6b7480; }
        @media screen and (prefers-color-scheme: dark) {
          :root { --bar: #5d96db; --s1: #d98c4a; --s2: #5cb583; --s3: #b98ad1; --s4: #e57396; --other: #8d99a6; }
        }
        .title { font-weight: 600; font-size: .95rem; }
        .title:not(:hover) { text-decoration: none; }
        .row { display: flex; gap: .75rem; align-items: flex-start; }
        .what { flex: 1; min-width: 0; }
        .chips { display: flex; flex-wrap: wrap; gap: .25rem .4rem; align-items: baseline; }
        .chip, .badge { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; background: var(--panel); }
        .chip.kind { border-radius: 3px; font-family: var(--mono); }
        .badge { font-weight: 600; background: var(--page); color: var(--focus); border-color: var(--focus); }
        .columns.spark { width: 9rem; height: 2rem; border-bottom: 1px solid var(--line); }
        .columns.spark rect { fill: var(--bar); }
        .columns a:hover rect { fill: var(--focus); }
        .columns .hit, .columns a:hover .hit, .columns.spark .hit { fill: transparent; }
        svg { display: block; }
        .search input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--edge); border-radius: 6px; padding: .1rem .5rem; }
        .search[hidden], tr[hidden] { display: none; }
        @media (max-width: 37.5rem) {
          .row { flex-direction: column; gap: .25rem; }
          .row .what { width: 100%; }
        }
        """

    static let chartStyle = """

        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        .grid > *, .legend li { min-width: 0; }
        ul.facts { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .5rem; margin: 1rem 0; }
        ul.facts li { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .7rem; display: flex; flex-direction: column; }
        .facts .term, .facts .note { font-size: .85rem; color: var(--quiet); }
        .facts .figure { font-size: 1.35rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
        figure { margin: .5rem 0 1rem; }
        figcaption { font-size: .9rem; color: var(--quiet); }
        .plot { display: flex; gap: .4rem; }
        .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin: -.6rem 0; font-size: .8rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
        .columns.tall { flex: 1; min-width: 0; height: 11rem; border-bottom: 1px solid var(--edge); }
        .columns .grid-line { fill: var(--line); }
        .s0 { fill: var(--bar); background: var(--bar); } .s1 { fill: var(--s1); background: var(--s1); } .s2 { fill: var(--s2); background: var(--s2); }
        .s3 { fill: var(--s3); background: var(--s3); } .s4 { fill: var(--s4); background: var(--s4); } .s5 { fill: var(--other); background: var(--other); }
        .s6 { fill: var(--panel); background: var(--panel); stroke: var(--edge); stroke-width: 1; stroke-dasharray: 3 2; vector-effect: non-scaling-stroke; }
        .key.s6 { border: 1px dashed var(--edge); }
        .warning { border-left: 4px solid var(--focus); padding-left: .6rem; }
        .own-code { font-weight: 700; }
        .key { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; }
        .axis { display: flex; justify-content: space-between; flex-wrap: wrap; gap: 0 1rem; font-size: .85rem; color: var(--quiet); margin: .4rem 0 0; max-width: none; }
        .bar { width: 100%; height: .8rem; margin-top: .35rem; min-width: 3rem; }
        .bar rect { fill: var(--bar); }
        .unknown .bar rect { fill: var(--other); } .unknown th { color: var(--quiet); }
        td.bars { width: 30%; }
        .grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .5rem 0; font-size: .9rem; }
        summary { cursor: pointer; color: var(--link); padding: .25rem 0; }
        @media print {
          .search { display: none; }
          h2, h3 { break-after: avoid; }
          .facts li, .grid > *, figure { break-inside: avoid; }
          details::details-content { content-visibility: visible; height: auto; }
        }
        """

    static let flameStyle = """

        :root { --own: #f4b672; --own-text: #1a1f26; --library: #d3dde9; --library-text: #1a1f26; --unknown: #ffffff; --unknown-text: #1a1f26; }
        @media screen and (prefers-color-scheme: dark) {
          :root { --own: #8a4b14; --own-text: #ffffff; --library: #35424f; --library-text: #e6eaef; --unknown: #14181d; --unknown-text: #e6eaef; }
        }
        .flame { width: 100%; min-width: 62.5rem; height: auto; font: 11px var(--mono); }
        .flame rect { stroke: var(--page); stroke-width: 1; }
        .flame .own rect { fill: var(--own); } .flame .own text { fill: var(--own-text); font-weight: 700; }
        .flame .library rect { fill: var(--library); } .flame .library text { fill: var(--library-text); }
        .flame .named rect { fill: var(--library); stroke: var(--edge); stroke-width: .6; stroke-dasharray: 2 2; } .flame .named text { fill: var(--library-text); }
        .flame .unresolved rect { fill: var(--unknown); stroke: var(--edge); stroke-width: .6; stroke-dasharray: 2 2; } .flame .unresolved text { fill: var(--unknown-text); font-style: italic; }
        .flame .gap rect { fill: var(--panel); stroke: var(--edge); } .flame .gap text { fill: var(--text); font-style: italic; }
        .flame .inlined rect { stroke: var(--edge); stroke-dasharray: 6 3; }
        .flame a:hover rect { stroke: var(--focus); stroke-width: 2; stroke-dasharray: none; }
        .legend .own, .legend .library, .legend .inlined, .legend .named, .legend .unresolved { display: inline-block; padding: 0 .4rem; border: 1px solid var(--edge); font-family: var(--mono); font-size: .85em; }
        .legend .own { background: var(--own); color: var(--own-text); font-weight: 700; }
        .legend .library { background: var(--library); color: var(--library-text); }
        .legend .inlined { border-style: dashed; }
        .legend .named { background: var(--library); color: var(--library-text); border-style: dotted; }
        .legend .unresolved { background: var(--unknown); color: var(--unknown-text); font-style: italic; border-style: dotted; }
        @media print { .flame { min-width: 0; } }
        """

    /// By the kinds of pages.
    static let styles: [PageKind: String] = [
        .index: PageStyle.compact(PageStyle.plain + PageStyle.scroll + groupStyle + chartStyle),
        .groups: PageStyle.compact(PageStyle.plain + groupStyle),
        .group: PageStyle.compact(PageStyle.plain + PageStyle.scroll + groupStyle + chartStyle),
        .groupOfStacks: PageStyle.compact(PageStyle.plain + PageStyle.scroll + groupStyle + chartStyle + flameStyle),
        .list: PageStyle.compact(PageStyle.plain),
        .report: PageStyle.compact(PageStyle.plain + PageStyle.scroll + PageStyle.report),
    ]
}
