"""Programs in Go. What they print of themselves is what runtime.CallersFrames says, and their addresses are those of the chain of frame pointers."""
from .model import Again, Call, Loop, Probe, Rarely, Shape, Source, Switch, Writer, make

SHARED = {"wrapper", "method", "value", "generic", "header"}
GO = Shape(
    ["plain", "plain", "static", "static", "wrapper", "wrapper", "wrapper", "header", "generic", "method", "value", "never"],
    ["plain"] * 6 + ["pointer", "twin", "closure", "closure", "defer", "interface", "goroutine", "recover"], SHARED,
    names=lambda random, number, kind: random.choice(["Sort", "Merge", "Parse", "Größe", "Scan", "Fold"]) + f"_{number}", repeated=False)

PROBE = """package probe

import (
\t"bufio"
\t"debug/elf"
\t"fmt"
\t"os"
\t"runtime"
\t"strings"
\t"unsafe"
)

var Ticks, Deep int
var out = bufio.NewWriter(os.Stdout)

var base = loadAddress()

// How far a position-independent program is from where it was linked; 0 of others.
func loadAddress() (address uintptr) {
\tpath, _ := os.Readlink("/proc/self/exe")
\tprogram, _ := elf.Open(path)
\tmaps, _ := os.ReadFile("/proc/self/maps")
\tfor _, line := range strings.Split(string(maps), "\\n") {
\t\tif strings.HasSuffix(line, path) {
\t\t\tfmt.Sscanf(line, "%x-", &address)
\t\t\tbreak
\t\t}
\t}
\tfor _, segment := range program.Progs {
\t\tif segment.Type == elf.PT_LOAD {
\t\t\treturn address - uintptr(segment.Vaddr)
\t\t}
\t}
\treturn
}

func framePointer() uintptr

func Tick() int {
\tTicks++
\treturn Ticks
}

func Done() {
\tout.Flush()
}

// The line is the one that the program's generator wrote.
//
//go:noinline
func Here(name string, line int) {
\tvar line_ strings.Builder
\tline_.WriteString("Q")
\tfor frame := framePointer(); frame != 0; frame = *(*uintptr)(unsafe.Pointer(frame)) {
\t\taddress := *(*uintptr)(unsafe.Pointer(frame + 8))
\t\tif address == 0 {
\t\t\tbreak
\t\t}
\t\tfmt.Fprintf(&line_, "\t%x", address-base)
\t}
\tvar pcs [200]uintptr
\tcount := runtime.Callers(2, pcs[:])
\tframes := runtime.CallersFrames(pcs[:count])
\tline_.WriteString("\t-")
\tfor first := true; ; first = false {
\t\tframe, more := frames.Next()
\t\tif first && (frame.Line != line || !strings.HasSuffix(strings.TrimSuffix(frame.Function, "[...]"), name)) {
\t\t\tpanic(fmt.Sprint("expected ", name, " line ", line, ", found ", frame.Function, " line ", frame.Line))
\t\t}
\t\tfmt.Fprintf(&line_, "|%s@%s@%d", frame.Function, frame.File, frame.Line)
\t\tif !more {
\t\t\tbreak
\t\t}
\t}
\tfmt.Fprintln(out, line_.String())
}

//go:noinline
func Opaque[T any](value T) T {
\treturn value
}
"""

ASSEMBLY = """#include "textflag.h"

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT, $0-8
\tMOVQ BP, ret+0(FP)
\tRET
"""


class Go:
    def __init__(self, random):
        self.random, self.source, self.variables = random, Source({}, {}), 0

    def package(self, function):
        return f"unit{function.unit}" if function.unit > 1 else "main" if function.unit else "shared"

    def render(self, program):
        self.program = program
        for function in program.functions:
            # Other packages see what has a capital.
            function.name = function.name[0].upper() + function.name[1:]
        # A package calls only those before it, so that no two import each other.
        paths = {0: "shared/shared.go", 1: "main.go", 2: "unit2/unit2.go", 3: "unit3/unit3.go"}
        writers = {unit: Writer(path) for unit, path in paths.items()}
        for unit, writer in writers.items():
            name = {0: "shared", 1: "main"}.get(unit, f"unit{unit}")
            imports = {0: ["probe"], 1: ["probe", "shared", "unit2", "unit3"], 2: ["probe", "shared"], 3: ["probe", "shared", "unit2"]}[unit]
            writer.add(f"package {name}\n\nimport (" + "".join(f'\n\t{"." if one == "shared" else one} "program/{one}"' for one in imports) + "\n)\n")
            writer.add("var _ = probe.Tick")
            for other in imports:
                if other.startswith("unit"):
                    writer.add(f"var _ = {other}.Used")
                if other == "shared":
                    writer.add("var _ = SharedUsed")
            writer.add("const SharedUsed = 1" if unit == 0 else "const Used = 1" if unit > 1 else "")
        for function in program.functions:
            writer = writers[function.unit]
            for _ in range(self.random.randint(0, 3)):
                writer.add("")
            self.define(writer, function)
        writer = writers[1]
        writer.add("\nfunc main() {\n\tx := 1\n\tfor round := 0; round < 4; round++ {")
        for root in program.roots:
            self.call(writer, "main.main", 1, program.functions[root], "plain", "\t\t")
        writer.add("\t}\n\tprobe.Ticks += x\n\tprobe.Done()\n}")
        self.source.files = {writer.path: writer.text() for writer in writers.values()} | {"probe/probe.go": PROBE, "probe/probe.s": ASSEMBLY, "go.mod": "module program\n\ngo 1.19\n"}
        return self.source

    def spelled(self, unit, callee):
        package = self.package(callee)
        return callee.name if callee.unit in (0, unit) else f"{package}.{callee.name}"

    def reachable(self, unit, callee):
        return callee.unit in {0: (0,), 1: (0, 1, 2, 3), 2: (0, 2), 3: (0, 2, 3)}[unit]

    def define(self, writer, function):
        kind, name, box = function.kind, function.name, f"Box{function.number}"
        if kind in ("method", "value"):
            writer.add(f"type {box} struct{{ N int }}\n")
        head = {
            "method": f"func (box *{box}) {name}(x int) int {{", "value": f"func (box {box}) {name}(x int) int {{",
            "generic": f"func {name}[T int | int64](n T) int {{",
        }.get(kind, f"func {name}(x int) int {{")
        if kind in ("plain", "static") and function.number % 4 == 0:
            writer.add("//go:noinline")
        calls = [statement for statement in function.body if isinstance(statement, Call) and self.program.functions[statement.callee].kind not in ("never", "generic") and self.reachable(function.unit, self.program.functions[statement.callee])]
        if kind == "wrapper":
            # It has one call, so that Go inlines it.
            writer.add(head)
            if calls:
                writer.add(f"\treturn {self.expression(function.unit, self.program.functions[calls[0].callee])} ^ {function.number}")
            else:
                writer.add(f'\tprobe.Here("{name}", {writer.number})\n\treturn x')
            writer.add("}")
            return
        writer.add(head)
        if kind == "generic":
            writer.add("\tx := int(n)")
        for statement in function.body:
            self.statement(writer, name, function, statement, "\t")
        if kind == "never":
            writer.add("\tpanic(x)\n}")
        else:
            writer.add("\treturn x\n}")

    def statement(self, writer, name, function, statement, indent):
        unit = function.unit
        if isinstance(statement, Probe):
            self.probe(writer, name, indent)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for i := 0; i < {statement.count}; i++ {{")
            for inner in statement.body:
                self.statement(writer, name, function, inner, indent + "\t")
            writer.add(indent + "}")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}switch probe.Tick() % {len(statement.arms)} {{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}case {number}:")
                for inner in arm:
                    self.statement(writer, name, function, inner, indent + "\t")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if probe.Tick()%{self.random.choice([2, 3, 5])} == 1 {{")
            for inner in statement.body:
                self.statement(writer, name, function, inner, indent + "\t")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            if function.kind != "never":
                writer.add(f"{indent}if probe.Deep < 2 {{\n{indent}\tprobe.Deep++")
                self.call(writer, name, unit, function, "plain", indent + "\t")
                writer.add(f"{indent}\tprobe.Deep--\n{indent}}}")
        elif self.reachable(unit, self.program.functions[statement.callee]):
            self.call(writer, name, unit, self.program.functions[statement.callee], statement.form, indent)
        else:
            self.probe(writer, name, indent)

    def probe(self, writer, name, indent):
        writer.add(f'{indent}probe.Here("{name}", {writer.number})')

    def expression(self, unit, callee):
        spelled = self.spelled(unit, callee)
        if callee.kind == "method":
            return f"(&Box{callee.number}{{x}}).{callee.name}(x)"
        if callee.kind == "value":
            return f"Box{callee.number}{{x}}.{callee.name}(x)"
        if callee.kind == "generic":
            return f"{spelled}(int64(x))" if callee.number % 2 else f"{spelled}(x)"
        return f"{spelled}(x)"

    def call(self, writer, name, unit, callee, form, indent):
        expression = self.expression(unit, callee)
        self.variables += 1
        simple = callee.kind not in ("method", "value", "generic", "never")
        if callee.kind == "never" or form == "recover":
            writer.add(f"{indent}func() {{\n{indent}\tdefer func() {{\n{indent}\t\trecover()")
            writer.add(f'{indent}\t\tprobe.Here("", {writer.number})')
            writer.add(f"{indent}\t}}()\n{indent}\tx ^= {expression}\n{indent}}}()")
        elif form == "pointer" and simple:
            writer.add(f"{indent}pointer{self.variables} := probe.Opaque({self.spelled(unit, callee)})\n{indent}x ^= pointer{self.variables}(x)")
        elif form == "twin":
            writer.add(f"{indent}if probe.Tick()&1 == 1 {{\n{indent}\tx ^= {expression}\n{indent}}} else {{\n{indent}\tx ^= {expression}\n{indent}}}")
        elif form == "closure":
            variable = f"closure{self.variables}"
            writer.add(f"{indent}{variable} := func(n int) int {{\n{indent}\tx ^= {expression}")
            writer.add(f'{indent}\tprobe.Here("", {writer.number})')
            writer.add(f"{indent}\treturn n\n{indent}}}\n{indent}x ^= {variable}(x)")
        elif form == "defer":
            writer.add(f"{indent}func() {{\n{indent}\tdefer func() {{ x ^= {expression} }}()")
            writer.add(f'{indent}\tprobe.Here("", {writer.number})')
            writer.add(f"{indent}}}()")
        elif form == "interface" and callee.kind in ("method", "value"):
            writer.add(f"{indent}var box{self.variables} interface{{ {callee.name}(int) int }} = probe.Opaque[interface{{ {callee.name}(int) int }}](&Box{callee.number}{{x}})")
            writer.add(f"{indent}x ^= box{self.variables}.{callee.name}(x)")
        elif form == "goroutine":
            writer.add(f"{indent}done{self.variables} := make(chan int)\n{indent}go func() {{\n{indent}\tx := 1\n{indent}\tx ^= {expression}")
            writer.add(f"{indent}\tdone{self.variables} <- x\n{indent}}}()\n{indent}x ^= <-done{self.variables}")
        else:
            writer.add(f"{indent}x ^= {expression}")


def program(random, size=30):
    return Go(random).render(make(random, GO, "program", size))
