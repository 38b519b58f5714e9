"""Programs in Swift."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

SHARED = {"inline", "header", "generic", "method", "class", "getter", "init", "throwing"}
SWIFT = Shape(
    ["plain", "plain", "static", "static", "inline", "inline", "header", "generic", "generic", "method", "class", "getter", "init", "throwing"],
    ["plain"] * 6 + ["pointer", "twin", "closure", "closure", "map", "nested", "defer"], SHARED,
    names=lambda random, number, kind: random.choice(["sort", "merge", "parse", "größe", "scan", "計算", "fold"]) + f"_{number}")

SUPPORT = """import Facts

struct Stop: Error {}

@inline(__always) func enter(_ function: StaticString, _ file: StaticString = #filePath) {
    fact_enter(UnsafeRawPointer(function.utf8Start).assumingMemoryBound(to: CChar.self), UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self))
}

@inline(__always) func at(_ line: Int32 = #line) {
    fact_line(line)
}

@inline(never) func opaque<T>(_ value: T) -> T {
    value
}
"""


class Swift(Renderer):
    def __init__(self, random):
        super().__init__(random)
        self.closures, self.nested = {}, {}

    def name(self, function):
        box = f"Box{function.number}."
        return {
            "method": box + function.name, "class": box + function.name, "getter": f"{box}{function.name}.getter", "init": f"{box}init",
        }.get(function.kind, function.name)

    def render(self, program):
        self.program = program
        writers = [Writer("source/shared.swift")] + [Writer(f"source/{'main' if unit == 1 else f'unit{unit}'}.swift") for unit in range(1, program.units + 1)]
        for writer in writers:
            writer.add("import Facts")
        for function in program.functions:
            writer = writers[function.unit]
            for _ in range(self.random.randint(0, 3)):
                writer.add("")
            self.define(writer, function)
        self.main(writers[1])
        self.source.files = {writer.path: writer.text() for writer in writers} | {"source/support.swift": SUPPORT}
        return self.source

    def define(self, writer, function):
        kind, name = function.kind, function.name
        attribute = "@inline(__always) " if kind == "inline" else "@inline(never) " if kind in ("plain", "static", "generic") and function.number % 4 == 0 else ""
        box, closing = f"Box{function.number}", "}"
        if kind in ("method", "class", "getter", "init"):
            writer.add(f"{'class' if kind == 'class' else 'struct'} {box} {{\n    var n: Int32")
            if kind == "class":
                writer.add("    init(n: Int32) { self.n = n }")
            closing = "}\n}"
        head = {
            "static": f"private func {name}(_ n: Int32) -> Int32 {{", "generic": f"func {name}<T: BinaryInteger>(_ n: T) -> Int32 {{",
            "getter": f"var {name}: Int32 {{", "init": "init(_ n: Int32) {", "throwing": f"func {name}(_ n: Int32) throws -> Int32 {{",
        }.get(kind, f"func {name}(_ n: Int32) -> Int32 {{")
        writer.add(attribute + head)
        writer.add(f'    enter("{self.name(function)}")')
        writer.add("    var x = " + ("Int32(truncatingIfNeeded: n)" if kind == "generic" else "n"))
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "    ")
        writer.add("    fact_leave()")
        if kind == "init":
            writer.add("    self.n = x")
        else:
            if kind == "throwing":
                writer.add("    if fact_tick() % 2 == 0 { throw Stop() }")
            writer.add("    return x")
        writer.add(closing)

    def after(self):
        return f"fact_after({self.seal()})"

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for _ in 0..<{statement.count} {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}switch fact_tick() % {len(statement.arms)} {{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}case {number}:" if number + 1 < len(statement.arms) else f"{indent}default:")
                self.statements(writer, where, function, arm, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if fact_tick() % {self.random.choice([2, 3, 5])} == 1 {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            writer.add(f"{indent}if deep < 2 {{\n{indent}    deep += 1")
            self.call(writer, where, function, "plain", indent + "    ")
            writer.add(f"{indent}    deep -= 1\n{indent}}}")
        else:
            self.call(writer, where, self.program.functions[statement.callee], statement.form, indent)

    def probe(self, writer, where, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}at(); probe_{which}(); {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}at(); {text}" + (f"; {self.after()}" if seal else ""))

    def expression(self, callee):
        box = f"Box{callee.number}"
        return {
            "method": f"x ^= {box}(n: x).{callee.name}(x)", "class": f"x ^= opaque({box}(n: x)).{callee.name}(x)",
            "getter": f"x ^= {box}(n: x).{callee.name}", "init": f"x ^= {box}(x).n", "throwing": f"x ^= (try? {callee.name}(x)) ?? 1",
            "generic": f"x ^= {callee.name}({'Int64(x)' if callee.number % 2 else 'x'})",
        }.get(callee.kind, f"x ^= {callee.name}(x)")

    def inside(self, writer, where, inner, indent, callee, opening, closing):
        writer.add(f"{indent}{opening}")
        writer.add(f'{indent}    enter("{inner}")\n{indent}    var x = n')
        self.simple(writer, (inner, writer), indent + "    ", callee, self.expression(callee))
        self.probe(writer, (inner, writer), indent + "    ")
        writer.add(f"{indent}    fact_leave()\n{indent}    return x\n{indent}{closing}")

    def number_of(self, where):
        """Closures of a function are numbered."""
        self.closures[where] = self.closures.get(where, 0) + 1
        return self.closures[where]

    def call(self, writer, where, callee, form, indent):
        kind = callee.kind
        simple = kind not in ("method", "class", "getter", "init", "throwing", "generic")
        if form == "pointer" and simple:
            writer.add(f"{indent}let pointer{self.seals}: (Int32) -> Int32 = opaque({callee.name})")
            self.simple(writer, where, indent, callee, f"x ^= pointer{self.seals}(x)")
        elif form == "twin":
            writer.add(f"{indent}if fact_tick() & 1 == 1 {{")
            self.simple(writer, where, indent + "    ", callee, self.expression(callee), seal=False)
            writer.add(f"{indent}}} else {{")
            self.simple(writer, where, indent + "    ", callee, self.expression(callee), seal=False)
            writer.add(f"{indent}}}")
        elif form in ("closure", "map") and " in " not in where[0]:
            inner = f"closure #{self.number_of(where)} in {where[0]}"
            variable = f"closure{self.seals}"
            self.inside(writer, where, inner, indent, callee, f"let {variable} = {{ (n: Int32) -> Int32 in", "}")
            self.note(where, inner, writer.number)
            text = f"x ^= {variable}(x)" if form == "closure" else f"for value in [x, 1].map({variable}) {{ x ^= value }}"
            writer.add(f"{indent}at(); {text}; {self.after()}")
        elif form == "nested" and " in " not in where[0]:
            own = f"nested{self.seals}"
            inner = f"{own} #1 in {where[0]}"
            self.inside(writer, where, inner, indent, callee, f"func {own}(_ n: Int32) -> Int32 {{", "}")
            self.note(where, inner, writer.number)
            writer.add(f"{indent}at(); x ^= {own}(x); {self.after()}")
        else:
            self.simple(writer, where, indent, callee, self.expression(callee))

    def main(self, writer):
        where = ("main", writer)
        writer.add('\nfact_base(1)\nenter("main")\nvar x: Int32 = 1\nfor _ in 0..<4 {')
        for root in self.program.roots:
            self.call(writer, where, self.program.functions[root], "plain", "    ")
        writer.add("}\nfact_leave()")


def program(random, size=30):
    return Swift(random).render(make(random, SWIFT, "program", size))
