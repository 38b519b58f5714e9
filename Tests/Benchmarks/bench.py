"""Measures the rows: compares every tool's answers with the judge's first, then times. Called by `scripts/bench`."""

import argparse
import itertools
import platform
import subprocess
import sys
from collections import Counter
from pathlib import Path

import rows
import table
import tools
from answers import read
from compare import Agreement, compare, explanations, write_differences
from indexes import CAIRN_GSYM, GSYMUTIL, index_tools
from measure import Cost, interleaved, run_once, settle, with_indexes, without_index
from plot import write_plot
from texts import compare_texts

HERE = Path(__file__).parent
SEED = 2008


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.py")
    parser.add_argument("--cache", type=Path, required=True, help="where scripts/bench put objects, launcher and peers")
    parser.add_argument("--keep", type=Path, required=True, help="where addresses, answers and differences are left")
    parser.add_argument("--cairn", default="", help="cairn's binary; without it the peers alone are measured")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    options.cache, options.keep = options.cache.resolve(), options.keep.resolve()
    options.keep.mkdir(parents=True, exist_ok=True)

    every = tools.known(options.cache, options.cairn)
    tools.check_judge(every)
    base = tools.CAIRN if options.cairn else tools.JUDGE
    print(f"{platform.system()} {platform.release()}, {options.runs} interleaved runs a row, ratios to {base}\n")
    for tool in every:
        print(f"  {tool.name:18} {tool.version if tool.present else 'absent'}")
    print()

    bench = Bench(options, [tool for tool in every if tool.present], base)
    table.print_header()
    for row in rows.selected(options.rows):
        without_index(options.keep)
        if row.index:
            bench.index(row)
        elif row.personality:
            bench.personality(row)
        elif row.object:
            bench.lookup(row)
        else:
            bench.plain(row)
    print("\n".join(["", *bench.remarks]))
    (options.keep / "bench.md").write_text("\n".join([*table.printed, "", *bench.remarks, ""]))
    write_plot(options.keep / "bench.svg", table.bars, base)
    print(f"\nExplained differences: {HERE.name}/explained.tsv. Table (bench.md), plot (bench.svg), addresses, answers and unexplained differences: {options.keep}")
    sys.exit(1 if bench.wrong else 0)


class Bench:
    def __init__(self, options: argparse.Namespace, present: list[tools.Tool], base: str) -> None:
        self.cache: Path = options.cache
        self.keep: Path = options.keep
        self.runs: int = options.runs
        self.launcher = options.cache / "launcher"
        self.present = present
        self.base = base
        self.known = explanations(HERE / "explained.tsv")
        self.remarks: list[str] = []
        self.wrong = False  # cairn itself disagreed somewhere

    def plain(self, row: rows.Row) -> None:
        programs = {tool.name: tool.program for tool in self.present}
        found = {name: programs.get(name) or tools.program(str(self.cache / name)) for name in row.commands}
        commands = {name: program + row.commands[name] for name, program in found.items() if program}
        # A few milliseconds each: many runs cost nothing, and few say nothing.
        costs = interleaved(self.launcher, self.keep, commands, None, max(self.runs, 25))
        for name, cost in costs.items():
            table.print_cost(row.name, name, cost, costs.get(self.base), None)

    def lookup(self, row: rows.Row) -> None:
        object = self.cache / "objects" / row.object
        if not object.exists():
            table.print_absent(row.name, "", "object absent")
            return
        addresses = self.addresses(row, object)
        settle(object)
        commands = {tool.name: tool.lookup_command(object) for tool in self.present}
        agreements = self.agreements(row, object, addresses, commands)
        self.time(row, commands, addresses, agreements, self.runs)

    def personality(self, row: rows.Row) -> None:
        """Only what is read as it is by programs: whole outputs, of cairn under the judge's name and of the judge."""
        object = self.cache / "objects" / row.object
        judge = next(tool for tool in self.present if tool.name == tools.JUDGE)
        cairn = next((tool for tool in self.present if tool.name == tools.CAIRN), None)
        if not object.exists() or not cairn:
            table.print_absent(row.name, "", "object absent" if cairn else "without cairn there is nothing to compare")
            return
        addresses = self.addresses(row, object)
        settle(object)
        commands = {cairn.name: [*cairn.program, "llvm-symbolizer", f"--obj={object}"], judge.name: [*judge.program, f"--obj={object}"]}
        texts = []
        for style, option in (("linkage", ["--no-demangle"]), ("plain", [])):
            outputs = tuple(self.keep / f"{row.name}.{name}.{style}" for name in commands)
            for command, output in zip(commands.values(), outputs):
                run_once(self.launcher, self.keep, command + option, addresses, output)
            texts.append(outputs)
        wanted = addresses.read_text().split()
        agreements = {cairn.name: compare_texts(wanted, *texts), judge.name: Agreement(len(wanted))}
        for output in itertools.chain(*texts):
            output.unlink()  # hundreds of megabytes
        self.time(row, commands, addresses, agreements, min(3, self.runs))

    def time(self, row: rows.Row, commands: dict[str, list[str]], addresses: Path, agreements: dict[str, Agreement], runs: int) -> None:
        costs = interleaved(self.launcher, self.keep, commands, addresses, runs)
        for name, cost in costs.items():
            comparable = agreements[name].complete and agreements[self.base].complete
            table.print_cost(row.name, name, cost, costs[self.base] if comparable else None, agreements[name])
            self.remark(row, name, agreements[name])
        self.against_bounds(row, {name: cost for name, cost in costs.items() if agreements[name].complete})

    def against_bounds(self, row: rows.Row, costs: dict[str, Cost]) -> None:
        """How cairn stands to the best of its peers in each column; only those count whose answers are complete. Processor time tells what a machine with other work to do hides: that cairn uses all cores."""
        own = costs.get(tools.CAIRN)
        peers = {name: cost for name, cost in costs.items() if name not in (tools.CAIRN, CAIRN_GSYM)}
        if not own or not peers or not row.bounds:
            return
        words = []
        for column, bound in zip(("time", "memory"), row.bounds):
            best = min(peers, key=lambda name: getattr(peers[name], column))
            share = getattr(own, column) / getattr(peers[best], column)
            words.append(f"{column} {share:.3f} of {best}'s ({'at most' if share <= bound else 'MISSED:'} {bound})")
        least = min(peers, key=lambda name: peers[name].processor_time)
        words.append(f"processor time {own.processor_time / peers[least].processor_time:.3f} of {least}'s")
        self.remarks.append(f"{row.name}: " + ", ".join(words))

    def index(self, row: rows.Row) -> None:
        """Makes the tools' indexes, then asks them: answers are compared, as everywhere, before anything is timed."""
        object = self.cache / "objects" / row.object
        if not object.exists():
            table.print_absent(row.name, "", "object absent")
            return
        settle(object)
        makers = index_tools(self.present, self.keep / row.name, object)
        costs = interleaved(self.launcher, self.keep, {name: it.make for name, it in makers.items()}, None, self.runs)
        for name, cost in costs.items():
            table.print_cost(row.name, name, cost, costs.get(self.base), None)
        self.against_bounds(row, costs)
        if {CAIRN_GSYM, GSYMUTIL} <= costs.keys():
            own, peer = costs[CAIRN_GSYM], costs[GSYMUTIL]
            self.remarks.append(f"{row.name}: GSYM: time {own.time / peer.time:.3f}, memory {own.memory / peer.memory:.3f} of {GSYMUTIL}'s")
        sizes = {name: it.size() for name, it in makers.items()}
        own = sizes.get(self.base)
        self.remarks.append(f"{row.name}: MB: " + ", ".join(f"{name} {size / 1e6:.1f}" + (f" ({size / own:.2f})" if own else "") for name, size in sizes.items()))
        if own and "symbolic" in sizes:
            share = own / sizes["symbolic"]
            self.remarks.append(f"{row.name}: size {share:.3f} of symbolic's ({'at most' if share <= rows.INDEX_SIZE else 'MISSED:'} {rows.INDEX_SIZE})")
        with_indexes(self.keep / row.name)
        for count in (1, row.addresses):
            asked = rows.Row(f"{row.name}-{count}", "", row.object, count, bounds=rows.FROM_INDEX)
            wanted = self.addresses(asked, object)
            right = self.judged(asked, object, wanted)
            asked_tools = {name: it for name, it in makers.items() if it.ask}
            inputs = {name: it.input(wanted) for name, it in asked_tools.items()}
            agreements = {}
            for name, it in asked_tools.items():
                output = self.keep / f"{asked.name}.{name}.answers"
                run_once(self.launcher, self.keep, it.ask, inputs[name], output)
                agreements[name] = compare(object, name, wanted.read_text().split(), right, read(output.read_text(errors="replace"), it.dialect), self.known)
            costs = interleaved(self.launcher, self.keep, {name: it.ask for name, it in asked_tools.items()}, inputs, self.runs)
            for name, cost in costs.items():
                table.print_cost(asked.name, name, cost, costs.get(self.base), agreements[name])
            self.against_bounds(asked, costs)

    def judged(self, row: rows.Row, object: Path, addresses: Path) -> list:
        judge = next(tool for tool in self.present if tool.name == tools.JUDGE)
        output = self.keep / f"{row.name}.{tools.JUDGE}.answers"
        run_once(self.launcher, self.keep, judge.lookup_command(object), addresses, output)
        return read(output.read_text(errors="replace"), judge.dialect)

    def addresses(self, row: rows.Row, object: Path) -> Path:
        path = self.keep / f"{row.object}.{row.addresses}.addresses"
        command = [sys.executable, HERE / "addresses.py", object, str(row.addresses), str(SEED)]
        path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return path

    def agreements(self, row: rows.Row, object: Path, addresses: Path, commands: dict[str, list[str]]) -> dict[str, Agreement]:
        answers = {}
        for tool in self.present:
            output = self.keep / f"{row.name}.{tool.name}.answers"
            run_once(self.launcher, self.keep, commands[tool.name], addresses, output)
            answers[tool.name] = read(output.read_text(errors="replace"), tool.dialect)
        wanted = addresses.read_text().split()
        right = answers[tools.JUDGE]
        if len(right) != len(wanted):
            sys.exit(f"bench: {row.name}: {tools.JUDGE} answered {len(right)} of {len(wanted)} addresses")
        return {name: compare(object, name, wanted, right, given, self.known) for name, given in answers.items()}

    def remark(self, row: rows.Row, name: str, agreement: Agreement) -> None:
        if agreement.explained:
            self.remarks.append(f"{row.name}: {name}: {agreement.explained_addresses} explained ({counted(agreement.explained)})")
        if not agreement.complete:
            path = self.keep / f"{row.name}.{name}.differences"
            write_differences(path, agreement)
            classes = Counter(kind for it in agreement.unexplained for kind in it.classes)
            differ = f"{len(agreement.unexplained)} differ ({counted(classes)}), first at {agreement.unexplained[0].address}"
            self.remarks.append(f"{row.name}: {name}: NO RATIO: {differ}: {path.name}")
            self.wrong = self.wrong or name == tools.CAIRN


def counted(classes: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in classes.most_common())


main()
