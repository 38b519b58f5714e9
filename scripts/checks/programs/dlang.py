"""Programs in D. A function tells its name itself (__FUNCTION__)."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

SHARED = {"inline", "shared", "template", "method", "virtual", "constructor", "destructor", "operator"}
D = Shape(
    ["plain", "plain", "static", "static", "inline", "inline", "shared", "template", "template", "method", "virtual", "constructor", "destructor", "operator", "never"],
    ["plain"] * 6 + ["pointer", "twin", "nested", "nested", "delegate", "literal", "alias", "mapped", "mixin", "finally", "method-pointer"], SHARED,
    names=lambda random, number, kind: random.choice(["sort", "merge", "parse", "größe", "scan", "計算", "fold"]) + f"_{number}")
MODULES = ["app.base", "unit1", "app.inner.unit2", "unit3"]

FACTS = """module facts;
extern(C):
struct Fact { const(char)* name; const(char)* file; int line; Fact* up; }
extern __gshared Fact* facts;
extern __gshared int deep;
void fact_base(int no_frame);
int fact_tick();
PROBES
extern(D):
class Stop : Exception
{
    int n;
    this(int n) { super("stop"); this.n = n; }
}
""".replace("PROBES", "".join(f"void probe_{tens}{ones}();\n" for tens in range(1, 9) for ones in range(8)))


class Dlang(Renderer):
    def module(self, function):
        return MODULES[function.unit]

    def name(self, function):
        """The name of a function, without the arguments of templates."""
        own = {"constructor": "this", "destructor": "~this", "operator": "opBinary.opBinary", "template": f"{function.name}.{function.name}"}.get(function.kind, function.name)
        box = f"Box{function.number}." if function.kind in ("method", "virtual", "constructor", "destructor", "operator") else ""
        return f"{self.module(function)}.{box}{own}"

    def render(self, program):
        self.program = program
        writers = [Writer(name.replace(".", "/") + ".d") for name in MODULES]
        for writer, module in zip(writers, MODULES):
            writer.add(f"module {module};\nimport facts;\nimport std.algorithm.iteration : fold, map;")
            for other in MODULES:
                if other != module:
                    writer.add(f"static import {other};")
        for function in program.functions:
            writer = writers[function.unit]
            for _ in range(self.random.randint(0, 3)):
                writer.add("")
            self.define(writer, function)
        writer = Writer("start.d")
        writer.add("module start;\nimport facts;")
        for other in MODULES:
            writer.add(f"static import {other};")
        self.main(writer)
        self.source.files = {writer.path: writer.text() for writer in [*writers, writer]} | {"facts.d": FACTS}
        return self.source

    def enter(self, writer, indent, fact="fact"):
        writer.add(f"{indent}auto {fact} = Fact(__FUNCTION__.ptr, __FILE__.ptr, 0, facts.facts); facts.facts = &{fact};")

    def define(self, writer, function):
        kind, name, box = function.kind, function.name, f"Box{function.number}"
        if kind in ("method", "constructor", "destructor", "operator"):
            writer.add(f"struct {box}\n{{\n    int n;")
        if kind == "virtual":
            writer.add(f"interface Walk{function.number} {{ int {name}(int n); }}\nclass {box} : Walk{function.number}\n{{\n    int n = 2;")
        if kind == "inline":
            writer.add("pragma(inline, true)")
        elif kind in ("plain", "static", "shared") and function.number % 4 == 0:
            writer.add("pragma(inline, false)")
        writer.add({
            "static": f"private int {name}(int n)", "never": f"private void {name}(int n)", "template": f"int {name}(T)(T n)", "constructor": "    this(int n)", "destructor": "    ~this()",
            "operator": '    int opBinary(string op)(int n) if (op == "+")', "method": f"    int {name}(int n) {'const' if function.number % 2 else ''}",
        }.get(kind, f"int {name}(int n)"))
        writer.add("{")
        self.enter(writer, "    ")
        writer.add(f"    int x = {'cast(int) n' if kind == 'template' else 'n'};\n    x ^= 1;")
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "    ")
        writer.add("    facts.facts = fact.up;")
        if kind == "never":
            writer.add("    throw new Stop(x);")
        elif kind == "constructor":
            writer.add("    this.n = x;")
        elif kind != "destructor":
            writer.add("    return x;")
        writer.add("}" + ("}" if kind in ("method", "virtual", "constructor", "destructor", "operator") else ""))

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            self.seals += 1
            # A loop over arguments is unrolled by the language.
            what = f"static foreach (i{self.seals}; 0 .. {statement.count}) {{" if statement.count == 2 and len(indent) == 4 else f"foreach (i{self.seals}; 0 .. {statement.count})"
            writer.add(f"{indent}{what}\n{indent}{{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}" + ("}" if what[0] == "s" else ""))
        elif isinstance(statement, Switch):
            writer.add(f"{indent}switch (fact_tick() % {len(statement.arms)})\n{indent}{{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}{f'case {number}' if number + 1 < len(statement.arms) else 'default'}:")
                self.statements(writer, where, function, arm, indent + "    ")
                writer.add(f"{indent}    break;")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if (fact_tick() % {self.random.choice([2, 3, 5])} == 1)\n{indent}{{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            if function.kind not in ("constructor", "destructor"):
                writer.add(f"{indent}if (deep < 2)\n{indent}{{\n{indent}    deep += 1;")
                self.call(writer, where, function, "plain", indent + "    ")
                writer.add(f"{indent}    deep -= 1;\n{indent}}}")
        else:
            self.call(writer, where, self.program.functions[statement.callee], statement.form, indent)

    def after(self):
        return f'asm {{ "" : : "i" ({self.seal()}); }}'

    def probe(self, writer, where, indent, fact="fact"):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}{fact}.line = __LINE__; probe_{which}(); {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True, fact="fact"):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}{fact}.line = __LINE__; {text};" + (f" {self.after()}" if seal else ""))

    def expression(self, callee):
        path = f"{self.module(callee)}."
        box = f"{path}Box{callee.number}"
        return {
            "method": f"x ^= {box}(2).{callee.name}(x)", "virtual": f"x ^= (new {box}).{callee.name}(x)", "constructor": f"x ^= {box}(x).n", "destructor": f"{{ auto box = {box}(x); }}",
            "operator": f"x ^= {box}(2) + x", "never": f"{path}{callee.name}(x)", "template": f"x ^= {path}{callee.name}(cast({'long' if callee.number % 2 else 'int'}) x)",
        }.get(callee.kind, f"x ^= {path}{callee.name}(x)")

    def inside(self, writer, where, indent, callee, head, tail=""):
        """A function inside of another, which calls. Its name has a number of the compiler's: no calls of it are noted."""
        inner = (f"{where[0]}.inside", writer)
        writer.add(f"{indent}{head}\n{indent}{{")
        self.enter(writer, indent + "    ", "own")
        writer.add(f"{indent}    int x = n ^ y;")
        self.simple(writer, inner, indent + "    ", callee, self.expression(callee), fact="own")
        self.probe(writer, inner, indent + "    ", fact="own")
        writer.add(f"{indent}    facts.facts = own.up;\n{indent}    return x;\n{indent}}}{tail}")

    def call(self, writer, where, callee, form, indent):
        kind, text = callee.kind, self.expression(callee)
        nests = not where[0].endswith(".inside")
        free = kind in ("plain", "static", "shared", "inline")
        self.seals += 1
        number = self.seals
        last = f"fact.line = __LINE__; x ^= %s; {self.after()}"
        if kind == "never":
            writer.add(f"{indent}try\n{indent}{{")
            self.simple(writer, where, indent + "    ", callee, text)
            writer.add(f"{indent}}}\n{indent}catch (Stop stop)\n{indent}{{\n{indent}    facts.facts = &fact;\n{indent}    x ^= stop.n;")
            self.probe(writer, where, indent + "    ")
            writer.add(indent + "}")
        elif form == "pointer" and free:
            writer.add(f"{indent}int function(int) pointer{number} = fact_tick() >= 0 ? &{self.module(callee)}.{callee.name} : null;")
            self.simple(writer, where, indent, callee, f"x ^= pointer{number}(x)")
        elif form == "method-pointer" and kind == "virtual":
            writer.add(f"{indent}{self.module(callee)}.Walk{callee.number} object{number} = new {self.module(callee)}.Box{callee.number};")
            self.simple(writer, where, indent, callee, f"x ^= object{number}.{callee.name}(x)")
        elif form == "twin":
            writer.add(f"{indent}if (fact_tick() & 1)\n{indent}{{")
            self.simple(writer, where, indent + "    ", callee, text, seal=False)
            writer.add(f"{indent}}}\n{indent}else\n{indent}{{")
            self.simple(writer, where, indent + "    ", callee, text, seal=False)
            writer.add(indent + "}")
        elif form == "finally":
            writer.add(f"{indent}{{\n{indent}    scope (exit)\n{indent}    {{")
            self.simple(writer, where, indent + "        ", callee, text)
            writer.add(f"{indent}    }}")
            self.probe(writer, where, indent + "    ")
            writer.add(indent + "}")
        elif form == "mixin" and free:
            # The line and the file of a text that is compiled are its own.
            self.note(where, self.name(callee), writer.number)
            writer.add(f'{indent}mixin("fact.file = __FILE__.ptr; fact.line = __LINE__; {text};"); {self.after()} fact.file = __FILE__.ptr;')
        elif form in ("nested", "delegate", "literal", "alias", "mapped") and nests:
            writer.add(f"{indent}int y{number} = x;")
            if form == "literal":
                self.inside(writer, where, indent, callee, f"auto inner{number} = function int(int n, int y)", ";")
                writer.add(indent + last % f"inner{number}(x, 1)")
                return
            head = {"nested": f"int inner{number}(int n)", "delegate": f"int delegate(int) inner{number} = delegate int(int n)", "alias": f"alias inner{number} = (int n)", "mapped": f"auto inner{number} = (int n)"}[form]
            start = len(writer.lines)
            self.inside(writer, where, indent, callee, head, "" if form == "nested" else ";")
            writer.lines[start:] = [line.replace("n ^ y;", f"n ^ y{number};") for line in writer.lines[start:]]
            writer.add(indent + last % (f"[1, 2].map!inner{number}.fold!((one, two) => one ^ two)" if form == "mapped" else f"inner{number}(x)"))
        else:
            self.simple(writer, where, indent, callee, text)

    def main(self, writer):
        where = ("start.main", writer)
        writer.add("void main()\n{\n    fact_base(0);")
        self.enter(writer, "    ")
        writer.add("    int x = 1;\n    foreach (round; 0 .. 4)\n    {")
        for root in self.program.roots:
            callee = self.program.functions[root]
            self.simple(writer, where, "        ", callee, self.expression(callee))
        writer.add("    }\n    facts.facts = fact.up;\n}")


def program(random, size=30):
    return Dlang(random).render(make(random, D, "program", size))
