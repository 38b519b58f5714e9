"""What callers do to a server: slow ones, many, hostile ones; and its own processes, which end."""

import gzip
import io
import json
import os
import random
import resource
import select
import signal
import socket
import threading
import time
import zipfile

from harness import HOST, cairn_server, call, in_parallel, processes_of
from uploads import TOKEN, Store, Uploads, alive

# kB of the whole server, whatever it is sent.
BOUND = 1 << 20


class Prober:
    """Sends a small request again and again, and keeps how long each took: `with Prober(server, program) as prober: …`."""

    def __init__(self, server, program):
        self.server, self.times, self.problems, self.ends = server, [], [], threading.Event()
        self.body = json.dumps({"memoryMap": [[program.name, program.breakpad_id]], "stacks": [[[0, program.symbols()[0][0]]]]})

    def run(self):
        while not self.ends.is_set():
            start = time.monotonic()
            try:
                status, _, data = call(self.server.port, "POST", "/symbolicate/v5", self.body, timeout=10)
                if status != 200:
                    self.problems.append(f"v5 meanwhile: {status} {data[:200]!r}")
            except OSError as error:
                self.problems.append(f"v5 meanwhile: {type(error).__name__}: {error}")
            self.times.append(time.monotonic() - start)
            self.ends.wait(0.1)

    def __enter__(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        if not self.times or max(self.times) > 1:
            self.problems.append(f"another request meanwhile took {max(self.times, default=0):.2f} s: expected less than 1 s")

    def words(self):
        return f"{len(self.times)} others meanwhile, the slowest {max(self.times) * 1000:.0f} ms"


def connect(port, receive=None):
    connection = socket.socket()
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(20)
    connection.connect((HOST, port))
    return connection


def close(connections):
    for connection in connections:
        connection.close()


def check(report, cairn, folder, programs, only=()):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    place = os.path.join(folder, "faults")
    os.makedirs(place)
    large = os.path.join(place, "files")
    os.makedirs(large)
    for program in programs:
        os.link(program.path, os.path.join(large, program.name))
        if program.debug != program.path:
            os.link(program.debug, os.path.join(large, os.path.basename(program.debug)))
    big = Uploads(os.path.join(large, "big"), 1, 32 << 20)
    store = Store(place, "store")
    if not only or any(word in "SIGHUP and SIGTERM under load" for word in only):
        signals(report, cairn, large, programs[0])
    with cairn_server(cairn, [large], *store.words) as server:
        for name, work in [
            ("headers that come a byte a second", slow_headers), ("a body that comes a byte a second", slow_body),
            ("responses that are read slowly", lambda *words: slow_readers(*words, big.ids[0])), ("1,000 idle connections", idle),
            ("10 MB of headers", large_headers), ("JSON of 100,000 levels", deep), ("compressed bombs", bombs),
            ("HTTP that is none", nonsense), ("bodies without end and without length", endless), ("its child processes killed", children),
        ]:
            if only and not any(word in name for word in only):
                continue
            try:
                problems, words = work(server, programs[0])
            except Exception as error:
                problems, words = [f"{type(error).__name__}: {error}"], ""
            report.check(f"faults: {name}", problems + alive(server, programs[0]), f"{words + ', ' if words else ''}{server.peak() // 1024} MB")
            if not server.runs():
                report.skip("faults: the rest", "the server is gone")
                return


def signals(report, cairn, folder, program):
    """SIGHUP under load loses nothing; after SIGTERM every request that came before has its response, and the server ends by itself."""
    body = json.dumps({"memoryMap": [[program.name, program.breakpad_id]], "stacks": [[[0, address] for address in program.addresses()] * 20]})
    server, rows, ends = cairn_server(cairn, [folder]), [], threading.Event()

    def work(_):
        while not ends.is_set():
            start = time.monotonic()
            try:
                rows.append((start, call(server.port, "POST", "/symbolicate/v5", body, timeout=20)[0]))
            except OSError as error:
                rows.append((start, f"{type(error).__name__}: {error}"))
                time.sleep(0.01)

    load = threading.Thread(target=in_parallel, args=(8, work), daemon=True)
    load.start()
    for _ in range(5):
        time.sleep(0.5)
        server.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    stopped = time.monotonic()
    server.process.terminate()
    try:
        status = server.process.wait(20)
    except Exception:
        status = None
    took = time.monotonic() - stopped
    ends.set()
    load.join()
    server.stop()
    lost = [result for start, result in rows if result != 200 and start < stopped - 0.05]
    problems = [f"{len(lost)} requests from before SIGTERM have no response: {lost[0]}"] if lost else []
    if status != 0:
        problems.append(f"SIGTERM under load: status {status} after {took:.1f} s: expected 0")
    report.check("faults: SIGHUP and SIGTERM under load", problems, f"{sum(result == 200 for _, result in rows)} requests, ended after {took:.1f} s")


def slow_headers(server, program):
    connections = [connect(server.port) for _ in range(100)]
    with Prober(server, program) as prober:
        for byte in b"POST /symb":
            for connection in connections:
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    pass
            time.sleep(1)
    close(connections)
    return prober.problems, prober.words()


def slow_body(server, program):
    connections = [connect(server.port) for _ in range(100)]
    for number, connection in enumerate(connections):
        target = ["POST /symbolicate/v5", "POST /v1/logs", "PUT /v1/symbols", "POST /minidump"][number % 4]
        connection.send(f"{target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100000\r\n\r\n".encode())
    with Prober(server, program) as prober:
        for byte in b'{"memoryMa':
            for connection in connections:
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    pass
            time.sleep(1)
    close(connections)
    return prober.problems, prober.words()


def slow_readers(server, program, identity):
    before = server.memory()
    connections = [connect(server.port, 4096) for _ in range(50)]
    for connection in connections:
        connection.send(f"GET /buildid/{identity}/debuginfo HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    heads, problems = [], []
    with Prober(server, program) as prober:
        for _ in range(8):
            for number, connection in enumerate(connections):
                try:
                    part = connection.recv(16)
                except OSError as error:
                    part = repr(error).encode()
                if len(heads) <= number:
                    heads.append(part)
            time.sleep(1)
    wrong = [head for head in heads if not head.startswith(b"HTTP/1.1 200")]
    if wrong:
        problems.append(f"{len(wrong)} of 50 readers got {wrong[0]!r}")
    # 50 times 32 MB are not in its memory: what is mapped from a file does not count as its own.
    grown = server.memory("RssAnon") // 1024
    if grown > 400:
        problems.append(f"{grown} MB of memory of its own while 50 responses were read slowly (all: {before // 1024} MB before)")
    close(connections)
    return problems + prober.problems, prober.words()


def idle(server, program):
    connections, problems = [], []
    try:
        for _ in range(1000):
            connections.append(connect(server.port))
    except OSError as error:
        problems.append(f"connection {len(connections)}: {error}")
    with Prober(server, program) as prober:
        time.sleep(3)
    memory = server.memory() // 1024
    # An idle connection still works.
    connections[0].send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    if b" 200 " not in (head := connections[0].recv(4096)):
        problems.append(f"the first of 1,000 connections got {head!r}")
    close(connections)
    return problems + prober.problems, f"{prober.words()}, {memory} MB"


def exchange(port, data, seconds=30):
    """Sends raw bytes; the response's first bytes, b"" where the connection was closed without one."""
    with connect(port) as connection:
        connection.settimeout(seconds)
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            return connection.recv(4096)
        except ConnectionResetError:
            return b""


def status_in(head):
    return int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.") else 0


def large_headers(server, program):
    problems = []
    for name, lines in [
        ("one of 10 MB", b"X-Large: " + b"a" * (10 << 20) + b"\r\n"),
        ("1,000,000 of 10 bytes", b"X-Abc: 1\r\n" * (1 << 20)),
        ("a path of 10 MB", None),
        ("one of 10 MB without an end", b"X" * (10 << 20)),
    ]:
        target = b"/" + b"a" * (10 << 20) if lines is None else b"/healthz"
        data = b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n" + (lines or b"") + (b"" if name.endswith("end") else b"\r\n")
        try:
            head = exchange(server.port, data, 10)
        except TimeoutError:
            head = b"nothing for 10 s"
        if status_in(head) not in (0, 400, 413, 414, 431) or head.startswith(b"nothing"):
            problems.append(f"{name}: {head[:100]!r}: expected 431, or a closed connection")
    return problems, ""


def deep(server, program):
    problems = []
    for path in ("/symbolicate/v5", "/symbolicate/v4", "/symbolicate", "/source/v1", "/v1/logs"):
        for name, body in [("lists", b"[" * 100000 + b"]" * 100000), ("objects", b'{"a":' * 100000 + b"1" + b"}" * 100000), ("open lists", b"[" * 100000),
                           ("jobs", b'{"jobs":' + b"[" * 100000 + b"]" * 100000 + b"}")]:
            status, _, data = call(server.port, "POST", path, body, {"Content-Type": "application/json"}, 30)
            # A log may be any text.
            if status not in ((200, 400, 404, 413, 415, 422) if path == "/v1/logs" else (400, 422)):
                problems.append(f"{path}, {name}: {status} {data[:100]!r}: expected 400")
    return problems, ""


def zeros(count):
    """That many zero bytes, as gzip has them."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        for _ in range(count >> 20):
            file.write(bytes(1 << 20))
    return out.getvalue()


def bombs(server, program):
    gz = zeros(2 << 30)
    lines = gzip.compress(b"    #0 0x401000 in main\n" * 10_000_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            with archive.open(f"file-{number}", "w", force_zip64=True) as file:
                for _ in range(1024):
                    file.write(bytes(1 << 20))
    problems, took = [], []
    for name, path, body, headers in [
        ("gzip as Content-Encoding to v5", "/symbolicate/v5", gz, {"Content-Encoding": "gzip"}),
        ("gzip as Content-Encoding to logs", "/v1/logs", gz, {"Content-Encoding": "gzip"}),
        ("gzip to logs", "/v1/logs", gz, {}), ("zip to logs", "/v1/logs", packed.getvalue(), {}),
        ("a log of 240 MB in gzip to logs", "/v1/logs", lines, {"Content-Encoding": "gzip"}),
        ("gzip in gzip to logs", "/v1/logs", gzip.compress(gz), {"Content-Encoding": "gzip"}),
        ("gzip to uploads", "/v1/symbols", gz, {}), ("zip to uploads", "/v1/symbols", packed.getvalue(), {}),
        ("gzip as Content-Encoding to uploads", "/v1/symbols", gz, {"Content-Encoding": "gzip"}),
    ]:
        start, ends, peak = time.monotonic(), threading.Event(), [0]

        def watch():
            while not ends.wait(0.05):
                peak[0] = max(peak[0], server.memory("RssAnon"))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            status, _, data = call(server.port, "PUT" if path == "/v1/symbols" else "POST", path, body, {"Authorization": f"Bearer {TOKEN}", **headers}, 60)
            if status >= 500 and status not in (503, 507):
                problems.append(f"{name}: {status} {data[:200]!r}")
        except OSError as error:
            problems.append(f"{name}: {type(error).__name__}: {error} after {time.monotonic() - start:.0f} s")
        ends.set()
        watcher.join()
        took.append(f"{name} {time.monotonic() - start:.1f} s {peak[0] // 1024} MB")
        if peak[0] > BOUND:
            problems.append(f"{name}: {peak[0] // 1024} MB: expected less than {BOUND // 1024} MB")
    return problems, "; ".join(took)


def nonsense(server, program):
    chance, problems = random.Random(1), []
    post = b"POST /symbolicate/v5 HTTP/1.1\r\nHost: localhost\r\n"
    for name, data, expected in [
        ("zero bytes", bytes(1000), (0, 400)),
        ("random bytes", chance.randbytes(5000), (0, 400)),
        ("a greeting of TLS", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + bytes(500), (0, 400)),
        ("HTTP/2 without asking", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), (0, 400, 426, 505)),
        ("HTTP/9.9", b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n", (0, 400, 505)),
        ("an absolute target", b"GET http://example.org/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", (421,)),
        ("no Host", b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", (200, 400)),
        ("a zero byte in the path", b"GET /buildid/\0/debuginfo HTTP/1.1\r\nHost: localhost\r\n\r\n", (0, 400, 404)),
        ("an escaped zero byte", b"GET /buildid/%00/debuginfo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", (400, 404)),
        ("steps out of the folder", b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", (400, 404)),
        ("escaped steps out", b"GET /buildid/..%2f..%2f..%2fetc%2fpasswd/debuginfo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", (400, 404)),
        ("two lengths", post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", (0, 400)),
        ("a length and chunks", post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", (0, 400)),
        ("a length below zero", post + b"Content-Length: -5\r\n\r\n{}", (0, 400)),
        ("a length that is none", post + b"Content-Length: abc\r\n\r\n{}", (0, 400)),
        ("a length of 2^80", post + b"Content-Length: 1208925819614629174706176\r\n\r\n{}", (0, 400, 413)),
        ("a length of 100 GB", post + b"Content-Length: 107374182400\r\n\r\n{}", (0, 413)),
        ("a chunk's size that is none", post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n", (0, 400)),
        ("a chunk of 2^70 bytes", post + b"Transfer-Encoding: chunked\r\n\r\n400000000000000000\r\n{}\r\n", (0, 400, 413)),
        ("a header that goes on", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: 1\r\n more\r\nConnection: close\r\n\r\n", (200, 400)),
        ("a header's name with a space", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length : 5\r\n\r\nabcde", (0, 400)),
    ]:
        try:
            head = exchange(server.port, data, 15)
        except TimeoutError:
            head = b"nothing for 15 s"
        if status_in(head) not in expected or head.startswith(b"nothing"):
            problems.append(f"{name}: {data[:60]!r}: {head[:80]!r}: expected {expected}")
        if b"root:" in head:
            problems.append(f"{name}: a file of the machine: {head[:200]!r}")
    return problems, ""


def endless(server, program):
    """Chunks without end: a refusal comes early, and the connection is closed soon after it. An upload may be as large as this."""
    problems, sent = [], {}
    for path in ("/symbolicate/v5", "/symbolicate", "/v1/logs", "/v1/symbols", "/healthz", "/nothing"):
        head, sent[path], begin = b"", 0, time.monotonic()
        with connect(server.port) as connection:
            method = "PUT" if path == "/v1/symbols" else "POST"
            connection.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            closed = False
            # 100 MB a second for 40 s.
            while not closed and time.monotonic() < begin + (15 if path == "/v1/symbols" else 40):
                try:
                    connection.sendall(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
                    sent[path] += 1
                    if select.select([connection], [], [], 0.01)[0]:
                        head = head or connection.recv(4096)
                except OSError:
                    closed = True
        if path != "/v1/symbols" and (not closed or status_in(head) not in (404, 405, 413)):
            problems.append(f"{path}: {sent[path]} MB, then {head[:60]!r}, {'closed' if closed else 'open after 40 s'}: expected 413, and closed")
    return problems, ", ".join(f"{path} {size} MB" for path, size in sent.items())


def children(server, program):
    """Whatever processes it has are replaced."""
    found = processes_of(server.process.pid) - {server.process.pid}
    problems = []
    for _ in range(3):
        for process in processes_of(server.process.pid) - {server.process.pid}:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.3)
        problems += alive(server, program)
    # While they work.
    body = json.dumps({"memoryMap": [[program.name, program.breakpad_id]], "stacks": [[[0, address] for address in program.addresses()] * 300]})
    killed = threading.Timer(0.05, lambda: [os.kill(process, signal.SIGKILL) for process in processes_of(server.process.pid) - {server.process.pid}])
    killed.start()
    statuses = in_parallel(8, lambda _: call(server.port, "POST", "/symbolicate/v5", body, timeout=30)[0])
    killed.join()
    wrong = [status for status in statuses if status not in (200, 500, 502, 503)]
    if wrong:
        problems.append(f"requests at work when the processes were killed: {wrong}: expected a response")
    return problems, f"{len(found)} of them" if found else "it has none"
