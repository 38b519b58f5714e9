"""What Spark wrote beside the store of `cairn batch`, for scripts/checks/spark."""

import os
import sqlite3

import pyarrow.parquet


def spark_rows(out):
    """By path and number of the report: group, signature, own group, resolved and unresolved frames; and the keys of logs without a report."""
    rows, none = {}, set()
    members = {(row["key"], row["number"]): row["crash_group"] for row in pyarrow.parquet.read_table(out + ".members").to_pylist()}
    columns = ["key", "number", "signature", "group", "resolved_frames", "unresolved_frames", "error_kind"]
    for row in pyarrow.parquet.read_table(out, columns=columns).to_pylist():
        path = row["key"].removeprefix("file:")
        if row["number"] < 0:
            none.add((path, row["error_kind"]))
        else:
            assert (path, row["number"]) not in rows, f"{path}: a report is there twice"
            rows[path, row["number"]] = (members[row["key"], row["number"]], row["signature"], row["resolved_frames"], row["unresolved_frames"])
    return rows, none


def batch_rows(store):
    database = sqlite3.connect(store)
    database.execute(
        """CREATE TEMP TABLE counted AS SELECT report, sum(named) AS named, sum(unnamed) AS unnamed FROM threads JOIN (
            SELECT stack, sum(EXISTS (SELECT 1 FROM functions WHERE functions.stack = frames.stack AND frame = frames.number)) AS named,
                sum(reason IS NOT NULL AND printed IS NULL) AS unnamed
            FROM frames GROUP BY stack) AS per_stack ON per_stack.stack = threads.stack GROUP BY report""")
    sql = """SELECT path, number, crash_group, exact, coalesce(named, 0), coalesce(unnamed, 0) FROM files JOIN reports ON reports.log = files.log
        JOIN signatures ON signatures.id = signature LEFT JOIN counted ON counted.report = reports.id"""
    return {(os.path.abspath(path), number): tuple(rest) for path, number, *rest in database.execute(sql)}


def differences(spark, batch):
    """Lines; none where all is the same."""
    lines = [f"{key}: only Spark has it" for key in spark.keys() - batch.keys()] + [f"{key}: only cairn batch has it" for key in batch.keys() - spark.keys()]
    lines += [f"{key}: Spark {spark[key]}, cairn batch {batch[key]}" for key in spark.keys() & batch.keys() if spark[key] != batch[key]]
    return sorted(lines)
