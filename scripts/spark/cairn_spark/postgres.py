"""Rows into PostgreSQL, so that a task that Spark runs twice changes nothing."""

from .columns import NAMES, type_of
from .stage import send_along

# The types of columns that `symbolicate` passes through, and PostgreSQL's.
OWN_TYPES = {
    "string": "text", "int": "bigint", "bigint": "bigint", "smallint": "bigint", "tinyint": "bigint", "boolean": "boolean", "double": "double precision",
    "float": "double precision", "date": "date", "timestamp": "timestamptz",
}


def write_postgres(crashes, conninfo, table="crashes", connections=None):
    """Writes crashes into a table of PostgreSQL, which is made if it is not there. The rows of a key replace those that the table has of it.

    `conninfo` is libpq's (`postgresql:///crashes?host=/run/postgresql`). Leave passwords to PGPASSFILE, or a service file, on the workers.
    All rows of a key are in one partition, of which there are as many as `connections`, or as Spark makes. Each is one transaction: COPY into a
    temporary table, then one DELETE of its keys' rows and one INSERT, so that a job that failed and is run again leaves no row of the first try.
    """
    import psycopg

    send_along()
    columns = [name for name in [*NAMES, "crash_group"] if name in crashes.columns]
    own = dict(crashes.select([name for name in crashes.columns if name not in columns]).dtypes)
    unknown = sorted(f"{name} ({kind})" for name, kind in own.items() if kind not in OWN_TYPES)
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: expected columns of the types {', '.join(OWN_TYPES)}")
    columns += own
    types = {"STRING": "text", "INT": "bigint", "BIGINT": "bigint", "BOOLEAN": "boolean"}
    quoted = [f'"{name}"' for name in columns]
    name = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
    with psycopg.connect(conninfo) as connection:
        definitions = ", ".join(f"{column} {OWN_TYPES[own[plain]] if plain in own else types[type_of(plain)]}" for plain, column in zip(columns, quoted))
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({definitions}, PRIMARY KEY (key, number))")

    def write(rows):
        # PostgreSQL's text cannot hold the character 0.
        clean = [tuple(value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row) for row in rows]
        if not clean:
            return
        updates = ", ".join(f"{column} = excluded.{column}" for plain, column in zip(columns, quoted) if plain not in ("key", "number"))
        with psycopg.connect(conninfo) as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE arrived (LIKE {name}) ON COMMIT DROP")
            with cursor.copy(f"COPY arrived ({', '.join(quoted)}) FROM STDIN") as copy:
                for row in clean:
                    copy.write_row(row)
            cursor.execute(f"DELETE FROM {name} WHERE key IN (SELECT key FROM arrived)")
            # Another try of the same task may have written since.
            cursor.execute(
                f"INSERT INTO {name} ({', '.join(quoted)}) SELECT DISTINCT ON (key, number) {', '.join(quoted)} FROM arrived ORDER BY key, number "
                f"ON CONFLICT (key, number) DO UPDATE SET {updates}")

    rows = crashes.select(*columns)
    (rows.repartition(connections, "key") if connections else rows.repartition("key")).foreachPartition(write)
