"""A Spark job over a folder of logs, for scripts/checks/spark: symbolicates, groups, writes Parquet and PostgreSQL. Prints what it did as JSON."""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts/spark"))

from cairn_spark import Stage, group, ship, symbolicate, write_postgres  # noqa: E402


def executors():
    """The executors of this machine: processes of their own in local-cluster."""
    found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], stdout=subprocess.PIPE, text=True).stdout
    return [int(word) for word in found.split()]


def kill_one_after(seconds, killed):
    def run():
        time.sleep(seconds)
        for process in executors()[:1]:
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    threading.Thread(target=run, daemon=True).start()


def main():
    parser = argparse.ArgumentParser()
    for name in ["master", "logs", "symbols", "programs", "index-cache", "out", "postgres"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("--partitions", type=int, default=64)
    parser.add_argument("--kill-after", type=float)
    options = parser.parse_args()

    from pyspark.sql import SparkSession
    from pyspark.sql.functions import lit

    builder = (
        SparkSession.builder.master(options.master).appName("cairn").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").config("spark.executor.memory", "1g")
        # Crash logs are large: Spark's 10,000 of them would be one batch.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "200").config("spark.sql.shuffle.partitions", "8")
        # Snappy's library does not load where musl is installed beside glibc.
        .config("spark.sql.parquet.compression.codec", "zstd")
        # Pieces of several small files, and no larger, so that a task that is run again is a short one.
        .config("spark.sql.files.maxPartitionBytes", str(8 << 20)).config("spark.sql.files.openCostInBytes", "4096"))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    ship(spark, options.programs)
    logs = (
        spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(options.logs)
        .selectExpr("path AS key", "content AS log", "element_at(split(path, '/'), -1) AS file", "length AS size").repartition(options.partitions))
    stage = Stage(cairn="cairn", symbols=(options.symbols,), index_cache=options.index_cache)
    killed = []
    if options.kill_after:
        kill_one_after(options.kill_after, killed)
    start = time.monotonic()
    symbolicate(logs, stage, columns=["file", "size"]).write.mode("overwrite").parquet(options.out)
    seconds = time.monotonic() - start
    crashes = spark.read.parquet(options.out)
    # Columns of the logs pass through, each with the rows of its own log.
    sizes = logs.selectExpr("key", "size AS expected")
    wrong = crashes.join(sizes, "key").where("NOT (endswith(key, file) AND size = expected)").count()
    if wrong:
        sys.exit(f"{wrong} rows have the columns of another log")
    start = time.monotonic()
    grouped, groups = group(crashes, cairn=os.path.join(options.programs, "cairn"))
    groups.write.mode("overwrite").parquet(options.out + ".groups")
    grouped.select("key", "number", "crash_group").write.mode("overwrite").parquet(options.out + ".members")
    figures = {"seconds": seconds, "grouping": time.monotonic() - start, "rows": crashes.count(), "killed": len(killed)}
    if options.postgres:
        # A try that failed had another report of a log.
        write_postgres(crashes.limit(1).withColumn("number", lit(99)), options.postgres, "crashes")
        start = time.monotonic()
        # Twice, as if tasks had run again.
        for _ in range(2):
            write_postgres(crashes, options.postgres, "crashes", connections=4)
        figures["postgres"] = (time.monotonic() - start) / 2
    print(json.dumps(figures))
    spark.stop()


main()
