"""Logs in, one row for each crash report out."""

import atexit
import json
import os
import shutil
import tempfile

from .columns import NAMES, NUMBERS, OWN_FRAME, SCHEMA, TEXTS, type_of
from .stage import PROGRAMS, RunningStage, Stage, pack, record, send_along


def ship(spark, folder):
    """Sends the programs `cairn` and `cairn-tools` of a folder to each worker, compressed (27 MB), for `Stage(cairn="cairn")`."""
    # Workers that come later fetch them, too.
    place = tempfile.mkdtemp(prefix="cairn-spark-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for name in PROGRAMS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            spark.sparkContext.addFile(pack(path, place))


def symbolicate(frame, stage=Stage(), key="key", log="log", kind=None, columns=()):
    """A DataFrame with a row for each crash report (`SCHEMA`), and one with `error` for each log that has none.

    Each log has a `key`, which comes back as text, and is in the column `log`: text, or binary (core files, minidumps, compressed logs).
    With kind="path" it is a path that all workers can read. Each row has the `columns` of its log, too, such as a tenant or a day. Partition by program and version before: then each task opens few symbol files.
    """
    send_along()
    types = dict(frame.dtypes)
    kind = kind or ("bytes" if types[log] == "binary" else "log")
    columns = list(columns)
    taken = sorted(set(columns) & {*NAMES, "crash_group"})
    if taken:
        raise ValueError(f"{', '.join(taken)}: a column of the results has this name. Rename it: frame.withColumnRenamed")

    def run(batches):
        import pandas

        running = None
        try:
            for batch in batches:
                # Only where there is something to do: of many partitions most may be empty.
                running = running or RunningStage(stage)
                records = [record(key, kind, value) for key, value in zip(batch["key"], batch["log"])]
                rows = [rows_of(answer) for answer in running.answers(records)]
                table = typed(pandas.DataFrame([row for own in rows for row in own], columns=NAMES))
                # The number of the log of each row.
                of_log = [number for number, own in enumerate(rows) for _ in own]
                for column in columns:
                    table[column] = batch[column].iloc[of_log].reset_index(drop=True)
                yield table
            if running:
                running.close()
                running = None
        finally:
            if running:
                running.kill()

    schema = SCHEMA + "".join(f", `{column}` {types[column]}" for column in columns)
    return frame.selectExpr(f"CAST(`{key}` AS STRING) AS key", f"`{log}` AS log", *(f"`{column}`" for column in columns)).mapInPandas(run, schema)


def rows_of(answer):
    """The rows of one log: its reports."""
    key = answer.get("key")
    if "error" in answer:
        error = answer["error"]
        return [{"key": key, "number": -1, "error_kind": error["kind"], "error": error["message"]}]
    problems = "\n".join(answer.get("problems") or []) or None
    rows = []
    for number, report in enumerate([answer, *(answer.get("more") or [])]):
        row = {name: report.get(name) for name in [*TEXTS, *NUMBERS, "lacks_symbols"]}
        own = report.get("own_frame") or {}
        row.update({name: own.get(member) for name, member in OWN_FRAME.items()})
        document = report.get("report")
        row.update(key=key, number=number, problems=problems, report=json.dumps(document) if document is not None else None)
        rows.append(row)
    return rows


def typed(table):
    """pandas has no integer for a column with gaps unless it is given one; and its own strings (since 3.0) Spark does not take."""
    for name in [name for name in NAMES if type_of(name) == "STRING"]:
        table[name] = table[name].astype(object).where(table[name].notna(), None)
    for name in [*NUMBERS, "number", "own_line"]:
        table[name] = table[name].astype("Int64")
    table["lacks_symbols"] = table["lacks_symbols"].astype("boolean")
    return table
