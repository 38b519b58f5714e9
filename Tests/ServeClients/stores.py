"""What goes wrong around the store that uploads are filed in: kills, a full disk, folders that go away, two servers."""

import os
import random
import resource
import signal
import subprocess
import threading

from harness import cairn_server, call, call_json, in_parallel
from objects import breakpad_id
from uploads import TOKEN, Store, Uploads, alive, send, stored, sum_of


def check(report, cairn, folder, programs, only=()):
    place = os.path.join(folder, "stores")
    os.makedirs(place)
    for name, work in [("kill -9 under uploads", killed_uploads), ("a full disk", full_disk), ("folders that go away", gone), ("two servers on one store", two_servers)]:
        if only and not any(word in name for word in only):
            continue
        folder = os.path.join(place, name.replace(" ", "-"))
        os.makedirs(folder)
        try:
            problems, words = work(cairn, folder, programs)
        except Exception as error:
            problems, words = [f"{type(error).__name__}: {error}"], ""
        if problems == ["skip"]:
            report.skip(f"faults: {name}", words)
        else:
            report.check(f"faults: {name}", problems, words)


def whole(store, files):
    return [f"{path} in the store is of no file that was sent" for path, digest in stored(store).items() if digest not in files.sums]


def killed_uploads(cairn, folder, programs):
    files, store = Uploads(os.path.join(folder, "send"), 60, 3_000_000), Store(folder, "store")
    chance, problems, kills, answered = random.Random(1), [], 0, set()
    while kills < 8:
        server = cairn_server(cairn, [store.path], *store.words)
        wishes = [chance.randrange(60) for _ in range(40)]

        def work(thread):
            for wish in wishes[thread::4]:
                if files.send(server.port, wish, TOKEN, 10) in (200, 201):
                    answered.add(wish)

        timer = threading.Timer(chance.uniform(0.02, 0.5), server.kill)
        timer.start()
        in_parallel(4, work)
        timer.join()
        kills += 1
        problems += whole(store.path, files)
        present = set(stored(store.path).values())
        # What was answered with success is there after the kill.
        problems += [f"program-{number} was taken with success, and is not in the store" for number in answered if sum_of(files.paths[number]) not in present]
    with cairn_server(cairn, [store.path], *store.words) as server:
        wrong = [number for number in range(60) if files.send(server.port, number, TOKEN) not in (200, 201)]
        if wrong:
            problems.append(f"afterwards {len(wrong)} of 60 files are refused")
        problems += [f"GET /buildid/{identity}/debuginfo afterwards: not the file that was sent" for number, identity in enumerate(files.ids)
                     if call(server.port, "GET", f"/buildid/{identity}/debuginfo")[2] != open(files.paths[number], "rb").read()]
        problems += whole(store.path, files)
    if len(stored(store.path)) < 60:
        problems.append(f"{len(stored(store.path))} files in the store: expected 60")
    return problems, f"{kills} kills, {len(answered)} of 60 files taken before"


def full_disk(cairn, folder, programs):
    store = Store(folder, "store")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", store.path], stderr=subprocess.DEVNULL).returncode == 0
    small, large = Uploads(os.path.join(folder, "small"), 3, 100_000), Uploads(os.path.join(folder, "large"), 3, 6_000_000)
    # Without a right to mount: no file may become larger than 4 MB.
    limits = None if mounted else lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20)))
    try:
        with cairn_server(cairn, [os.path.dirname(programs[0].path), store.path], *store.words, limits=limits) as server:
            problems = []
            first = small.send(server.port, 0, TOKEN)
            for number in range(3):
                status, body = send(server.port, open(large.paths[number], "rb").read(), TOKEN)
                if status not in (500, 503, 507):
                    problems.append(f"an upload that has no room: {status} {body[:200]!r}: expected 507")
            problems += whole(store.path, small)
            if first not in (200, 201) or (second := small.send(server.port, 1, TOKEN)) not in (200, 201):
                problems.append(f"small files before and after: {first} {second if first in (200, 201) else ''}: expected success")
            return problems + alive(server, programs[0]), "a file system of 4 MB" if mounted else "files of 4 MB at most"
    finally:
        if mounted:
            subprocess.run(["umount", "-l", store.path], stderr=subprocess.DEVNULL)


def gone(cairn, folder, programs):
    store, files = Store(folder, "store"), Uploads(os.path.join(folder, "send"), 4, 10_000)
    symbols = os.path.join(folder, "symbols")
    os.makedirs(symbols)
    for path in {programs[0].path, programs[0].debug}:
        with open(path, "rb") as source, open(os.path.join(symbols, os.path.basename(path)), "wb") as copy:
            copy.write(source.read())
    problems = []
    with cairn_server(cairn, [symbols, store.path], *store.words) as server:
        problems += alive(server, programs[0])
        os.rename(store.path, store.path + ".away")
        os.rename(symbols, symbols + ".away")
        status = files.send(server.port, 0, TOKEN)
        if status not in (200, 201, 500, 503, 507):
            problems.append(f"an upload without a store: {status}: expected 500 or 503")
        request = {"memoryMap": [[programs[0].name, programs[0].breakpad_id], [programs[1].name, programs[1].breakpad_id]], "stacks": [[[0, 4096], [1, 4096]]]}
        answer = call_json(server.port, "POST", "/symbolicate/v5", request)
        if answer[0] != 200:
            problems.append(f"v5 without the folder of symbols: {answer}")
        os.rename(symbols + ".away", symbols)
        if not os.path.exists(store.path):
            os.rename(store.path + ".away", store.path)
        status = files.send(server.port, 1, TOKEN)
        if status not in (200, 201):
            problems.append(f"an upload when the store is there again: {status}")
        problems += alive(server, programs[0])
    return problems, ""


def two_servers(cairn, folder, programs):
    store, files = Store(folder, "store"), Uploads(os.path.join(folder, "send"), 40, 500_000)
    with cairn_server(cairn, [store.path], *store.words) as one, cairn_server(cairn, [store.path], *store.words) as two:
        # Each file from 4 threads, half of them through the other server.
        statuses = in_parallel(4, lambda thread: [files.send((one, two)[(thread + number) % 2].port, number, TOKEN) for number in range(40)])
        problems = [f"a thread ended: {row!r}" for row in statuses if isinstance(row, Exception)]
        problems += [f"statuses {sorted(set(row))}: expected success" for row in statuses if not isinstance(row, Exception) and set(row) - {200, 201}]
        problems += whole(store.path, files)
        if len(set(stored(store.path).values()) & files.sums) != 40:
            problems.append(f"{len(set(stored(store.path).values()) & files.sums)} of 40 files in the store")
        for server in (one, two):
            request = {"memoryMap": [["program-7", breakpad_id(files.ids[7])]], "stacks": [[[0, 1]]]}
            answer = call_json(server.port, "POST", "/symbolicate/v5", request)
            if answer[0] != 200 or True not in answer[1]["results"][0]["found_modules"].values():
                problems.append(f"a file that was sent is not found: {answer}")
    return problems, "160 uploads of 40 files"

