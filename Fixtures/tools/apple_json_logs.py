"""Makes CrashExample's logs as other reporters write them, from its .ips logs. Usage: apple_json_logs.py LOGS

LOGS is Fixtures/logs. Each log tells the same crash as the .ips that it is made from: the same addresses, images and
threads, in the keys of the program that writes the format (KSCrashReport.c, sentry-cocoa, MetricKit). The expected
answers are therefore the .ips' own.
"""

import json
import os
import sys

CPU = {"arm64": (16777228, 0), "arm64e": (16777228, 2)}


def read_ips(path):
    header, body = open(path, encoding="utf-8").read().split("\n", 1)
    return json.loads(header), json.loads(body)


def frames(report, list_of_frames):
    """(image, address, symbol, where the symbol begins) of each frame, innermost first."""
    result = []
    for frame in list_of_frames:
        image = report["usedImages"][frame["imageIndex"]]
        address = image["base"] + frame["imageOffset"]
        start = address - frame["symbolLocation"] if "symbol" in frame else None
        result.append((image, address, frame.get("symbol"), start))
    return result


def write(path, value, indent=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    separators = (",", ":") if indent is None else (",", " : ")
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(value, indent=indent, separators=separators, ensure_ascii=False) + "\n")


def copy_table(source, target, keep):
    lines = open(source, encoding="utf-8").read().splitlines()
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join([lines[0]] + [line for line in map(keep, lines[1:]) if line]) + "\n")


# MARK: KSCrash


def kscrash(header, body):
    def contents(list_of_frames):
        rows = []
        for image, address, symbol, start in frames(body, list_of_frames):
            row = {"object_name": image["name"], "object_addr": image["base"]}
            if symbol:
                row.update(symbol_name=symbol, symbol_addr=start)
            row["instruction_addr"] = address
            rows.append(row)
        return {"contents": rows, "skipped": 0}

    exception = body.get("lastExceptionBacktrace")
    threads = []
    for index, thread in enumerate(body["threads"]):
        crashed = thread.get("triggered", False)
        # KSCrash puts an exception's stack in the place of the thread's that threw it, and has no registers for it.
        row = {"backtrace": contents(exception if crashed and exception else thread["frames"])}
        if crashed and not exception:
            row["registers"] = {"basic": {"pc": thread["threadState"]["pc"]["value"]}}
        row.update(index=index, crashed=crashed, current_thread=bool(crashed and exception))
        if "queue" in thread:
            row["dispatch_queue"] = thread["queue"]
        threads.append(row)
    images = []
    for image in body["usedImages"]:
        cpu, subtype = CPU[image["arch"]]
        images.append({
            "image_addr": image["base"], "image_vmaddr": 4294967296, "image_size": image["size"], "name": image["path"],
            "uuid": image["uuid"].upper(), "cpu_type": cpu, "cpu_subtype": subtype})
    error = {
        "mach": {"exception": 1, "exception_name": "EXC_BAD_ACCESS", "code": 1, "code_name": "KERN_INVALID_ADDRESS", "subcode": 0},
        "signal": {"signal": 11, "name": "SIGSEGV", "code": 0}, "address": body["exception"]["rawCodes"][1], "type": "mach"}
    if exception:
        error = {
            "mach": {"exception": 10, "exception_name": "EXC_CRASH", "code": 0, "subcode": 0},
            "signal": {"signal": 6, "name": "SIGABRT", "code": 0}, "address": 0,
            "reason": body["asi"]["CoreFoundation"][0] if "CoreFoundation" in body.get("asi", {}) else "unrecognized selector",
            "type": "nsexception", "nsexception": {"name": "NSInvalidArgumentException"}}
    return {
        "report": {"version": "3.2.0", "id": body["incident"], "process_name": body["procName"], "timestamp": 1644603730, "type": "standard"},
        "binary_images": images,
        "process": {},
        "system": {
            "system_name": "macOS", "system_version": "12.2", "os_version": "21D49", "cpu_arch": "arm64", "cpu_type": 16777228,
            "cpu_subtype": 0, "binary_cpu_type": 16777228, "binary_cpu_subtype": 0, "process_id": body["pid"],
            "CFBundleExecutable": body["procName"], "CFBundleExecutablePath": body["procPath"],
            "CFBundleIdentifier": body["bundleInfo"]["CFBundleIdentifier"], "CFBundleVersion": "7", "CFBundleShortVersionString": "1.0"},
        "crash": {"error": error, "threads": threads},
        "user": {},
    }


# MARK: Sentry


def sentry(header, body):
    def stack(list_of_frames, registers=None):
        rows = []
        for image, address, symbol, start in frames(body, list_of_frames):
            row = {"package": image["path"], "image_addr": hex(image["base"]), "instruction_addr": hex(address)}
            if symbol:
                row.update(function=symbol, symbol_addr=hex(start))
            row["in_app"] = image["path"].startswith("/Applications/")
            rows.append(row)
        # Outermost first.
        result = {"frames": rows[::-1]}
        if registers:
            result["registers"] = registers
        return result

    exception = body.get("lastExceptionBacktrace")
    threads, crashed_stack = [], None
    for index, thread in enumerate(body["threads"]):
        crashed = thread.get("triggered", False)
        registers = {"pc": hex(thread["threadState"]["pc"]["value"])} if crashed and not exception else None
        trace = stack(exception if crashed and exception else thread["frames"], registers)
        row = {"id": index, "crashed": crashed, "current": crashed, "stacktrace": trace}
        if crashed:
            # The crashed thread's stack is the exception's, and is not repeated.
            crashed_stack = row.pop("stacktrace")
            row["name"] = thread.get("queue")
        threads.append(row)
    meta = {"signal": {"number": 11, "code": 0, "name": "SIGSEGV"},
            "mach_exception": {"exception": 1, "code": 1, "subcode": 0, "name": "EXC_BAD_ACCESS"}}
    value = {"type": "EXC_BAD_ACCESS", "value": "KERN_INVALID_ADDRESS at 0x13b0.", "mechanism": {"type": "mach", "handled": False, "meta": meta}}
    if exception:
        value = {"type": "NSInvalidArgumentException", "value": "unrecognized selector sent to instance", "mechanism": {"type": "nsexception", "handled": False}}
    value.update(thread_id=0, stacktrace=crashed_stack)
    return {
        "event_id": "5d7b1e0c3c0b4c579f0e0b6a5b7c0001", "platform": "cocoa", "timestamp": "2022-02-11T18:22:10.774Z", "level": "fatal",
        "sdk": {"name": "sentry.cocoa", "version": "8.20.0"}, "release": "org.example.CrashExample@1.0+7",
        "contexts": {"os": {"name": "macOS", "version": "12.2", "build": "21D49"}, "device": {"arch": "arm64"},
                     "app": {"app_identifier": "org.example.CrashExample", "app_name": "CrashExample", "app_version": "1.0", "app_build": "7"}},
        "exception": {"values": [value]},
        "threads": {"values": threads},
        "debug_meta": {"images": [
            {"type": "macho", "debug_id": image["uuid"].upper(), "image_addr": hex(image["base"]), "image_size": image["size"],
             "code_file": image["path"]} for image in body["usedImages"]]},
    }


# MARK: MetricKit


def metrickit_crash(header, body):
    stacks = []
    for thread in body["threads"]:
        node = None
        # Each frame holds its caller: the innermost is the root.
        for image, address, _, _ in frames(body, thread["frames"])[::-1]:
            fresh = {
                "binaryUUID": image["uuid"].upper(), "offsetIntoBinaryTextSegment": address - image["base"], "sampleCount": 1}
            if node:
                fresh["subFrames"] = [node]
            fresh.update(binaryName=image["name"], address=address)
            node = fresh
        stacks.append({"threadAttributed": thread.get("triggered", False), "callStackRootFrames": [node]})
    return {
        "timeStampBegin": "2022-02-11 18:22:00", "timeStampEnd": "2022-02-11 18:23:00",
        "crashDiagnostics": [{
            "version": "1.0.0",
            "callStackTree": {"callStacks": stacks, "callStackPerThread": True},
            "diagnosticMetaData": {
                "appBuildVersion": "7", "appVersion": "1.0", "regionFormat": "GB", "exceptionType": 1, "exceptionCode": 1, "signal": 11,
                "osVersion": "macOS 12.2 (21D49)", "deviceType": "MacBookPro18,1", "bundleIdentifier": "org.example.CrashExample",
                "platformArchitecture": "arm64e", "terminationReason": "Namespace SIGNAL, Code 0xb"}}]}


def metrickit_hang(header, body):
    """The main thread sampled five times: twice in `performTransition`, three times in the program's own caller of it."""
    chain = frames(body, body["threads"][0]["frames"])[::-1]

    def node(position, count, children):
        image, address, _, _ = chain[position]
        result = {"binaryUUID": image["uuid"].upper(), "offsetIntoBinaryTextSegment": address - image["base"], "sampleCount": count}
        if children:
            result["subFrames"] = children
        result.update(binaryName=image["name"], address=address)
        return result

    inner = [node(-1, 2, []), node(-2, 3, [])]
    tree = node(-3, 5, inner)
    for position in range(len(chain) - 4, -1, -1):
        tree = node(position, 5, [tree])
    return {
        "timeStampBegin": "2022-02-11 18:22:00", "timeStampEnd": "2022-02-11 18:23:00",
        "hangDiagnostics": [{
            "version": "1.0.0",
            "callStackTree": {"callStacks": [{"threadAttributed": True, "callStackRootFrames": [tree]}], "callStackPerThread": True},
            "diagnosticMetaData": {
                "appBuildVersion": "7", "appVersion": "1.0", "regionFormat": "GB", "hangDuration": "20 sec",
                "osVersion": "macOS 12.2 (21D49)", "deviceType": "MacBookPro18,1", "bundleIdentifier": "org.example.CrashExample",
                "platformArchitecture": "arm64e"}}]}


# MARK: Other kinds of .ips


def header_of(header, bug_type):
    kept = {key: header[key] for key in ("timestamp", "os_version", "incident_id")}
    return json.dumps({"bug_type": bug_type, **kept}, separators=(",", ":")) + "\n"


def write_ips(path, header, body):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(header + json.dumps(body, separators=(",", " : "), indent=2) + "\n")


def processes(body):
    """The program's threads as a stackshot has them, and another process' one, in the same images."""
    threads = {}
    for thread in body["threads"]:
        threads[str(thread["id"])] = {
            "id": thread["id"], "state": ["TH_WAIT"], "kernelFrames": [],
            "userFrames": [[frame["imageIndex"], frame["imageOffset"]] for frame in thread["frames"]]}
    last = len(body["usedImages"]) - 1
    other = {"7": {"id": 7, "name": "main", "state": ["TH_WAIT"], "userFrames": [[last, 20620]]}}
    return {
        "processByPid": {
            str(body["pid"]): {"pid": body["pid"], "procname": body["procName"], "threadById": threads},
            "1": {"pid": 1, "procname": "launchd", "threadById": other}},
        "binaryImages": [[image["uuid"], image["base"], image["source"]] for image in body["usedImages"]]}


def write_kinds(logs, header, body):
    folder = f"{logs}/apple-ips"
    table = f"{folder}/CrashExample-bad-access/expected.tsv"
    stackshot = {"build": header["os_version"], "date": header["timestamp"], **processes(body)}
    write_ips(f"{folder}/CrashExample-stackshot/stackshot.ips", header_of(header, "288"), stackshot)
    ids = {str(index): str(thread["id"]) for index, thread in enumerate(body["threads"])}

    def by_id(line):
        fields = line.split("\t")
        return "\t".join(fields[:9] + [ids[fields[9]]])

    copy_table(table, f"{folder}/CrashExample-stackshot/expected.tsv", by_id)
    panic = {"product": "iPhone14,2", "kernel": "Darwin Kernel Version 21.3.0", "panicString": "panic(cpu 0 caller 0xfffffff0071e2a3c): initproc exited\n",
             **stackshot}
    write_ips(f"{folder}/CrashExample-panic/panic-full.ips", header_of(header, "210"), panic)
    jetsam = {"largestProcess": body["procName"], "memoryStatus": {"pageSize": 16384},
              "processes": [{"pid": body["pid"], "name": body["procName"], "rpages": 5040, "reason": "per-process-limit"}]}
    write_ips(f"{folder}/CrashExample-jetsam/JetsamEvent.ips", header_of(header, "298"), jetsam)
    # The beta of 2021: pairs instead of objects, and what else is known of the images in legacyInfo.
    beta = dict(body)
    beta["threads"] = [
        {**thread, "frames": [[frame["imageIndex"], frame["imageOffset"]] for frame in thread["frames"]]} for thread in body["threads"]]
    beta["usedImages"] = [[image["uuid"], image["base"]] for image in body["usedImages"]]
    beta["legacyInfo"] = {"imageExtraInfo": [
        {key: image[key] for key in ("name", "path", "arch", "size")} for image in body["usedImages"]]}
    write_ips(f"{folder}/CrashExample-beta/beta.ips", json.dumps(header, separators=(",", ":")) + "\n", beta)
    copy_table(table, f"{folder}/CrashExample-beta/expected.tsv", lambda line: line)


def main(logs):
    for case, ips in [("CrashExample-exception", "exception.ips"), ("CrashExample-bad-access", "bad-access.ips")]:
        header, body = read_ips(f"{logs}/apple-ips/{case}/{ips}")
        table = f"{logs}/apple-ips/{case}/expected.tsv"
        exception = "lastExceptionBacktrace" in body

        def replaced(line):
            # The exception's stack stands where the crashed thread's does in an .ips.
            fields = line.split("\t")
            if exception and fields[9] == "0":
                return None
            if fields[9] == "exception":
                fields[9] = "0"
            return "\t".join(fields)

        def in_exception(line):
            fields = line.split("\t")
            if fields[9] == "0":
                fields[9] = "exception"
                return None if exception else "\t".join(fields)
            return line

        write(f"{logs}/kscrash-json/{case}/report.json", kscrash(header, body))
        copy_table(table, f"{logs}/kscrash-json/{case}/expected.tsv", replaced)
        write(f"{logs}/sentry-event-json/{case}/event.json", sentry(header, body), indent=2)
        copy_table(table, f"{logs}/sentry-event-json/{case}/expected.tsv", in_exception)
        write(f"{logs}/metrickit/{case}/payload.json", metrickit_crash(header, body), indent=2)
        copy_table(table, f"{logs}/metrickit/{case}/expected.tsv", lambda line: None if line.endswith("\texception") else line)
    header, body = read_ips(f"{logs}/apple-ips/CrashExample-bad-access/bad-access.ips")
    write(f"{logs}/metrickit/CrashExample-hang/payload.json", metrickit_hang(header, body), indent=2)
    write_hang_table(logs)
    write_kinds(logs, header, body)


def write_hang_table(logs):
    """The sampled frame of `showDetail:` is a leaf once, where its address is the program counter: no row for it, the crash's is a return address."""
    table = f"{logs}/apple-ips/CrashExample-bad-access/expected.tsv"
    copy_table(table, f"{logs}/metrickit/CrashExample-hang/expected.tsv",
               lambda line: None if line.split("\t")[9] != "0" or line.split("\t")[8] == "1" else line)


if __name__ == "__main__":
    main(sys.argv[1])
