/// A store made by hand, of which every number can be counted here.
///
/// | group | reports | logs | days since 1970 | versions | signatures |
/// |---|--:|--:|---|---|---|
/// | `aaaa000000000001` | 6 | 5 | 20000 ×2, 20001 ×3, one untold | 2.0 ×3, 1.0 ×2, one untold | 1 ×4, 2 ×2 |
/// | `aaaa000000000002` | 3 | 3 | −1, 20002 ×2 | 2.0 ×3 | 3 ×3 |
/// | `b000000000000003` | 1 | 1 | 20003 | `=cmd` | 4 |
/// | none | 1 | 1 | untold | untold | |
///
/// Report 1 and 2 are of one log. Logs 11 and 12 hold no report: one is no crash log, one could not
/// be read. The reports' crashed stacks: 100 of reports 1 to 5 (`inner`, inlined into `outer`; then
/// an unresolved frame of libmissing), 102 of report 6, 103 of reports 7 to 9, 104 of report
/// 10 (names that are not nice). Stack 101 (`main_loop`) is the other thread of reports 1 to 9.
package enum MadeStore {
    package static let hostileFunction = "\u{1b}[31mevil \"quoted\", comma\nsecond line"
    package static let hostileProcess = "=HYPERLINK(\"http://127.0.0.1\",\"x\")"
    package static let hostileMessage = "line one\r\nline \"two\"\u{7}\u{202E}"
    package static let hostilePath = "/logs/ten\n\"odd\" %_\\.crash"

    /// - Parameter path: a store with its tables and no rows.
    package static func fill(_ path: String) throws {
        try run("python3", ["-c", rows + script, path, hostileFunction, hostileProcess, hostileMessage, hostilePath]).requireSuccess()
    }

    /// Beginning of a script that adds frames and functions.
    package static let rows =
        "import sys; sys.path.insert(0, '\(TestPaths.root)/Tests/Pages')\nfrom store_rows import add_frame, add_function\n"

    private static let script = #"""
        import sqlite3, sys
        path, function, process, message, odd = sys.argv[1:6]
        store = sqlite3.connect(path)
        add = lambda table, *rows: [store.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row) for row in rows]
        DAY, HOUR = 86400 * 10**9, 3600 * 10**9
        store.execute("INSERT INTO runs (id, began, ended, version, roots, logs) VALUES (1, ?, ?, '1.0', '/logs', 12)", (20004 * DAY, 20004 * DAY + HOUR))
        for log in range(1, 13):
            result = {11: "no-trace", 12: "unreadable"}.get(log, "answered")
            store.execute("INSERT INTO logs (id, content, size, result, problems) VALUES (?, ?, 10, ?, ?)", (log, f"{log:064x}", result, "cut off" if log == 12 else None))
            add("files", (odd if log == 10 else f"/logs/{log}.crash", log, 10, 0))
        add("files", ("/copy/1.crash", 1, 10, 0))
        add("unread", ("/logs/locked", "permission denied"))
        # What the third level compares: two lines of places, then marks, row, language, module, build, offset, closure, name. The second has one caller more than the first.
        frames = lambda *names: "\n".join(["p", "b"] + [f"so\t{row}\tcPlusPlus\tapp\t\t\t\t{name}" for row, name in enumerate(names)])
        add("signatures",
            (1, "crash", "SIGSEGV", "SIGSEGV in outer", "e1", "o1", 0, None, frames("outer", "second", "third"), "aaaa000000000001"),
            (2, "crash", "SIGSEGV", "SIGSEGV in other", "e2", "o2", 0, None, frames("outer", "second", "third", "fourth"), "aaaa000000000001"),
            (3, "crash", "SIGABRT", "SIGABRT in libmissing", "e3", "o3", 1, None, frames("lost", "found", "run"), "aaaa000000000002"),
            (4, "hang", "hang", "hang in " + function, "e4", "o4", 0, None, frames("evil", "wait", "loop"), "b000000000000003"))
        add("crash_groups",
            ("aaaa000000000001", "SIGSEGV in outer", 1, 6, 5, 20000 * DAY, 20001 * DAY + 5 * HOUR, 1),
            ("aaaa000000000002", "SIGABRT in libmissing", 3, 3, 3, -HOUR, 20002 * DAY + HOUR, 7),
            ("b000000000000003", "hang in " + function, 4, 1, 1, 20003 * DAY, 20003 * DAY, 10))
        add("former_groups", ("cccc000000000009", "aaaa000000000001"))
        # has_symbols, reason
        add("images", (1, "app", "AA", "/opt/app", "x86_64", 1, None), (2, "libmissing", "BB", "/usr/lib/libmissing", "x86_64", 0, "no symbol file for libmissing (BB)"),
            (3, "libother", None, None, None, 0, None))
        # id, log, number, version, day's instant, signature, stack
        reports = [
            (1, 1, 0, "2.0", 20000 * DAY, 1, 100), (2, 1, 1, "2.0", 20000 * DAY + HOUR, 1, 100), (3, 2, 0, "2.0", 20001 * DAY, 1, 100), (4, 3, 0, "1.0", 20001 * DAY + 5 * HOUR, 1, 100),
            (5, 4, 0, "1.0", 20001 * DAY + HOUR, 2, 100), (6, 5, 0, None, None, 2, 102),
            (7, 6, 0, "2.0", -HOUR, 3, 103), (8, 7, 0, "2.0", 20002 * DAY, 3, 103), (9, 8, 0, "2.0", 20002 * DAY + HOUR, 3, 103),
            (10, 10, 0, "=cmd", 20003 * DAY, 4, 104), (11, 9, 0, None, None, None, None)]
        add("stacks", (100, 2, 1), (101, 1, 0), (102, 1, 1), (103, 1, 1), (104, 1, 0))
        for id, log, number, version, instant, signature, stack in reports:
            store.execute(
                "INSERT INTO reports (id, log, number, format, process, version, pid, platform, architecture, instant, signal, message, fault_address, system, device, signature, meaning) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, 'linux', 'x86_64', ?, ?, ?, ?, ?, ?, ?, ?)",
                (id, log, number, "apple-crash" if id <= 9 else "glibc", process if id == 10 else "app", version, 100 + id, instant, "SIGSEGV" if id <= 6 else None,
                    message if id == 10 else "boom" if id == 7 else None, -1 if id == 1 else None, "macOS 15.2" if id % 2 else "macOS 14.0", "Mac15,6" if id == 1 else None, signature, "What it means." if id == 1 else None))
            if stack is None: continue
            threads = [(stack, 1)] if id == 10 else [(101, 0), (stack, 1)]
            for place, (number, crashed) in enumerate(threads): add("threads", (id, place, "thread", place, None, crashed, number))
            for image in {100: (1, 2), 102: (1, ), 103: (2, ), 104: (3, )}[stack]: add("loaded_images", (id, image, 0x1000))
        # stack, number, kind, image, offset, address, printed, reason
        for row in ((100, 0, "program-counter", 1, 0x40, None, None, None), (100, 1, "return-address", 2, 0x99, None, None, "no symbol file for libmissing (BB)"),
            (101, 0, "program-counter", 1, 0x50, None, None, None), (102, 0, "program-counter", 1, 0x60, None, "printed_name", "nothing there"),
            (103, 0, "program-counter", 2, 0x77, None, None, "no symbol file for libmissing (BB)"), (104, 0, "program-counter", None, None, 0xfff0, None, None)): add_frame(store, *row)
        # stack, frame, depth, name, file, line, column, inlined
        for row in ((100, 0, 0, "inner", "/src/app/a.c", 7, 3, 1), (100, 0, 1, "outer", "/src/app/b.c", 70, 0, 0), (101, 0, 0, "main_loop", "/src/app/100%_main.c", 1, 0, 0),
            (104, 0, 0, function, None, 0, 0, 0)): add_function(store, *row)
        store.commit()
        """#
}
