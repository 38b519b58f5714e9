"""Programs in OCaml. What they print of themselves their generator wrote; no function is inlined, because OCaml's debug information has no inlined calls."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

OCAML = Shape(
    ["plain", "plain", "static", "shared", "never"],
    ["plain"] * 5 + ["pointer", "twin", "closure", "local", "iterated", "caught"], {"shared"}, repeated=False)

FACTS = """external fact_base : (int [@untagged]) -> unit = "unused" "fact_base" [@@noalloc]
external fact_enter : string -> string -> unit = "fact_enter" [@@noalloc]
external fact_line : (int [@untagged]) -> unit = "unused" "fact_line" [@@noalloc]
external fact_leave : unit -> unit = "fact_leave" [@@noalloc]
external fact_tick : unit -> (int [@untagged]) = "unused" "fact_tick" [@@noalloc]
external fact_after : (int [@untagged]) -> unit = "unused" "fact_after" [@@noalloc]
external fact_top : unit -> (int [@untagged]) = "unused" "fact_top" [@@noalloc]
external fact_return : (int [@untagged]) -> unit = "unused" "fact_return" [@@noalloc]
PROBESlet deep = ref 0
exception Stop of int
""".replace("PROBES", "".join(f'external probe_{tens}{ones} : unit -> unit = "probe_{tens}{ones}" [@@noalloc]\n' for tens in range(1, 9) for ones in range(8)))


class OCaml(Renderer):
    def module(self, function):
        return f"Unit{function.unit}" if function.unit else "Shared"

    def name(self, function):
        return f"{self.module(function)}.{function.name}"

    def reachable(self, unit, callee):
        return callee.unit == unit or callee.unit < unit

    def render(self, program):
        self.program = program
        paths = ["shared.ml", "unit1.ml", "unit2.ml", "unit3.ml", "start.ml"]
        self.source.order = ["facts.ml", *paths]
        writers = [Writer(path) for path in paths]
        for unit, writer in enumerate(writers[:-1]):
            writer.add("open Facts")
            for function in program.functions:
                if function.unit == unit:
                    for _ in range(self.random.randint(0, 2)):
                        writer.add("")
                    self.define(writer, function)
        writer = writers[-1]
        writer.add('open Facts\n\nlet () =\n  fact_base 1;\n  fact_enter "Start" "start.ml";\n  let x = ref 1 in\n  for _ = 1 to 4 do')
        for root in program.roots:
            self.simple(writer, ("Start", writer), "    ", program.functions[root], self.expression(4, program.functions[root]))
        writer.add("  done;\n  fact_leave ()")
        self.source.files = {writer.path: writer.text() for writer in writers} | {"facts.ml": FACTS}
        return self.source

    def define(self, writer, function):
        self.unit = function.unit
        recursive = "rec " if any(isinstance(statement, Again) for statement in function.body) else ""
        writer.add(f"let[@inline never] {recursive}{function.name} n =")
        writer.add(f'  fact_enter "{self.name(function)}" "{writer.path}";\n  let x = ref n in')
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "  ")
        writer.add("  fact_leave ();")
        writer.add("  raise (Stop !x)" if function.kind == "never" else "  !x")

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for _ = 1 to {statement.count} do")
            self.statements(writer, where, function, statement.body, indent + "  ")
            writer.add(f"{indent}done;")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}begin match fact_tick () mod {len(statement.arms)} with")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}| {number if number + 1 < len(statement.arms) else '_'} ->")
                self.statements(writer, where, function, arm, indent + "  ")
                writer.add(f"{indent}  ()")
            writer.add(f"{indent}end;")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if fact_tick () mod {self.random.choice([2, 3, 5])} = 1 then begin")
            self.statements(writer, where, function, statement.body, indent + "  ")
            writer.add(f"{indent}end;")
        elif isinstance(statement, Again):
            writer.add(f"{indent}if !deep < 2 then begin\n{indent}  incr deep;")
            self.simple(writer, where, indent + "  ", function, f"x := !x lxor {function.name} !x")
            writer.add(f"{indent}  decr deep;\n{indent}end;")
        else:
            callee = self.program.functions[statement.callee]
            if self.reachable(function.unit, callee):
                self.call(writer, where, callee, statement.form, indent)
            else:
                self.probe(writer, where, indent)

    def after(self):
        return f"fact_after {self.seal()};"

    def probe(self, writer, where, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}fact_line {writer.number}; probe_{which} (); {self.after()}")

    def simple(self, writer, where, indent, callee, text):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}fact_line {writer.number}; {text}; {self.after()}")

    def expression(self, unit, callee):
        return f"x := !x lxor {callee.name if callee.unit == unit else self.name(callee)} !x"

    def call(self, writer, where, callee, form, indent):
        text = self.expression(self.unit, callee)
        self.seals += 1
        own = f"local_{self.seals}"
        if callee.kind == "never" or form == "caught":
            writer.add(f"{indent}let top = fact_top () in\n{indent}begin try")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}with Stop n ->\n{indent}  fact_return top; x := n;")
            self.probe(writer, where, indent + "  ")
            writer.add(f"{indent}end;")
        elif form == "pointer":
            writer.add(f"{indent}let pointer = Sys.opaque_identity {callee.name if callee.unit == self.unit else self.name(callee)} in")
            self.simple(writer, where, indent, callee, "x := !x lxor pointer !x")
        elif form == "twin":
            writer.add(f"{indent}if fact_tick () land 1 = 1 then begin")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}end else begin")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}end;")
        elif form in ("local", "closure", "iterated") and not where[0].endswith("fun"):
            inner = f"{where[0].split('.')[0]}.{own if form == 'local' else 'fun'}"
            writer.add(f"{indent}let[@inline never][@local never] {own} n =" if form == "local" else f"{indent}let {own} = Sys.opaque_identity (fun n ->")
            writer.add(f'{indent}  fact_enter "{inner}" "{writer.path}";\n{indent}  let x = ref (n + !x) in')
            self.simple(writer, (inner, writer), indent + "  ", callee, text)
            self.probe(writer, (inner, writer), indent + "  ")
            writer.add(f"{indent}  fact_leave ();\n{indent}  !x{'' if form == 'local' else ')'} in")
            self.note(where, inner, writer.number)
            call = f"List.iter (fun value -> x := value) (List.map {own} [1; 2])" if form == "iterated" else f"x := !x lxor {own} !x"
            writer.add(f"{indent}fact_line {writer.number}; {call}; {self.after()}")
        else:
            self.simple(writer, where, indent, callee, text)


def program(random, size=30):
    return OCaml(random).render(make(random, OCAML, "program", size))
