"""What llvm-symbolizer says of each row of the native library in the logs.

Usage: expect_frames.py DEBUG-FILE TOOLS LOG...
"""

import os
import re
import sys

debug, tools, *logs = sys.argv[1:]
sys.path.insert(0, tools)
import symbolizer  # noqa: E402

symbolizer.check_version()
print("log\trow\toffset\tlookup\tfunctions\tplaces")
for log in logs:
    with open(log, encoding="utf-8") as file:
        text = file.read()
    section = re.search(r"^Native frames: .*\n((?:.+\n)*)", text, re.M)[1]
    rows = []
    for number, row in enumerate(section.splitlines()):
        match = re.match(r"C  \[libtank\.so\+0x([0-9a-f]+)\]", row)
        if match:
            # The first row is where the signal came, the others are return addresses. The library is linked at 0.
            rows.append((number, int(match[1], 16)))
    lookups = [offset if number == 0 else offset - 1 for number, offset in rows]
    for (number, offset), lookup, frames in zip(rows, lookups, symbolizer.answers(debug, lookups)):
        names = ",".join(frame["FunctionName"] for frame in frames)
        places = ",".join(f"{os.path.basename(frame['FileName'])}:{frame['Line']}" for frame in frames)
        print(os.path.basename(log), number, hex(offset), hex(lookup), names, places, sep="\t")
