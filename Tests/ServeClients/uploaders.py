"""Those who upload symbols, over HTTP: Mozilla's form by curl, both protocols of symupload as its sources have them, and sentry-cli itself; and
clients that must not delay one another."""

import json
import os
import re
import shutil
import subprocess
import threading
import time
import zipfile

from harness import HOST, cairn_server, call, call_json
from uploads import TOKEN, Store

GUID = "0185139C8F04FFC94C4C44205044422E"


def sym(age, name="somefunc"):
    return f"MODULE windows x86_64 {GUID}{age} xul.pdb\nFUNC 5380 44 0 {name}\n".encode()


def check(report, cairn, clients, folder, programs):
    folder = os.path.join(folder, "uploaders")
    os.makedirs(folder)
    store = Store(folder, "store")
    log = os.path.join(folder, "access.log")
    with cairn_server(cairn, [store.path], *store.words, "--access-log", log) as server:
        report.check("uploaders: Tecken's form by curl", tecken(server, folder))
        report.check("uploaders: symupload, a form", symupload(server, folder))
        report.check("uploaders: symupload, four requests", symupload_again(server))
        tool = shutil.which("sentry-cli") or (os.path.join(clients, "venv/bin/sentry-cli") if clients else "")
        if os.path.exists(tool):
            report.check("uploaders: sentry-cli debug-files upload", sentry_cli(server, tool, folder, programs[0]))
        else:
            report.skip("uploaders: sentry-cli", "no sentry-cli in PATH or in venv/bin of the clients' folder")
        report.check("uploaders: cairn symbols push", push(cairn, server, store, folder, programs[1]))
        report.check("uploaders: the access log", access_log(log))
    report.check("uploaders: a file that differs is kept beside", differing(cairn, folder))
    problems, words = fairness(cairn, folder, programs)
    report.check("uploaders: small requests beside twelve large logs", problems, words)


def curl(*words):
    done = subprocess.run(["curl", "-sS", "-w", "\n%{http_code}", *words], capture_output=True, text=True, timeout=60)
    text, _, status = done.stdout.rpartition("\n")
    return int(status or 0), text or done.stderr


def function(server, age):
    request = {"memoryMap": [["xul.pdb", GUID + age]], "stacks": [[[0, 0x5384]]]}
    return call_json(server.port, "POST", "/symbolicate/v5", request)[1]["results"][0]["stacks"][0][0].get("function")


def tecken(server, folder):
    path = os.path.join(folder, "symbols.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"xul.pdb/{GUID}1/xul.sym", sym(1))
        archive.writestr("release-symbols.txt", "xul.pdb\n")
    url, problems = f"http://{HOST}:{server.port}/upload/", []
    for headers, wanted in [(["-H", "Auth-Token: wrong-token-0123456789"], 401), ([], 401), (["-H", f"Auth-Token: {TOKEN}"], 201)]:
        status, text = curl(*headers, "-F", f"symbols.zip=@{path}", url)
        if status != wanted:
            problems.append(f"POST /upload/ {headers[1:]}: {status} {text}")
    for place in ["/", "/try/", "/symbols/"]:
        status, _, body = call(server.port, "GET", f"{place}xul.pdb/{GUID}1/xul.sym")
        if (status, body) != (200, sym(1)):
            problems.append(f"GET {place}…: {status}")
    for name in ["file.ptr", "xul.pd_", "xul.pdb"]:
        status = call(server.port, "GET", f"/xul.pdb/{GUID}1/{name}")[0]
        if status != 404:
            problems.append(f"{name}: {status}")
    if (function(server, "1"), function(server, "2")) != ("somefunc", None):
        problems.append("the symbols of age 1 alone: expected")
    return problems


def symupload(server, folder):
    path = os.path.join(folder, "xul.sym")
    with open(path, "wb") as file:
        file.write(sym(2, "second"))
    fields = {"code_file": "xul.pdb", "cpu": "x86_64", "debug_file": "xul.pdb", "debug_identifier": GUID + "2", "os": "windows"}
    form = [word for name, value in fields.items() for word in ("-F", f"{name}={value}")] + ["-F", f"symbol_file=@{path}"]
    problems = []
    for query, wanted in [("", 401), (f"?key={TOKEN}", 200), (f"?key={TOKEN}", 200)]:
        status, text = curl(*form, f"http://{HOST}:{server.port}/symupload{query}")
        if status != wanted:
            problems.append(f"POST /symupload{query}: {status} {text}")
    return problems + ([] if function(server, "2") == "second" else ["age 2 is not found"])


def value(name, text):
    """As symbol_collector_client.cc reads a reply."""
    match = re.search(rf'"{name}": "([^"]+)"', text)
    return match and match[1]


def symupload_again(server):
    base, problems = f"http://{HOST}:{server.port}", []
    for wanted in ["OK", "DUPLICATE_DATA"]:
        found = value("status", curl(f"{base}/v1/symbols/xul.pdb/{GUID}3:checkStatus?key={TOKEN}")[1])
        if found != ("MISSING" if wanted == "OK" else "FOUND"):
            problems.append(f"status before {wanted}: {found}")
        text = curl("-X", "POST", "-H", "Content-Length: 0", f"{base}/v1/uploads:create?key={TOKEN}")[1]
        url, key = value("uploadUrl", text), value("uploadKey", text)
        if not url or not key:
            return problems + [f"create: {text}"]
        done = subprocess.run(["curl", "-sS", "-w", "%{http_code}", "-T", "-", url], input=sym(3, "third"), capture_output=True, timeout=60)
        if done.stdout != b"200":
            problems.append(f"PUT {url}: {done.stdout}")
        body = f'{{ symbol_id: {{debug_file: "xul.pdb", debug_id: "{GUID}3" }}, symbol_upload_type: "BREAKPAD" }}'
        text = curl("-H", "Content-Type: application/son", "-d", body, f"{base}/v1/uploads/{key}:complete?key={TOKEN}")[1]
        if value("result", text) != wanted:
            problems.append(f"complete: {text}")
    return problems + ([] if function(server, "3") == "third" else ["age 3 is not found"])


def sentry_cli(server, tool, folder, program):
    place = os.path.join(folder, "build")
    os.makedirs(place)
    shutil.copy(program.debug, place)
    problems = []
    for _ in range(2):
        done = subprocess.run(
            [tool, "--url", f"http://{HOST}:{server.port}", "--auth-token", TOKEN, "debug-files", "upload", "-o", "any", "-p", "any", place],
            capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            problems.append(f"{done.returncode}: {done.stdout} {done.stderr}")
    status, _, body = call(server.port, "GET", f"/buildid/{program.build_id}/debuginfo")
    with open(program.debug, "rb") as file:
        if (status, body) != (200, file.read()):
            problems.append(f"debuginfo of what was sent: {status}")
    return problems


def push(cairn, server, store, folder, program):
    """A folder with an archive, a text and a file that is named alone: all arrive, the second time nothing is sent again."""
    files = os.path.join(folder, "pushed")
    os.makedirs(files)
    shutil.make_archive(os.path.join(files, "debug"), "zip", os.path.dirname(program.debug), os.path.basename(program.debug))
    with open(os.path.join(files, "notes.txt"), "w") as file:
        file.write("no symbols\n")
    alone = os.path.join(folder, "pushed.sym")
    with open(alone, "wb") as file:
        file.write(sym(7, "pushed"))
    problems = []
    for expected in ["2 added, 0 already there", "0 added, 2 already there"]:
        done = subprocess.run(
            [cairn, "symbols", "push", f"http://{HOST}:{server.port}", files, alone, "--token-file", store.token],
            capture_output=True, text=True, timeout=120)
        if done.returncode != 0 or done.stdout.strip().splitlines()[-1:] != [expected]:
            problems.append(f"{done.returncode}, expected {expected}: {done.stdout} {done.stderr}")
    status, _, body = call(server.port, "GET", f"/buildid/{program.build_id}/debuginfo")
    with open(program.debug, "rb") as file:
        if (status, body) != (200, file.read()):
            problems.append(f"debuginfo of what was sent: {status}")
    if function(server, "7") != "pushed":
        problems.append("the symbols of age 7: expected")
    return problems


def access_log(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    wanted = {("POST", "/upload/", 201, "checks"), ("POST", "/upload/", 401, None), ("POST", "/symupload", 200, "checks")}
    seen = {(row["method"], row["route"], row["status"], row.get("token")) for row in rows}
    problems = [f"no row {row}" for row in wanted - seen]
    if any(TOKEN in json.dumps(row) for row in rows):
        problems.append("a token is in it")
    return problems


def differing(cairn, folder):
    store = Store(folder, "differing")
    with cairn_server(cairn, [store.path], *store.words) as server:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        first = call(server.port, "PUT", "/v1/symbols?name=xul.sym", sym(1), headers)[0]
        status, _, body = call(server.port, "PUT", "/v1/symbols?name=xul.sym", sym(1, "another"), headers)
        row = json.loads(body)["different"][0]
        problems = [] if (first, status) == (201, 409) else [f"{first}, {status}"]
        with open(os.path.join(store.path, row["file"]), "rb") as file:
            if file.read() != sym(1, "another"):
                problems.append(f"{row['file']}: other bytes")
        if function(server, "1") != "somefunc":
            problems.append(f"the first file is not the one that is used: {function(server, '1')}")
        return problems


def fairness(cairn, folder, programs):
    """Twelve logs of 60 MB from one client; what 200 small requests take beside them."""
    log = os.path.join(folder, "large.log")
    address = programs[0].symbols()[0][0]
    report = f"==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x{0x550000000000 + address:x} bp 0x0 sp 0x0 T0)\n" + "".join(
        f"    #{number} 0x{0x550000000000 + address:x}  (/opt/app+0x{address:x})\n" for number in range(40)) + "\n"
    with open(log, "w") as file:
        line = "2026-11-30 01:02:03 worker 7: nothing happened here, and it took 12 ms\n"
        file.write((line * 400 + report) * (60_000_000 // len(line * 400 + report)))
    with cairn_server(cairn, [programs[0].path]) as server:
        request = json.dumps({"memoryMap": [[programs[0].name, programs[0].breakpad_id]], "stacks": [[[0, address]]]})
        call(server.port, "POST", "/symbolicate/v5", request)
        statuses, times = [], []

        def large():
            done = subprocess.run(
                ["curl", "-sS", "-o", os.devnull, "-w", "%{http_code}", "--data-binary", f"@{log}", f"http://{HOST}:{server.port}/v1/logs"],
                capture_output=True, text=True, timeout=400)
            statuses.append(done.stdout)

        threads = [threading.Thread(target=large) for _ in range(12)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        problems, end = [], time.monotonic() + 60
        while len(times) < 200 and time.monotonic() < end and any(thread.is_alive() for thread in threads):
            begin = time.monotonic()
            status = call(server.port, "POST", "/symbolicate/v5", request)[0]
            times.append(time.monotonic() - begin)
            if status != 200:
                problems.append(f"a small request: {status}")
            time.sleep(0.02)
        for thread in threads:
            thread.join()
    times.sort()
    if not times:
        return ["the large logs ended before a small request"], ""
    late = times[min(len(times) - 1, len(times) * 99 // 100)]
    if late > 0.2:
        problems.append(f"99 % of {len(times)} small requests: {late * 1000:.0f} ms (expected 200)")
    return problems, f"99 % of {len(times)}: {late * 1000:.0f} ms; the logs: {' '.join(sorted(statuses))}"
