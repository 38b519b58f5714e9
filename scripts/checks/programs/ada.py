"""Programs in Ada. A function tells its name and its line itself (GNAT.Source_Info), and the name of its file without folders."""
from .model import Again, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

SHARED = {"inline", "shared", "generic", "method", "operator", "controlled", "protected"}
ADA = Shape(
    ["plain", "plain", "overloaded", "overloaded", "static", "static", "inline", "inline", "shared", "generic", "method", "operator", "controlled", "protected", "never"],
    ["plain"] * 5 + ["pointer", "twin", "nested", "nested", "block", "block-nested", "dispatching"], SHARED,
    names=lambda random, number, kind: random.choice(["Sort", "Merge", "Parse"]) if kind == "overloaded" else random.choice(["Sort", "Merge_All", "Scan2", "Fold"]) + f"_{number}")
PACKAGES = ["App", "Unit1", "App.Inner", "Unit3"]
FOLDERS = ["", "source/", "", "source/"]
OPERATORS = ["+", "-", "*", "/", "&", "and", "or", "xor", "mod", "rem", "<", ">", "**"]

FACTS = """with System; use System;
package Facts is
   type Fact is record
      Name : Address;
      File : Address;
      Line : Integer;
      Up : Address;
   end record with Convention => C;
   Last : Address with Import, Convention => C, External_Name => "facts";
   Deep : Integer with Import, Convention => C, External_Name => "deep";
   type Step is access function (N : Integer) return Integer;
   Stop : exception;
   function Text (Value : String) return Address;
   function Inside (Outer : Address; Name : String) return Address;
   procedure Base (No_Frame : Integer) with Import, Convention => C, External_Name => "fact_base";
   function Tick return Integer with Import, Convention => C, External_Name => "fact_tick";
   procedure After (Number : Integer) with Import, Convention => C, External_Name => "fact_after";
   function "xor" (Left, Right : Integer) return Integer is (if Left = Right then 1 else Left - Right);
PROBESend Facts;
""".replace("PROBES", "".join(f'   procedure Probe_{tens}{ones} with Import, Convention => C, External_Name => "probe_{tens}{ones}";\n' for tens in range(1, 9) for ones in range(8)))
BODY = """package body Facts is
   function Kept (Value : Address; Length : Integer) return Address with Import, Convention => C, External_Name => "fact_text";
   function Text (Value : String) return Address is (Kept (Value'Address, Value'Length));
   function Joined (Outer, Value : Address; Length : Integer) return Address with Import, Convention => C, External_Name => "fact_inside";
   function Inside (Outer : Address; Name : String) return Address is (Joined (Outer, Name'Address, Name'Length));
end Facts;
"""
HEAD = "with Facts; use Facts;\nwith System;\nwith GNAT.Source_Info; use GNAT.Source_Info;"


class Ada(Renderer):
    def name(self, function):
        """The name of a function, in small letters; operators are in quotation marks."""
        guard = f"Guard_{function.number}." if function.kind == "protected" else ""
        return f"{PACKAGES[function.unit]}.{guard}{self.own(function)}".lower()

    def own(self, function):
        if function.kind == "controlled":
            return "Finalize"
        return f'"{OPERATORS[function.number % len(OPERATORS)]}"' if function.kind == "operator" else function.name

    def head(self, function):
        number = function.number
        if function.kind == "operator":
            return f"function {self.own(function)} (Left : Box_{number}; N : Integer) return Integer"
        if function.kind == "controlled":
            return f"overriding procedure Finalize (Self : in out Box_{number})"
        first = {"method": f"Self : Box_{number}; ", "overloaded": f"Of_It : Kind_{number}; "}.get(function.kind, "")
        return f"{'procedure' if function.kind == 'never' else 'function'} {function.name} ({first}N : {'Item' if function.kind == 'generic' else 'Integer'}){'' if function.kind == 'never' else ' return Integer'}"

    def render(self, program):
        self.program, self.source.files = program, {"facts.ads": FACTS, "facts.adb": BODY}
        for unit, package in enumerate(PACKAGES):
            own = [function for function in program.functions if function.unit == unit]
            path = FOLDERS[unit] + package.lower().replace(".", "-")
            specification, writer = Writer(f"{path}.ads"), Writer(f"{path}.adb")
            specification.add(f"with Ada.Finalization;\npackage {package} is")
            writer.add(HEAD)
            for other in PACKAGES:
                if other != package:
                    writer.add(f"with {other};")
            writer.add(f"package body {package} is")
            for function in own:
                target = writer if function.kind in ("static", "never") else specification
                self.declare(target, function)
            specification.add(f"end {package};")
            for function in own:
                for _ in range(self.random.randint(0, 3)):
                    writer.add("")
                self.define(writer, function)
            writer.add(f"end {package};")
            self.source.files |= {one.path: one.text() for one in (specification, writer)}
        self.main()
        return self.source

    def declare(self, writer, function):
        number, kind = function.number, function.kind
        if kind == "operator":
            writer.add(f"   type Box_{number} is record Value : Integer := 2; end record;")
        elif kind == "method":
            writer.add(f"   type Box_{number} is tagged record Value : Integer := 2; end record;")
        elif kind == "overloaded":
            writer.add(f"   type Kind_{number} is new Integer;")
        elif kind == "controlled":
            writer.add(f"   type Box_{number} is new Ada.Finalization.Controlled with record Value : Integer := 2; end record;")
        elif kind == "protected":
            writer.add(f"   protected Guard_{number} is\n   {self.head(function)};\n   private\n      Value : Integer := 2;\n   end Guard_{number};")
            return
        elif kind == "generic":
            writer.add("   generic\n      type Item is (<>);")
        writer.add(f"   {self.head(function)};")
        if kind == "inline" and not self.nests(function.body):
            writer.add(f"   pragma Inline_Always ({function.name});")
        elif kind in ("shared", "static") and number % 2:
            writer.add(f"   pragma Inline ({function.name});")
        elif kind == "never":
            writer.add(f"   pragma No_Return ({function.name});")

    def fact(self, writer, indent, told="Enclosing_Entity", name=None):
        """The variable of a function that has its facts. A name that the language does not tell whole is that of the function outside, and its own."""
        file = f'"{writer.path}"' if "/" in writer.path else "File"
        told = f"Text ({told})" if told else f'Inside (Outer, "{name}")'
        writer.add(f"{indent}Here : aliased Fact := ({told}, Text ({file}), 0, Last);")
        if not name:
            writer.add(f"{indent}Outer : constant System.Address := Here.Name;")

    def define(self, writer, function):
        where, self.kind = (self.name(function), writer), function.kind
        if function.kind == "protected":
            writer.add(f"   protected body Guard_{function.number} is")
        writer.add(f"   {self.head(function)} is")
        # In a protected body, the language tells the name alone.
        self.fact(writer, "      ", f'"{where[0]}"' if function.kind == "protected" else "Enclosing_Entity")
        value = {"generic": "Item'Pos (N)", "controlled": "Self.Value", "protected": "N + Value"}.get(function.kind, "N")
        writer.add(f"      X : Integer := {value};")
        lines, writer.lines = writer.lines, []
        # Functions inside of this one are declared before its statements.
        start, self.nested = len(lines), Writer(writer.path)
        self.nested.shift = start
        self.callees(writer, where, function, function.body)
        self.nested.add(f"   begin\n      Last := Here'Address;")
        writer.shift, writer.lines = start + len(self.nested.lines), []
        for statement in function.body:
            self.statement(writer, where, function, statement, "      ")
        writer.lines, writer.shift = lines + self.nested.lines + writer.lines, 0
        writer.add("      Last := Here.Up;")
        writer.add({"never": "      raise Stop;", "controlled": "      Self.Value := X;"}.get(function.kind, "      return X;"))
        writer.add(f"   end {self.own(function)};")
        if function.kind == "protected":
            writer.add(f"   end Guard_{function.number};")

    def nests(self, body):
        """Whether functions are inside of this one, with which GNAT inlines none."""
        return any(getattr(statement, "form", "") in ("nested", "block-nested") or hasattr(statement, "callee") and self.program.functions[statement.callee].kind == "generic" or any(self.nests(inner) for inner in getattr(statement, "arms", [getattr(statement, "body", [])])) for statement in body)

    def callees(self, writer, where, function, body):
        """Declares what the calls of a body need."""
        for statement in body:
            if hasattr(statement, "callee"):
                callee = self.program.functions[statement.callee]
                if self.kind == "protected" and callee.kind == "generic":
                    # Of the name of an instance in a protected body, the language tells a part.
                    statement.callee = None
                    continue
                self.seals += 1
                statement.number = self.seals
                if callee.kind == "generic":
                    self.nested.add(f"      function Made_{statement.number} is new {self.path(callee)} ({'Integer' if callee.number % 2 else 'Long_Integer'});")
                elif callee.kind in ("method", "operator"):
                    self.nested.add(f"      Object_{statement.number} : {PACKAGES[callee.unit]}.Box_{callee.number};")
                if statement.form == "nested" and callee.kind != "never":
                    self.inside(self.nested, where, callee, statement, "      ")
            for inner in getattr(statement, "arms", [getattr(statement, "body", [])]):
                self.callees(writer, where, function, inner)

    def inside(self, writer, where, callee, statement, indent):
        """A function inside of another, which calls."""
        name = f"Inner_{statement.number}"
        inner = (f"{where[0]}.{name.lower()}", writer)
        writer.add(f"{indent}function {name} (M : Integer) return Integer is")
        # In a block, a protected body and an instance of a generic function, the language does not tell all of the name.
        self.fact(writer, indent + "   ", None if statement.form == "block-nested" or self.kind in ("generic", "protected") else "Enclosing_Entity", name)
        writer.add(f"{indent}   X : Integer := M + Here.Line;\n{indent}begin\n{indent}   Last := Here'Address;")
        self.simple(writer, inner, indent + "   ", callee, self.expression(callee, statement))
        self.probe(writer, inner, indent + "   ")
        writer.add(f"{indent}   Last := Here.Up;\n{indent}   return X;\n{indent}end {name};")

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe) or getattr(statement, "callee", 0) is None:
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            writer.add(f"{indent}for Round in 1 .. {statement.count} loop")
            self.statements(writer, where, function, statement.body, indent + "   ")
            writer.add(f"{indent}end loop;")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}case Tick mod {len(statement.arms)} is")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}   when {number if number + 1 < len(statement.arms) else 'others'} =>")
                self.statements(writer, where, function, arm, indent + "      ")
            writer.add(f"{indent}end case;")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if Tick mod {self.random.choice([2, 3, 5])} = 1 then")
            self.statements(writer, where, function, statement.body, indent + "   ")
            writer.add(f"{indent}end if;")
        elif isinstance(statement, Again):
            if function.kind not in ("generic", "method", "operator", "overloaded", "controlled", "protected"):
                writer.add(f"{indent}if Deep < 2 then\n{indent}   Deep := Deep + 1;")
                self.simple(writer, where, indent + "   ", function, f"X := X xor {function.name} (X)")
                writer.add(f"{indent}   Deep := Deep - 1;\n{indent}end if;")
        else:
            self.call(writer, where, self.program.functions[statement.callee], statement, indent)

    def after(self):
        return f"After ({self.seal()});"

    def probe(self, writer, where, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}Here.Line := Line; Probe_{which}; {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}Here.Line := Line; {text};" + (f" {self.after()}" if seal else ""))

    def path(self, callee):
        return f"{PACKAGES[callee.unit]}.{self.own(callee)}"

    def expression(self, callee, statement):
        path = self.path(callee)
        if callee.kind == "method":
            return f"X := X xor {path} (Object_{statement.number}, X)"
        if callee.kind == "operator":
            return f"X := X xor {path} (Object_{statement.number}, X)"
        if callee.kind == "controlled":
            return f"declare Object : {PACKAGES[callee.unit]}.Box_{callee.number}; begin Object.Value := X; end"
        if callee.kind == "protected":
            return f"X := X xor {PACKAGES[callee.unit]}.Guard_{callee.number}.{callee.name} (X)"
        if callee.kind == "overloaded":
            return f"X := X xor {path} ({PACKAGES[callee.unit]}.Kind_{callee.number} (3), X)"
        if callee.kind == "generic":
            return f"X := X xor Made_{statement.number} ({'X' if callee.number % 2 else 'Long_Integer (X)'})"
        return f"{path} (X)" if callee.kind == "never" else f"X := X xor {path} (X)"

    def call(self, writer, where, callee, statement, indent):
        form, text, number = statement.form, self.expression(callee, statement), statement.number
        if callee.kind == "never":
            writer.add(f"{indent}begin")
            self.simple(writer, where, indent + "   ", callee, text, seal=False)
            writer.add(f"{indent}exception\n{indent}   when Stop =>\n{indent}      Last := Here'Address;\n{indent}      X := X + 1;")
            self.probe(writer, where, indent + "      ")
            writer.add(f"{indent}end;")
        elif form == "pointer" and callee.kind in ("plain", "static", "shared"):
            writer.add(f"{indent}declare\n{indent}   Pointer : constant Step := (if Tick >= 0 then {self.path(callee)}'Access else null);\n{indent}begin")
            self.simple(writer, where, indent + "   ", callee, "X := X xor Pointer (X)")
            writer.add(f"{indent}end;")
        elif form == "dispatching" and callee.kind == "method":
            writer.add(f"{indent}declare\n{indent}   Any : {PACKAGES[callee.unit]}.Box_{callee.number}'Class := Object_{number};\n{indent}begin")
            self.simple(writer, where, indent + "   ", callee, f"X := X xor {PACKAGES[callee.unit]}.{callee.name} (Any, X)")
            writer.add(f"{indent}end;")
        elif form == "twin":
            # An instance of a generic function has another name, of which and by which no calls are noted.
            seal = "generic" in (callee.kind, self.kind)
            writer.add(f"{indent}if Tick mod 2 = 1 then")
            self.simple(writer, where, indent + "   ", callee, text, seal=seal)
            writer.add(f"{indent}else")
            self.simple(writer, where, indent + "   ", callee, text, seal=seal)
            writer.add(f"{indent}end if;")
        elif form == "block":
            writer.add(f"{indent}declare\n{indent}   Before : constant Integer := X;\n{indent}begin")
            self.simple(writer, where, indent + "   ", callee, text)
            writer.add(f"{indent}   X := X + Before;\n{indent}end;")
        elif form in ("nested", "block-nested"):
            if form == "block-nested":
                writer.add(f"{indent}declare")
                self.inside(writer, where, callee, statement, indent + "   ")
                writer.add(f"{indent}begin")
            self.note(where, f"{where[0]}.inner_{number}", writer.number)
            writer.add(f"{indent}Here.Line := Line; X := X xor Inner_{number} (X); {self.after()}")
            if form == "block-nested":
                writer.add(f"{indent}end;")
        else:
            self.simple(writer, where, indent, callee, text)

    def main(self):
        writer = Writer("start.adb")
        where, self.kind = ("start", writer), "main"
        writer.add(HEAD)
        for package in PACKAGES:
            writer.add(f"with {package};")
        writer.add("procedure Start is")
        self.fact(writer, "   ")
        writer.add("   X : Integer := 1;")
        self.nested = writer
        roots = [Root(root) for root in self.program.roots]
        self.callees(writer, where, None, roots)
        writer.add("begin\n   Base (0);\n   Last := Here'Address;\n   for Round in 1 .. 4 loop")
        for root in roots:
            callee = self.program.functions[root.callee]
            self.simple(writer, where, "      ", callee, self.expression(callee, root))
        writer.add("   end loop;")
        for root in roots[:2]:
            callee, name = self.program.functions[root.callee], f"Work_{root.number}"
            inner = (f"start.{name.lower()}", writer)
            writer.add(f"   declare\n      task {name};\n      task body {name} is")
            self.fact(writer, "         ", None, name)
            writer.add("         X : Integer := 1;\n      begin\n         Base (0);\n         Here.Up := System.Null_Address;\n         Last := Here'Address;")
            self.simple(writer, inner, "         ", callee, self.expression(callee, root))
            self.probe(writer, inner, "         ")
            writer.add(f"      end {name};\n   begin\n      null;\n   end;")
        writer.add("   Last := Here.Up;\nend Start;")
        self.source.files[writer.path] = writer.text()


class Root:
    """A call of the main program."""
    form = "plain"

    def __init__(self, callee):
        self.callee = callee


def program(random, size=30):
    return Ada(random).render(make(random, ADA, "program", size))
