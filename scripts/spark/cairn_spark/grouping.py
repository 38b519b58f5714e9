"""Groups of crashes: by signature in Spark SQL, and signatures whose stacks are similar by `cairn groups merge`.

Of a hundred million crashes a hundred thousand signatures may differ. They fit on one machine, which compares each stack with those alone that share two of its innermost
functions. What comes out depends on the set of signatures, and not on their order or number.
"""

import json
import subprocess

from .stage import StageError

# Columns by which stacks are compared.
COMPARED = ["signature", "group", "title", "family", "kind", "lacks_symbols", "absence", "stack"]


def group(crashes, cairn="cairn", merge=True):
    """Two DataFrames: the crashes, where `crash_group` is the name of their group, and the groups with their numbers.

    With merge=False groups are those of equal functions of your own code, which no program needs to compare.
    """
    from pyspark.sql import functions as f

    if merge:
        crashes = crashes.withColumn("compared", f.sha2(f.to_json(f.struct(*COMPARED)), 256))
        crashes = crashes.join(f.broadcast(merged(crashes, cairn)), "compared", "left").drop("compared")
    else:
        crashes = crashes.withColumn("crash_group", f.col("group")).withColumn("group_title", f.col("title"))
    groups = (
        crashes.where("crash_group IS NOT NULL").groupBy("crash_group")
        .agg(f.min("group_title").alias("title"), f.count("*").alias("reports"), f.countDistinct("signature").alias("signatures"),
             f.countDistinct("version").alias("versions"), f.min("instant").alias("first"), f.max("instant").alias("last")))
    return crashes, groups


def merged(crashes, cairn):
    """The group of each distinct stack: (compared, crash_group, group_title)."""
    distinct = crashes.where("signature IS NOT NULL").select("compared", *COMPARED).dropDuplicates(["compared"])
    # In one order, so that the same crashes are the same bytes.
    rows = sorted((row.asDict() for row in distinct.toLocalIterator()), key=lambda row: row["compared"])
    lines = [json.dumps({"key": row.pop("compared"), **row}, ensure_ascii=False) + "\n" for row in rows]
    done = subprocess.run([cairn, "groups", "merge"], input="".join(lines).encode("utf-8", "surrogatepass"), capture_output=True, env={})
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if done.returncode != 0 or len(answers) != len(rows):
        raise StageError(f"cairn groups merge ended with status {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()[-2000:]}")
    names = [(answer["key"], answer["group"], answer["title"]) for answer in answers]
    return crashes.sparkSession.createDataFrame(names, "compared STRING, crash_group STRING, group_title STRING")
