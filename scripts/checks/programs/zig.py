"""Programs in Zig."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

ZIG = Shape(
    ["plain", "plain", "static", "static", "inline", "inline", "shared", "generic", "method", "failing"],
    ["plain"] * 5 + ["pointer", "twin", "always", "never", "unrolled", "nested"], {"inline", "shared", "generic", "method", "failing"})

FACTS = """pub const Fact = extern struct { function: [*:0]const u8, file: [*:0]const u8, line: c_int, up: ?*Fact };
pub extern var facts: ?*Fact;
pub extern var deep: c_int;
pub extern fn fact_base(c_int) void;
pub extern fn fact_tick() c_int;
PROBES
pub inline fn seal(comptime number: comptime_int) void {
    asm volatile (""
        :
        : [number] "i" (@as(c_int, number)),
    );
}
""".replace("PROBES", "".join(f"pub extern fn probe_{tens}{ones}() void;\n" for tens in range(1, 9) for ones in range(8)))


class Zig(Renderer):
    def __init__(self, random, base):
        super().__init__(random)
        self.base = base

    def module(self, function):
        return f"unit{function.unit}" if function.unit else "shared"

    def name(self, function):
        box = f"Box{function.number}." if function.kind == "method" else ""
        return f"{self.module(function)}.{box}{function.name}"

    def render(self, program):
        self.program = program
        writers = [Writer(f"{'shared' if unit == 0 else f'unit{unit}'}.zig") for unit in range(program.units + 1)]
        for unit, writer in enumerate(writers):
            writer.add('const facts = @import("facts.zig");')
            for other in ["shared", "unit1", "unit2", "unit3"]:
                if f"{other}.zig" != writer.path:
                    writer.add(f'const {other} = @import("{other}.zig");')
        for function in program.functions:
            writer = writers[function.unit]
            for _ in range(self.random.randint(0, 2)):
                writer.add("")
            self.define(writer, function)
        writer = Writer("main.zig")
        writer.add('const facts = @import("facts.zig");')
        for other in ["shared", "unit1", "unit2", "unit3"]:
            writer.add(f'const {other} = @import("{other}.zig");')
        writer.add(f"pub export fn main() c_int {{\n    facts.fact_base({self.base});")
        self.enter(writer, "main", "    ")
        writer.add("    var x: i32 = 1;\n    for (0..4) |_| {")
        for root in program.roots:
            self.simple(writer, ("main", writer), "        ", program.functions[root], self.expression(program.functions[root]))
        writer.add("    }\n    facts.facts = fact.up;\n    return 0;\n}")
        self.source.files = {one.path: one.text() for one in [*writers, writer]} | {"facts.zig": FACTS}
        return self.source

    def enter(self, writer, name, indent):
        writer.add(f'{indent}var fact = facts.Fact{{ .function = "{name}", .file = @src().file, .line = 0, .up = facts.facts }};\n{indent}facts.facts = &fact;')

    def define(self, writer, function):
        kind, name = function.kind, function.name
        head = {
            "inline": f"pub inline fn {name}(n: i32) i32 {{", "static": f"fn {name}(n: i32) i32 {{", "generic": f"pub fn {name}(comptime T: type, n: T) i32 {{",
            "method": f"pub const Box{function.number} = struct {{\n    n: i32,\n    pub fn {name}(self: Box{function.number}, n: i32) i32 {{", "failing": f"pub fn {name}(n: i32) error{{Stop}}!i32 {{",
        }.get(kind, f"pub fn {name}(n: i32) i32 {{")
        writer.add(head)
        self.enter(writer, self.name(function), "    ")
        writer.add("    var x: i32 = " + {"generic": "@truncate(n);", "method": "n ^ self.n;"}.get(kind, "n;") + "\n    x ^= 1;")
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "    ")
        writer.add("    facts.facts = fact.up;")
        if kind == "failing":
            writer.add("    if (@mod(facts.fact_tick(), 3) == 1) return error.Stop;")
        writer.add("    return x;\n}" + ("};" if kind == "method" else ""))

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            # A loop that is unrolled has its body more than once.
            writer.add(f"{indent}{'inline ' if statement.count == 2 and len(indent) == 4 else ''}for (0..{statement.count}) |_| {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}switch (@mod(facts.fact_tick(), {len(statement.arms)})) {{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}    {number if number + 1 < len(statement.arms) else 'else'} => {{")
                self.statements(writer, where, function, arm, indent + "        ")
                writer.add(f"{indent}    }},")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if (@mod(facts.fact_tick(), {self.random.choice([2, 3, 5])}) == 1) {{\n{indent}    @branchHint(.unlikely);")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            writer.add(f"{indent}if (facts.deep < 2) {{\n{indent}    facts.deep += 1;")
            self.simple(writer, where, indent + "    ", function, self.expression(function))
            writer.add(f"{indent}    facts.deep -= 1;\n{indent}}}")
        else:
            self.call(writer, where, self.program.functions[statement.callee], statement.form, indent)

    def after(self):
        return f"facts.seal({self.seal()});"

    def probe(self, writer, where, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}fact.line = @src().line; facts.probe_{which}(); {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}fact.line = @src().line; {text};" + (f" {self.after()}" if seal else ""))

    def path(self, callee):
        # A file has no name for itself.
        return callee.name if callee.kind == "static" else f'@import("{self.module(callee)}.zig").{callee.name}'

    def expression(self, callee, how=None):
        path = self.path(callee)
        if callee.kind == "method":
            return f'x ^= (@import("{self.module(callee)}.zig").Box{callee.number}{{ .n = 2 }}).{callee.name}(x)'
        arguments = f"{'i64' if callee.number % 2 else 'i32'}, x" if callee.kind == "generic" else "x"
        if how and callee.kind not in ("inline", "failing"):
            return f"x ^= @call(.{how}_inline, {path}, .{{ {arguments} }})"
        if callee.kind == "failing":
            return f"x ^= {path}(x) catch 5"
        return f"x ^= {path}({arguments})"

    def call(self, writer, where, callee, form, indent):
        text = self.expression(callee, form if form in ("always", "never") and not any(isinstance(one, Again) for one in callee.body) else None)
        if form == "pointer" and callee.kind in ("plain", "static", "shared"):
            self.seals += 1
            writer.add(f"{indent}var pointer{self.seals}: *const fn (i32) i32 = {self.path(callee)};\n{indent}_ = &pointer{self.seals};")
            self.simple(writer, where, indent, callee, f"x ^= pointer{self.seals}(x)")
        elif form == "twin":
            writer.add(f"{indent}if (facts.fact_tick() & 1 == 1) {{")
            self.simple(writer, where, indent + "    ", callee, text, seal=False)
            writer.add(f"{indent}}} else {{")
            self.simple(writer, where, indent + "    ", callee, text, seal=False)
            writer.add(f"{indent}}}")
        elif form == "unrolled":
            writer.add(f"{indent}inline for (0..2) |_| {{")
            self.simple(writer, where, indent + "    ", callee, text)
            writer.add(f"{indent}}}")
        else:
            self.simple(writer, where, indent, callee, text)


def program(random, by_frame_pointers, size=30):
    return Zig(random, 2 if by_frame_pointers else 0).render(make(random, ZIG, "program", size))
