"""A stream of logs into PostgreSQL, for scripts/checks/spark, which kills it in the middle and starts it again: each log's rows are there once."""

import argparse
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts/spark"))

from cairn_spark import Stage, symbolicate, write_postgres  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    for name in ["cairn", "logs", "symbols", "index-cache", "state", "postgres"]:
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    stage = Stage(cairn=options.cairn, symbols=(options.symbols,), index_cache=options.index_cache)
    files = spark.readStream.format("binaryFile").option("recursiveFileLookup", "true").option("maxFilesPerTrigger", "40")
    logs = files.schema("path STRING, modificationTime TIMESTAMP, length LONG, content BINARY").load(options.logs)

    def write(rows, number):
        write_postgres(rows, options.postgres, "streamed", connections=2)
        print(number, flush=True)

    rows = symbolicate(logs.selectExpr("path AS key", "content AS log"), stage)
    rows.writeStream.foreachBatch(write).option("checkpointLocation", options.state).trigger(availableNow=True).start().awaitTermination()


main()
