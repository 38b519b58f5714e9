internal import Databases

/// The store's tables. Each version of the schema is a migration that stays as it is for ever; a
/// new one is a new entry at the end.
///
/// Rows of what comes out of logs have keys that follow from their content, so that an interrupted
/// and resumed run ends with the same rows as an undisturbed one.
enum StoreSchema {
    static func migrations(isServer: Bool) -> Migrations {
        let steps = [
            ("1: logs, reports, stacks", first), ("2: signatures and groups", second), ("3: meanings", third),
            ("4: views", fourth),
        ]
        let sixth = [("6: shared texts", sixth)]
        let additions: Set = ["4: views", "5: trigrams"]
        let conversions: [String: Migrations.Conversion] = ["6: shared texts": StackRows.convert]
        guard isServer else { return Migrations(steps + sixth, additions: additions, conversions: conversions) }
        // SQLite's functions that a server lacks, and the index that only a server needs.
        return Migrations(
            [("0: functions", functions)] + steps + [("5: trigrams", trigrams)] + sixth, additions: additions, conversions: conversions)
    }

    /// Index for text search. Reading the texts of 100,000 reports took 140 ms, and 15 ms with this
    /// index, which finds them by three characters each
    /// (https://www.postgresql.org/docs/current/pgtrgm.html). If the server has no such extension,
    /// or the user may not install it in the database, every report is read.
    private static let trigrams = """
        DO $$ BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
            CREATE INDEX reports_texts ON reports USING gin (message gin_trgm_ops, process gin_trgm_ops);
        EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN NULL;
        END $$
        """

    /// The same rows as SQLite's `json_each` for a list of integers.
    private static let functions = """
        CREATE FUNCTION number_list(list text) RETURNS TABLE (value bigint, key bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
        'SELECT item::bigint, place - 1 FROM json_array_elements_text(list::json) WITH ORDINALITY AS items (item, place)'
        """

    /// Meaning of a report's cause, in one or two sentences; NULL if no rule is known to be right,
    /// and in reports of older versions.
    private static let third = "ALTER TABLE reports ADD COLUMN meaning TEXT"

    private static let first = """
        -- Each call of `cairn batch`. Times are nanoseconds since 1970 in UTC, here and everywhere.
        CREATE TABLE runs (id INTEGER PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER, version TEXT NOT NULL, roots TEXT NOT NULL, logs INTEGER);

        -- A log by its content, once for all of its paths. id: the first 63 bits of content; content: SHA-256 in hexadecimal digits; result: answered, no-trace, unreadable; problems: a line each.
        CREATE TABLE logs (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, result TEXT NOT NULL, problems TEXT);

        -- Paths of logs. A file with the same size and time of change is not read again.
        CREATE TABLE files (path TEXT PRIMARY KEY, log INTEGER NOT NULL REFERENCES logs (id), size INTEGER NOT NULL, modified INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX files_log ON files (log);

        -- A trace of a log. number: from 0, in the log's order; instant: NULL without a timestamp; time: the text in the log.
        CREATE TABLE reports (
            id INTEGER PRIMARY KEY, log INTEGER NOT NULL REFERENCES logs (id), number INTEGER NOT NULL, format TEXT NOT NULL, process TEXT, identifier TEXT, version TEXT, pid INTEGER,
            platform TEXT, architecture TEXT, instant INTEGER, time TEXT, cause_kind TEXT, cause_type TEXT, signal TEXT, message TEXT, fault_address INTEGER, UNIQUE (log, number));
        CREATE INDEX reports_process ON reports (process, version);
        CREATE INDEX reports_instant ON reports (instant);

        -- A file that was loaded. identity: build ID or UUID; reason: why no symbols were found.
        CREATE TABLE images (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT, path TEXT, architecture TEXT, has_symbols INTEGER NOT NULL, reason TEXT);
        CREATE INDEX images_identity ON images (identity);
        CREATE INDEX images_missing ON images (has_symbols, name);

        -- The images of a report's frames, and their load addresses.
        CREATE TABLE loaded_images (report INTEGER NOT NULL REFERENCES reports (id), image INTEGER NOT NULL REFERENCES images (id), base INTEGER, PRIMARY KEY (report, image)) WITHOUT ROWID;

        -- A stack by its content, once for all reports that have it.
        CREATE TABLE stacks (id INTEGER PRIMARY KEY, frames INTEGER NOT NULL);

        -- The stacks of a report, in its order. role: thread, exception, other; thread: the thread's number in the log.
        CREATE TABLE threads (
            report INTEGER NOT NULL REFERENCES reports (id), number INTEGER NOT NULL, role TEXT NOT NULL, thread INTEGER NOT NULL, name TEXT, crashed INTEGER NOT NULL,
            stack INTEGER NOT NULL REFERENCES stacks (id), PRIMARY KEY (report, number)) WITHOUT ROWID;
        CREATE INDEX threads_stack ON threads (stack);

        -- The rows of a stack, innermost first. offset: the raw address minus the image's base; address: the raw one, where no image is known; printed: the name in the log; reason: why
        -- it is unresolved.
        CREATE TABLE frames (
            stack INTEGER NOT NULL REFERENCES stacks (id), number INTEGER NOT NULL, kind TEXT NOT NULL, image INTEGER REFERENCES images (id), offset INTEGER, address INTEGER, printed TEXT,
            reason TEXT, PRIMARY KEY (stack, number)) WITHOUT ROWID;
        CREATE INDEX frames_image ON frames (image, offset);

        -- The functions at a frame. depth: 0 is the innermost; all but the last are inlined.
        CREATE TABLE functions (
            stack INTEGER NOT NULL, frame INTEGER NOT NULL, depth INTEGER NOT NULL, name TEXT NOT NULL, file TEXT, line INTEGER NOT NULL, column INTEGER NOT NULL,
            inlined INTEGER NOT NULL, PRIMARY KEY (stack, frame, depth)) WITHOUT ROWID;
        CREATE INDEX functions_name ON functions (name);
        """

    private static let second = """
        -- How crashes are known (`CrashSignature`), once for all reports that have the same. id: the first 63 bits of the SHA-256 of all of it; family: crash, hang, leak, race, resource, profile, or exception and its type;
        -- words: SIGSEGV; exact, own_code: the keys of two levels, 16 hexadecimal digits; absence: why no stack is usable; frames: what the third level compares, a line a frame
        -- (`StoredSignature`); crash_group: the group of that level, NULL until a run has come to its end.
        CREATE TABLE signatures (
            id INTEGER PRIMARY KEY, family TEXT NOT NULL, words TEXT NOT NULL, title TEXT NOT NULL, exact TEXT NOT NULL, own_code TEXT NOT NULL, lacks_symbols INTEGER NOT NULL, absence TEXT,
            frames TEXT NOT NULL, crash_group TEXT REFERENCES crash_groups (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE INDEX signatures_group ON signatures (crash_group);
        CREATE INDEX signatures_exact ON signatures (exact);
        CREATE INDEX signatures_own_code ON signatures (own_code);

        -- Crashes that are one bug. id: 16 hexadecimal digits, which stay while most of its reports stay; leader: the signature of the most frequent stack; reports, logs: how many there are; first, last: the
        -- timestamps of the first and the last, NULL without any; example: a report of the leader's signature; while a run goes on it may be gone.
        CREATE TABLE crash_groups (
            id TEXT PRIMARY KEY, title TEXT NOT NULL, leader INTEGER NOT NULL REFERENCES signatures (id) DEFERRABLE INITIALLY DEFERRED, reports INTEGER NOT NULL, logs INTEGER NOT NULL, first INTEGER, last INTEGER,
            example INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX crash_groups_reports ON crash_groups (reports);

        -- What groups were called before they became part of another.
        CREATE TABLE former_groups (id TEXT PRIMARY KEY, crash_group TEXT NOT NULL REFERENCES crash_groups (id) DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID;

        -- Reports that were symbolicated again since the groups were made, and the groups that they were in.
        CREATE TABLE moved_reports (report INTEGER PRIMARY KEY, crash_group TEXT NOT NULL);

        -- Files and folders that could not be opened when they were last looked at, and why.
        CREATE TABLE unread (path TEXT PRIMARY KEY, problem TEXT NOT NULL) WITHOUT ROWID;

        -- Archives all of whose logs are kept: what has the same size and time of change is not opened again.
        CREATE TABLE archives (path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, rules TEXT NOT NULL) WITHOUT ROWID;

        -- One row. grouped: whether the groups are those of all reports; they are not while a run goes on, and after it was interrupted.
        CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), grouped INTEGER NOT NULL);
        INSERT INTO state VALUES (1, 1);

        -- platform, from now on: the operating system's name (macOS); system: its name and version in the log's words (macOS 15.2 (24C101)); device: the hardware's model (Mac15,6).
        ALTER TABLE reports ADD COLUMN system TEXT;
        ALTER TABLE reports ADD COLUMN device TEXT;
        ALTER TABLE reports ADD COLUMN signature INTEGER REFERENCES signatures (id);
        CREATE INDEX reports_signature ON reports (signature, instant);

        -- The rules that the reports' signatures were made by; what was made by others is symbolicated again. unanswered: the number of unresolved frames in its reports.
        ALTER TABLE logs ADD COLUMN rules TEXT;
        ALTER TABLE logs ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX logs_unanswered ON logs (unanswered) WHERE unanswered > 0;

        -- How many reports have frames in an image.
        CREATE INDEX loaded_images_image ON loaded_images (image);

        -- unanswered: the number of its unresolved frames.
        ALTER TABLE stacks ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
        """

    /// The four common questions, as views for programs that read a store without cairn. Times are
    /// nanoseconds since 1970 in UTC, as in the tables.
    private static let fourth = """
        -- The groups and what they are known by. `SELECT * FROM top_groups ORDER BY reports DESC LIMIT 10`
        CREATE VIEW top_groups AS
        SELECT g.id AS crash_group, g.title, s.family, s.words, g.reports, g.logs, g.first, g.last, g.example, s.lacks_symbols
        FROM crash_groups AS g JOIN signatures AS s ON s.id = g.leader;

        -- The reports of each group, with the path of their log. `SELECT * FROM group_reports WHERE crash_group = '3b0c…' ORDER BY instant`
        CREATE VIEW group_reports AS
        SELECT s.crash_group, r.id AS report, r.process, r.version, r.system, r.device, r.architecture, r.instant, r.signal, r.message, r.meaning, l.content, r.number,
            (SELECT min(path) FROM files WHERE files.log = r.log) AS path
        FROM signatures AS s JOIN reports AS r ON r.signature = s.id JOIN logs AS l ON l.id = r.log;

        -- The files without symbols, and how many reports have frames in them. `SELECT * FROM missing_symbols ORDER BY reports DESC`
        CREATE VIEW missing_symbols AS
        SELECT i.name, i.identity, i.architecture, i.path, i.reason, count(*) AS reports
        FROM images AS i JOIN loaded_images AS l ON l.image = i.id WHERE i.has_symbols = 0 AND i.reason IS NOT NULL
        GROUP BY i.id, i.name, i.identity, i.architecture, i.path, i.reason;

        -- How many reports of each group there are of each day in UTC; day: whole days since 1970. `SELECT * FROM group_days WHERE crash_group = '3b0c…' ORDER BY day`
        CREATE VIEW group_days AS
        SELECT s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END AS day, count(*) AS reports
        FROM signatures AS s JOIN reports AS r ON r.signature = s.id WHERE r.instant IS NOT NULL
        GROUP BY s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END;
        """

    /// Texts of frames once for all frames that have them. Of 830 logs of which hardly two have a
    /// stack in common, the repeated reasons, kinds and names were half of the store.
    ///
    /// The indexes that go were used by no query; nor are those of the former tables made again.
    private static let sixth = """
        ALTER TABLE frames RENAME TO former_frames;
        ALTER TABLE functions RENAME TO former_functions;

        -- Names and files of functions. id: the first 63 bits of the SHA-256 of `text`, U+0001 and the text. What nothing refers to any more is removed when groups are made.
        CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

        -- What frames have in common. kind: exact, program-counter, return-address and others; image: NULL where none is known; reason: why they are unresolved.
        CREATE TABLE frame_kinds (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, image INTEGER, reason TEXT);

        -- The rows of a stack, innermost first. offset: the raw address minus the image's base; address: the raw one, where no image is known; printed: the name in the log, a key of texts.
        CREATE TABLE frame_rows (
            stack INTEGER NOT NULL REFERENCES stacks (id), number INTEGER NOT NULL, frame_kind INTEGER NOT NULL, offset INTEGER, address INTEGER, printed INTEGER, PRIMARY KEY (stack, number)) WITHOUT ROWID;

        -- The functions at a frame. depth: 0 is the innermost; all but the last are inlined; name, file: keys of texts.
        CREATE TABLE function_rows (
            stack INTEGER NOT NULL, frame INTEGER NOT NULL, depth INTEGER NOT NULL, name INTEGER NOT NULL, file INTEGER, line INTEGER NOT NULL, column INTEGER NOT NULL,
            inlined INTEGER NOT NULL, PRIMARY KEY (stack, frame, depth)) WITHOUT ROWID;

        -- The frames with their texts: the table of the versions before.
        CREATE VIEW frames AS
        SELECT r.stack, r.number, k.kind, k.image, r.offset, r.address, (SELECT text FROM texts WHERE texts.id = r.printed) AS printed, k.reason
        FROM frame_rows AS r JOIN frame_kinds AS k ON k.id = r.frame_kind;

        -- The functions with their texts: the table of the versions before.
        CREATE VIEW functions AS
        SELECT r.stack, r.frame, r.depth, (SELECT text FROM texts WHERE texts.id = r.name) AS name, (SELECT text FROM texts WHERE texts.id = r.file) AS file, r.line, r.column, r.inlined
        FROM function_rows AS r;

        -- has_unused: rows of texts and frame_kinds may have lost the last row that refers to them.
        ALTER TABLE state ADD COLUMN has_unused INTEGER NOT NULL DEFAULT 0;

        DROP INDEX images_identity;
        DROP INDEX images_missing;
        DROP INDEX signatures_exact;
        DROP INDEX signatures_own_code;
        DROP INDEX crash_groups_reports;
        DROP INDEX logs_unanswered;
        """
}
