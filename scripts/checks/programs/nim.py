"""Programs in Nim. A function tells its line and its file itself (instantiationInfo); its name, which the language does not tell, the generator wrote."""
import os
import re

from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

SHARED = {"inline", "shared", "generic", "method", "operator"}
NIM = Shape(
    ["plain", "plain", "static", "static", "inline", "inline", "shared", "generic", "generic", "method", "operator", "overloaded", "never"],
    ["plain"] * 5 + ["pointer", "twin", "nested", "nested", "closure", "closure", "block", "finally", "defer", "argument"], SHARED, repeated=False,
    names=lambda random, number, kind: "sort" if kind == "overloaded" else random.choice(["sort", "mergeAll", "scan_in", "größe", "fold2", "計算", "sumEq"]) + str(number))
# Their paths as the main module has them, which are in symbols.
MODULES = ["common", "unit1", "inner/unit2", "../lib/Unit_3"]
OPERATORS = ["+", "[]", "<=", "&", "$%", "!!", "=~", "[]=", "{}", "@", "*", "-%", "|", "/^"]

FACTS = """type
  Fact* {.bycopy.} = object
    name*, file*: cstring
    line*: cint
    up*: ptr Fact
  Stop* = object of CatchableError
var facts* {.importc: "facts".}: ptr Fact
var deep* {.importc: "deep".}: cint
proc fact_base*(noFrame: cint) {.importc.}
proc fact_tick*(): cint {.importc.}
proc fact_after*(number: cint) {.importc.}
PROBES
template here*(): cint = cint(instantiationInfo(-1).line)
template path*(folder: static string): cstring = cstring(folder & instantiationInfo(-1).filename)
""".replace("PROBES", "".join(f"proc probe_{tens}{ones}*() {{.importc.}}\n" for tens in range(1, 9) for ones in range(8)))


# What Nim writes for characters of operators.
WORDS = {"$": "dollar", "%": "percent", "&": "amp", "^": "roof", "!": "emark", "?": "qmark", "*": "star", "+": "plus", "-": "minus", "/": "slash", "=": "eq", "<": "lt", ">": "gt", "~": "tilde", ":": "colon", ".": "dot", "@": "at", "|": "bar"}


def mangled(name):
    """The symbol of a function, without its number: `common.+` is `plus___common`. Nim writes a word or the number of its bytes for each character that C has not in names, and then an underscore; in those of modules, numbers for all but small letters."""
    module, _, own = name.partition(".")
    text = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else WORDS.get(letter) or "".join(f"X{byte:02X}" for byte in letter.encode()) for letter in own)
    path = next((path for path in MODULES if path.split("/")[-1] == module), module)
    path = "".join(letter if letter.islower() else {"/": "Z", ".": "O"}.get(letter) or str(ord(letter)) for letter in path)
    return f"{text}{'' if own.isascii() and own.replace('_', '').isalnum() else '_'}__{path}"


class Nim(Renderer):
    def __init__(self, random):
        super().__init__(random)
        self.source.names = set()
    def module(self, function):
        return MODULES[function.unit].split("/")[-1]

    def own(self, function):
        # An underscore before a digit is not in symbols.
        return OPERATORS[function.number % len(OPERATORS)] if function.kind == "operator" else re.sub(r"_(?=\d)", "", function.name)

    def name(self, function):
        return f"{self.module(function)}.{self.own(function)}"

    def render(self, program):
        self.program = program
        writers = [Writer(os.path.normpath(f"app/{module}.nim")) for module in MODULES]
        for unit, writer in enumerate(writers):
            self.unit = unit
            for other in ["probes", *MODULES[:unit]]:
                writer.add(f"import {os.path.relpath(f'app/{other}', os.path.dirname(writer.path))}")
            # An instance of a generic function has the name of the module that makes it: each has a type for its own ones.
            writer.add(f"type Item{unit}* = distinct int")
            for function in program.functions:
                if function.unit == unit:
                    for _ in range(self.random.randint(0, 3)):
                        writer.add("")
                    self.define(writer, function)
        writer, self.unit, self.is_generic = Writer("app/start.nim"), 4, False
        writer.add(f"import probes, {', '.join(MODULES)}\ntype Item4 = distinct int\nproc main() =\n  fact_base(0)")
        self.fact(writer, "  ", "start.main")
        writer.add("  var x = 1\n  for round in 1 .. 4:")
        for root in program.roots:
            callee = program.functions[root]
            self.simple(writer, ("start.main", writer), "    ", callee, self.expression(callee, None))
        writer.add("  facts = fact.up\nmain()")
        self.source.files = {one.path: one.text() for one in [*writers, writer]} | {"app/probes.nim": FACTS}
        return self.source

    def fact(self, writer, indent, name, variable="fact"):
        folder = writer.path.rpartition("/")[0]
        module, _, own = name.partition(".")
        self.source.names.add(name)
        text = f'"{name}"'
        if module == "T":
            # That of the instance's type.
            modules = [*MODULES[1:], "start"]
            self.source.names |= {f"{module.split('/')[-1]}.{own}" for module in [*modules, "common"]}
            text = "(when " + " elif ".join(f'$T == "Item{number + 1}": "{module.split("/")[-1]}.{own}"' for number, module in enumerate(modules)) + f' else: "common.{own}")'
        writer.add(f'{indent}var {variable} = Fact(name: {text}, file: path("{folder + "/" if folder else ""}"), line: 0, up: facts)\n{indent}facts = addr {variable}')

    def define(self, writer, function):
        kind, number, self.is_generic = function.kind, function.number, function.kind == "generic"
        star = "" if kind in ("static", "never") else "*"
        if kind == "method":
            writer.add(f"type\n  Base{number}* = ref object of RootObj\n    n*: int\n  Box{number}* = ref object of Base{number}")
        elif kind in ("operator", "overloaded"):
            writer.add(f"type Box{number}* = object\n  n*: int")
        own = f"`{self.own(function)}`" if kind == "operator" else self.own(function)
        if kind == "method":
            writer.add(f"method {own}*(self: Base{number}, n: int): int {{.base.}} = self.n + n")
        first = {"method": f"self: Box{number}, n: int", "operator": f"self: Box{number}, n: int", "overloaded": f"self: Box{number}, n: int", "generic": "n: T"}.get(kind, "n: int")
        pragma = {"inline": " {.inline.}", "never": " {.noreturn.}"}.get(kind, " {.noinline.}" if number % 4 == 0 and kind != "method" else "")
        writer.add(f"{'method' if kind == 'method' else 'proc'} {own}{star}{'[T]' if kind == 'generic' else ''}({first}){'' if kind == 'never' else ': int'}{pragma} =")
        name = self.name(function)
        if kind == "generic":
            name = f"T.{own}"
        self.fact(writer, "  ", name)
        writer.add(f"  var x = {'int(n)' if kind == 'generic' else 'n'}\n  x = x xor 1")
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "  ")
        writer.add("  facts = fact.up")
        writer.add('  raise newException(Stop, "stop")' if kind == "never" else "  return x")

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for turn{len(indent)} in 1 .. {statement.count}:")
            self.statements(writer, where, function, statement.body, indent + "  ")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}case fact_tick() mod {len(statement.arms)}")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}{f'of {number}' if number + 1 < len(statement.arms) else 'else'}:")
                self.statements(writer, where, function, arm, indent + "  ")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if fact_tick() mod {self.random.choice([2, 3, 5])} == 1:")
            self.statements(writer, where, function, statement.body, indent + "  ")
        elif isinstance(statement, Again):
            if function.kind not in ("generic", "method", "operator", "overloaded"):
                writer.add(f"{indent}if deep < 2:\n{indent}  deep += 1")
                self.simple(writer, where, indent + "  ", function, self.expression(function, function))
                writer.add(f"{indent}  deep -= 1")
        else:
            callee = self.program.functions[statement.callee]
            if callee.unit <= function.unit:
                self.call(writer, where, function, callee, statement.form, indent)
            else:
                self.probe(writer, where, indent)

    def here(self, writer):
        # In an instance of a generic function, the language may tell the line where the instance is made.
        return writer.number if self.is_generic else "here()"

    def after(self):
        return f"fact_after({self.seal()})"

    def probe(self, writer, where, indent, fact="fact"):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}{fact}.line = {self.here(writer)}; probe_{which}(); {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True, fact="fact"):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}{fact}.line = {self.here(writer)}; {text}" + (f"; {self.after()}" if seal else ""))

    def expression(self, callee, caller):
        """The call of a function. A generic function is called with the type of the module."""
        module, box = self.module(callee), f"{self.module(callee)}.Box{callee.number}"
        if callee.kind == "method":
            return f"x = x xor {box}(n: 2).{self.own(callee)}(x)"
        if callee.kind == "operator":
            return f"x = x xor `{self.own(callee)}`({box}(n: 2), x)"
        if callee.kind == "overloaded":
            return f"x = x xor {self.own(callee)}({box}(n: 2), x)"
        if callee.kind == "generic":
            item = "T" if caller and caller.kind == "generic" else f"Item{self.unit}"
            return f"x = x xor {self.own(callee)}({item}(x))"
        return f"{self.own(callee)}(x)" if callee.kind == "never" else f"x = x xor {module}.{self.own(callee)}(x)"

    def inside(self, writer, where, indent, function, callee, name, head):
        """A function inside of another, which calls."""
        inner = (f"{where[0].split('.')[0]}.{name}", writer)
        writer.add(f"{indent}{head}")
        told = f"T.{name}" if function.kind == "generic" else inner[0]
        self.fact(writer, indent + "  ", told, "own")
        writer.add(f"{indent}  var x = n")
        self.simple(writer, inner, indent + "  ", callee, self.expression(callee, function), fact="own")
        self.probe(writer, inner, indent + "  ", fact="own")
        writer.add(f"{indent}  facts = own.up\n{indent}  return x")
        return inner[0]

    def call(self, writer, where, function, callee, form, indent):
        text = self.expression(callee, function)
        self.seals += 1
        number = self.seals
        seal = function.kind == "generic"
        if callee.kind == "never":
            writer.add(f"{indent}try:")
            self.simple(writer, where, indent + "  ", callee, text, seal=False)
            writer.add(f"{indent}except Stop:\n{indent}  facts = addr fact\n{indent}  x += 1")
            self.probe(writer, where, indent + "  ")
        elif form == "pointer" and callee.kind in ("plain", "static", "shared"):
            writer.add(f"{indent}let pointer{number} = if fact_tick() >= 0: {self.module(callee)}.{self.own(callee)} else: nil")
            self.simple(writer, where, indent, callee, f"x = x xor pointer{number}(x)")
        elif form == "twin":
            writer.add(f"{indent}if fact_tick() mod 2 == 1:")
            self.simple(writer, where, indent + "  ", callee, text, seal=seal)
            writer.add(f"{indent}else:")
            self.simple(writer, where, indent + "  ", callee, text, seal=seal)
        elif form == "block":
            writer.add(f"{indent}block:\n{indent}  let before = x")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}  x = x xor before")
        elif form == "finally":
            writer.add(f"{indent}try:")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}finally:")
            self.probe(writer, where, indent + "  ")
        elif form == "defer":
            writer.add(f"{indent}block:\n{indent}  defer:")
            self.probe(writer, where, indent + "    ")
            self.simple(writer, where, indent + "  ", callee, text)
        elif form == "argument" and callee.kind in ("plain", "static", "shared", "inline"):
            # A call whose argument is on the next line.
            self.note(where, self.name(callee), writer.number)
            writer.add(f"{indent}fact.line = {self.here(writer)}; x = x xor {self.module(callee)}.{self.own(callee)}(\n{indent}  x + 1); {self.after()}")
        elif form == "nested":
            inner = self.inside(writer, where, indent, function, callee, f"inner{number}", f"proc inner{number}(n: int): int =")
            self.note(where, inner, writer.number)
            writer.add(f"{indent}fact.line = {self.here(writer)}; x = x xor inner{number}(x); {self.after()}")
        elif form == "closure":
            writer.add(f"{indent}var y{number} = x")
            inner = self.inside(writer, where, indent, function, callee, ":anonymous", f"let closure{number} = proc (n: int): int {{.closure.}} =\n{indent}  y{number} += 1")
            self.note(where, inner, writer.number)
            writer.add(f"{indent}fact.line = {self.here(writer)}; x = x xor closure{number}(y{number}); {self.after()}")
        else:
            self.simple(writer, where, indent, callee, text)


def program(random, size=30):
    return Nim(random).render(make(random, NIM, "program", size))
