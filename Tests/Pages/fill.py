"""fill.py STORE: fills an empty store with 1,299 reports in 3 groups and one without a stack, whose texts are as nasty as logs can make them."""
import random, sqlite3, sys
from store_rows import add_frame, add_function

store = sqlite3.connect(sys.argv[1])
store.execute("PRAGMA foreign_keys = ON")
random.seed(20260105)
nasty = [
    "<script>alert(1)</script>", "\"' onmouseover=alert(1) x=\"", "]]> --> </style></script></title></svg>", "\u202egnihton\u2066", "a\nb\r\nc\td",
    "\u0600<img src=x onerror=alert(1)>", "\"\u0301 onfocus=alert(1)", "{{title}} {{{style}}} {{> frame}}", "\x1b[31mred\x00\x7f", "x" * 5000, "javascript:alert(1)",
    "日本語 \U0001f4a5 \ufffe\ufdd0", "",
]

def insert(table, *values): store.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)

images = [(1, "harbor", "aa" * 20, "/opt/harbor", "arm64", 1, None), (2, nasty[0], "bb" * 20, nasty[1], None, 0, "no symbol file for " + nasty[2]), (3, "libold.so", None, "/lib/libold.so", "x86_64", 0, "it has no identity")]
for image in images: insert("images", *image)

# Forty stacks: the same outer functions, and other inner ones; some inlined, some without an answer, one very deep.
for stack in range(1, 41):
    rows = [f"inner{stack % 7}", nasty[stack % len(nasty)] or "?", "smelt", "run", "main"] if stack != 40 else [f"deep{level}" for level in range(300)]
    store.execute("INSERT INTO stacks (id, frames, unanswered) VALUES (?, ?, 1)", (stack, len(rows) + 1))
    for number, name in enumerate(rows):
        add_frame(store, stack, number, "return-address", 1, 16 * number, None, None, None)
        add_function(store, stack, number, 0, name, nasty[(stack + number) % len(nasty)] or None, number, 0, int(number == 0 and stack % 2))
        if number == 0 and stack % 2: add_function(store, stack, number, 1, "holder", "/src/holder.c", 7, 0, 0)
    add_frame(store, stack, len(rows), "return-address", 2, 4096, None, nasty[stack % len(nasty)] or None if stack % 3 == 0 else None, "no symbols")

groups = [(900, "f" * 16, "SIGSEGV in pour | smelt"), (300, "0123456789abcdef", nasty[0]), (99, "00000000000000aa", nasty[5]), (1, "00000000000000bb", nasty[9])]
# Hours within four days for one group, eighty days for the others: two scales of time.
report = 0
with store:
    for index, (count, group, title) in enumerate(groups):
        signature = 100 + index
        insert("signatures", signature, "crash", "SIGSEGV", title, "e", "o", index % 2, "no frames" if index == 3 else None, "", None if index == 3 else group)
        for number in range(count):
            report += 1
            log = report // 2 + 1
            if report == 1 or report % 2 == 0:
                store.execute("INSERT INTO logs (id, content, size, result) VALUES (?, ?, 1, 'answered')", (log, f"{log:064x}"))
                # Every third file has a time: within 70 days from 2026-01-05 on. The others have the first nanosecond of 1970.
                modified = 1767571200_000000000 + log % 70 * 86400 * 10**9 if log % 3 == 0 else 1
                store.execute("INSERT INTO files (path, log, size, modified) VALUES (?, ?, 1, ?)", (f"logs/{log}-{nasty[log % len(nasty)][:40]}.crash", log, modified))
            span = (3 if index == 1 else 80) * 86400
            instant = None if random.random() < 0.1 else 1767571200_000000000 + int(span * random.random() ** 2) * 10**9
            # 2005-03-01, of the largest group.
            if report == 7: instant = 1109635200_000000000
            store.execute(
                "INSERT INTO reports (id, log, number, format, process, version, instant, time, message, system, device, signature, meaning) VALUES (?, ?, ?, 'apple-ips', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (report, log, report % 2, random.choice(["harbor", nasty[report % len(nasty)]]), random.choice(["1.0", "1.1", None, nasty[report % len(nasty)]]), instant,
                    nasty[report % len(nasty)] if instant is None else None, random.choice(nasty + [None]) if index < 2 else "the same", random.choice(["macOS 15.2 (24C101)", None, nasty[4]]), "Mac15,6", signature, nasty[report % len(nasty)] if index < 2 else None))
            for image in [1] + ([2] if report % 3 else []) + ([3] if index == 1 else []): insert("loaded_images", report, image, 4096)
            if report % 50: store.execute("INSERT INTO threads (report, number, role, thread, crashed, stack) VALUES (?, 0, 'thread', 0, 1, ?)", (report, report % 40 + 1))
        first, last, logs, example = store.execute("SELECT min(instant), max(instant), count(DISTINCT log), min(id) FROM reports WHERE signature = ?", (signature,)).fetchone()
        # A report without a stack is in no group.
        if index == 3: continue
        store.execute(
            "INSERT INTO crash_groups (id, title, leader, reports, logs, first, last, example) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (group, title, signature, count, logs, first, last, example))
    store.execute("INSERT INTO runs (began, ended, version, roots, logs) VALUES (1, 2, '1', ?, 653)", ("logs\n$(touch /tmp/x) '" + nasty[0],))
    store.execute("INSERT INTO former_groups (id, crash_group) VALUES ('dead', ?)", ("f" * 16,))
    for number, result in enumerate(["no-trace", "no-trace", "unreadable"]):
        store.execute("INSERT INTO logs (id, content, size, result, problems) VALUES (?, ?, 1, ?, ?)", (5000 + number, f"{5000 + number:064x}", result, nasty[number] if result == "unreadable" else None))
        store.execute("INSERT INTO files (path, log, size, modified) VALUES (?, ?, 1, 1)", (f"logs/other{number}.txt", 5000 + number))
    store.execute("INSERT INTO unread (path, problem) VALUES (?, 'Permission denied')", ("logs/" + nasty[0],))
