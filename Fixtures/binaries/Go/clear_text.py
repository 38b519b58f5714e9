"""Overwrites the bytes of an ELF file's .text section with zeros. Usage: clear_text.py FILE"""

import re
import subprocess
import sys

path = sys.argv[1]
sections = subprocess.run(["llvm-readelf-19", "--sections", "--wide", path], check=True, capture_output=True, text=True).stdout
offset, size = re.search(r" \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", sections).groups()
with open(path, "r+b") as file:
    file.seek(int(offset, 16))
    file.write(bytes(int(size, 16)))
