"""Schemathesis against the server's own description of itself: requests of every shape that it names, and many that it does not."""

import os
import re
import subprocess

from harness import HOST, cairn_server, call_json


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
        failures = re.split(r"\n(?=_{5,} )", text)[1:] if ended.returncode else []
        report.check("schemathesis", ([failure[:2500] for failure in failures] or [text[-3000:]]) if ended.returncode else [], f"{len(value['paths'])} paths")
        report.check("schemathesis: the server still runs", [] if server.runs() and call_json(server.port, "GET", "/healthz")[0] == 200 else [server.text()[-1000:]])
