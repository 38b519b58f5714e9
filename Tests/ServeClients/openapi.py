"""Schemathesis against the server's own description of itself: requests of every shape that it names, and many that it does not."""

import os
import re
import subprocess

from harness import HOST, cairn_server, call_json


# What no schema can say, and the server refuses with its reason: (the response has, the request has).
REFUSED = [
    ("a module_index that isn't in modules", ""), ("the log is empty", ""), ("<!DOCTYPE html>", r'name="log"'), ("no build ID or UUID found", ""),
    ("expected a chunk’s SHA-1 as its name", ""), ("Must be multipart form data with at least one file", ""), ("name: expected the file's name", ""),
    ("this server symbolicates native stacks only", ""), ("this server fetches nothing", ""), ("Accept: expected one of", ""),
    # The form of a path in a symbol server, and the file of an upload, which is not read.
    ("[405] Method Not Allowed", "/v1/uploads/"),
    # An integer by JSON Schema's rules; no program that has integers reads it as one.
    (": expected a number", r"\d\.0\b"),
]


def is_refusal(failure):
    """A request that fits the description, and is refused for what it means."""
    response, _, request = failure.partition("Reproduce with:")
    return "Schema-valid request rejected" in failure and any(said in response and re.search(sent, request) for said, sent in REFUSED)


def check(report, cairn, clients, folder, examples=50):
    tool = os.path.join(clients, "venv/bin/schemathesis") if clients else ""
    if not os.path.exists(tool):
        report.skip("schemathesis", "no venv/bin/schemathesis in the clients' folder")
        return
    store, token = os.path.join(folder, "schema-store"), os.path.join(folder, "schema-token")
    os.makedirs(store)
    with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("checks schemathesis-token\n")
    with cairn_server(cairn, [os.path.join(folder, "files")], "--upload", token, "--store", store) as server:
        status, value = call_json(server.port, "GET", "/openapi.json")
        if status != 200 or not isinstance(value, dict) or not value.get("paths"):
            report.check("schemathesis", [f"GET /openapi.json: {status} {str(value)[:200]}"])
            return
        command = [tool, "run", f"http://{HOST}:{server.port}/openapi.json", "--max-examples", str(examples), "--workers", "2", "--seed", "1",
                   "--header", "Authorization: Bearer schemathesis-token", "--request-timeout", "20", "--no-color"]
        try:
            ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, cwd=folder)
        except subprocess.TimeoutExpired:
            report.check("schemathesis", ["not done after 900 s"])
            return
        text = ended.stdout.decode("utf-8", "replace")
        with open(os.path.join(folder, "schemathesis.txt"), "w") as file:
            file.write(text)
        sections = re.split(r"\n(?=_{5,} )", text.partition("= WARNINGS =")[0].partition("= SUMMARY =")[0])[1:] if ended.returncode else []
        failures, refusals, own = [], 0, 0
        for section in sections:
            for failure in re.split(r"\n(?=\d+\. Test Case ID)", section)[1:]:
                if is_refusal(failure):
                    refusals += 1
                else:
                    failures.append(section.splitlines()[0].strip("_ ") + " " + failure[:2500])
            # An error of its generator, which is no request.
            own += "Runtime Error" in section and "schemathesis/" in section
        if ended.returncode and not sections:
            failures.append(text[-3000:])
        cases = re.search(r"(\d+) generated", text)
        words = f"{len(value['paths'])} paths, {cases.group(1) if cases else '?'} requests, {refusals} refused for what they mean"
        report.check("schemathesis", failures, words + (f", {own} errors of its own" if own else ""))
        report.check("schemathesis: the server still runs", [] if server.runs() and call_json(server.port, "GET", "/healthz")[0] == 200 else [server.text()[-1000:]])
