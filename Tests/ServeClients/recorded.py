"""Requests that were recorded (samply's fixtures/requests), and ones of their size: every frame and every module has its answer."""

import glob
import json
import os
import time

from harness import cairn_server, call_json


def problems_of(request, response, expected):
    """What is wrong with the shape of a response; expected: what found_modules has for modules with frames."""
    jobs = request.get("jobs", [request])
    if not isinstance(response, dict) or len(response.get("results", [])) != len(jobs):
        return [f"{str(response)[:300]}: expected {len(jobs)} results"]
    problems = []
    # A module is looked for once in a request: null only where no job has a frame in it.
    used = {tuple(job["memoryMap"][index]) for job in jobs for stack in job["stacks"] for index, _ in stack if index >= 0}
    for number, (job, result) in enumerate(zip(jobs, response["results"])):
        if [len(stack) for stack in job["stacks"]] != [len(stack) for stack in result["stacks"]]:
            problems.append(f"job {number}: stacks have other lengths")
        wanted = {"/".join(module): expected if tuple(module) in used else None for module in job["memoryMap"]}
        wrong = {key for key in wanted.keys() | result["found_modules"].keys() if result["found_modules"].get(key, 0) is not wanted.get(key, 0)}
        problems += [f"job {number}: found_modules {key}: {result['found_modules'].get(key, 'nothing')}, expected {wanted.get(key)}" for key in wrong]
        for stack, rows in zip(result["stacks"], job["stacks"]):
            for index, (frame, row) in enumerate(zip(stack, rows)):
                if (frame["frame"], frame["module_offset"], frame["module"]) != (index, hex(row[1]), job["memoryMap"][row[0]][0]):
                    problems.append(f"job {number}: {frame}: expected frame {index} of {row}")
    return problems


def check(report, cairn, clients, folder):
    paths = sorted(glob.glob(os.path.join(clients, "requests/*.json"))) if clients else []
    if not paths:
        report.skip("recorded requests", "no requests/*.json in the clients' folder")
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    requests = []
    for path in paths:
        with open(path) as file:
            requests.append((os.path.basename(path), json.load(file)))
    # As large as the largest that was recorded (770 kB): one library of a browser, with all addresses of its profile.
    library = ["libxul.so", "0123456789ABCDEF0123456789ABCDEF0"]
    requests.append(("one library, 64,000 addresses", {"memoryMap": [library], "stacks": [[[0, 1000000 + 17 * number] for number in range(64000)]]}))
    many = [[f"lib{number}.so", f"{number:032X}0"] for number in range(400)]
    requests.append(("400 libraries in 10 jobs", {"jobs": [
        {"memoryMap": many, "stacks": [[[number, 4096 * number + step] for number in range(job * 40, job * 40 + 40)] for step in range(4)]} for job in range(10)
    ]}))
    with cairn_server(cairn, [empty]) as server:
        for name, request in requests:
            start = time.monotonic()
            status, value = call_json(server.port, "POST", "/symbolicate/v5", request, timeout=120)
            seconds = time.monotonic() - start
            problems = [f"{status} {str(value)[:300]}"] if status != 200 else problems_of(request, value, False)
            report.check(f"recorded requests: {name}", problems, f"{len(json.dumps(request))} bytes, {seconds:.2f} s")
