"""What llvm-symbolizer says of each program counter that a log prints for C code of the program, and of nothing else.

Usage: expect_crash.py DEBUG-FILE TOOLS LOG...
"""

import os
import re
import sys

debug, tools, *logs = sys.argv[1:]
sys.path.insert(0, tools)
import symbolizer  # noqa: E402

symbolizer.check_version()
print("log\taddress\tlookup\tfunctions\tplaces")
for log in logs:
    with open(log, encoding="utf-8") as file:
        text = file.read()
    # The library lies anywhere; the program where it was linked, below 4 GiB. The signal's pc is exact; so is the first row of C, which repeats it. The rows below are return addresses.
    signal = int(re.search(r"^\[signal .* pc=(0x[0-9a-f]+)\]", text, re.M)[1], 16)
    rows = [(signal, signal)] if signal < 1 << 32 else []
    for address in re.findall(r"^non-Go function at pc=(0x[0-9a-f]+)$", text, re.M):
        value = int(address, 16)
        if value < 1 << 32:
            rows.append((value, value if value == signal else value - 1))
    for (address, lookup), frames in zip(rows, symbolizer.answers(debug, [lookup for _, lookup in rows])):
        names = ",".join(frame["FunctionName"] for frame in frames)
        places = ",".join(f"{os.path.basename(frame['FileName'])}:{frame['Line']}" for frame in frames)
        print(os.path.basename(log), hex(address), hex(lookup), names, places, sep="\t")
