"""Makes symbolic's SymCache of a file: `symbolic_index.py FILE OUTPUT`."""

import sys

from symbolic.debuginfo import Archive

cache = next(Archive.open(sys.argv[1]).iter_objects()).make_symcache()
with open(sys.argv[2], "wb") as output:
    cache.dump_into(output)
