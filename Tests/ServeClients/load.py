"""The load of `scripts/checks/bench-serve`: symbols of the machine's libraries, requests over them, and what servers do with them."""

import json
import os
import random
import shutil
import subprocess
import threading
import time

import objects
from harness import HOST, call_json

HERE = os.path.dirname(os.path.abspath(__file__))
# Real libraries, the first 20 that are here: C, C++ and Swift, small and large, with and without debug information.
LIBRARIES = [
    "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
    "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1",
    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0", "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0",
    "/usr/lib/x86_64-linux-gnu/libxml2.so.2", "/usr/lib/x86_64-linux-gnu/libperl.so.5.36", "/usr/lib/x86_64-linux-gnu/libgnutls.so.30",
    "{swift}/libswiftCore.so", "{swift}/libFoundation.so", "{swift}/libFoundationEssentials.so", "{swift}/lib_FoundationICU.so", "{swift}/libdispatch.so",
    "{swift}/libswift_Concurrency.so", "{swift}/libTesting.so", "{swift}/libFoundationNetworking.so", "/usr/lib/x86_64-linux-gnu/libcurl.so.4",
    "/usr/lib/x86_64-linux-gnu/libssl.so.3", "/usr/lib/x86_64-linux-gnu/libz.so.1",
]


def swift_libraries():
    swift = shutil.which("swift")
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(swift))), "lib/swift/linux") if swift else "/nonexistent"


def debug_file(identity, folders):
    for folder in ["/usr/lib/debug", *folders]:
        path = os.path.join(folder, ".build-id", identity[:2], identity[2:] + ".debug")
        if os.path.exists(path):
            return path
    return None


def prepare(cache, folders, say):
    """The modules (name, id, functions); symbol files in cache/sym, and the libraries themselves in cache/elf. What is there is kept."""
    modules = []
    for place in (os.path.join(cache, name) for name in ("sym", "elf", "functions")):
        os.makedirs(place, exist_ok=True)
    for path in LIBRARIES:
        path = os.path.realpath(path.replace("{swift}", swift_libraries()))
        identity = objects.build_id(path) if os.path.exists(path) else None
        if not identity or len(modules) == 20:
            continue
        kept = os.path.join(cache, "functions", identity + ".json")
        if not os.path.exists(kept):
            debug = debug_file(identity, folders)
            start = time.monotonic()
            made = objects.write_symbols(os.path.join(cache, "sym"), path, debug)
            if made:
                for source in filter(None, [path, debug]):
                    shutil.copy(source, os.path.join(cache, "elf"))
                say(f"{made[0]}: {len(made[2])} functions in {time.monotonic() - start:.1f} s{', with lines' if debug else ''}")
            with open(kept, "w") as file:
                json.dump(made, file)
        with open(kept) as file:
            made = json.load(file)
        if made:
            modules.append(made)
    return modules


def make_bodies(folder, modules, count=32, jobs=10, frames=50):
    """Requests as the profiler's and Mozilla's crash pages send them; the list of their files."""
    chance, paths, bodies = random.Random(1), [], []
    names = [[name, module] for name, module, _ in modules]
    for number in range(count):
        body = {"jobs": []}
        for _ in range(jobs):
            stack = []
            for _ in range(frames):
                index = chance.randrange(len(modules))
                start, size, _ = chance.choice(modules[index][2])
                stack.append([index, start + chance.randrange(size)])
            body["jobs"].append({"memoryMap": names, "stacks": [stack]})
        path = os.path.join(folder, f"body-{number}.json")
        with open(path, "w") as file:
            json.dump(body, file, separators=(",", ":"))
        paths.append(path)
        bodies.append(body)
    listed = os.path.join(folder, "bodies.txt")
    with open(listed, "w") as file:
        file.write("\n".join(paths) + "\n")
    return listed, bodies


def answers(server, bodies):
    """Of each frame the function's name (None where there is none), and how long the first round took."""
    rows, start = [], time.monotonic()
    for body in bodies:
        status, value = call_json(server.port, "POST", "/symbolicate/v5", body, timeout=300)
        if status != 200:
            raise RuntimeError(f"{server.name}: {status} {str(value)[:300]}")
        rows += [frame.get("function") for result in value["results"] for stack in result["stacks"] for frame in stack]
    return rows, time.monotonic() - start


class Watch:
    """The most memory that a server's processes have had since its start."""

    def __init__(self, server):
        self.server, self.ends = server, threading.Event()

    def __enter__(self):
        def run():
            while not self.ends.wait(0.2):
                self.server.peak()
        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


def wrk(server, listed, seconds, connections, threads=1):
    """Requests a second, the 50th and 99th percentile in ms, and what went wrong."""
    command = ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{seconds}s", "--timeout", "60s", "-s", os.path.join(HERE, "v5.lua"), f"http://{HOST}:{server.port}"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "CAIRN_BENCH_BODIES": listed}).stdout
    figures = json.loads(text.strip().splitlines()[-1])
    wrong = {name: figures[name] for name in ("connect", "read", "write", "timeout", "status") if figures[name]}
    return figures["requests"] * 1e6 / figures["microseconds"], figures["p50"] / 1000, figures["p99"] / 1000, wrong
