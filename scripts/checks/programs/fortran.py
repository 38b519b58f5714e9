"""Programs in Fortran. What they print of themselves their generator wrote."""
from .model import Again, Call, Loop, Probe, Rarely, Renderer, Shape, Switch, Writer, make

FORTRAN = Shape(
    ["plain", "plain", "static", "static", "shared", "shared", "method", "subroutine"],
    ["plain"] * 5 + ["pointer", "twin", "nested", "nested", "block"], {"shared", "method"},
    repeated=False)

FACTS = """module facts
  use iso_c_binding
  implicit none
  integer(c_int), bind(c, name="deep") :: deep
  interface
    subroutine fact_base(no_frame) bind(c)
      import
      integer(c_int), value :: no_frame
    end subroutine
    subroutine fact_enter(name, file) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*), file(*)
    end subroutine
    subroutine fact_line(line) bind(c)
      import
      integer(c_int), value :: line
    end subroutine
    subroutine fact_leave() bind(c)
    end subroutine
    integer(c_int) function fact_tick() bind(c)
      import
    end function
    subroutine fact_after(number) bind(c)
      import
      integer(c_int), value :: number
    end subroutine
PROBESend interface
  abstract interface
    recursive integer function step(n) result(x)
      integer, value :: n
    end function
  end interface
end module
""".replace("PROBES", "".join(f"    subroutine probe_{tens}{ones}() bind(c)\n    end subroutine\n" for tens in range(1, 9) for ones in range(8)) + "  ")


class Fortran(Renderer):
    def module(self, function):
        return f"unit{function.unit}" if function.unit else "shared"

    def name(self, function):
        return f"{self.module(function)}::{function.name}"

    def reachable(self, unit, callee):
        return callee.unit == 0 or callee.unit == unit or unit > callee.unit

    def render(self, program):
        self.program = program
        self.source.order = ["facts.f90", "shared.f90", "source/unit1.f90", "source/unit2.f90", "source/unit3.f90", "main.f90"]
        writers = [Writer(path) for path in self.source.order[1:]]
        for unit, writer in enumerate(writers[:-1]):
            writer.add(f"module {'shared' if unit == 0 else f'unit{unit}'}\n  use facts")
            for other in ["shared", "unit1", "unit2"][:unit]:
                writer.add(f"  use {other}")
            writer.add("  implicit none")
            own = [function for function in program.functions if function.unit == unit]
            for function in own:
                if function.kind == "static":
                    writer.add(f"  private :: {function.name}")
                if function.kind == "method":
                    writer.add(f"  type :: box{function.number}\n    integer :: n = 1\n  contains\n    procedure :: go => {function.name}\n  end type")
            writer.add("contains")
            for function in own:
                for _ in range(self.random.randint(0, 2)):
                    writer.add("")
                self.define(writer, function)
            writer.add("end module")
        writer = writers[-1]
        roots = [program.functions[root] for root in program.roots]
        writer.add("program start\n  use facts\n  use shared\n  use unit1\n  use unit2\n  use unit3\n  implicit none\n  integer :: x, y, round")
        for root in roots:
            self.declare(writer, root, "  ")
        writer.add('  call fact_base(1)\n  call fact_enter("start" // c_null_char, "main.f90" // c_null_char)\n  x = 1\n  do round = 1, 4')
        for root in roots:
            self.simple(writer, ("start", writer), "    ", root, self.expression(root))
        writer.add("  end do\n  call fact_leave()\nend program")
        self.source.files = {writer.path: writer.text() for writer in writers} | {"facts.f90": FACTS}
        return self.source

    def declare(self, writer, callee, indent):
        if callee.kind == "method":
            writer.add(f"{indent}type(box{callee.number}) :: object{callee.number}")

    def callees(self, body):
        for statement in body:
            if isinstance(statement, Call):
                yield self.program.functions[statement.callee]
            for inner in getattr(statement, "arms", [getattr(statement, "body", [])]):
                yield from self.callees(inner)

    def define(self, writer, function):
        kind, name = function.kind, function.name
        first = "self, n" if kind == "method" else "n"
        if kind == "subroutine":
            writer.add(f"  recursive subroutine {name}(n, x)")
        else:
            writer.add(f"  recursive integer function {name}({first}) result(x)")
        if kind == "method":
            writer.add(f"    class(box{function.number}), intent(in) :: self")
        writer.add("    integer, value :: n")
        # With intent(out) gfortran's line tables have another line for the call, as gdb says as well.
        writer.add("    integer, intent(inout) :: x" if kind == "subroutine" else "")
        writer.add("    integer :: i, j, y")
        self.variables(writer, {callee.number: callee for callee in self.callees(function.body) if self.reachable(function.unit, callee)}.values(), "    ")
        writer.add(f'    call fact_enter("{self.name(function)}" // c_null_char, "{writer.path}" // c_null_char)')
        writer.add("    x = n\n    y = 0\n    i = 0\n    j = 0")
        self.nested = []
        where = (self.name(function), writer)
        for statement in function.body:
            self.statement(writer, where, function, statement, "    ")
        writer.add("    call fact_leave()")
        if self.nested:
            writer.add("  contains")
            for inner, callee in self.nested:
                writer.add(f"    integer function {inner}(m)\n      integer, value :: m\n      integer :: x, y")
                self.variables(writer, [callee], "      ")
                writer.add(f'      call fact_enter("{inner}" // c_null_char, "{writer.path}" // c_null_char)\n      x = m\n      y = n')
                self.simple(writer, (inner, writer), "      ", callee, self.expression(callee))
                self.probe(writer, (inner, writer), "      ")
                writer.add(f"      call fact_leave()\n      {inner} = ieor(x, y)\n    end function")
        writer.add(f"  end {'subroutine' if kind == 'subroutine' else 'function'}")

    def variables(self, writer, callees, indent):
        for callee in callees:
            self.declare(writer, callee, indent)
            if callee.kind not in ("method", "subroutine"):
                writer.add(f"{indent}procedure(step), pointer :: pointer{callee.number}")

    def statement(self, writer, where, function, statement, indent):
        if isinstance(statement, Probe):
            self.probe(writer, where, indent)
        elif isinstance(statement, Loop):
            variable = "i" if len(indent) == 4 else "j"
            writer.add(f"{indent}do {variable} = 1, {statement.count}")
            self.statements(writer, where, function, statement.body, indent + "  ")
            writer.add(f"{indent}end do")
        elif isinstance(statement, Switch):
            writer.add(f"{indent}select case (mod(fact_tick(), {len(statement.arms)}))")
            for number, arm in enumerate(statement.arms):
                writer.add(f"{indent}case ({number})")
                self.statements(writer, where, function, arm, indent + "  ")
            writer.add(f"{indent}end select")
        elif isinstance(statement, Rarely):
            writer.add(f"{indent}if (mod(fact_tick(), {self.random.choice([2, 3, 5])}) == 1) then")
            self.statements(writer, where, function, statement.body, indent + "  ")
            writer.add(f"{indent}end if")
        elif isinstance(statement, Again):
            if function.kind != "method":
                writer.add(f"{indent}if (deep < 2) then\n{indent}  deep = deep + 1")
                self.simple(writer, where, indent + "  ", function, self.expression(function))
                writer.add(f"{indent}  deep = deep - 1\n{indent}end if")
        else:
            callee = self.program.functions[statement.callee]
            if self.reachable(function.unit, callee):
                self.call(writer, where, callee, statement.form, indent)
            else:
                self.probe(writer, where, indent)

    def after(self):
        return f"call fact_after({self.seal()})"

    def probe(self, writer, where, indent):
        which = self.any_probe()
        self.note(where, "probe", writer.number)
        writer.add(f"{indent}call fact_line({writer.number}); call probe_{which}(); {self.after()}")

    def simple(self, writer, where, indent, callee, text, seal=True):
        self.note(where, self.name(callee), writer.number)
        writer.add(f"{indent}call fact_line({writer.number}); {text}" + (f"; {self.after()}" if seal else ""))

    def expression(self, callee):
        if callee.kind == "method":
            return f"x = ieor(x, object{callee.number}%go(x))"
        if callee.kind == "subroutine":
            return f"call {callee.name}(x, y)"
        return f"x = ieor(x, {callee.name}(x))"

    def call(self, writer, where, callee, form, indent):
        text = self.expression(callee)
        simple = callee.kind not in ("method", "subroutine")
        if form == "pointer" and simple:
            writer.add(f"{indent}pointer{callee.number} => {callee.name}")
            self.simple(writer, where, indent, callee, f"x = ieor(x, pointer{callee.number}(x))")
        elif form == "twin":
            writer.add(f"{indent}if (mod(fact_tick(), 2) == 1) then")
            self.simple(writer, where, indent + "  ", callee, text, seal=False)
            writer.add(f"{indent}else")
            self.simple(writer, where, indent + "  ", callee, text, seal=False)
            writer.add(f"{indent}end if")
        elif form == "nested":
            inner = f"nested_{self.seals}"
            self.nested.append((inner, callee))
            self.note(where, inner, writer.number)
            writer.add(f"{indent}call fact_line({writer.number}); x = ieor(x, {inner}(x)); {self.after()}")
        elif form == "block":
            writer.add(f"{indent}block\n{indent}  integer :: inside\n{indent}  inside = x")
            self.simple(writer, where, indent + "  ", callee, text)
            writer.add(f"{indent}  x = ieor(x, inside)\n{indent}end block")
        else:
            self.simple(writer, where, indent, callee, text)


def program(random, size=30):
    return Fortran(random).render(make(random, FORTRAN, "program", size))
