"""The clients of debuginfod, and Debian's own server, beside cairn serve over the same folder."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.parse

from harness import HOST, Server, cairn_server, call, call_json, free_port
from sentry import event

SECTIONS = [".text", ".debug_info", ".debug_line", ".debug_str", ".eh_frame", ".gnu_debuglink", ".symtab", ".note.gnu.build-id", ".comment", ".bss", ".absent"]


def check(report, cairn, folder, programs):
    tool = shutil.which("debuginfod")
    files, sources = os.path.join(folder, "files"), os.path.join(folder, "src")
    if not tool:
        report.skip("debuginfod", "Debian's debuginfod is not installed")
    with cairn_server(cairn, [files], "--source-root", sources) as server:
        if tool:
            port = free_port()
            command = [tool, "-F", files, "-p", str(port), "-d", os.path.join(folder, "debuginfod.sqlite"), "-t", "0", "-g", "0"]
            with Server(command, port, "/metrics", {"DEBUGINFOD_URLS": ""}, "debuginfod") as other:
                wait_for_scan(other, programs)
                compare(report, server.port, other.port, programs)
                upstream(report, cairn, folder, other.port, programs)
        run_clients(report, server.port, folder, programs)


def upstream(report, cairn, folder, port, programs):
    """What it has not, it may have from debuginfod: for its own answers, and for its clients."""
    empty = os.path.join(folder, "upstream")
    os.makedirs(empty)
    environment = {"DEBUGINFOD_URLS": f"http://{HOST}:{port}/", "DEBUGINFOD_CACHE_PATH": os.path.join(folder, "upstream-cache"), "HOME": empty}
    problems = []
    with cairn_server(cairn, [empty], "--debuginfod", environment=environment) as server:
        # Breakpad's id is too short for debuginfod: only a request that has whole build IDs is answered by it.
        status, value = call_json(server.port, "POST", "/symbolicate", event(programs), timeout=60)
        found = [module["debug_status"] for module in value["modules"]] if status == 200 and "modules" in value else []
        if found != ["found"] * len(programs):
            problems.append(f"POST /symbolicate: {status} {str(value)[:500]}")
        for program in programs:
            body = call(server.port, "GET", f"/buildid/{program.build_id}/debuginfo")[2]
            if body != open(program.debug, "rb").read():
                problems.append(f"GET /buildid/{program.build_id}/debuginfo: {len(body)} bytes: expected the file that debuginfod has")
    report.check("debuginfod: as a server that cairn has files from", problems)


def wait_for_scan(server, programs):
    end = time.monotonic() + 60
    wanted = [f"/buildid/{program.build_id}/{kind}" for program in programs for kind in ("debuginfo", "executable")]
    while any(call(server.port, "GET", path)[0] != 200 for path in wanted):
        if time.monotonic() > end:
            raise RuntimeError("debuginfod did not find the programs in a minute")
        time.sleep(0.3)


def compare(report, ours, theirs, programs):
    headers = ["content-length", "x-debuginfod-size", "x-debuginfod-file", "content-type"]
    count = 0
    for program in programs:
        problems = []
        paths = ["debuginfo", "executable", f"source{urllib.parse.quote(program.source)}", f"source{urllib.parse.quote(program.source, safe='/+')}",
                 "source/absent.c", "source/etc/passwd", f"source{urllib.parse.quote(os.path.dirname(program.source))}/../../../../etc/passwd", "source"]
        paths += [f"section/{name}" for name in SECTIONS] + ["section", "", "absent"]
        for path in paths:
            path = f"/buildid/{program.build_id}/{path}"
            count += 1
            their, our = call(theirs, "GET", path), call(ours, "GET", path)
            expected = 404 if their[0] == 503 else their[0]
            if our[0] != expected:
                problems.append(f"GET {path}: debuginfod {their[0]} ({len(their[2])} bytes), cairn {our[0]} {our[2][:100]!r}")
            elif expected == 200:
                if our[2] != their[2]:
                    problems.append(f"GET {path}: other bytes: debuginfod {len(their[2])}, cairn {len(our[2])}")
                problems += [f"GET {path}: {name}: debuginfod {their[1][name]!r}, cairn {our[1].get(name)!r}"
                             for name in headers if name in their[1] and their[1][name] != our[1].get(name)]
        report.check(f"debuginfod: the same bytes and statuses: {program.name}", problems, f"{len(paths)} paths")
    problems = []
    known = programs[0].build_id
    for identity in ("a" * 40, "ab", known.upper(), known[:-1], known[:-2], "", "..", "xyz", "0" * 4000):
        for kind in ("debuginfo", "executable", "section/.text", "source/a.c"):
            their, our = (call(port, "GET", f"/buildid/{identity}/{kind}") for port in (theirs, ours))
            if our[0] != 404 and not (our[0] in (400, 414) and len(identity) > 1000):
                problems.append(f"GET /buildid/{identity[:60]}/{kind}: debuginfod {their[0]}, cairn {our[0]}: expected 404")
    for path in ("/buildid", "/buildid/", "/nothing"):
        if call(ours, "GET", path)[0] != 404:
            problems.append(f"GET {path}: {call(ours, 'GET', path)[0]}: expected 404")
    report.check("debuginfod: identities that are absent or wrong", problems)
    heads(report, ours, theirs, programs[0])


def heads(report, ours, theirs, program):
    """What debuginfod 0.188 refuses or ignores, by HTTP's own rules (RFC 9110), and the caller's limit."""
    path = f"/buildid/{program.build_id}/debuginfo"
    whole = call(theirs, "GET", path)[2]
    problems = []
    status, headers, body = call(ours, "HEAD", path)
    if (status, headers.get("content-length"), body) != (200, str(len(whole)), b""):
        problems.append(f"HEAD {path}: {status} {headers}: expected 200 and Content-Length {len(whole)}")
    for text, part in [("bytes=0-99", whole[:100]), ("bytes=100-", whole[100:]), ("bytes=-50", whole[-50:]), ("bytes=0-99999999", whole)]:
        status, headers, body = call(ours, "GET", path, headers={"Range": text})
        if status != 206 or body != part or not headers.get("content-range", "").endswith(f"/{len(whole)}"):
            problems.append(f"Range: {text}: {status} {len(body)} bytes {headers.get('content-range')}: expected 206 and {len(part)} bytes")
    for text, expected in [("bytes=99999999-", (416,)), ("lines=1-2", (200,)), ("bytes=5-2", (200, 400, 416))]:
        status = call(ours, "GET", path, headers={"Range": text})[0]
        if status not in expected:
            problems.append(f"Range: {text}: {status}: expected {expected}")
    report.check("debuginfod: HEAD and ranges", problems)
    problems = []
    for most in ("1", str(len(whole) - 1), str(len(whole)), "0", "-1", "abc"):
        their, our = (call(port, "GET", path, headers={"X-DEBUGINFOD-MAXSIZE": most})[0] for port in (theirs, ours))
        if most not in ("0", "-1", "abc") and their != our:
            problems.append(f"X-DEBUGINFOD-MAXSIZE: {most}: debuginfod {their}, cairn {our}")
        elif our not in (200, 400, 406):
            problems.append(f"X-DEBUGINFOD-MAXSIZE: {most}: {our}")
    report.check("debuginfod: the caller's limit of size", problems)


def client(port, folder, name, *command, seconds=60):
    """Runs a client of libdebuginfod with a cache of its own."""
    cache = os.path.join(folder, "client-cache", name)
    os.makedirs(cache, exist_ok=True)
    environment = {"DEBUGINFOD_URLS": f"http://{HOST}:{port}/", "DEBUGINFOD_CACHE_PATH": cache, "HOME": cache, "DEBUGINFOD_TIMEOUT": "20", "LC_ALL": "C"}
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, env={**os.environ, **environment})
    return ended.returncode, ended.stdout.decode("utf-8", "replace")


def run_clients(report, port, folder, programs):
    # A stripped program alone: what is known of it comes from the server.
    program = next(program for program in programs if program.debug != program.path)
    away = os.path.join(folder, "away")
    os.makedirs(away, exist_ok=True)
    stripped = shutil.copy(program.path, away)
    wanted = {"debuginfo": program.debug, "executable": program.path}
    if not shutil.which("debuginfod-find"):
        report.skip("debuginfod-find", "not installed")
    else:
        problems = []
        for kind, path in wanted.items():
            status, output = client(port, folder, f"find-{kind}", "debuginfod-find", kind, program.build_id)
            if status or open(output.strip(), "rb").read() != open(path, "rb").read():
                problems.append(f"debuginfod-find {kind}: {status} {output}")
        status, output = client(port, folder, "find-source", "debuginfod-find", "source", stripped, program.source)
        if status or open(output.strip(), "rb").read() != open(program.source, "rb").read():
            problems.append(f"debuginfod-find source {program.source}: {status} {output}")
        status, output = client(port, folder, "find-absent", "debuginfod-find", "debuginfo", "ab" * 20)
        if status == 0 or "No such file" not in output:
            problems.append(f"debuginfod-find of an absent file: {status} {output}")
        report.check("debuginfod-find", problems)
    addresses = [address for address, size, name in program.symbols() if name in ("deep", "middle", "main")]
    if not shutil.which("eu-addr2line"):
        report.skip("eu-addr2line", "not installed")
    else:
        status, output = client(port, folder, "addr2line", "eu-addr2line", "-f", "-e", stripped, *map(hex, addresses))
        expected = [part for frames in program.answers(addresses) for part in (frames[-1][0], f"{frames[-1][1]}:{frames[-1][2]}")]
        got = [re.sub(r"(:\d+):\d+$", r"\1", row.split(" inlined")[0]) for row in output.splitlines()]
        report.check("eu-addr2line", [] if got == expected else [f"{got}: expected {expected}"], f"{len(addresses)} addresses")
    if not shutil.which("gdb"):
        report.skip("gdb", "not installed")
    else:
        words = ["-ex", "info line middle", "-ex", "list middle", "-ex", "info scope main"]
        status, output = client(port, folder, "gdb", "gdb", "-batch", "-nx", "-iex", "set debuginfod enabled on", *words, stripped)
        expected = [r"Line \d+ of \"" + re.escape(program.source), r"int middle\(int count\) \{", "Symbol count"]
        report.check("gdb: the lines and sources of a stripped program", [f"no {text} in: {output}" for text in expected if not re.search(text, output)])
    run_stack(report, port, folder, program, stripped)


def run_stack(report, port, folder, program, stripped):
    if not shutil.which("eu-stack"):
        report.skip("eu-stack", "not installed")
        return
    sleeper = subprocess.Popen([stripped], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.3)
        status, output = client(port, folder, "stack", "eu-stack", "-i", "-s", "-p", str(sleeper.pid))
    finally:
        sleeper.send_signal(signal.SIGKILL)
        sleeper.wait()
    # main is gone: its last call was made as a jump.
    expected = [r"\bmiddle\b", r"\bdeep\b", re.escape(program.source) + r":\d+"]
    report.check("eu-stack: a running program", [f"no {text} in: {output}" for text in expected if not re.search(text, output)])
