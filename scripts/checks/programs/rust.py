"""Programs in Rust."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

SHARED = {"inline", "header", "generic", "method", "trait", "destructor"}
RUST = Shape(
    ["plain", "plain", "static", "static", "inline", "inline", "header", "generic", "generic", "method", "trait", "destructor", "cold", "never"],
    ["plain"] * 6 + ["macro", "macro", "pointer", "twin", "closure", "closure", "iterator", "dynamic"], SHARED,
    names=lambda random, number, kind: random.choice(["sort", "merge", "parse", "größe", "scan", "計算", "fold"]) + f"_{number}")

FACTS = """use std::ffi::{c_char, c_int};

#[repr(C)]
pub struct Fact {
    pub function: *const c_char,
    pub file: *const c_char,
    pub line: c_int,
    pub up: *mut Fact,
}

unsafe extern "C" {
    pub static mut facts: *mut Fact;
    pub static mut deep: c_int;
    pub fn fact_base(facts_have_no_frame: c_int);
    pub fn fact_tick() -> c_int;
PROBES}

#[collapse_debuginfo(yes)]
macro_rules! enter {
    ($fact:ident, $name:literal) => {
        let mut $fact = crate::facts::Fact { function: concat!($name, "\\0").as_ptr().cast(), file: concat!(file!(), "\\0").as_ptr().cast(), line: 0, up: crate::facts::facts };
        crate::facts::facts = &raw mut $fact;
    };
}

#[collapse_debuginfo(yes)]
macro_rules! seal {
    ($number:literal) => {
        std::arch::asm!("/* {} */", const $number)
    };
}

#[collapse_debuginfo(yes)]
macro_rules! call {
    ($fact:ident, $x:ident, $number:literal, $function:expr, $($argument:expr),*) => {{
        $fact.line = line!() as i32;
        $x ^= $function($($argument),*);
        seal!($number)
    }};
}

pub(crate) use {call, enter, seal};
""".replace("PROBES", "".join(f"    pub fn probe_{tens}{ones}();\n" for tens in range(1, 9) for ones in range(8)))


class Rust(Renderer):
    def module(self, function):
        return f"unit{function.unit}" if function.unit else "shared"

    def name(self, function):
        path = f"program::{self.module(function)}::"
        box = f"{path}Box{function.number}"
        return {
            "method": f"{box}::{function.name}",
            "trait": f"<{box} as {path}Walk{function.number}>::{function.name}",
            "destructor": f"<{box} as core::ops::drop::Drop>::drop",
        }.get(function.kind, path + function.name)

    def render(self, program):
        self.program = program
        writers = [Writer(f"source/{'shared' if unit == 0 else f'unit{unit}'}.rs") for unit in range(program.units + 1)]
        for writer in writers:
            writer.add("use crate::facts::*;\nuse std::hint::black_box;" + ("" if writer is writers[0] else "\nuse crate::shared::*;"))
        for function in program.functions:
            writer = writers[function.unit]
            for _ in range(self.random.randint(0, 3)):
                writer.add("")
            self.define(writer, function)
        writer = Writer("source/main.rs")
        writer.add("#![allow(warnings)]\nmod facts;\nmod shared;")
        for unit in range(1, program.units + 1):
            writer.add(f"mod unit{unit};")
        writer.add("use facts::*;\nuse std::hint::black_box;\nuse shared::*;\n")
        self.main(writer)
        self.source.files = {writer.path: writer.text() for writer in [*writers, writer]} | {"source/facts.rs": FACTS}
        return self.source

    def define(self, writer, function):
        kind, name = function.kind, function.name
        attribute = {"inline": "#[inline(always)]", "header": "#[inline]", "cold": "#[cold]", "never": "#[cold]"}.get(kind)
        if kind in ("plain", "static") and function.number % 4 == 0:
            attribute = "#[inline(never)]"
        box, indent = f"Box{function.number}", "    "
        if kind in ("method", "trait", "destructor"):
            writer.add(f"pub struct {box} {{ pub n: i32 }}")
        if kind == "trait":
            writer.add(f"pub trait Walk{function.number} {{\n    unsafe fn {name}(&self, n: i32) -> i32;\n}}")
        head = f"pub unsafe fn {name}(n: i32) -> i32 {{"
        if kind == "method":
            writer.add(f"impl {box} {{")
            head = f"pub unsafe fn {name}(&self, n: i32) -> i32 {{"
        elif kind == "trait":
            writer.add(f"impl Walk{function.number} for {box} {{")
            head = f"unsafe fn {name}(&self, n: i32) -> i32 {{"
        elif kind == "destructor":
            writer.add(f"impl Drop for {box} {{")
            head = "fn drop(&mut self) { unsafe {"
        elif kind == "generic":
            head = f"pub unsafe fn {name}<T: Copy + Into<i64>>(n: T) -> i32 {{"
        elif kind == "never":
            head = f"unsafe fn {name}(n: i32) -> ! {{"
        elif kind == "static":
            head = f"unsafe fn {name}(n: i32) -> i32 {{"
        if attribute:
            writer.add(attribute)
        writer.add(head)
        writer.add(f'{indent}enter!(fact, "{self.name(function)}");')
        value = {"generic": "n.into() as i32", "destructor": "self.n"}.get(kind, "n")
        writer.add(f"{indent}let mut x: i32 = {value};")
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, indent)
        writer.add(f"{indent}facts = fact.up;")
        if kind == "never":
            writer.add(f"{indent}std::panic::resume_unwind(Box::new(x))\n}}")
        elif kind == "destructor":
            writer.add(f"{indent}black_box(x);\n}} }}\n}}")
        else:
            writer.add(f"{indent}x\n}}")
            if kind in ("method", "trait"):
                writer.add("}")

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent, statement.form)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for _ in 0..{statement.count} {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}match fact_tick() % {len(statement.arms)} {{")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}    {number if number + 1 < len(statement.arms) else '_'} => {{")
                self.statements(writer, where, function, arm, indent + "        ")
                writer.add(f"{indent}    }}")
            writer.add(indent + "}")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if fact_tick() % {self.random.choice([2, 3, 5])} == 1 {{")
            self.statements(writer, where, function, statement.body, indent + "    ")
            writer.add(indent + "}")
        elif isinstance(statement, Again):
            writer.add(f"{indent}if deep < 2 {{\n{indent}    deep += 1;")
            self.call(writer, where, function, "plain", indent + "    ")
            writer.add(f"{indent}    deep -= 1;\n{indent}}}")
        else:
            self.call(writer, where, self.program.functions[statement.callee], statement.form, indent)

    def probe(self, writer, where, indent, form="plain"):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}fact.line = line!() as i32; probe_{which}(); seal!({self.seal()});")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}fact.line = line!() as i32; {text};" + (f" seal!({self.seal()});" if seal else ""))

    def expression(self, callee):
        path = f"crate::{self.module(callee)}::"
        if callee.kind in ("method", "trait"):
            return f"x ^= {path}Box{callee.number} {{ n: x }}.{callee.name}(x)"
        if callee.kind == "destructor":
            return f"drop({path}Box{callee.number} {{ n: x }})"
        if callee.kind == "never":
            return f"{path}{callee.name}(x)"
        if callee.kind == "generic":
            return f"x ^= {path}{callee.name}(x as {'i64' if callee.number % 2 else 'i32'})"
        return f"x ^= {path}{callee.name}(x)"

    def closed(self, writer, where, indent, callee, opening, closing, text):
        """A closure that calls, and its call."""
        inner = f"{where[0]}::{{{{closure}}}}"
        writer.add(f"{indent}{opening}")
        writer.add(f'{indent}    enter!(fact, "{inner}");')
        writer.add(f"{indent}    let mut x = n;")
        self.simple(writer, (inner, writer), indent + "    ", callee, self.expression(callee))
        self.probe(writer, (inner, writer), indent + "    ")
        writer.add(f"{indent}    facts = fact.up;\n{indent}    black_box(x)\n{indent}{closing}")
        self.note(where, inner, writer.number)
        writer.add(f"{indent}fact.line = line!() as i32; {text} seal!({self.seal()});")

    def call(self, writer, where, callee, form, indent):
        kind, path = callee.kind, f"crate::{self.module(callee)}::"
        if kind == "never":
            self.simple(writer, where, indent, callee, self.expression(callee), seal=False)
        elif form == "macro" and kind in ("plain", "static", "inline", "header", "cold"):
            self.note(where, self.name(callee), writer.number)
            writer.add(f"{indent}call!(fact, x, {self.seal()},\n{indent}    {path}{callee.name},\n{indent}    x + 0);")
        elif form == "pointer" and kind in ("plain", "static", "header", "cold"):
            writer.add(f"{indent}let pointer: unsafe fn(i32) -> i32 = black_box({path}{callee.name});")
            self.simple(writer, where, indent, callee, "x ^= pointer(x)")
        elif form == "dynamic" and kind == "trait":
            writer.add(f"{indent}let object: &dyn {path}Walk{callee.number} = black_box(&{path}Box{callee.number} {{ n: 1 }});")
            self.simple(writer, where, indent, callee, f"x ^= object.{callee.name}(x)")
        elif form == "twin":
            writer.add(f"{indent}if fact_tick() & 1 == 1 {{")
            self.simple(writer, where, indent + "    ", callee, self.expression(callee), seal=False)
            writer.add(f"{indent}}} else {{")
            self.simple(writer, where, indent + "    ", callee, self.expression(callee), seal=False)
            writer.add(f"{indent}}}")
        elif form == "closure" and "{" not in where[0]:
            self.closed(writer, where, indent, callee, "let closure = |n: i32| {", "};", "x ^= closure(x);")
        elif form == "iterator" and "{" not in where[0]:
            self.closed(writer, where, indent, callee, "let closure = |n: i32| {", "};", "x ^= (0..2).map(closure).fold(x, |first, second| first ^ second);")
        else:
            self.simple(writer, where, indent, callee, self.expression(callee))

    def main(self, writer):
        where = ("program::main", writer)
        inner = ("program::main::{{closure}}", writer)
        writer.add('fn main() { unsafe {\n    fact_base(0);\n    enter!(fact, "program::main");')
        writer.add("    for _ in 0..4 {")
        for root in self.program.roots:
            callee = self.program.functions[root]
            writer.add('        let once = || {\n            enter!(fact, "program::main::{{closure}}");\n            let mut x = 1;')
            self.simple(writer, inner, "            ", callee, self.expression(callee))
            writer.add("            facts = fact.up;\n            black_box(x);\n        };")
            self.note(where, inner[0], writer.number)
            writer.add(f"        fact.line = line!() as i32; let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(once)); seal!({self.seal()});")
            writer.add("        facts = &raw mut fact;\n        deep = 0;")
        writer.add("    }\n    facts = fact.up;\n} }")


def program(random, size=30):
    return Rust(random).render(make(random, RUST, "program", size))
