"""Times `cairn symbolicate` over a large mixed log (scripts/checks/bench-logs)."""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

# Reports between the lines: crashes whose images no machine has symbols for, so that the log must come out as it went in.
CRASHES = ["apple-crash", "apple-ips", "kscrash-json", "nsexception-console", "apple-sample", "sentry-event-json", "apple-spindump"]
WORDS = ("connection accepted from client request served cache miss thread pool worker queue depth retry after timeout user session "
         "token refreshed payload bytes path /api/v1/items status").split()
SECOND_BOUND = 200e6
MEMORY_BOUND = 50e6


def samples():
    root = Path("Fixtures/logs")
    files = [file for name in CRASHES for file in sorted((root / name).rglob("*")) if file.suffix in (".crash", ".ips", ".json", ".txt", ".log")]
    return [file.read_bytes() for file in files if "expected" not in str(file)]


def line(chance, number):
    """One line of one of five writers: a service, a container, a structured log, syslog, a program that prints."""
    words = chance.sample(WORDS, chance.randint(5, 14))
    text = " ".join(words)
    return [
        f"2026-11-21T10:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03}Z INFO [main] {text} id={number}\n",
        f'web_1  | 10.0.0.{number % 255} - - [21/Nov/2026:10:00:00 +0000] "GET /{"/".join(words)} HTTP/1.1" 200 {number}\n',
        f'{{"level":"info","ts":{number},"msg":"{text}","n":{number}}}\n',
        f"Nov 21 10:00:00 host app[{number % 30000}]: {text}\n",
        text + "\n",
    ][number % 5].encode()


def make(path, megabytes):
    """A block of 32 MB with a crash every 40,000 lines, repeated."""
    chance = random.Random(7)
    crashes = samples()
    block = bytearray()
    number = 0
    while len(block) < min(32, megabytes) << 20:
        block += line(chance, number)
        number += 1
        if number % 40_000 == 0:
            block += chance.choice(crashes) + b"\n"
    with open(path, "wb") as file:
        for _ in range(max(1, megabytes // 32)):
            file.write(block)


def launcher(cache):
    """The small program that starts what is measured (see launcher.c)."""
    path = os.path.join(cache, "launcher")
    if not os.path.exists(path):
        subprocess.run(["cc", "-O2", "-o", path, "Tests/Benchmarks/launcher.c"], check=True)
    return os.path.abspath(path)


def run(start, binary, log, output):
    """Seconds of processor time, seconds of the clock, bytes of memory."""
    cost = output + ".cost"
    with open(output, "wb") as file:
        subprocess.run([start, cost, binary, "symbolicate", "--quiet", "--no-index", log], stdout=file, check=True)
    clock, user, system, kibibytes, status = (int(word) for word in Path(cost).read_text().split())
    os.remove(cost)
    if status != 0:
        sys.exit(f"bench-logs: cairn ended with status {status}")
    return (user + system) / 1e6, clock / 1e9, kibibytes * 1024


def main():
    parser = argparse.ArgumentParser()
    for name in ("--binary", "--cache"):
        parser.add_argument(name, required=True)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    log = os.path.join(options.cache, f"mixed-{options.megabytes}.log")
    output = os.path.join(options.cache, "mixed.out")
    if not os.path.exists(log):
        make(log, options.megabytes)
    size = os.path.getsize(log)
    start = launcher(options.cache)
    results = [run(start, options.binary, log, output) for _ in range(options.runs)]
    if subprocess.call(["cmp", log, output]) != 0:
        sys.exit("bench-logs: the log did not come out as it went in")
    os.remove(output)
    rates = sorted(size / seconds / 1e6 for seconds, _, _ in results)
    memory = max(memory for _, _, memory in results)
    print(f"{size / 1e6:.0f} MB: {rates[0]:.0f} to {rates[-1]:.0f} MB for a second of processor time, "
          f"{min(clock for _, clock, _ in results):.1f} s on the clock, {memory / 1e6:.0f} MB of memory")
    missed = rates[-1] * 1e6 < SECOND_BOUND or memory > MEMORY_BOUND
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
