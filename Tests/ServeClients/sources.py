"""Symbols from other servers: moto's S3 with its own check of signatures, Python's web server, Debian's debuginfod, and servers that are slow, broken or hostile."""

import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

from harness import HOST, Server, cairn_server, call_json, free_port, in_parallel
from objects import functions_of, write_symbols

LAYOUTS = ["unified", "breakpad", "symsrv", "native", "debuginfod"]


def check(report, cairn, clients, folder, programs, only=()):
    place = os.path.join(folder, "sources")
    os.makedirs(place)
    for name, work in [
        ("each layout from a web server", web), ("each layout from S3", s3), ("sources of a request", requested), ("debuginfod's own server", debuginfod),
        ("a slow S3 holds up nobody else", slow), ("a broken S3", broken), ("another build", another), ("a redirect to loopback", redirect),
        ("a full cache disk", full), ("many requests, one download", joined),
    ]:
        if only and not any(word in name for word in only):
            continue
        own = os.path.join(place, name.replace(" ", "-").replace("'", ""))
        os.makedirs(own)
        try:
            problems, words = work(cairn, clients, own, programs)
        except Exception as error:
            problems, words = [f"{type(error).__name__}: {error}"], ""
        if problems == ["skip"]:
            report.skip(f"sources: {name}", words)
        else:
            report.check(f"sources: {name}", problems, words)


def paths(program, layout):
    """Where a layout has a program's files: Symbolicator's documentation, SSQP's keys, debuginfod(8)."""
    identity, cut = program.build_id, program.build_id[:2] + "/" + program.build_id[2:]
    own = program.debug == program.path
    if layout == "unified":
        return {cut + "/debuginfo": program.debug} | ({} if own else {cut + "/executable": program.path})
    if layout == "symsrv":
        files = {f"_.debug/elf-buildid-sym-{identity}/_.debug": program.debug}
        return files | ({} if own else {f"{program.name}/elf-buildid-{identity}/{program.name}": program.path})
    if layout == "native":
        return {cut + ".debug": program.debug} | ({} if own else {cut: program.path})
    if layout == "debuginfod":
        return {f"buildid/{identity}/debuginfo": program.debug} | ({} if own else {f"buildid/{identity}/executable": program.path})
    return {}


def fill(folder, layout, programs):
    if layout == "breakpad":
        for program in programs:
            write_symbols(folder, program.path, program.debug)
        return
    for program in programs:
        for path, file in paths(program, layout).items():
            target = os.path.join(folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(file, target)


def environment(folder, name="cache"):
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    return {"CAIRN_CACHE": place, "DEBUGINFOD_CACHE_PATH": place + "/debuginfod", "HOME": place}


def ask(server, program, addresses, sources=None):
    """Symbolicator's request about one module."""
    value = {
        "stacktraces": [{"frames": [{"instruction_addr": hex(address), "addr_mode": "rel:0", "adjust_instruction_addr": False} for address in addresses]}],
        "modules": [{"type": "elf", "code_id": program.build_id, "code_file": program.name}], "options": {"dif_candidates": True},
    }
    if sources is not None:
        value["sources"] = sources
    return call_json(server.port, "POST", "/symbolicate", value, timeout=90)


def compare(answer, program, addresses, names_only=False):
    """Problems of a response beside addr2line's results, or nm's for text files that have names alone."""
    status, value = answer
    if status != 200:
        return [f"status {status}: {str(value)[:300]}"]
    found = {}
    for frame in value["stacktraces"][0]["frames"]:
        found.setdefault(frame["original_index"], []).append(frame)
    problems = []
    if names_only:
        functions = functions_of(program.path, program.debug)
        for index, address in enumerate(addresses):
            expected = next((name for start, size, name in functions if start <= address < start + size), None)
            own = [frame.get("function") for frame in found.get(index, [])]
            if expected and own[-1:] != [expected]:
                problems.append(f"{program.name} {address:#x}: {own}: expected {expected}")
        return problems
    for index, (address, rows) in enumerate(zip(addresses, program.answers(addresses))):
        own = [(frame.get("abs_path", ""), frame.get("lineno", 0)) for frame in found.get(index, [])]
        expected = [(file, line) for _, file, line in rows]
        if expected[-1][1] and own != expected:
            problems.append(f"{program.name} {address:#x}: {own}: expected {expected}")
    return problems


def sample(program, count=40):
    """Addresses of two functions, by nm and objdump, which run once for each program."""
    if not hasattr(program, "sampled"):
        functions = [(start, size) for start, size, name in program.symbols() if name in ("main", "middle")]
        inner = [address for address in program.addresses() if any(start <= address < start + size for start, size in functions)]
        program.sampled = sorted({start for start, _ in functions} | set(inner[:: max(1, len(inner) // count)]))
    return program.sampled


def all_of(server, programs, layout, sources=None):
    problems = []
    for program in programs:
        addresses = sample(program)
        problems += compare(ask(server, program, addresses, sources), program, addresses, layout == "breakpad")
    return problems


def web_server(folder):
    port = free_port()
    return Server([sys.executable, "-m", "http.server", "--bind", HOST, "--directory", folder, str(port)], port, "/", name="files")


def web(cairn, clients, folder, programs):
    problems = []
    for layout in LAYOUTS:
        served = os.path.join(folder, layout)
        fill(served, layout, programs)
        with web_server(served) as files:
            for word in (f"{layout}+", ""):
                name = layout + (word and "-named")
                with cairn_server(cairn, [f"{word}http://{HOST}:{files.port}"], environment=environment(folder, "cache-" + name)) as server:
                    problems += [f"{word or 'any '}{layout}: {problem}" for problem in all_of(server, programs, layout)]
    return problems, f"{len(LAYOUTS)} layouts, {len(programs)} programs"


class Bucket:
    """moto's S3, which checks the signature of each request (INITIAL_NO_AUTH_ACTION_COUNT)."""

    def __init__(self, clients):
        port = free_port()
        python = os.path.join(clients, "venv/bin/python")
        # The first actions make a user with a key and the right to read, unchecked.
        self.server = Server(
            [os.path.join(clients, "venv/bin/moto_server"), "-H", HOST, "-p", str(port)], port, "/moto-api/", {"INITIAL_NO_AUTH_ACTION_COUNT": "10000"}, "moto", seconds=60)
        self.url, self.python = f"http://{HOST}:{port}", python

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def fill(self, folders):
        """Puts each folder's files below its name, makes a reader, and switches the checks on."""
        script = """
import boto3, json, os, sys, urllib.request
url, folders = sys.argv[1], sys.argv[2:]
words = dict(endpoint_url=url, region_name="eu-central-1", aws_access_key_id="maker", aws_secret_access_key="maker")
s3, iam = boto3.client("s3", **words), boto3.client("iam", **words)
s3.create_bucket(Bucket="symbols", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
for folder in folders:
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            s3.upload_file(path, "symbols", os.path.basename(folder) + "/" + os.path.relpath(path, folder))
iam.create_user(UserName="reader")
iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}))
key = iam.create_access_key(UserName="reader")["AccessKey"]
urllib.request.urlopen(urllib.request.Request(url + "/moto-api/reset-auth", data=b"0", method="POST", headers={"Content-Type": "text/plain"})).read()
print(json.dumps([key["AccessKeyId"], key["SecretAccessKey"]]))
"""
        result = subprocess.run([self.python, "-c", script, self.url, *folders], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode:
            raise RuntimeError(result.stderr.decode()[-1500:])
        self.key, self.secret = json.loads(result.stdout.splitlines()[-1])

    def environment(self):
        return {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret, "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": self.url}


def has_moto(clients):
    return os.path.exists(os.path.join(clients, "venv/bin/moto_server"))


def s3(cairn, clients, folder, programs):
    if not has_moto(clients):
        return ["skip"], "venv/bin/moto_server is not in CAIRN_SERVE_CLIENTS"
    folders = []
    for layout in LAYOUTS:
        folders.append(os.path.join(folder, layout))
        fill(folders[-1], layout, programs)
    problems = []
    with Bucket(clients) as bucket:
        bucket.fill(folders)
        for layout in LAYOUTS:
            with cairn_server(cairn, [f"{layout}+s3://symbols/{layout}"], environment=environment(folder, "cache-" + layout) | bucket.environment()) as server:
                problems += [f"{layout}: {problem}" for problem in all_of(server, programs, layout)]
        # The signature is really checked.
        wrong = bucket.environment() | {"AWS_SECRET_ACCESS_KEY": "wrong"}
        with cairn_server(cairn, ["unified+s3://symbols/unified"], environment=environment(folder, "cache-wrong") | wrong) as server:
            status, value = ask(server, programs[0], sample(programs[0])[:1])
            if status != 200 or value["stacktraces"][0]["frames"][0]["status"] != "missing":
                problems.append(f"a wrong secret: {status} {str(value)[:300]}: expected missing")
    return problems, f"{len(LAYOUTS)} layouts, {len(programs)} programs, signatures checked by moto"


def requested(cairn, clients, folder, programs):
    if not has_moto(clients):
        return ["skip"], "venv/bin/moto_server is not in CAIRN_SERVE_CLIENTS"
    fill(os.path.join(folder, "native"), "native", programs)
    problems = []
    with Bucket(clients) as bucket:
        bucket.fill([os.path.join(folder, "native")])
        source = {
            "id": "ours", "type": "s3", "bucket": "symbols", "prefix": "native", "region": ["eu-central-1", bucket.url], "access_key": bucket.key,
            "secret_key": bucket.secret, "layout": {"type": "native", "casing": "default"},
        }
        sentry = {"id": "sentry:project", "type": "sentry", "url": "http://sentry:9000/api/0/projects/a/b/files/dsyms/", "token": "secret"}
        with cairn_server(cairn, [], "--allow-source", bucket.url + "/symbols", environment=environment(folder)) as server:
            problems += all_of(server, programs, "native", [sentry, source])
            program, addresses = programs[0], sample(programs[0])[:1]
            for name, sources in [
                ("without sources", None), ("with a wrong secret", [source | {"secret_key": "wrong"}]), ("another bucket", [source | {"bucket": "others"}]),
                ("another server", [source | {"region": ["eu-central-1", f"http://{HOST}:1"]}]),
                ("a region that is a host", [source | {"region": "x.example.org/"}]),
            ]:
                status, value = ask(server, program, addresses, sources)
                if name == "a region that is a host":
                    if status != 422:
                        problems.append(f"{name}: {status}: expected 422")
                elif status != 200 or value["stacktraces"][0]["frames"][0]["status"] != "missing":
                    problems.append(f"{name}: {status} {str(value)[:300]}: expected missing")
                if "secret" in str(value):
                    problems.append(f"{name}: a secret is in the response")
    return problems, "allowed: used; others: skipped"


def debuginfod(cairn, clients, folder, programs):
    if not shutil.which("debuginfod"):
        return ["skip"], "debuginfod is not installed"
    port = free_port()
    with Server(["debuginfod", "-F", "-p", str(port), "-d", ":memory:", os.path.dirname(programs[0].path)], port, "/metrics", name="debuginfod") as peer:
        end, problems = time.monotonic() + 60, ["nothing"]
        with cairn_server(cairn, ["debuginfod+" + f"http://{HOST}:{peer.port}"], environment=environment(folder)) as server:
            while problems and time.monotonic() < end:
                shutil.rmtree(os.path.join(folder, "cache"), ignore_errors=True)
                os.makedirs(os.path.join(folder, "cache"))
                if call_json(peer.port, "GET", f"/buildid/{programs[-1].build_id}/debuginfo")[0] == 200:
                    break
                time.sleep(0.5)
            problems = all_of(server, programs, "debuginfod")
    return problems, f"{len(programs)} programs"


class Scripted:
    """A server whose replies are made by `reply(handler)`."""

    def __init__(self, reply):
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(handler):
                self.requests.append(handler.path)
                reply(handler)

            def log_message(*_):
                pass

        self.server = http.server.ThreadingHTTPServer((HOST, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def send(handler, status, body=b"", **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def slow(cairn, clients, folder, programs):
    """Each of its replies takes 30 s; modules that are on the disk are answered meanwhile."""
    local = os.path.join(folder, "local")
    os.makedirs(local)
    shutil.copy(programs[0].path, local)
    release = threading.Event()

    def reply(handler):
        release.wait(30)
        send(handler, 404)

    with Scripted(reply) as peer:
        words = [f"unified+s3://symbols?endpoint=http://{HOST}:{peer.port}", local]
        with cairn_server(cairn, words, "--time-limit", "30", environment=environment(folder)) as server:
            addresses, times, problems = sample(programs[0])[:1], [], []
            waiting = threading.Thread(target=lambda: in_parallel(3, lambda number: ask(server, programs[1 + number], sample(programs[1 + number])[:1])), daemon=True)
            waiting.start()
            time.sleep(0.5)
            for _ in range(200):
                start = time.monotonic()
                problems += compare(ask(server, programs[0], addresses), programs[0], addresses)
                times.append(time.monotonic() - start)
            release.set()
            waiting.join(60)
            late = sorted(times)[int(len(times) * 0.99) - 1]
            if late > 0.2:
                problems.append(f"99 % of requests for files of the disk: {late * 1000:.0f} ms: expected at most 200")
            if waiting.is_alive():
                problems.append("requests to the slow server do not end")
    return problems, f"99 %: {late * 1000:.1f} ms"


def broken(cairn, clients, folder, programs):
    body = open(programs[0].debug, "rb").read()
    kinds = {
        "500": lambda handler: send(handler, 500), "503": lambda handler: send(handler, 503), "a page": lambda handler: send(handler, 200, b"<html>log in</html>"),
        "half a file": lambda handler: (handler.send_response(200), handler.send_header("Content-Length", str(len(body))), handler.end_headers(),
                                        handler.wfile.write(body[: len(body) // 2]), handler.connection.shutdown(socket.SHUT_RDWR)),
        "nothing": lambda handler: handler.connection.shutdown(socket.SHUT_RDWR),
        "XML of S3": lambda handler: send(handler, 403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"),
    }
    problems = []
    for name, reply in kinds.items():
        with Scripted(reply) as peer:
            with cairn_server(cairn, [f"unified+s3://symbols?endpoint=http://{HOST}:{peer.port}"], environment=environment(folder, name.replace(" ", "-"))) as server:
                status, value = ask(server, programs[0], sample(programs[0])[:1])
                if status != 200 or value["stacktraces"][0]["frames"][0]["status"] != "missing":
                    problems.append(f"{name}: {status} {str(value)[:300]}: expected missing")
        left = [file for place, _, files in os.walk(os.path.join(folder, name.replace(" ", "-"), "downloads")) for file in files if os.path.getsize(os.path.join(place, file))]
        if left:
            problems.append(f"{name}: left {left}")
    # A server that is right comes after one that is broken.
    right = os.path.join(folder, "right")
    fill(right, "unified", programs)
    with Scripted(kinds["half a file"]) as peer, web_server(right) as files:
        with cairn_server(cairn, [f"unified+http://{HOST}:{peer.port}", f"unified+http://{HOST}:{files.port}"], environment=environment(folder, "both")) as server:
            problems += all_of(server, programs, "unified")
    return problems, ", ".join(kinds)


def another(cairn, clients, folder, programs):
    """A source that sends another build under the path of this one, beside one that has it."""
    wrong = open(programs[-1].debug, "rb").read()
    right = os.path.join(folder, "right")
    fill(right, "unified", programs)
    problems = []
    with Scripted(lambda handler: send(handler, 200, wrong)) as peer, web_server(right) as files:
        with cairn_server(cairn, [f"unified+http://{HOST}:{peer.port}"], environment=environment(folder, "alone")) as server:
            status, value = ask(server, programs[0], sample(programs[0])[:1])
            if status != 200 or value["stacktraces"][0]["frames"][0]["status"] != "missing":
                problems.append(f"alone: {status} {str(value)[:300]}: expected missing")
        with cairn_server(cairn, [f"unified+http://{HOST}:{peer.port}", f"unified+http://{HOST}:{files.port}"], environment=environment(folder, "both")) as server:
            problems += all_of(server, programs[:-1], "unified")
    return problems, "it is refused, and the next source is asked"


def redirect(cairn, clients, folder, programs):
    """A server that leads to this machine's own services."""
    with Scripted(lambda handler: send(handler, 200, b"secret")) as inner:
        problems = []
        for target in (f"http://{HOST}:{inner.port}/", f"http://localhost:{inner.port}/", f"http://[::ffff:127.0.0.1]:{inner.port}/", "http://169.254.169.254/latest/"):
            with Scripted(lambda handler: send(handler, 302, Location=target)) as peer:
                with cairn_server(cairn, [f"unified+http://{HOST}:{peer.port}"], environment=environment(folder, f"cache{peer.port}")) as server:
                    status, value = ask(server, programs[0], sample(programs[0])[:1])
                    if status != 200 or value["stacktraces"][0]["frames"][0]["status"] != "missing":
                        problems.append(f"{target}: {status} {str(value)[:300]}: expected missing")
        if inner.requests:
            problems.append(f"the inner server got {inner.requests[:3]}: expected nothing")
    return problems, "refused"


def full(cairn, clients, folder, programs):
    """The cache is on a disk of 4 MB, of which a file that is no cache takes most: small files come, a large one is refused."""
    cache = os.path.join(folder, "cache")
    os.makedirs(cache)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", cache], stderr=subprocess.DEVNULL).returncode:
        return ["skip"], "no right to mount a file system"
    try:
        right = os.path.join(folder, "right")
        fill(right, "unified", programs)
        large = programs[1]
        target = os.path.join(right, large.build_id[:2], large.build_id[2:], "debuginfo")
        with open(target, "ab") as file:
            file.write(b"\0" * (8 << 20))
        with web_server(right) as files, cairn_server(cairn, [f"unified+http://{HOST}:{files.port}"], environment=environment(folder)) as server:
            status, value = ask(server, large, sample(large)[:1])
            problems = [] if status == 200 else [f"a file without room: {status} {str(value)[:300]}"]
            problems += all_of(server, [programs[0], programs[3]], "unified")
            return problems, "a file system of 4 MB"
    finally:
        subprocess.run(["umount", "-l", cache])


def joined(cairn, clients, folder, programs):
    body, release = open(programs[0].debug, "rb").read(), threading.Event()

    def reply(handler):
        if not handler.path.endswith("/debuginfo"):
            return send(handler, 404)
        release.wait(10)
        send(handler, 200, body)

    with Scripted(reply) as peer:
        with cairn_server(cairn, [f"unified+http://{HOST}:{peer.port}"], environment=environment(folder)) as server:
            timer = threading.Timer(1, release.set)
            timer.start()
            addresses = sample(programs[0])[:1]
            answers = in_parallel(4, lambda number: ask(server, programs[0], addresses))
            problems = [problem for answer in answers for problem in (compare(answer, programs[0], addresses) if not isinstance(answer, Exception) else [str(answer)])]
            count = sum(path.endswith("/debuginfo") for path in peer.requests)
            if count != 1:
                problems.append(f"{count} downloads: expected 1")
    return problems, "4 requests"
