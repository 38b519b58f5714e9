"""How each tool makes an index of an object, and how the index is asked. A new tool is one entry of `index_tools`."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from tools import CAIRN, Tool

CAIRN_GSYM = "cairn-gsym"
"""A GSYM file that cairn makes; LLVM's tool is asked for what is in it."""
GSYMUTIL = "gsymutil-19"


@dataclass(frozen=True)
class IndexTool:
    make: list[str]
    made: Path  # the file, or the folder that holds it
    ask: list[str]  # empty: it is not asked as a process
    dialect: str
    names_file: bool = False  # each line of its input names the index behind the address

    def size(self) -> int:
        files = [self.made] if self.made.is_file() else [path for path in self.made.rglob("*") if path.is_file()]
        return sum(path.stat().st_size for path in files)

    def input(self, addresses: Path) -> Path:
        if not self.names_file:
            return addresses
        named = addresses.with_name(f"{addresses.name}.{self.made.name}")
        named.write_text("".join(f"{address} {self.made}\n" for address in addresses.read_text().split()))
        return named


def index_tools(present: list[Tool], folder: Path, object: Path) -> dict[str, IndexTool]:
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for tool in present:
        if tool.name == CAIRN:
            # Made anew in each run: a kept one would be found.
            make = ["sh", "-c", f'rm -rf "$1/indexes" && exec "$2" index --index-cache "$1" "$3"', "sh", str(folder), tool.program[0], str(object)]
            found[tool.name] = IndexTool(make, folder, tool.lookup_command(object), tool.dialect)
        elif tool.name == "symbolic":
            made = Path(f"{folder}.symcache")
            script = Path(__file__).parent / "symbolic_index.py"
            found[tool.name] = IndexTool([tool.program[0], str(script), str(object), str(made)], made, [], "")
    gsymutil = shutil.which("llvm-gsymutil-19")
    if gsymutil:
        made = Path(f"{folder}.gsym")
        make = [gsymutil, f"--convert={object}", f"--out-file={made}", "--num-threads=2", "--quiet"]
        ask = [gsymutil, "--addresses-from-stdin"]
        found[GSYMUTIL] = IndexTool(make, made, ask, "gsym", names_file=True)
        cairn = next((tool for tool in present if tool.name == CAIRN), None)
        if cairn:
            made = Path(f"{folder}.cairn.gsym")
            found[CAIRN_GSYM] = IndexTool([*cairn.program, "index", "--gsym", str(object), "-o", str(made)], made, ask, "gsym", names_file=True)
    return found
