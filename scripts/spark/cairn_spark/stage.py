"""One `cairn stream`, which lives as long as a Spark task."""

import base64
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field


PROGRAMS = ("cairn", "cairn-tools")


def pack(path, folder):
    """Writes a program into a folder, compressed, without the names of its functions where `strip` is installed; the new file's path."""
    packed = os.path.join(folder, os.path.basename(path) + ".gz")
    plain = os.path.join(folder, os.path.basename(path))
    if not shutil.which("strip") or subprocess.run(["strip", "-o", plain, path], stderr=subprocess.DEVNULL).returncode != 0:
        shutil.copyfile(path, plain)
    with open(plain, "rb") as source, gzip.open(packed, "wb", 9) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    os.remove(plain)
    return packed


def unpack(packed):
    """Unpacks a program beside its packed file, once for all tasks; its path."""
    path = packed.removesuffix(".gz")
    if not os.path.exists(path):
        # Another task may do the same: each has a whole file, and the last one stays.
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as target, gzip.open(packed) as source:
            shutil.copyfileobj(source, target, 1 << 20)
        os.chmod(target.name, 0o755)
        os.replace(target.name, path)
    return path


def send_along():
    """Lets Spark send this package with each function, so that no worker needs it installed."""
    import cairn_spark
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(cairn_spark)


class StageError(RuntimeError):
    """cairn itself failed. Spark then runs the task again; a log that is broken is a row with `error` and no such error."""


@dataclass(frozen=True)
class Stage:
    """How cairn is run in each task.

    `cairn` is a path on every machine; without a directory it is a file that `ship` sent there.
    """

    cairn: str = "cairn"
    symbols: tuple = ()
    # Shared by all tasks of a machine. Workers may have no HOME, where it would be else.
    index_cache: str = None
    # Seconds and megabytes for one record.
    time_limit: int = 60
    record_limit: int = 64
    with_report: bool = False
    options: tuple = ()
    # Variables of its process; it needs none.
    environment: dict = field(default_factory=dict)

    def command(self):
        # The crash was not on the worker: its programs and libraries are nobody's, and other workers have others.
        command = [self.path(), "stream", "--jobs", "1", "--quiet", "--no-local", "--with", "stack"]
        if self.with_report:
            command += ["--with", "report"]
        for place in self.symbols:
            command += ["--symbols", place]
        if self.index_cache:
            command += ["--index-cache", self.index_cache]
        return command + ["--time-limit", str(self.time_limit), "--record-limit", str(self.record_limit), *self.options]

    def path(self):
        if os.path.dirname(self.cairn):
            return self.cairn
        from pyspark import SparkFiles

        # The first program needs the second one beside it.
        for name in reversed(PROGRAMS):
            packed = SparkFiles.get(name + ".gz")
            if os.path.exists(packed):
                unpack(packed)
        return SparkFiles.get(self.cairn)


class RunningStage:
    """The process. Its output has one line for each record, in order; it is read while records are written, as pipes are short."""

    def __init__(self, stage):
        self.errors = tempfile.TemporaryFile()
        command = stage.command()
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=stage.environment)
        except OSError as error:
            raise StageError(f"{command[0]}: {error.strerror}") from error

    def answers(self, records):
        """What cairn says of records (dictionaries), in their order."""
        lines = [json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for record in records]

        def write():
            try:
                for line in lines:
                    self.process.stdin.write(line)
                self.process.stdin.flush()
            except OSError:
                # The reader sees that there is no line, and says why.
                pass

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        answers = []
        for number in range(len(lines)):
            line = self.process.stdout.readline()
            if not line.endswith(b"\n"):
                raise StageError(f"cairn ended at record {number + 1} of {len(lines)}, with status {self.process.wait()}: {self.complaint()}")
            answers.append(json.loads(line))
        writer.join()
        return answers

    def complaint(self):
        self.errors.seek(0)
        return self.errors.read()[-2000:].decode("utf-8", "replace").strip()

    def close(self):
        """Ends it. What the input did not need is not waited for."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        rest = self.process.stdout.read()
        status = self.process.wait()
        if rest or status != 0:
            raise StageError(f"cairn ended with status {status}: {self.complaint()}")

    def kill(self):
        self.process.kill()
        self.process.wait()


def record(key, kind, value):
    """A record of `cairn stream`. A log that is not there is one without text, so that its row is not lost."""
    if kind == "bytes":
        return {"key": key, "bytes": base64.b64encode(bytes(value or b"")).decode("ascii")}
    return {"key": key, kind: value if isinstance(value, str) else ""}
