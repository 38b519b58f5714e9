"""Measures the rows: compares every tool's answers with the judge's first, then times. Called by `scripts/bench`."""

import argparse
import itertools
import platform
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import log_rows
import rows
import table
import tools
from answers import read
from compare import Agreement, compare, explanations, write_differences
from indexes import CAIRN_GSYM, GSYMUTIL, index_tools
from measure import ENVIRONMENT, Cost, interleaved, run_once, settle, with_indexes, without_index
from plot import write_plot
from texts import compare_texts

HERE = Path(__file__).parent
SEED = 2008


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.py")
    parser.add_argument("--cache", type=Path, required=True, help="where scripts/bench put objects, launcher and peers")
    parser.add_argument("--keep", type=Path, required=True, help="where addresses, answers and differences are left")
    parser.add_argument("--cairn", default="", help="cairn's binary; without it the peers alone are measured")
    parser.add_argument("--against", default="", help="an earlier cairn: a row that takes 5 % longer than with it is an error")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    options.cache, options.keep = options.cache.resolve(), options.keep.resolve()
    options.keep.mkdir(parents=True, exist_ok=True)

    every = tools.known(options.cache, options.cairn, options.against)
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
        if row.log == "batch":
            bench.batch(row)
        elif row.log:
            bench.log(row)
        elif row.text:
            bench.text(row)
        elif row.index:
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
    sys.exit(1 if bench.wrong or bench.slower else 0)


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
        self.slower = False  # than the earlier one

    def plain(self, row: rows.Row) -> None:
        programs = {tool.name: tool.program for tool in self.present}
        found = {name: programs.get(name) or tools.program(str(self.cache / name)) for name in row.commands}
        commands = {name: program + row.commands[name] for name, program in found.items() if program}
        if tools.BEFORE in programs and tools.CAIRN in commands:
            commands[tools.BEFORE] = programs[tools.BEFORE] + row.commands[tools.CAIRN]
        # A few milliseconds each: many runs cost nothing, and few say nothing.
        costs = interleaved(self.launcher, self.keep, commands, None, max(self.runs, 25))
        for name, cost in costs.items():
            table.print_cost(row.name, name, cost, costs.get(self.base), None)
        self.against_before(row, costs, commands, None)

    def log(self, row: rows.Row) -> None:
        """The log's frames must have the judge's functions, files and lines; then it is timed beside the lookups of its addresses."""
        object, code = (self.cache / "objects" / name for name in (row.object, row.code))
        programs = {tool.name: tool.program for tool in self.present}
        if not object.exists() or not code.exists() or tools.CAIRN not in programs:
            table.print_absent(row.name, "", "object absent" if tools.CAIRN in programs else "without cairn there is nothing to compare")
            return
        # By the names that logs have: a debug file beside its library.
        folder = self.keep / row.name
        (folder / "debug").mkdir(parents=True, exist_ok=True)
        library, debug = folder / code.resolve().name, folder / "debug" / code.resolve().name
        for link, target in ((library, code), (debug, object)):
            link.unlink(missing_ok=True)
            link.symlink_to(target.resolve())
        settle(object)
        settle(code)
        log = folder / "crash.log"
        own = log_rows.make(row.log, row.place, object, library, row.addresses, SEED, log)
        if row.index:
            with_indexes(folder / "cache")
            subprocess.run([*programs[tools.CAIRN], "index", str(debug)], check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        given = [library, debug] if row.with_code else [debug]
        command = log_rows.command(programs[tools.CAIRN], log, given, row.index)
        looked_up, answered = log_rows.answers(command, own)
        addresses = self.keep / f"{row.name}.addresses"
        addresses.write_text("".join(f"{address}\n" for address in looked_up))
        right = self.judged(row, debug, addresses)
        agreement = compare(object, log_rows.LOG, looked_up, right, answered, self.known)
        if len(looked_up) < row.addresses:
            self.remarks.append(f"{row.name}: {len(looked_up)} of {row.addresses} frames were looked up")
            self.wrong = True
        self.remark(row, tools.CAIRN, agreement)
        commands = {tool.name: tool.lookup_command(debug) for tool in self.present}
        commands[log_rows.LOOKUPS] = commands[tools.CAIRN]
        commands[tools.CAIRN] = command
        if tools.BEFORE in programs:
            commands[tools.BEFORE] = log_rows.command(programs[tools.BEFORE], log, given, row.index)
        costs = interleaved(self.launcher, self.keep, commands, addresses, max(self.runs, 9))
        for name, cost in costs.items():
            table.print_cost(row.name, name, cost, costs[self.base] if agreement.complete else None, agreement if name == tools.CAIRN else None)
        share = costs[tools.CAIRN].time / costs[log_rows.LOOKUPS].time
        self.remarks.append(f"{row.name}: {share:.2f} of its addresses' lookups ({'at most' if share <= row.share else 'MISSED:'} {row.share})")
        # Those that do not read the file (a Mach-O one, for binutils) are no peers.
        peers = {name: cost for name, cost in costs.items() if name != log_rows.LOOKUPS and not cost.failures}
        if agreement.complete:
            self.against_bounds(row, peers)
        self.against_before(row, costs, commands, addresses)

    def batch(self, row: rows.Row) -> None:
        """Many logs of one program at once, beside one after the other, and an llvm-symbolizer for each."""
        object, code = (self.cache / "objects" / name for name in (row.object, row.code))
        cairn = next((tool for tool in self.present if tool.name == tools.CAIRN), None)
        judge = next(tool for tool in self.present if tool.name == tools.JUDGE)
        if not object.exists() or not code.exists() or not cairn:
            table.print_absent(row.name, "", "object absent")
            return
        folder = self.keep / row.name
        for name in ("logs", "results"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        library = folder / code.resolve().name
        for link, target in ((library, code), (folder / f"{library.name}.debug", object)):
            link.unlink(missing_ok=True)
            link.symlink_to(target.resolve())
        log_rows.make_many(object, library, row.addresses, SEED, folder / "logs")
        rows_of = folder / "first.addresses"
        rows_of.write_text("".join(f"{address}\n" for address in log_rows.answers(
            log_rows.command(cairn.program, folder / "logs/0000.log", [folder / f"{library.name}.debug"]), log_rows.crash_logs.image(library, library.name))[0]))
        batch = [*cairn.program, *(str(path) for path in sorted((folder / "logs").iterdir())), "--no-local", "-o", str(folder / "results"), "-s", str(folder / f"{library.name}.debug")]
        costs = interleaved(self.launcher, self.keep, {tools.CAIRN: batch}, None, 3)
        one = interleaved(self.launcher, self.keep, {judge.name: judge.lookup_command(object)}, rows_of, 3)[judge.name]
        table.print_cost(row.name, tools.CAIRN, costs[tools.CAIRN], None, None)
        self.remarks.append(f"{row.name}: {row.addresses / costs[tools.CAIRN].time * 1e3:.0f} logs/s; {row.addresses * one.time / costs[tools.CAIRN].time:.0f} times as fast as a {judge.name} for each")

    def text(self, row: rows.Row) -> None:
        """Text without a crash must pass unchanged; then it is timed."""
        text = self.cache / "texts" / row.text
        if not text.exists():
            table.print_absent(row.name, "", "text absent")
            return
        programs = {tool.name: tool.program for tool in self.present}
        commands = {name: [*programs[name], "filter"] for name in (tools.CAIRN, tools.BEFORE) if name in programs}
        commands |= {name: [name] for name in ("c++filt",) if shutil.which(name)}
        if judge := programs.get(tools.JUDGE):
            commands["filter-markup"] = [*judge, "--filter-markup"]
        if shutil.which("grep"):
            commands["grep"] = ["grep", "-c", "0x"]
        output = self.keep / f"{row.name}.output"
        if tools.CAIRN in commands:
            run_once(self.launcher, self.keep, commands[tools.CAIRN], text, output)
            if output.read_bytes() != text.read_bytes():
                self.remarks.append(f"{row.name}: cairn: NO RATIO: the text is changed: {output.name}")
                self.wrong = True
        costs = interleaved(self.launcher, self.keep, commands, text, self.runs)
        for name, cost in costs.items():
            table.print_cost(row.name, name, cost, costs.get(self.base), None)
        if tools.CAIRN in costs:
            self.remarks.append(f"{row.name}: {text.stat().st_size / 1e3 / costs[tools.CAIRN].time:.0f} MB/s")
        self.against_before(row, costs, commands, text)

    def against_before(self, row: rows.Row, costs: dict[str, Cost], commands: dict[str, list[str]], input: Path | None) -> None:
        """A row that is 5 % slower than with the earlier cairn is measured again, longer, before it counts: by the fastest runs, which other work disturbs least."""
        if tools.BEFORE not in costs or tools.CAIRN not in costs:
            return
        own, before = costs[tools.CAIRN], costs[tools.BEFORE]
        if min(own.times) > rows.SLOWER * min(before.times):
            again = {name: commands[name] for name in (tools.CAIRN, tools.BEFORE)}
            more = interleaved(self.launcher, self.keep, again, input, 4 * max(self.runs, 9))
            own.times += more[tools.CAIRN].times
            before.times += more[tools.BEFORE].times
        share = min(own.times) / min(before.times)
        is_slower = share > rows.SLOWER
        self.slower = self.slower or is_slower
        self.remarks.append(f"{row.name}: {share:.3f} of the earlier cairn's ({'SLOWER' if is_slower else 'at most'}: {rows.SLOWER})")

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
        self.against_before(row, costs, commands, addresses)

    def against_bounds(self, row: rows.Row, costs: dict[str, Cost]) -> None:
        """How cairn stands to the best of its peers in each column; only those count whose answers are complete. Processor time tells what a machine with other work to do hides: that cairn uses all cores."""
        own = costs.get(tools.CAIRN)
        peers = {name: cost for name, cost in costs.items() if name not in (tools.CAIRN, tools.BEFORE, CAIRN_GSYM)}
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
