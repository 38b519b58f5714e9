"""check.py FOLDER STORE: judges the pages of a report by other parsers than ours, and its counts by the store. A line for each thing that is wrong, then how much was looked at."""
import html.parser, os, re, sqlite3, sys, urllib.parse
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
pages = {name: Page(os.path.join(folder, name)) for name in files if name.endswith(".html")}
documents = {name: tree.parse(os.path.join(folder, name)) for name in pages}
known = {"html", "head", "meta", "title", "style", "body", "a", "header", "nav", "ol", "ul", "li", "main", "h1", "h2", "h3", "p", "footer", "time", "script", "div", "span", "svg", "rect", "text",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "section", "figure", "figcaption", "details", "summary", "pre", "code", "strong"}
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
        if parts.fragment and (inner not in pages or parts.fragment not in pages[inner].ids): wrong.append(f"{name}: {link} has no such place")
    text = open(os.path.join(folder, name), encoding="utf-8").read()
    if re.search(r"https?://|@import|url\(", text.split("<body>")[0]): wrong.append(f"{name}: something is fetched")

# The rows of each list: where a row stands, and which places begin with it.
lists = {}
for name in sorted((name for name in pages if name.startswith("reports/")), key=lambda name: int(re.search(r"-(\d+)\.html", name)[1])):
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
        if behind is None: continue
        row = parents[link]
        while row is not None and row.tag not in ("tr", "li"): row = parents.get(row)
        words = "".join(row.itertext()) if row is not None else ""
        # The others of a list are what its sections do not say; logs are counted by what is in them; boxes of merged stacks may lead to several sections.
        if "all others" in words or words.strip().endswith("Logs") or "#s" in link.get("href") and "-stacks-" in link.get("href"): continue
        checked += 1
        if behind != number(text): wrong.append(f"{name}: {text} ({words.strip()[:80]}) leads to {behind} rows: {link.get('href')}")
    for cell in document.iter("td"):
        if cell.get("class") == "number" and cell.find("a") is None and "".join(cell.itertext()).strip() not in ("", "0") and name == "index.html":
            if parents[cell].find("th/a[@class='title']") is None: wrong.append(f"{name}: {''.join(cell.itertext())} links to nothing")

# What the first page says, asked from the store by another program.
one = lambda sql: store.execute(sql).fetchone()[0]
facts = {}
for element in documents["index.html"].findall(".//ul[@class='facts']/li"): facts[element.find("span[@class='term']").text] = "".join(element.find("span").itertext()).strip()
expected = {
    "Reports": one("SELECT count(*) FROM reports"), "Groups": one("SELECT count(*) FROM crash_groups"), "Files": one("SELECT count(*) FROM files"),
    "No crash log": one("SELECT count(*) FROM logs WHERE result = 'no-trace'"),
    "Not readable": one("SELECT count(*) FROM logs WHERE result = 'unreadable'") + one("SELECT count(*) FROM unread"),
    "No timestamp": one("SELECT count(*) FROM reports WHERE instant IS NULL"),
    "Innermost frames without names": one("SELECT count(*) FROM reports JOIN signatures ON signature = signatures.id WHERE lacks_symbols"),
    "No usable stack": one("SELECT count(*) FROM reports JOIN signatures ON signature = signatures.id WHERE absence IS NOT NULL"),
    "In no group yet": one("SELECT count(*) FROM reports LEFT JOIN signatures ON signature = signatures.id WHERE crash_group IS NULL"),
}
for term, count in expected.items():
    if number(facts.get(term, "0")) != count: wrong.append(f"index.html: {term} {facts.get(term)}, the store has {count}")
for caption, column in (("Reports by version.", "version"), ("Reports by system.", "system"), ("Reports by device.", "device")):
    table = next(table for table in documents["index.html"].iter("table") if table.find("caption").text == caption)
    shown = {"".join(row.find("th").itertext()): number("".join(row.find("td[@class='number']").itertext())) for row in table.find("tbody")}
    for value, count in store.execute(f"SELECT {column}, count(*) FROM reports GROUP BY {column} ORDER BY count(*) DESC, {column} IS NULL, {column} LIMIT 10"):
        if value is not None and not (value.isprintable() and len(value) < 90): continue
        key = f"{column.capitalize()} unknown" if value is None else value
        if shown.get(key) != count: wrong.append(f"index.html: {column} {key}: {shown.get(key)}, the store has {count}")
groups = store.execute("SELECT id, reports FROM crash_groups ORDER BY reports DESC, id LIMIT 50").fetchall()
table = next((table for table in documents["index.html"].iter("table") if (table.find("caption").text or "").startswith("Groups by")), None)
shown = [] if table is None else [(row.find("th/a").get("href"), number(row.find("td[2]/a").text)) for row in table.find("tbody")]
if shown != [(f"groups/{id}.html", count) for id, count in groups]: wrong.append(f"index.html: groups {shown}")
every = {f"groups/{id}.html" for (id,) in store.execute("SELECT id FROM crash_groups")}
if not every <= set(pages): wrong.append("a group has no page")
for line in wrong: print(line)
print(f"pages {len(pages)}, counts {checked}")
