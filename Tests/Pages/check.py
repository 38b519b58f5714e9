"""check.py FOLDER STORE: judges the pages of a report by other parsers than ours, and its counts by the store. A line for each thing that is wrong, then how much was looked at."""
import html.parser, json, os, re, sqlite3, sys, urllib.parse
import xml.etree.ElementTree as tree

folder, store = sys.argv[1], sqlite3.connect(sys.argv[2])
void = {"meta", "link", "br", "img", "input", "hr"}
wrong = []

class Page(html.parser.HTMLParser):
    """What a browser's parser sees: tags that close in order, identifiers, links."""
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.open, self.ids, self.links, self.tags = path, [], [], [], set()
        self.feed(open(path, encoding="utf-8", newline="").read())
        self.close()
        if self.open: wrong.append(f"{path}: not closed: {self.open}")
    def handle_starttag(self, tag, attributes):
        if tag not in void: self.open.append(tag)
        self.note(tag, attributes)
    def handle_startendtag(self, tag, attributes): self.note(tag, attributes)
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: wrong.append(f"{self.path}: </{tag}> closes nothing")
    def note(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id": self.ids.append(value)
            elif name == "href": self.links.append(value)
            elif name.startswith("on") or name in ("src", "srcset", "action", "style"): wrong.append(f"{self.path}: {tag} has {name}")

files = [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names]
for name in files:
    if re.fullmatch(r"reports/report-[0-9]+\.json", name): json.load(open(os.path.join(folder, name), encoding="utf-8"))
    elif not name.endswith(".html") and name != "cairn-report.txt": wrong.append(f"{name}: no page")
pages = {name: Page(os.path.join(folder, name)) for name in files if name.endswith(".html")}
documents = {name: tree.parse(os.path.join(folder, name)) for name in pages}
known = {"html", "head", "meta", "title", "style", "body", "a", "header", "nav", "ol", "ul", "li", "main", "h1", "h2", "h3", "p", "footer", "time", "script", "div", "span", "svg", "rect", "text",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "section", "figure", "figcaption", "details", "summary", "pre", "code", "strong", "small", "label", "input", "button"}
for name, page in pages.items():
    if not re.fullmatch(r"index\.html|(groups|reports)/[0-9a-z-]+\.html", name): wrong.append(f"{name}: a name that a log might have given")
    if len(set(page.ids)) != len(page.ids): wrong.append(f"{name}: an identifier twice")
    if page.tags - known: wrong.append(f"{name}: {page.tags - known}")
    levels = [int(element.tag[1]) for element in documents[name].iter() if re.fullmatch("h[1-6]", element.tag)]
    if levels[:1] != [1] or levels.count(1) != 1 or any(b > a + 1 for a, b in zip(levels, levels[1:])): wrong.append(f"{name}: headings {levels}")
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc or parts.query: wrong.append(f"{name}: {link} leads out of the report")
        target = os.path.normpath(os.path.join(folder, os.path.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else os.path.join(folder, name)
        if not os.path.exists(target): wrong.append(f"{name}: {link} leads nowhere")
        inner = os.path.relpath(target, folder)
        if inner.startswith(".."): wrong.append(f"{name}: {link} leads out of the report")
        if parts.fragment and (inner not in pages or parts.fragment not in pages[inner].ids): wrong.append(f"{name}: {link} has no such place")
    text = open(os.path.join(folder, name), encoding="utf-8").read()
    if re.search(r"https?://|@import|url\(", text.split("<body>")[0]): wrong.append(f"{name}: something is fetched")

# The rows of each list: where a row stands, and which places begin with it.
lists = {}
for name in sorted((name for name in pages if re.fullmatch(r"reports/(?!report-).*-\d+\.html", name)), key=lambda name: int(re.search(r"-(\d+)\.html", name)[1])):
    rows = lists.setdefault(re.sub(r"-\d+\.html$", "", name), [])
    pending = []
    for element in documents[name].iter("tr"):
        if element.find("th[@scope='rowgroup']") is not None:
            pending = [element.find("th").get("id")] if element.find("th").get("id") else []
        elif element.find("td") is not None or element.find("th[@scope='row']") is not None:
            rows.append((name, pending + ([element.get("id")] if element.get("id") else [])))
            pending = []

def rows_behind(link, base):
    """How many rows a link leads to: from a place to the next of its kind, or a whole list."""
    parts = urllib.parse.urlsplit(link)
    name = os.path.normpath(os.path.join(os.path.dirname(base), parts.path))
    rows = lists.get(re.sub(r"-\d+\.html$", "", name))
    if rows is None: return None
    if not parts.fragment: return len(rows)
    start = next((index for index, row in enumerate(rows) if row[0] == name and parts.fragment in row[1]), None)
    if start is None: return -1
    kind = parts.fragment[0]
    for index in range(start + 1, len(rows)):
        if any(place[0] == kind for place in rows[index][1]): return index - start
        # What has no instant follows the last piece.
        if kind == "m" and any(place[0] == "s" for place in rows[index][1]) and rows[index][1] and untold(rows[index]): return index - start
    return len(rows) - start

titles = {(name, element.get("id")): "".join(element.itertext()) for name in pages for element in documents[name].iter("th") if element.get("id")}
def untold(row): return any(titles.get((row[0], place)) == "No timestamp" for place in row[1])

number = lambda text: int(text.replace(",", ""))
checked = 0
for name, document in documents.items():
    if name.startswith("reports/"): continue
    parents = {child: parent for parent in document.iter() for child in parent}
    for link in document.iter("a"):
        text = "".join(link.itertext()).strip()
        title = link.find("title")
        if title is not None:
            found = re.search(r": ([\d,]+) reports?$", title.text or "")
            if not found: continue
            text = found[1]
        if not re.fullmatch(r"[\d,]+", text): continue
        behind = rows_behind(link.get("href"), name)
        if behind is None:
            # All reports of a small group are examples on its page.
            parts = urllib.parse.urlsplit(link.get("href"))
            if name != "index.html" or parts.fragment != "examples" or title is not None: continue
            behind = len(documents[parts.path].findall(".//section[@aria-labelledby='examples']/table/tbody/tr"))
        row = parents[link]
        while row is not None and row.tag not in ("tr", "li"): row = parents.get(row)
        words = "".join(row.itertext()) if row is not None else ""
        # The others of a list are what its sections do not say; logs are counted by what is in them; boxes of merged stacks may lead to several sections.
        if "all others" in words or words.strip().endswith("Logs") or "#s" in link.get("href") and "-stacks-" in link.get("href"): continue
        checked += 1
        if behind != number(text): wrong.append(f"{name}: {text} ({words.strip()[:80]}) leads to {behind} rows: {link.get('href')}")
    for cell in document.iter("td"):
        if cell.get("class") == "number" and cell.find("a") is None and "".join(cell.itertext()).strip() not in ("", "0") and name == "index.html":
            if parents[cell].get("class") == "group" and cell.get("class") == "number" and list(parents[cell]).index(cell) > 0: wrong.append(f"{name}: {''.join(cell.itertext())} links to nothing")

# What the first page says, asked from the store by another program.
one = lambda sql: store.execute(sql).fetchone()[0] or 0
index = documents["index.html"]
text_of = lambda element: re.sub(r"\s+", " ", "".join(element.itertext())).strip()
facts = {text_of(element.find("span[@class='term']")): text_of(element.find("span")) for element in index.findall(".//ul[@class='facts']/li")}
footer = text_of(index.find(".//footer"))
grouped = "FROM reports JOIN signatures ON signature = signatures.id"
if number(facts["Reports"]) != one("SELECT count(*) FROM reports"): wrong.append(f"index.html: reports {facts}")
if number(facts["Groups"]) != one("SELECT count(*) FROM crash_groups"): wrong.append(f"index.html: groups {facts}")
frames = store.execute("SELECT sum(frames) FROM stacks").fetchone()[0]
unresolved = store.execute("SELECT count(*) FROM frames WHERE reason IS NOT NULL AND printed IS NULL").fetchone()[0]
if frames and abs(float(facts["Frames resolved"].rstrip(" %").lstrip("<")) - 100 * (frames - unresolved) / frames) > 0.1: wrong.append(f"index.html: {facts}")
for words, count in (
    ("files?", one("SELECT count(*) FROM files")), ("without a crash report", one("SELECT count(*) FROM logs WHERE result = 'no-trace'")),
    ("not readable", one("SELECT count(*) FROM logs WHERE result = 'unreadable'") + one("SELECT count(*) FROM unread")),
    ("reports? without a timestamp", one("SELECT count(*) FROM reports WHERE instant IS NULL")),
    ("reports? whose innermost frames have no names", one(f"SELECT count(*) {grouped} WHERE lacks_symbols")),
    ("reports? not grouped yet", one("SELECT count(*) FROM reports LEFT JOIN signatures ON signature = signatures.id WHERE crash_group IS NULL AND absence IS NULL")),
):
    found = re.search(rf"([\d,]+) {words}", footer)
    if number(found[1] if found else "0") != count: wrong.append(f"index.html: {words}: {found and found[1]}, the store has {count}: {footer}")
# Every report is in a column of the chart, or counted beside it.
chart = index.find(".//figure")
if chart is not None:
    beside = text_of(chart.find("figcaption")).partition("Not shown: ")[2]
    columns = [number(re.search(r": ([\d,]+) reports?$", title.text)[1]) for title in chart.iter("title")]
    left_out = [number(count) for count in re.findall(r"([\d,]+) (?:earlier |later )?reports?", beside)]
    if sum(columns) + sum(left_out) != one("SELECT count(*) FROM reports"): wrong.append(f"index.html: {columns} in the chart, {left_out} beside it")
    by_file = re.search(r"([\d,]+) reports? without a timestamp (?:is|are) at the time of", text_of(chart.find("figcaption")))
    undated = one("SELECT count(*) FROM reports WHERE instant IS NULL AND (SELECT min(modified) FROM files WHERE files.log = reports.log) > 315619200000000000")
    if by_file and number(by_file[1]) > undated: wrong.append(f"index.html: {by_file[0]}, the store has {undated}")
stackless = one(f"SELECT count(*) {grouped} WHERE absence IS NOT NULL")
found = re.search(r"([\d,]+) reports? without a usable stack", text_of(index.find(".//main")))
if number(found[1] if found else "0") != stackless: wrong.append(f"index.html: without a stack: {found and found[1]}, the store has {stackless}")

# Versions are those of a program, and what is unknown is last.
several = one("SELECT count(DISTINCT coalesce(process, '')) FROM reports WHERE version IS NOT NULL") > 1
label = "CASE WHEN version IS NULL THEN NULL WHEN %d THEN coalesce(process, '') || ' ' || version ELSE version END" % several
for caption, column in (("Reports by version.", label), ("Reports by system.", "system"), ("Reports by device.", "device")):
    word = caption.split()[-1].rstrip(".")
    rows = store.execute(f"SELECT {column} AS value, count(*) FROM reports GROUP BY {'process, version' if word == 'version' else column}").fetchall()
    if word == "version": rows = [row for row in rows if row[0] is not None] + ([(None, sum(count for value, count in rows if value is None))] if any(value is None for value, _ in rows) else [])
    table = next((table for table in index.iter("table") if table.find("caption").text == caption), None)
    if table is None:
        if len(rows) > 1: wrong.append(f"index.html: no table of {len(rows)} values: {caption}")
        continue
    shown = [(text_of(row.find("th")), number(text_of(row.find("td[@class='number']")))) for row in table.find("tbody")]
    unknown = [index for index, (value, _) in enumerate(shown) if value == f"{word.capitalize()} unknown"]
    if unknown and unknown != [len(shown) - 1]: wrong.append(f"index.html: unknown is not last: {shown}")
    largest = sorted((row for row in rows if row[0] is not None), key=lambda row: -row[1])[:6]
    for value, count in largest + [row for row in rows if row[0] is None]:
        if value is not None and not (value.isprintable() and len(value) < 90): continue
        key = f"{word.capitalize()} unknown" if value is None else re.sub(r"\s+", " ", value).strip()
        if (key, count) not in shown: wrong.append(f"index.html: {word} {key}: {count} in the store, shown {shown}")

# The first page has the groups by their reports, and every list of groups has all of them.
groups = store.execute("SELECT id, reports FROM crash_groups ORDER BY reports DESC, id").fetchall()
table = index.find(".//table[@class='groups']")
rows_of = lambda table: [] if table is None else [(row.find(".//a").get("href").removeprefix("../"), number(row.find("td[2]/a").text)) for row in table.iter("tr") if row.get("class") == "group"]
if rows_of(table) != [(f"groups/{id}.html", count) for id, count in groups[:50]]: wrong.append(f"index.html: groups {rows_of(table)}")
for order, column in (("all", "reports"), ("last", "last"), ("new", "first")):
    names = sorted((name for name in pages if re.fullmatch(rf"groups/{order}-\d+\.html", name)), key=lambda name: int(re.search(r"\d+", name)[0]))
    if not names and len(groups) > 1: wrong.append(f"no list of groups: {order}")
    shown = [row for name in names for row in rows_of(documents[name].find(".//table"))]
    expected = [f"groups/{id}.html" for (id,) in store.execute(f"SELECT id FROM crash_groups ORDER BY {column} IS NULL, {column} DESC, reports DESC, id")]
    if names and [href for href, _ in shown] != expected: wrong.append(f"groups/{order}: {shown}")
every = {f"groups/{id}.html" for (id,) in store.execute("SELECT id FROM crash_groups")}
if not every <= set(pages): wrong.append("a group has no page")

# Every group has a report with its symbolicated log, and the same in JSON.
for id, example in store.execute("SELECT id, example FROM crash_groups"):
    name = f"reports/report-{example % 2 ** 64}"
    if name + ".html" not in pages or name + ".json" not in files:
        wrong.append(f"{name} is missing")
        continue
    if "../" + name + ".html" not in pages[f"groups/{id}.html"].links: wrong.append(f"groups/{id}.html: no link to {name}")
    report = json.load(open(os.path.join(folder, name + ".json"), encoding="utf-8"))
    log = text_of(documents[name + ".html"].find(".//pre"))
    for stack in report["stacks"]:
        for frame in stack["frames"]:
            function = frame.get("function", "")
            if re.fullmatch(r"[\w:]{3,60}", function, re.A) and function not in log: wrong.append(f"{name}: {function} is not in the log")
for line in wrong: print(line)
print(f"pages {len(pages)}, counts {checked}")
