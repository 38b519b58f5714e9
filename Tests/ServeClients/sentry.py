"""Sentry's rules for a session with Symbolicator (getsentry/sentry, src/sentry/lang/native/symbolicator.py), followed against cairn serve."""

import json
import os
import time
import uuid

from harness import cairn_server, call, call_json

# Symbolicator keeps a result for 90 s after it is ready.
KEPT = 90


class Unavailable(Exception):
    """502 or 503: the server restarts, or has too much to do. Sentry comes back later."""


class Session:
    def __init__(self, port, project="1", timeout=0):
        self.port, self.project, self.timeout = port, project, timeout
        self.headers = {"x-sentry-project-id": project, "x-sentry-event-id": uuid.uuid4().hex, "x-sentry-worker-id": "17"}
        self.polls = self.submissions = 0

    def request(self, method, path, body=None, headers=None):
        """The response's JSON; None where a task is unknown; anything but success is a failure."""
        for attempt in range(4):
            try:
                status, _, data = call(self.port, method, path, body, {**self.headers, **(headers or {})}, timeout=30)
                break
            except OSError:
                if attempt == 3:
                    raise
                time.sleep(0.5 * 2**attempt)
        if method == "GET" and path.startswith("/requests/") and status == 404:
            return None
        if status in (502, 503):
            raise Unavailable(str(status))
        if not 200 <= status < 300:
            return {"status": "failed", "message": f"internal server error: {status} {data[:300]!r}"}
        return json.loads(data)

    def create(self, path, body, kind="application/json"):
        self.submissions += 1
        return self.request("POST", f"/{path}?timeout={self.timeout}&scope={self.project}", body, {"Content-Type": kind})

    def query(self, task):
        self.polls += 1
        return self.request("GET", f"/requests/{task}?timeout=0&scope={self.project}")

    def process(self, path, body, kind="application/json", seconds=60):
        """Submits, and polls until the task is done. Whoever does not know the task has it submitted again."""
        end, task = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                response = self.query(task) if task else None
                if response is None:
                    response = self.create(path, body, kind)
            except Unavailable:
                time.sleep(1)
                continue
            if response["status"] != "pending":
                return response, task
            uuid.UUID(response["request_id"])
            if not isinstance(response["retry_after"], int):
                raise ValueError(f"retry_after {response['retry_after']!r}")
            task = response["request_id"]
            time.sleep(0.05)
        raise TimeoutError(f"{path}: still pending after {seconds} s")


def event(programs, base=0x10000000):
    """A request of one thread with a frame for each instruction; the addresses are looked up as they are."""
    modules, frames = [], []
    for number, program in enumerate(programs):
        identity = program.breakpad_id
        place = base * (number + 1)
        modules.append({
            "type": "elf", "code_id": program.build_id, "code_file": program.path, "image_addr": hex(place), "image_size": 0x10000,
            "debug_id": "-".join([identity[:8], identity[8:12], identity[12:16], identity[16:20], identity[20:32]]).lower(),
        })
        frames += [{"instruction_addr": hex(place + address), "adjust_instruction_addr": False} for address in program.addresses()[:200]]
    return {"platform": "native", "sources": [], "options": {"dif_candidates": True}, "stacktraces": [{"frames": frames}], "modules": modules}


def multipart(name, data, **fields):
    mark = uuid.uuid4().hex
    parts = [f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode() for key, value in fields.items()]
    parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode() + data + f"\r\n--{mark}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={mark}"


def check(report, cairn, folder, programs):
    with cairn_server(cairn, [os.path.join(folder, "files")]) as server:
        body = json.dumps(event(programs))
        session = Session(server.port)
        try:
            response, task = session.process("symbolicate", body)
        except (ValueError, KeyError, OSError) as error:
            report.check("Sentry: a session that submits and polls", [f"{type(error).__name__}: {error}"])
            return
        problems = [] if response["status"] == "completed" else [response]
        problems = problems or differences(programs, response)
        report.check("Sentry: a session that submits and polls", problems, f"{session.submissions} submitted, {session.polls} polls")
        waiting = call_json(server.port, "POST", "/symbolicate?timeout=30&scope=1", body)
        report.check("Sentry: with time to wait, the response itself", [] if waiting[0] == 200 and waiting[1]["status"] == "completed" else [waiting])
        without = call_json(server.port, "POST", "/symbolicate", body)
        report.check("Sentry: without timeout, the response itself", [] if without[0] == 200 and without[1]["status"] == "completed" else [without])
        refusals(report, server)
        again(report, server, session, task, body)
        forgotten(report, cairn, folder, body)


def differences(programs, response):
    problems = []
    statuses = [(module["code_file"], module["debug_status"]) for module in response["modules"] if module["debug_status"] != "found"]
    if statuses:
        problems.append(f"modules that were not found: {statuses}")
    short = lambda name: name.split("(")[0].split("<")[0].split(" ")[-1].removesuffix(".cold")
    rows = {}
    for frame in response["stacktraces"][0]["frames"]:
        rows.setdefault(frame["original_index"], []).append(frame)
    index = 0
    for program in programs:
        addresses, symbols = program.addresses()[:200], program.symbols()
        for address, theirs in zip(addresses, program.answers(addresses)):
            ours = rows.get(index, [])
            index += 1
            # Code without lines, and what fills the room between functions.
            if not theirs[-1][2] or not any(start <= address < start + size for start, size, _ in symbols):
                continue
            got = [(short(frame.get("function", "")), frame.get("abs_path"), frame.get("lineno")) for frame in ours]
            want = [(short(name), file, line or None) for name, file, line in theirs]
            if len(got) != len(want) or any(g[:2] != w[:2] or (w[2] and g[2] != w[2]) for g, w in zip(got, want)):
                problems.append(f"{program.name} {address:#x}: {got}: addr2line has {want}")
    return problems


def refusals(report, server):
    """Symbolicator's statuses (crates/symbolicator/src/endpoints)."""
    dump, kind = multipart("upload_file_minidump", b"this is no minidump")
    apple, apple_kind = multipart("apple_crash_report", b"")
    nothing, nothing_kind = multipart("other", b"x")
    rows = [
        ("broken JSON", "POST", "/symbolicate", b"{", "application/json", (400,)),
        ("no Content-Type", "POST", "/symbolicate", b"{}", "text/plain", (415,)),
        ("JSON of another shape", "POST", "/symbolicate", b'{"stacktraces": 5}', "application/json", (422,)),
        ("a frame without an address", "POST", "/symbolicate", b'{"stacktraces": [{"frames": [{}]}]}', "application/json", (422,)),
        ("an address that is none", "POST", "/symbolicate", b'{"stacktraces": [{"frames": [{"instruction_addr": "0xzz"}]}], "modules": []}', "application/json", (422,)),
        ("an empty object", "POST", "/symbolicate", b"{}", "application/json", (200, 422)),
        ("an unknown task", "GET", f"/requests/{uuid.uuid4()}", None, None, (404,)),
        ("a task that is no UUID", "GET", "/requests/abc", None, None, (404,)),
        ("the health check", "GET", "/healthcheck", None, None, (200,)),
        ("multipart that ends early", "POST", "/minidump", dump[:40], kind, (400,)),
        ("multipart without its file", "POST", "/minidump", nothing, nothing_kind, (400,)),
        ("a minidump that is none", "POST", "/minidump", dump, kind, (200, 400)),
        ("an empty Apple report", "POST", "/applecrashreport", apple, apple_kind, (200, 400)),
    ]
    problems = []
    for name, method, path, body, kind, expected in rows:
        status, headers, data = call(server.port, method, path, body, {"Content-Type": kind} if kind else {})
        if status not in expected:
            problems.append(f"{name}: {method} {path}: {status} {data[:200]!r}: expected {expected}")
        elif status == 400 or status == 422 or status == 415:
            try:
                if not isinstance(json.loads(data)["detail"], str):
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                problems.append(f"{name}: {data[:200]!r}: expected detail and causes")
        elif name == "a minidump that is none" and status == 200 and json.loads(data)["status"] != "failed":
            problems.append(f"{name}: {data[:200]!r}: expected the status failed")
    report.check("Sentry: refusals", problems, f"{len(rows)} requests")


def again(report, server, session, task, body):
    """A result may be read again for 90 s, and no longer than it has to be kept."""
    if task is None:
        session = Session(server.port)
        response = session.create("symbolicate", json.dumps({**json.loads(body), "stacktraces": json.loads(body)["stacktraces"] * 40}))
        task = response.get("request_id") if response["status"] == "pending" else None
    if task is None:
        report.skip("Sentry: results that are read again", "no response was pending, not even with timeout=0")
        return
    while (first := session.query(task)) and first["status"] == "pending":
        time.sleep(0.1)
    start, problems = time.monotonic(), []
    for wait in (0, 1, 10, KEPT - 15):
        time.sleep(max(0, start + wait - time.monotonic()))
        got = session.query(task)
        if got != first:
            problems.append(f"after {wait} s: {str(got)[:200]}: expected the same response again")
            break
    report.check("Sentry: results that are read again for 75 s", problems)


def forgotten(report, cairn, folder, body):
    """A server that was started anew does not know the task: 404, and the session submits again."""
    with cairn_server(cairn, [os.path.join(folder, "files")]) as server:
        session = Session(server.port)
        unknown = session.query(str(uuid.uuid4()))
        response, _ = session.process("symbolicate", body)
    report.check("Sentry: a task that is unknown is submitted again", [] if unknown is None and response["status"] == "completed" else [unknown, response])
