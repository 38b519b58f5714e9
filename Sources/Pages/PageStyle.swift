/// How pages look. No font, image or sheet is fetched; colours have a contrast of at least 4.5 to 1
/// for text and 3 to 1 for drawings (WCAG 2.2, AA), in the light and in the dark.
package enum PageStyle {
    /// Style of all pages.
    package static let plain = """
        :root {
          color-scheme: light dark;
          --page: #ffffff; --panel: #f4f6f8; --text: #1a1f26; --quiet: #515b68; --line: #c9d1da; --link: #0b57b0; --focus: #b3261e; --edge: #5c6773;
          --mono: ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #14181d; --panel: #1d232a; --text: #e6eaef; --quiet: #a9b3bf; --line: #3b4550; --link: #8ab8ff; --focus: #ffb4ab; --edge: #8d99a6;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 78rem; padding: 0 1rem 3rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 .25rem; }
        p { margin: .4rem 0; max-width: 60rem; }
        a { color: var(--link); }
        a:focus-visible, summary:focus-visible, button:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
        code, .code, pre { font-family: var(--mono); font-size: .9em; }
        pre { margin: .4rem 0; padding: .5rem .75rem; background: var(--panel); border-left: 4px solid var(--line); white-space: pre-wrap; font-size: .9rem; }
        .pair, time { white-space: nowrap; }
        small, .quiet { color: var(--quiet); font-size: .9rem; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
        header { border-bottom: 1px solid var(--line); padding: .75rem 0; }
        nav li { min-width: 0; }
        nav ol, nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: 0; }
        footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .75rem; }
        table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
        caption { text-align: left; color: var(--quiet); font-size: .9rem; padding: .25rem 0; }
        th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid var(--line); }
        thead th { font-size: .85rem; color: var(--quiet); border-bottom: 2px solid var(--line); overflow-wrap: normal; }
        tbody th { font-weight: inherit; }
        tbody.section th[scope=rowgroup] { background: var(--panel); font-weight: 600; }
        tr:target, th:target { outline: 3px solid var(--focus); outline-offset: -3px; }
        table.logs td:first-child, table.logs tbody th[scope=row] { width: 80%; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        td.number:first-child, th.number:first-child { width: 1%; }
        .tag { font-size: .8rem; color: var(--quiet); white-space: nowrap; }
        @media (max-width: 37.5rem) {
          body { padding: 0 .6rem 2rem; }
          th, td { padding: .3rem .25rem; }
        }
        @media print {
          body { max-width: none; padding: 0; font-size: 10pt; }
          nav, .skip { display: none; }
          a { color: inherit; text-decoration: none; }
          tr { break-inside: avoid; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }
        """

    /// Style of elements that are wider than the page.
    package static let scroll = """

        h1.code { font-size: 1.35rem; }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
        @media print { .scroll { overflow: visible; border: 0; padding: 0; } }
        """

    /// A symbolicated log.
    package static let report = """

        pre.log { white-space: pre; overflow-wrap: normal; border: 0; margin: 0; }
        button { font: inherit; color: var(--link); background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .1rem .7rem; cursor: pointer; }
        @media print { .actions { display: none; } pre.log { white-space: pre-wrap; } }
        """

    /// Every page has its style, so blanks count a thousand times.
    package static func compact(_ style: String) -> String {
        var text = ""
        for line in style.split(separator: "\n") { text += line.drop { $0 == " " } }
        for (long, short) in [("; }", "}"), (" { ", "{"), (" {", "{"), ("; ", ";"), (": ", ":"), (", ", ","), (";}", "}"), ("} ", "}")] {
            text = text.replacing(long, with: short)
        }
        return text
    }
}
