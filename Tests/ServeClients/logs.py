"""Logs that are sent to cairn serve, beside the expected answers of the fixtures and beside the command itself; symbols by the paths of symbol servers."""

import bz2
import csv
import glob
import gzip
import lzma
import os
import re
import subprocess

from harness import ROOT, cairn_server, call
from objects import SymbolFile, file_symbols

# A log's folder, and the folder of its programs.
CASES = [("apple-crash/CrashExample-bad-access", "CrashExample"), ("apple-crash/CrashExample-exception", "CrashExample"), ("apple-crash/CrashExample-versions", "CrashExample")]
FORMATS = ["same", "text", "json", "apple-crash"]


def check(report, cairn, folder, programs):
    binaries = os.path.join(ROOT, "Fixtures/binaries")
    with cairn_server(cairn, sorted({os.path.join(binaries, case, "out") for _, case in CASES})) as server:
        if call(server.port, "POST", "/v1/logs", b"nothing")[0] == 404:
            report.check("logs", ["POST /v1/logs: 404"])
            return
        for logs, case in CASES:
            place = os.path.join(ROOT, "Fixtures/logs", logs)
            for path in sorted(path for path in glob.glob(os.path.join(place, "*")) if not path.endswith(("expected.tsv", ".md"))):
                with open(path, "rb") as file:
                    log = file.read()
                report.check(f"logs: {logs} {os.path.basename(path)}", beside_command(cairn, server, log, os.path.join(binaries, case, "out")), ", ".join(FORMATS))
            expected(report, server, place)
        kinds(report, server, os.path.join(ROOT, "Fixtures/logs", CASES[0][0], "bad-access.crash"))
    symbol_server(report, cairn, folder, programs)


def beside_command(cairn, server, log, symbols):
    problems = []
    for form in FORMATS:
        status, _, ours = call(server.port, "POST", f"/v1/logs?format={form}", log)
        ended = subprocess.run(
            [cairn, "symbolicate", "-", "--symbols", symbols, "--no-local", "--no-index", "--quiet", "--color", "never", "--format", form],
            input=log, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
        )
        if status != 200 or ours != ended.stdout:
            at = next((index for index, pair in enumerate(zip(ended.stdout, ours)) if pair[0] != pair[1]), min(len(ours), len(ended.stdout)))
            cut = slice(max(0, at - 60), at + 100)
            problems.append(f"{form}: {status}: the command has {ended.stdout[cut]!r}, the server {ours[cut]!r}")
    return problems


def expected(report, server, place):
    """Every function and line that LLVM's tools have for the log's frames is in the response."""
    logs = [path for path in glob.glob(os.path.join(place, "*")) if not path.endswith((".tsv", ".md"))]
    if len(logs) != 1:
        return
    with open(os.path.join(place, "expected.tsv")) as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["function"] and row["line"]]
    with open(logs[0], "rb") as file:
        text = call(server.port, "POST", "/v1/logs?format=same", file.read())[2].decode("utf-8", "replace")
    # `main + 48 (main.m:9)`
    wanted = {rf"{re.escape(row['function'])} \+ \d+ \({re.escape(os.path.basename(row['file']))}:{row['line']}\)" for row in rows}
    problems = [f"no {words}" for words in wanted if not re.search(words, text)]
    report.check(f"logs: the expected functions and lines of {os.path.basename(place)}", problems, f"{len(wanted)} of them")


def kinds(report, server, path):
    """A log is the same one in whatever it is packed; what is no log is said."""
    with open(path, "rb") as file:
        log = file.read()
    plain = call(server.port, "POST", "/v1/logs", log)[2]
    problems = []
    for name, body, headers in [
        ("gzip", gzip.compress(log), {}), ("xz", lzma.compress(log), {}), ("bzip2", bz2.compress(log), {}),
        ("gzip as Content-Encoding", gzip.compress(log), {"Content-Encoding": "gzip"}),
        ("a form's type", log, {"Content-Type": "application/x-www-form-urlencoded"}),
    ]:
        status, _, data = call(server.port, "POST", "/v1/logs", body, headers)
        # A server may refuse encodings that it does not know, by their status.
        if (status, data) != (200, plain) and not (status == 415 and "Content-Encoding" in headers):
            problems.append(f"{name}: {status} {data[:200]!r}")
    for accept, kind in [("application/json", "application/json"), ("text/plain", "text/plain"), ("*/*", "text/plain"), ("application/x-ndjson", "application/x-ndjson")]:
        status, headers, _ = call(server.port, "POST", "/v1/logs", log, {"Accept": accept})
        if status != 200 or not headers.get("content-type", "").startswith(kind):
            problems.append(f"Accept: {accept}: {status} {headers.get('content-type')}")
    for target, headers, wanted in [("/v1/logs?format=xml", {}, 400), ("/v1/logs", {"Accept": "image/png"}, 406)]:
        status = call(server.port, "POST", target, log, headers)[0]
        if status != wanted:
            problems.append(f"{target} {headers}: {status}: expected {wanted}")
    for name, body in [("nothing", b""), ("a picture", b"\x89PNG\r\n\x1a\n" + os.urandom(5000)), ("a million lines", b"hello\n" * 1_000_000)]:
        status, _, data = call(server.port, "POST", "/v1/logs", body)
        if status not in (200, 400, 415, 422):
            problems.append(f"{name}: {status} {data[:200]!r}")
    report.check("logs: packed, in other types, and none", problems)


def symbol_server(report, cairn, folder, programs):
    """SSQP's keys and Breakpad's paths give the files as they are; others nothing."""
    symbols = os.path.join(folder, "paths")
    paths = sorted(glob.glob(os.path.join(ROOT, "Fixtures/symbols/*.sym")))
    for path in paths:
        file_symbols(symbols, path)
    problems = []
    with cairn_server(cairn, [symbols, os.path.join(folder, "files")]) as server:
        rows = []
        for path in paths:
            file = SymbolFile(path)
            rows.append((f"/symbols/{file.name}/{file.module}/{file.name}.sym", path))
        for program in programs:
            rows.append((f"/symbols/{program.name}/elf-buildid-{program.build_id}/{program.name}", program.path))
            rows.append((f"/symbols/_.debug/elf-buildid-sym-{program.build_id}/_.debug", program.debug))
            rows.append((f"/symbols/{program.name[:2]}/{program.name}/elf-buildid-{program.build_id}/{program.name}", program.path))
        for target, path in rows:
            status, headers, data = call(server.port, "GET", target)
            with open(path, "rb") as file:
                if status != 200 or data != file.read():
                    problems.append(f"GET {target}: {status}, {len(data)} bytes: expected the file")
            if call(server.port, "HEAD", target)[1].get("content-length") != str(os.path.getsize(path)):
                problems.append(f"HEAD {target}: expected Content-Length {os.path.getsize(path)}")
        for target in ["/symbols/", "/symbols/a/b/c", "/symbols/../../etc/passwd", "/symbols/..%2f..%2fetc/AB/passwd", "/symbols/absent/" + "A" * 33 + "/absent.sym",
                       f"/symbols/{programs[0].name}/elf-buildid-{'0' * 40}/{programs[0].name}"]:
            status = call(server.port, "GET", target)[0]
            if status not in (400, 404):
                problems.append(f"GET {target}: {status}: expected 404")
    report.check("symbol server's paths", problems, f"{len(rows)} files")
