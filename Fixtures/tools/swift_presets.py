"""Lets the program of SwiftFerry crash under the real backtracer in every setting, stripped and not.

Usage: swift_presets.py BUILT STRIPPED RUNTIME LOGS

BUILT and STRIPPED hold `ferry` and its libraries with and without symbols. Both run from the same neutral folder with addresses not randomized, and stripping
moves nothing that is loaded, so both crash at the same addresses: `NAME.txt` is what the backtracer wrote of the stripped files, which it cannot name anything in,
and `expected-NAME.txt` is what the same backtracer in the same setting wrote of those with symbols. Only `symbolicate` is switched on where the setting has it off.

The backtracer leaves out some inlined calls, and gives the call's place to the function around it. `expected-llvm-symbolizer.tsv` has llvm-symbolizer's answers for every frame of `ferry` and its
libraries in the JSON logs, one row for each inlined call.
"""

import os
import re
import shutil
import subprocess
import sys

import swift_logs
import symbolizer

# log's name: the way to crash, the settings
SETTINGS = {
    "full.txt": ("label", "preset=full"),
    "medium.txt": ("label", "preset=medium"),
    "friendly.txt": ("label", "preset=friendly,images=all"),
    "friendly-without-images.txt": ("label", "preset=friendly"),
    "full-color.txt": ("label", "preset=full,color=yes"),
    "medium-color.txt": ("chain", "preset=medium,color=yes"),
    "friendly-color.txt": ("chain", "preset=friendly,color=yes,images=all"),
    "chain.txt": ("chain", "preset=full"),
    "registers-all.txt": ("chain", "preset=full,registers=all,images=all"),
    "threads-crashed.txt": ("chain", "preset=full,threads=crashed,registers=none,images=mentioned"),
    "images-none.txt": ("chain", "preset=full,registers=none,images=none"),
    "fast.txt": ("label", "preset=full,symbolicate=fast"),
    "off.txt": ("label", "preset=full,symbolicate=off"),
    "unwind-fast.txt": ("label", "preset=full,unwind=fast"),
    "unwind-precise.txt": ("label", "preset=full,unwind=precise"),
    "mangled.txt": ("label", "preset=full,demangle=no"),
    "sanitized.txt": ("label", "preset=full,sanitize=yes"),
    "limit.txt": ("depth", "preset=full,limit=12,top=4"),
    "limit-bottom.txt": ("depth", "preset=medium,limit=8,top=0"),
    "luggage.txt": ("luggage", "preset=full"),
    "full.json": ("label", "format=json,preset=full"),
    "chain.json": ("chain", "format=json,preset=full,registers=all,images=all"),
    "limit.json": ("depth", "format=json,preset=full,limit=12,top=4"),
    "off.json": ("label", "format=json,preset=full,symbolicate=off"),
}


def install(files, runtime, folder):
    """Copies the program and its libraries, and from the toolchain what they load."""
    for name in ("ferry", "libquay.so", "libwinch.so"):
        shutil.copy(os.path.join(files, name), folder if name == "ferry" else os.path.join(folder, "lib"))
    listing = subprocess.run(["ldd", os.path.join(folder, "ferry")], env={"LD_LIBRARY_PATH": f"{folder}/lib:{runtime}"}, capture_output=True, text=True, check=True)
    for name, path in re.findall(r"(\S+) => (\S+)", listing.stdout):
        if path.startswith(runtime):
            shutil.copy(path, os.path.join(folder, "lib", name))
    return os.path.join(folder, "ferry")


def places(log):
    """The addresses of the frames, an inlined call's once: what two crashes that are one have in common."""
    text = log.decode().split("Registers:")[0]
    found = re.findall(r'"address": "(0x[0-9a-f]{16})"', text) or re.findall(r"^[^–\n]*?(0x[0-9a-f]{16})", text.split("crashed")[-1], re.M)
    return [address for address, before in zip(found, [None, *found]) if address != before]


def write_answers(built, directory):
    """llvm-symbolizer's answers for the addresses of the JSON logs."""
    lookups = {}
    for name in SETTINGS:
        if not name.endswith(".json"):
            continue
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            report = swift_logs.report_of(file.read().encode())
        bases = {image["name"]: int(image["baseAddress"], 16) for image in report["images"]}
        for thread in report["threads"]:
            for frame in thread["frames"]:
                if "address" not in frame or os.path.exists(os.path.join(built, frame.get("image", "-"))) is False:
                    continue
                address = int(frame["address"], 16)
                # Only a return address is looked up one byte earlier.
                lookup = address - (frame["kind"] == "returnAddress") - bases[frame["image"]]
                lookups[frame["address"], frame["kind"], frame["image"]] = lookup
    rows = []
    for image in sorted({key[2] for key in lookups}):
        keys = sorted(key for key in lookups if key[2] == image)
        for key, frames in zip(keys, symbolizer.answers(os.path.join(built, image), [lookups[key] for key in keys])):
            for depth, frame in enumerate(frames):
                rows.append([key[0], key[1], image, str(depth), frame["FunctionName"], frame["FileName"], str(frame["Line"]), str(frame["Column"])])
    with open(os.path.join(directory, "expected-llvm-symbolizer.tsv"), "w", encoding="utf-8") as file:
        for row in [["address", "kind", "image", "inline_depth", "linkage_name", "file", "line", "column"], *rows]:
            file.write("\t".join(row) + "\n")


def main(built, stripped, runtime, logs):
    folder = swift_logs.neutral_folder()
    helper = os.path.join(os.path.dirname(os.path.dirname(runtime)), "..", "libexec", "swift", "linux", "swift-backtrace")
    common = f"enable=yes,color=no,warnings=suppressed,swift-backtrace={os.path.realpath(helper)},"
    directory = os.path.join(logs, "swift-backtrace", "SwiftFerry")
    traces = os.path.join(logs, "swift-runtime-trace", "SwiftFerry")
    for path in (directory, traces):
        shutil.rmtree(path, ignore_errors=True)
    for files, prefix in ((stripped, ""), (built, "expected-")):
        program = install(files, runtime, folder)
        for name, (way, settings) in SETTINGS.items():
            if prefix:
                settings = settings.replace("symbolicate=off", "symbolicate=full").replace("symbolicate=fast", "symbolicate=full")
            log = swift_logs.crash(program, folder, [way], common + settings)
            swift_logs.write(directory, prefix + name, log)
        swift_logs.write(traces, prefix + "trace.txt", swift_logs.crash(program, folder, ["luggage"], "enable=no"))
    write_answers(built, directory)
    for name in SETTINGS:
        with open(os.path.join(directory, name), "rb") as one, open(os.path.join(directory, "expected-" + name), "rb") as other:
            first, second = places(one.read()), places(other.read())
        # The shorter presets leave out thunks, once they know them.
        rest = iter(first)
        if not all(address in rest for address in second) or (first != second and "preset=full" in SETTINGS[name][1]):
            raise SystemExit(f"fixtures: {name}: the two crashes are not one: {first} {second}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
