"""Programs in C and C++."""
from .model import Again, Call, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

# What is written inside of shared.h, each with its body.
SHARED = {"inline", "header", "template", "method", "virtual", "constructor", "destructor"}

C = Shape(
    ["plain", "plain", "static", "static", "static", "inline", "inline", "header", "cold", "section", "aligned", "never"],
    ["plain"] * 6 + ["macro", "macro", "pointer", "twin", "nested"], SHARED,
    names=lambda random, number, kind: random.choice(["sort", "merge", "parse", "größe", "scan", "計算", "fold"]) + f"_{number}")
CPLUSPLUS = Shape(
    ["plain", "plain", "static", "anonymous", "inline", "inline", "header", "template", "template", "method", "method", "virtual", "constructor", "destructor", "cold", "never"],
    ["plain"] * 6 + ["macro", "macro", "pointer", "twin", "lambda", "lambda", "catch"], SHARED)
NAMESPACES = ["", "app", "app::detail", "größe", "app::inner::core"]

ATTRIBUTES = {
    "static": "static ", "inline": "static inline __attribute__((always_inline)) ", "header": "static inline ", "cold": "__attribute__((cold)) ",
    "section": 'static __attribute__((section(".text.special"), noinline)) ', "aligned": "__attribute__((aligned(64))) ",
    # Static, so that no other file calls it; cold, so that what comes before it is moved away.
    "never": "static __attribute__((noreturn, cold)) ", "plain": "", "anonymous": "", "template": "", "method": "", "virtual": "", "constructor": "", "destructor": "",
}
class Cee(Renderer):
    def __init__(self, random, plus, nested):
        super().__init__(random)
        self.plus, self.nested, self.lambdas = plus, nested, {}

    def name(self, function):
        """The name of a function as its programmer writes it, with its namespaces and class."""
        if not self.plus:
            return function.name
        space = NAMESPACES[function.number % len(NAMESPACES)]
        own = function.name
        if function.kind == "never":
            space = ""
        if function.kind == "anonymous":
            space = (space + "::" if space else "") + "(anonymous namespace)"
        if function.kind in ("method", "virtual"):
            own = f"Box{function.number}::{own}"
        if function.kind == "constructor":
            own = f"Box{function.number}::Box{function.number}"
        if function.kind == "destructor":
            own = f"Box{function.number}::~Box{function.number}"
        if function.kind == "template":
            own += self.arguments(function)
        return (space + "::" if space else "") + own

    def arguments(self, function):
        return "<int>" if function.number % 2 else "<long>"

    def spelled(self, function):
        """A function in a call."""
        return self.name(function).replace("(anonymous namespace)::", "")

    def render(self, program):
        self.program, self.writers = program, {}
        extension = "cpp" if self.plus else "c"
        shared = self.writers[0] = Writer("include/shared.h")
        shared.add('#pragma once\n#include <setjmp.h>\n#include "facts.h"\n#define NOINLINE __attribute__((noinline))')
        shared.add("extern jmp_buf jump;")
        for function in program.functions:
            if function.kind in ("plain", "cold", "aligned"):
                self.in_space(shared, function, f"int {function.name}(int n);")
        for unit in range(1, program.units + 1):
            self.writers[unit] = Writer(f"{'source/' if unit > 1 else ''}unit{unit}.{extension}")
            self.writers[unit].add('#include "shared.h"')
            if self.random.random() < 0.3:
                self.writers[unit].directive(f"grammar/unit{unit}.y", self.random.randint(1, 3000))
        for function in program.functions:
            writer = self.writers[function.unit]
            if function.unit and self.random.random() < 0.05:
                writer.directive(f"grammar/part{function.number}.y", self.random.randint(1, 70000))
            for _ in range(self.random.randint(0, 3)):
                writer.add("")
            self.define(writer, function)
        self.main(self.writers[1], program)
        self.source.files = {writer.path: writer.text() for writer in self.writers.values()}
        return self.source

    def in_space(self, writer, function, text):
        space = NAMESPACES[function.number % len(NAMESPACES)] if self.plus and function.kind != "never" else ""
        writer.add(f"namespace {space} {{ {text} }}" if space else text)

    def define(self, writer, function):
        space = NAMESPACES[function.number % len(NAMESPACES)] if self.plus and function.kind != "never" else ""
        opened = 0
        if space:
            writer.add(f"namespace {space} {{")
            opened += 1
        if function.kind == "anonymous":
            writer.add("namespace {")
            opened += 1
        kind, name = function.kind, function.name
        attributes = "inline " if self.plus and kind == "header" else ATTRIBUTES[kind]
        if kind == "template":
            writer.add("template <typename T>")
            writer.add(f"int {name}(T n)")
        elif kind in ("method", "virtual", "constructor", "destructor"):
            writer.add(f"struct Box{function.number} {{")
            writer.add("    int n;")
            if kind == "destructor":
                writer.add(f"    Box{function.number}(int n) : n(n) {{}}")
            head = {"method": f"int {name}(int n)", "virtual": f"virtual int {name}(int n)", "constructor": f"Box{function.number}(int n)", "destructor": f"~Box{function.number}()"}[kind]
            # Such a method is inlined at -O0 as well, and so does not call itself.
            always = kind == "method" and function.number % 3 == 0 and not any(isinstance(statement, Again) for statement in function.body)
            writer.add("    " + ("__attribute__((always_inline)) " if always else "") + head)
            opened += 1
        elif kind == "never":
            writer.add(f"{attributes}void {name}(int n)")
        else:
            noinline = "NOINLINE " if kind in ("plain", "static") and function.number % 5 == 0 else ""
            writer.add(f"{attributes}{noinline}int {name}(int n)")
        writer.add("{")
        writer.add(f'    ENTER_AS("{self.name(function)}");' if self.plus else "    ENTER;")
        writer.add("    int x = (int)n;")
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "    ")
        writer.add("    LEAVE;")
        if kind == "never":
            # Nothing follows the call of a function that does not return.
            writer.add("    throw x;" if self.plus else "    longjmp(jump, x | 1);")
        elif kind == "constructor":
            writer.add("    this->n = x;")
        elif kind == "destructor":
            writer.add("    ticks += x & 1;")
        else:
            writer.add("    return x;")
        writer.add("}")
        if kind in ("method", "virtual", "constructor", "destructor"):
            writer.add("};")
            opened -= 1
        writer.add("}" * opened)

    def statement(self, writer, where, function, statement, indent):
        random = self.random
        if random.random() < 0.2:
            writer.add(indent + "// A comment.")
        if isinstance(statement, Probe):
            self.probe(writer, where, statement.form, indent)
        elif isinstance(statement, Loop):
            name = f"i{len(indent)}"
            writer.add(f"{indent}for (int {name} = 0; {name} < {statement.count}; {name}++) {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}switch (ticks++ % {len(statement.arms)}) {{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}case {number}:" if number else f"{indent}default:")
                writer.add(f"{indent}    {{")
                self.statements(writer, where, function, arm, indent + "        ")
                writer.add(f"{indent}    }}")
                writer.add(f"{indent}    break;")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if (__builtin_expect(ticks++ % {random.choice([2, 3, 5])} == 1, 0)) {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            writer.add(f"{indent}if (deep < 2) {{")
            writer.add(f"{indent}    deep++;")
            if function.kind == "constructor":
                self.simple(writer, where, indent + "    ", function, f"x += Box{function.number}(x).n")
            elif function.kind == "destructor":
                self.simple(writer, where, indent + "    ", function, f"{{ Box{function.number} again(x); }}")
            elif function.kind in ("method", "virtual"):
                self.simple(writer, where, indent + "    ", function, f"x += this->{function.name}(x)")
            else:
                self.simple(writer, where, indent + "    ", function, f"x += {self.spelled(function)}(x)")
            writer.add(f"{indent}    deep--;")
            writer.add(indent + "}")
        elif isinstance(statement, Call):
            self.call(writer, where, self.program.functions[statement.callee], statement.form, indent)

    def probe(self, writer, where, form, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        if form == "macro":
            writer.add(f"{indent}PROBE_HERE({writer.number}, {self.seal()},")
            writer.add(f"{indent}    {which});")
        else:
            writer.add(f"{indent}AT; probe_{which}(); SEAL({self.seal()});")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}AT; {text};" + (f" SEAL({self.seal()});" if seal else ""))

    def expression(self, callee, x="x"):
        """The text of a call; None if it is none."""
        name = self.spelled(callee)
        if callee.kind in ("method", "virtual"):
            box = name.rsplit("::", 1)[0]
            return f"{box}{{}}.{callee.name}({x} + 1)" if callee.kind == "method" else f"(*({box} *volatile *)&object).{callee.name}({x})"
        return f"{name}({x} + {callee.number})"

    def call(self, writer, where, callee, form, indent):
        name, kind = self.spelled(callee), callee.kind
        if kind == "never":
            if self.plus:
                # Whoever catches it has its own facts.
                writer.add(f"{indent}try {{")
                self.simple(writer, where, indent + "    ", callee, f"{name}(x)", seal=False)
                writer.add(f"{indent}}} catch (int) {{")
                writer.add(f"{indent}    facts = &fact;")
                writer.add(f"{indent}}}")
                return
            self.simple(writer, where, indent, callee, f"{name}(x)", seal=False)
        elif kind == "constructor":
            self.simple(writer, where, indent, callee, f"x += {name.rsplit('::', 1)[0]}(x).n")
        elif kind == "destructor":
            self.simple(writer, where, indent, callee, f"{{ {name.rsplit('::', 1)[0]} box(x); }}")
        elif kind == "virtual":
            self.simple(writer, where, indent, callee, f"{{ {name.rsplit('::', 1)[0]} box, *volatile it = &box; x += it->{callee.name}(x); }}")
        elif form == "macro" and kind != "method":
            self.note(where, self.name(callee), writer.number)
            writer.add(f"{indent}CALL({writer.number}, {self.seal()}, x,\n{indent}    {name.replace(', ', '')},\n{indent}    x + 2);")
        elif form == "pointer" and kind not in ("method", "inline"):
            argument = "long" if kind == "template" and self.arguments(callee) == "<long>" else "int"
            writer.add(f"{indent}{{")
            writer.add(f"{indent}    int (*volatile pointer)({argument}) = {name};")
            self.simple(writer, where, indent + "    ", callee, "x += pointer(x)")
            writer.add(f"{indent}}}")
        elif form == "twin":
            writer.add(f"{indent}if (ticks++ & 1) {{")
            self.simple(writer, where, indent + "    ", callee, f"x += {self.expression(callee)}", seal=False)
            writer.add(f"{indent}}} else {{")
            self.simple(writer, where, indent + "    ", callee, f"x += {self.expression(callee)}", seal=False)
            writer.add(f"{indent}}}")
        elif form == "nested" and self.nested and kind != "inline" and where[0] in [function.name for function in self.program.functions if function.kind not in ("inline", "header", "never")]:
            inner = f"nested_{self.seal()}"
            writer.add(f"{indent}{{")
            writer.add(f"{indent}    __attribute__((noinline)) int {inner}(int n)\n{indent}    {{")
            writer.add(f"{indent}        ENTER;")
            writer.add(f"{indent}        x += n;")
            self.simple(writer, (inner, writer), indent + "        ", callee, f"x += {self.expression(callee)}")
            self.probe(writer, (inner, writer), "plain", indent + "        ")
            writer.add(f"{indent}        LEAVE;\n{indent}        return n;\n{indent}    }}")
            self.source.note(where[0], writer.named, inner, writer.number)
            writer.add(f"{indent}    AT; x += {inner}(x); SEAL({self.seal()});")
            writer.add(f"{indent}}}")
        elif form == "lambda":
            # The lambdas of a function are numbered.
            count = self.lambdas[where] = self.lambdas.get(where, 0) + 1
            inner = f"{where[0]}::{{lambda#{count}}}::operator()"
            writer.add(f"{indent}{{")
            writer.add(f"{indent}    auto lambda = [&x](int n) {{")
            writer.add(f'{indent}        ENTER_AS("{inner}");')
            writer.add(f"{indent}        x += n;")
            self.simple(writer, (inner, writer), indent + "        ", callee, f"x += {self.expression(callee)}")
            self.probe(writer, (inner, writer), "plain", indent + "        ")
            writer.add(f"{indent}        LEAVE;\n{indent}        return n;\n{indent}    }};")
            self.source.note(where[0], writer.named, inner, writer.number)
            writer.add(f"{indent}    AT; x += lambda(x); SEAL({self.seal()});")
            writer.add(f"{indent}}}")
        elif form == "catch":
            writer.add(f"{indent}try {{")
            writer.add(f"{indent}    if (ticks++ % 7 == 5)\n{indent}        throw ticks;")
            self.simple(writer, where, indent + "    ", callee, f"x += {self.expression(callee)}")
            writer.add(f"{indent}}} catch (int) {{")
            self.probe(writer, where, "plain", indent + "    ")
            writer.add(f"{indent}}}")
        else:
            self.simple(writer, where, indent, callee, f"x += {self.expression(callee)}")

    def main(self, writer, program):
        writer.add("\njmp_buf jump;\n")
        where = ("main", writer)
        name = "before_main"
        writer.add(f"__attribute__((constructor)) static void {name}(void)\n{{\n    fact_base(0);\n    ENTER;")
        self.probe(writer, (name, writer), "plain", "    ")
        writer.add("    LEAVE;\n}\n")
        writer.add("int main(void)\n{\n    fact_base(0);\n    ENTER;\n    volatile int x = 1;")
        writer.add("    for (int round = 0; round < 4; round++) {")
        for root in program.roots:
            callee = program.functions[root]
            if self.plus:
                self.call(writer, where, callee, "plain", "        ")
            else:
                writer.add("        if (!setjmp(jump)) {")
                self.call(writer, where, callee, "plain", "            ")
                writer.add("        }\n        facts = &fact;\n        deep = 0;")
        writer.add("    }\n    LEAVE;\n    return 0;\n}")


def program(random, plus, nested=False, size=30):
    made = make(random, CPLUSPLUS if plus else C, "program", size)
    return Cee(random, plus, nested).render(made)
