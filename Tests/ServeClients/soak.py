"""Many kept connections with requests over them, and what the server's memory and descriptors do meanwhile."""

import http.client
import json
import resource
import statistics
import threading
import time

from harness import HOST

COLUMNS = ["seconds", "requests", "errors", "processes", "rss_kb", "anonymous_kb", "descriptors"]


def soak(server, bodies, seconds, table, connections=1000, threads=4, every=10):
    """Writes a row each 10 s to the table; returns the rows, and what is not flat."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, connections * 2 + 500), hard))
    ends, counts, errors = threading.Event(), [0] * threads, []
    # A tenth of the jobs: the connections are what is measured.
    small = [json.dumps({"jobs": body["jobs"][:1]}) for body in bodies]

    def work(number):
        kept = [http.client.HTTPConnection(HOST, server.port, timeout=30) for _ in range(connections // threads)]
        for connection in kept:
            connection.connect()
        while not ends.is_set():
            start = time.monotonic()
            for index, connection in enumerate(kept):
                if ends.is_set():
                    break
                try:
                    connection.request("POST", "/symbolicate/v5", small[(index + number) % len(small)], {"Content-Type": "application/json"})
                    response = connection.getresponse()
                    data = response.read()
                    if response.status != 200:
                        errors.append(f"{response.status} {data[:100]!r}")
                    counts[number] += 1
                except (OSError, http.client.HTTPException) as error:
                    errors.append(f"{type(error).__name__}: {error}")
                    connection.close()
            # Each connection is used every 5 s at most.
            ends.wait(max(0, 5 - (time.monotonic() - start)))
        for connection in kept:
            connection.close()

    workers = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(threads)]
    for worker in workers:
        worker.start()
    begin, rows = time.monotonic(), []
    with open(table, "w") as file:
        file.write("\t".join(COLUMNS) + "\n")
        while time.monotonic() - begin < seconds:
            time.sleep(min(every, max(0.1, seconds - (time.monotonic() - begin))))
            row = [round(time.monotonic() - begin), sum(counts), len(errors), len(server.processes()), server.memory(), server.memory("RssAnon"), server.descriptors()]
            rows.append(row)
            file.write("\t".join(map(str, row)) + "\n")
            file.flush()
    ends.set()
    for worker in workers:
        worker.join()
    return rows, problems_of(rows, errors)


def problems_of(rows, errors):
    """Flat: the last third is no larger than the middle one, by more than a twentieth and 8 MB, or 8 descriptors."""
    problems = [f"{len(errors)} requests failed: {errors[0]}"] if errors else []
    third = len(rows) // 3
    if third < 2:
        return problems + ["too short to see whether it is flat: expected a minute or more"]
    for name, room in [("anonymous_kb", 8192), ("descriptors", 8)]:
        column = COLUMNS.index(name)
        middle, last = (statistics.median(row[column] for row in part) for part in (rows[third : 2 * third], rows[2 * third :]))
        if last > middle * 1.05 + room:
            problems.append(f"{name}: {middle:.0f} in the middle third, {last:.0f} in the last")
    return problems
