"""A Java machine's fatal error log without what it says of the computer: processor, memory, environment, kernel, and the lists of its own events.

Usage: shorten_log.py LOG
"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
# The system's section ends with the log.
text = re.sub(r"\n-+  S Y S T E M  -+\n.*?\nEND\.\n", "\nEND.\n", text, flags=re.S)
text = re.sub(r"^Host: .*?, (\w[^,\n]*)$", r"Host: a machine, \1", text, flags=re.M)
text = re.sub(r"^# Core dump will be written\..*$", "# No core dump will be written.", text, flags=re.M)
text = re.sub(r"^(Environment Variables:|Active Locale:|Signal Handlers:)\n(?:.+\n)*\n", "", text, flags=re.M)
# Lists of what the machine did, memory contents.
text = re.sub(r"^[\w ]*[Ee]vents? \(\d+ events?\):\n(?:.*\n)*?\n", "", text, flags=re.M)
text = re.sub(r"^(Top of Stack:|Instructions:|Stack slot to memory mapping:|Lock stack of current).*\n+(?:.+\n)*\n", "", text, flags=re.M)
# Its performance counters, in a file of the machine.
text = re.sub(r"^.* /tmp/hsperfdata_.*\n", "", text, flags=re.M)
sys.stdout.write(text)
