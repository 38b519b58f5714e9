"""The recipes of Documentation/spark.md with what is on one machine, for scripts/checks/spark: a folder of texts, a stream of files, and Spark's `rate`."""

import argparse
import glob
import json
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts/spark"))

from cairn_spark import Stage, symbolicate  # noqa: E402


def drained(frame, folder):
    """Writes a stream to Parquet until nothing more comes, in several batches; the rows."""
    query = frame.writeStream.format("parquet").option("path", folder + "/rows").option("checkpointLocation", folder + "/state").trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def main():
    parser = argparse.ArgumentParser()
    for name in ["cairn", "logs", "symbols", "index-cache", "folder"]:
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
    # Snappy's library does not load where musl is installed beside glibc.
    spark = spark.config("spark.sql.parquet.compression.codec", "zstd").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    stage = Stage(cairn=options.cairn, symbols=(options.symbols,), index_cache=options.index_cache)
    # Texts: Spark's reader of whole files takes UTF-8.
    paths = []
    for path in sorted(glob.glob(options.logs + "/*/*")):
        with open(path, "rb") as file:
            data = file.read()
        try:
            data.decode()
            paths.append(path)
        except UnicodeDecodeError:
            pass
    paths = paths[:300]
    texts = spark.read.text(paths, wholetext=True).selectExpr("_metadata.file_path AS key", "value AS log")
    folder = {(row["key"], row["number"]): row["signature"] for row in symbolicate(texts, stage).select("key", "number", "signature").collect()}
    assert len({key for key, _ in folder}) == len(paths), (len(folder), len(paths))

    # Parquet by day in, Parquet by day out.
    days = texts.selectExpr("key", "log", "concat('2026-11-2', length(key) % 3) AS day")
    days.write.partitionBy("day").parquet(options.folder + "/logs")
    partitioned = symbolicate(spark.read.parquet(options.folder + "/logs"), stage, columns=["day"])
    partitioned.write.partitionBy("day").parquet(options.folder + "/results")
    results = spark.read.parquet(options.folder + "/results")
    assert {(row["key"], row["number"]): row["signature"] for row in results.collect()} == folder
    first = {key for key, _ in folder if len(key) % 3 == 1}
    assert {row["key"] for row in results.where("day = '2026-11-21'").collect()} == first

    # A stream of records, as Kafka's values are: JSON with a key and a log.
    os.makedirs(options.folder + "/records")
    for number in range(3):
        with open(f"{options.folder}/records/{number}.json", "w") as file:
            for path in paths[number::3]:
                file.write(json.dumps({"key": "file://" + path, "log": open(path, encoding="utf-8", newline="").read()}) + "\n")
    values = spark.readStream.option("maxFilesPerTrigger", "1").text(options.folder + "/records")
    records = values.select(f.from_json("value", "key STRING, log STRING").alias("record")).select("record.*")
    query = drained(symbolicate(records, stage), options.folder)
    batches = len([progress for progress in query.recentProgress if progress["numInputRows"]])
    stream = {(row["key"], row["number"]): row["signature"] for row in spark.read.parquet(options.folder + "/rows").collect()}
    assert batches == 3, batches
    # Spark escapes paths in its URLs.
    plain = {(key.replace("file:///", "/").replace("file:/", "/"), number): signature for (key, number), signature in folder.items()}
    mine = {(key.replace("file:///", "/"), number): signature for (key, number), signature in stream.items()}
    assert plain == mine, (len(plain), len(mine), list(plain.items() ^ mine.items())[:3])

    # A source that never ends: a row each tick, each a path.
    ticks = spark.readStream.format("rate").option("rowsPerSecond", "50").load()
    listed = spark.createDataFrame([(number, path) for number, path in enumerate(paths)], "number LONG, path STRING")
    named = ticks.selectExpr("value", f"value % {len(paths)} AS number").join(f.broadcast(listed), "number").selectExpr("CAST(value AS STRING) AS key", "path AS log")
    query = symbolicate(named, stage, kind="path").writeStream.format("memory").queryName("rated").start()
    query.processAllAvailable()
    query.awaitTermination(12)
    query.stop()
    rated = spark.sql("SELECT key, number, signature FROM rated").collect()
    assert len(rated) > 50, len(rated)
    for row in rated:
        path = paths[int(row["key"]) % len(paths)]
        assert row["number"] < 0 or mine[path, row["number"]] == row["signature"], path
    print(f"{len(folder)} rows from a folder, the same from {batches} batches of a stream of files; {len(rated)} rows of a stream that goes on")
    spark.stop()


main()
