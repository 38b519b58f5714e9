"""Eliot and cairn serve beside each other: the same requests, over the same symbol files (Mozilla's symbolication API, versions 4 and 5)."""

import glob
import json
import os
import random

from harness import HOST, ROOT, cairn_server, call, call_json, eliot_only, eliot_server
from objects import SymbolFile, file_symbols

MODULE = ["basic", "20AD60B0B4C68177552708AA192E77390"]


def job(modules=None, stacks=None):
    return {"memoryMap": [MODULE] if modules is None else modules, "stacks": [[[0, 1]]] if stacks is None else stacks}


# Requests that Eliot refuses, or might: its own checks are the expectation.
REFUSALS = {
    "no JSON": b"{",
    "an empty body": b"",
    "bytes that are no UTF-8": b'{"memoryMap":[["\xff\xfe","AB"]],"stacks":[[[0,1]]]}',
    "a number": b"1",
    "a list": b"[]",
    "a text": b'"abc"',
    "null": b"null",
    "an empty object": {},
    "no jobs": {"jobs": []},
    "jobs that are a number": {"jobs": 5},
    "jobs that are null": {"jobs": None},
    "a job that is a number": {"jobs": [5]},
    "a job that is a list": {"jobs": [[]]},
    "a second job that is wrong": {"jobs": [job(), {"memoryMap": [MODULE]}]},
    "10 jobs": {"jobs": [job()] * 10},
    "11 jobs": {"jobs": [job()] * 11},
    "no stacks": {"memoryMap": [MODULE]},
    "empty stacks": job(stacks=[]),
    "stacks that are null": {"memoryMap": [MODULE], "stacks": None},
    "stacks that are an object": job(stacks={"a": 1}),
    "a stack that is a number": job(stacks=[3]),
    "an empty stack": job(stacks=[[]]),
    "no memoryMap": {"stacks": [[[0, 1]]]},
    "a memoryMap that is null": {"memoryMap": None, "stacks": [[[0, 1]]]},
    "an empty memoryMap": job(modules=[], stacks=[[[-1, 1]]]),
    "a module of one item": job(modules=[["basic"]]),
    "a module of three items": job(modules=[["basic", "AB", "CD"]]),
    "a module that is a text": job(modules=["ab"]),
    "a name that is a number": job(modules=[[1, "AB"]]),
    "a name that is null": job(modules=[[None, "AB"]]),
    "a name with a slash": job(modules=[["a/b", "AB"]]),
    "a name with a backslash": job(modules=[["a\\b", "AB"]]),
    "a name with a line's end": job(modules=[["a\nb", "AB"]]),
    "a name outside ASCII": job(modules=[["libß.so", "AB"]]),
    "a name with each allowed mark": job(modules=[["aZ9_.+{}@<> ~-", "AB"]]),
    "a name with square brackets": job(modules=[["[vdso]", "AB"]]),
    "an empty name": job(modules=[["", "AB"]]),
    "an id that is a number": job(modules=[["basic", 12]]),
    "an id with a letter outside hexadecimal digits": job(modules=[["basic", "ABG"]]),
    "an id with a hyphen": job(modules=[["basic", "A-B"]]),
    "an empty id": job(modules=[["basic", ""]]),
    "an id in lower case": job(modules=[["basic", MODULE[1].lower()]]),
    "an id of 3 digits": job(modules=[["basic", "ABC"]]),
    "an id of 100 digits": job(modules=[["basic", "A" * 100]]),
    "a frame of one item": job(stacks=[[[0]]]),
    "a frame of three items": job(stacks=[[[0, 1, 2]]]),
    "a frame that is a number": job(stacks=[[1]]),
    "a module index that is a text": job(stacks=[[["0", 1]]]),
    "a module index that is 0.5": job(stacks=[[[0.5, 1]]]),
    "a module index that is null": job(stacks=[[[None, 1]]]),
    "a module index of −1": job(stacks=[[[-1, 1]]]),
    "a module index of −2": job(stacks=[[[-2, 1]]]),
    "a module index past the end": job(stacks=[[[0, 1], [1, 1]]]),
    "an offset of −1": job(stacks=[[[0, -1]]]),
    "an offset of −2": job(stacks=[[[0, 1], [0, -2]]]),
    "an offset of 1.5": job(stacks=[[[0, 1.5]]]),
    "an offset of 1.0": job(stacks=[[[0, 1.0]]]),
    "an offset that is a text": job(stacks=[[[0, "0x1"]]]),
    "an offset that is null": job(stacks=[[[0, None]]]),
    "an offset of 2^63 − 1": job(stacks=[[[0, 2**63 - 1]]]),
    "an offset of 2^63": job(stacks=[[[0, 2**63]]]),
    "an offset of 2^64 − 1": job(stacks=[[[0, 2**64 - 1]]]),
    "unknown keys": {**job(), "version": 5, "extra": {"a": [1]}},
    "a version that is a text": {**job(), "version": "5"},
}
# What Eliot takes by accident of its language: true is 1, `$` matches before a line's end, an empty object has no item, and numbers have no end.
STRICTER = {
    "a module index that is true": job(stacks=[[[True, 1]]]),
    "an offset that is true": job(stacks=[[[0, True]]]),
    "a name that ends with a line's end": job(modules=[["ab\n", "AB"]]),
    "jobs that are an object": {"jobs": {}},
    "an offset of 2^64": job(stacks=[[[0, 2**64]]]),
}


def bounded(frame, symbols):
    """What a symbol file says: Eliot's library stretches a line over the bytes that no line has, and the last public name without an end."""
    offset = int(frame["module_offset"], 16)
    if symbols.is_open and offset > symbols.last_public:
        return {key: value for key, value in frame.items() if key not in ("function", "function_offset")}
    if "file" in frame and not symbols.has_line(offset):
        return {key: value for key, value in frame.items() if key not in ("file", "line")}
    return frame


def compare_frame(theirs, ours, place):
    """What is wrong in a frame of ours; it may only know more."""
    problems = [f"{place}: {key}: Eliot has {value!r}, cairn {ours.get(key)!r}" for key, value in theirs.items()
                if key not in ("inlines", "file", "line") and ours.get(key) != value]
    if any(value is None for value in ours.values()):
        problems.append(f"{place}: null in {ours}")
    if "function" in theirs:
        for key in ("file", "line"):
            # A library that Eliot uses leaves `./` out of paths.
            if key in theirs and ours.get(key) != theirs[key] and (key == "line" or os.path.normpath(ours.get(key, "")) != theirs[key]):
                problems.append(f"{place}: {key}: Eliot has {theirs[key]!r}, cairn {ours.get(key)!r}")
        if "inlines" in theirs and ours.get("inlines") != theirs["inlines"]:
            problems.append(f"{place}: inlines: Eliot has {theirs['inlines']}, cairn {ours.get('inlines')}")
    return problems


def compare_results(theirs, ours, modules, symbols=None):
    """Problems, and how many frames of ours have a function where Eliot's have none."""
    problems, more = [], 0
    if len(theirs) != len(ours):
        return [f"{len(theirs)} results of Eliot, {len(ours)} of cairn"], 0
    for number, (their, our) in enumerate(zip(theirs, ours)):
        if their["found_modules"] != our.get("found_modules"):
            problems.append(f"job {number}: found_modules: Eliot has {their['found_modules']}, cairn {our.get('found_modules')}")
        if [len(stack) for stack in their["stacks"]] != [len(stack) for stack in our.get("stacks", [])]:
            problems.append(f"job {number}: stacks of other lengths")
            continue
        for their_stack, our_stack in zip(their["stacks"], our["stacks"]):
            for their_frame, our_frame in zip(their_stack, our_stack):
                place = f"{modules} {their_frame['module_offset']}"
                more += "function" in our_frame and "function" not in their_frame
                problems += compare_frame(bounded(their_frame, symbols) if symbols else their_frame, our_frame, place)
    return problems, more


def check(report, cairn, clients, folder):
    if not clients or not os.path.exists(os.path.join(clients, "venv/bin/gunicorn")) or not os.path.isdir(os.path.join(clients, "eliot/eliot")):
        report.skip("Eliot", "no venv/bin/gunicorn or no eliot/ in the clients' folder")
        return
    symbols = os.path.join(folder, "sym")
    paths = sorted(glob.glob(os.path.join(ROOT, "Fixtures/symbols/*.sym"))) + sorted(glob.glob(os.path.join(folder, "made/*/*/*.sym")))
    for path in paths:
        file_symbols(symbols, path)
    files, eliot = eliot_server(clients, symbols, os.path.join(folder, "eliot-cache"))
    with files, eliot, cairn_server(cairn, [symbols]) as server:
        compare_symbols(report, paths, eliot, server)
        compare_refusals(report, eliot, server)
        compare_outside(report, eliot, server)
        as_source(report, clients, folder, paths, server, eliot)


def as_source(report, clients, folder, paths, server, eliot):
    """Eliot has its symbol files from cairn's paths of a symbol server, and answers as before."""
    request = {"jobs": []}
    for path in paths[:10]:
        symbols = SymbolFile(path)
        request["jobs"].append({"memoryMap": [[symbols.name, symbols.module]], "stacks": [[[0, offset] for offset in symbols.places[:200]]]})
    with eliot_only(clients, f"http://{HOST}:{server.port}/symbols/", os.path.join(folder, "eliot-other-cache")) as other:
        theirs, ours = (call_json(port, "POST", "/symbolicate/v5", request, timeout=120) for port in (eliot.port, other.port))
    report.check("Eliot: with symbol files from cairn's /symbols/", [] if theirs == ours else [f"{str(ours)[:300]}: expected {str(theirs)[:300]}"])


def compare_symbols(report, paths, eliot, server):
    chance = random.Random(1)
    for path in paths:
        symbols = SymbolFile(path)
        name, module = symbols.name, symbols.module
        offsets = sorted({max(0, place + step) for place in symbols.places for step in (-1, 0, 1)})
        # All of a small program; of a library, as many as ten requests have.
        if len(offsets) > 20000:
            offsets = sorted(chance.sample(offsets, 20000))
        offsets += [0, -1, max(offsets) + 4096, 2**40]
        offsets += [chance.randrange(max(offsets[:-4]) + 1) for _ in range(1000)]
        problems, more = [], 0
        for first in range(0, len(offsets), 2000):
            part = offsets[first : first + 2000]
            request = {"jobs": [
                {"memoryMap": [[name, module]], "stacks": [[[0, offset] for offset in part[:1000]]]},
                {"memoryMap": [["absent", "A" * 33], [name, module], ["unused", "B" * 33]], "stacks": [[[1, offset] for offset in part[1000:]] + [[0, 5], [-1, 7]]]},
            ]}
            theirs = call_json(eliot.port, "POST", "/symbolicate/v5", request, timeout=120)
            ours = call_json(server.port, "POST", "/symbolicate/v5", request, timeout=120)
            if theirs[0] != 200 or ours[0] != 200:
                problems.append(f"Eliot {theirs[0]}, cairn {ours[0]} {str(ours[1])[:300]}")
                break
            found, better = compare_results(theirs[1]["results"], ours[1].get("results", []), name, symbols)
            problems += found
            more += better
        report.check(f"Eliot: v5 {os.path.basename(path)}", problems, f"{len(offsets)} addresses" + (f", {more} functions that Eliot has not" if more else ""))
        four = {"memoryMap": [["absent", "A" * 33], [name, module], ["unused", "B" * 33]], "stacks": [[[1, offset] for offset in offsets[:500]], [[0, 5], [-1, 7]]]}
        four["stacks"][0] = [frame for frame in four["stacks"][0] if not (symbols.is_open and frame[1] > symbols.last_public)]
        theirs, ours = (call_json(port, "POST", "/symbolicate/v4", four) for port in (eliot.port, server.port))
        report.check(f"Eliot: v4 {os.path.basename(path)}", differences(theirs, ours))


def differences(theirs, ours):
    """Of two version 4 responses; a function where Eliot has none is no problem."""
    if theirs[0] != ours[0] or not isinstance(ours[1], dict):
        return [f"Eliot {theirs[0]}, cairn {ours[0]} {str(ours[1])[:300]}"]
    problems = []
    if theirs[1]["knownModules"] != ours[1].get("knownModules"):
        problems.append(f"knownModules: Eliot {theirs[1]['knownModules']}, cairn {ours[1].get('knownModules')}")
    for their, our in zip(sum(theirs[1]["symbolicatedStacks"], []), sum(ours[1].get("symbolicatedStacks", []), [])):
        if their != our and not their.startswith("0x"):
            problems.append(f"Eliot {their!r}, cairn {our!r}")
    return problems


def compare_refusals(report, eliot, server):
    title = lambda response: response[1].get("title") if isinstance(response[1], dict) else response[1]
    for version in ("v5", "v4"):
        requests = {name: body for name, body in {**REFUSALS, **STRICTER}.items() if version == "v5" or "job" not in name}
        problems = []
        for name, body in requests.items():
            body = body if isinstance(body, bytes) else json.dumps(body)
            theirs, ours = (call_json(port, "POST", f"/symbolicate/{version}", body) for port in (eliot.port, server.port))
            if theirs[0] == 500 or name in STRICTER:
                # A fault of Eliot's own: any refusal will do, and an answer, too.
                wrong = [] if ours[0] in (200, 400) else ["expected 400"]
            elif theirs[0] == 200 and ours[0] == 200 and version == "v5":
                wrong = compare_results(theirs[1]["results"], ours[1].get("results", []), name)[0]
            elif theirs[0] == 200 and ours[0] == 200:
                wrong = differences(theirs, ours)
            else:
                wrong = [] if (theirs[0], title(theirs)) == (ours[0], title(ours)) else ["differ"]
            if wrong:
                problems.append(f"{name}: {body[:120]}: Eliot {theirs[0]} {title(theirs)!r}, cairn {ours[0]} {title(ours)!r}: {wrong[0]}")
        report.check(f"Eliot: {version}, requests that are wrong or nearly", problems, f"{len(requests)} requests")


def compare_outside(report, eliot, server):
    """Other methods and paths, preflights, and what the body is called."""
    problems = []
    for method, path in [("GET", "/symbolicate/v5"), ("PUT", "/symbolicate/v5"), ("GET", "/symbolicate/v4"), ("POST", "/symbolicate/v6"), ("GET", "/nothing")]:
        theirs, ours = (call_json(port, method, path) for port in (eliot.port, server.port))
        if theirs[0] != ours[0] or theirs[1].get("title") != ours[1].get("title"):
            problems.append(f"{method} {path}: Eliot {theirs}, cairn {ours}")
    report.check("Eliot: other methods and paths", problems)
    problems = []
    for kind in ("text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/json", ""):
        status, headers, _ = call(server.port, "POST", "/symbolicate/v5", json.dumps(job()), {"Content-Type": kind, "Origin": "https://example.org"})
        if status != 200 or headers.get("access-control-allow-origin") != "*":
            problems.append(f"Content-Type {kind!r}: {status}, {headers}")
    report.check("Eliot: a browser's request, whatever its body is called", problems)
    wish = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    theirs, ours = (call(port, "OPTIONS", "/symbolicate/v5", headers=wish) for port in (eliot.port, server.port))
    names = ["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age"]
    # Every header is more than the one that the browser wishes for.
    problems = [f"{name}: Eliot {theirs[1].get(name)!r}, cairn {ours[1].get(name)!r}" for name in names
                if ours[1].get(name) != theirs[1].get(name) and (name, ours[1].get(name)) != (names[2], "*")]
    report.check("Eliot: a preflight", problems + ([] if theirs[0] == ours[0] else [f"status: Eliot {theirs[0]}, cairn {ours[0]}"]))
    status, value = call_json(server.port, "POST", "/symbolicate/v5", job(), {"Debug": "true"})
    report.check("Eliot: the header Debug", [] if status == 200 and "debug" in value else [f"{status} {value}"])
