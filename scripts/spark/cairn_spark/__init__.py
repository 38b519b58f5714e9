"""Crash logs in Spark, symbolicated by cairn.

    from cairn_spark import Stage, group, symbolicate

    logs = spark.read.text("s3a://crashes/2026-11-26/", wholetext=True).selectExpr("_metadata.file_path AS key", "value AS log")
    crashes = symbolicate(logs, Stage(cairn="/opt/cairn/cairn", symbols=["/mnt/symbols"], index_cache="/mnt/indexes"))
    crashes, groups = group(crashes, cairn="/opt/cairn/cairn")
    groups.orderBy("reports", ascending=False).show()
"""

from .columns import SCHEMA
from .grouping import group
from .postgres import write_postgres
from .stage import Stage, StageError
from .symbolicating import ship, symbolicate

__all__ = ["SCHEMA", "Stage", "StageError", "group", "ship", "symbolicate", "write_postgres"]
