"""Programs at random, before they have a language: functions, and what each does. A renderer for each language writes their text.

For example, [Loop(3, [Call(4)]), Probe()] is a function that calls function 4 in a loop and then prints where it is.
Functions call only functions that are made before them, so that a program ends; `cost` is the number of probes that one call of a function reaches.
"""
from dataclasses import dataclass, field


@dataclass
class Call:
    """A call of another function. `form` is one of the renderer's ways to write it; "twin" makes two of it, which a compiler may merge."""
    callee: int
    form: str = "plain"


@dataclass
class Probe:
    """Prints the stack."""
    form: str = "plain"


@dataclass
class Loop:
    count: int
    body: list


@dataclass
class Switch:
    """Arms, of which one runs each time."""
    arms: list


@dataclass
class Rarely:
    """A branch that the compiler holds to be unlikely, and which runs at times."""
    body: list


@dataclass
class Again:
    """The function calls itself, a few levels deep."""


@dataclass
class Function:
    number: int
    name: str
    # The file it is in: 0 is the one that others include, and that of shared code.
    unit: int
    kind: str
    body: list = field(default_factory=list)
    cost: int = 0


@dataclass
class Program:
    name: str
    functions: list
    units: int
    # Functions that main calls.
    roots: list


class Shape:
    """What the functions of a language may be."""

    def __init__(self, kinds, forms, shared=(), units=3, repeated=True, names=None):
        # The kinds that are in a file that the others include.
        self.shared = shared
        # Whether functions of different files may have the same name.
        self.kinds, self.forms, self.units, self.repeated, self.names = kinds, forms, units, repeated, names or names_of_functions


WORDS = "sort merge parse read pack scan hash find push pop trim join split walk fold map count draw copy move".split()


def names_of_functions(random, number, kind):
    return f"{random.choice(WORDS)}_{number}"


# A call of a function may reach no more probes than this, and main no more than ten times as many.
MOST = 300

# Kinds that only their own file can call. A name of those may be in each file.
OWN = {"static", "section", "never", "anonymous"}


def make(random, shape, name, size=30):
    """A program of `size` functions."""
    functions, called = [], set()
    for number in range(size):
        kind = random.choice(shape.kinds)
        unit = 0 if kind in shape.shared else random.randrange(1, shape.units + 1)
        name_of_it = shape.names(random, number, kind)
        if kind in OWN and shape.repeated:
            # Each file has a helper_0.
            name_of_it = f"helper_{sum(other.unit == unit and other.kind in OWN for other in functions)}"
        function = Function(number, name_of_it, unit, kind)
        near = [other for other in functions if other.unit == 0 or unit != 0 and (other.unit == unit or other.kind not in OWN)]
        # Few have many callers, so that stacks are deep.
        near = [other for other in near if other.kind != "never" or other.number not in called]
        cost = body_of(random, shape, function, near, called)
        if random.random() < 0.12 and kind not in ("never", "inline"):
            function.body.append(Again())
            cost *= 3
        function.cost = cost
        functions.append(function)
    # A file's own ones are called by a function of that file.
    for unit in range(1, shape.units + 1):
        own = [function for function in functions if function.unit == unit and function.kind in OWN and function.kind != "never" and function.number not in called]
        called |= {function.number for function in own}
        functions.append(Function(len(functions), f"rest_{unit}", unit, "plain", [Probe()] + [Call(function.number) for function in own], sum(function.cost for function in own) + 1))
    roots = [function.number for function in functions if function.number not in called and function.kind != "never"]
    return Program(name, functions, shape.units, roots)


def body_of(random, shape, function, near, called):
    budget, steps = MOST, random.randint(1, 5)
    spent = 0

    def call(times):
        choices = [other for other in near if other.cost * times <= (budget - spent) and (other.kind != "never" or other.number not in called)]
        fresh = [other for other in choices if other.number not in called]
        choices = fresh if fresh and random.random() < 0.7 else choices
        if not choices or random.random() < 0.25:
            return Probe(random.choice(["plain", "macro"])), times
        # The newest have the deepest stacks below them.
        other = choices[-1 - min(int(random.expovariate(0.25)), len(choices) - 1)]
        called.add(other.number)
        if other.kind == "never":
            return Rarely([Call(other.number, "never")]), other.cost * times
        form = random.choice(shape.forms)
        return Call(other.number, form), other.cost * times

    def block(depth, times):
        nonlocal spent
        what = random.random()
        if depth < 2 and what < 0.12:
            count = random.randint(2, 4)
            return Loop(count, [block(depth + 1, times * count) for _ in range(random.randint(1, 2))])
        if depth < 2 and what < 0.22:
            return Switch([[block(depth + 1, times)] for _ in range(random.randint(2, 5))])
        if depth < 2 and what < 0.30:
            return Rarely([block(depth + 1, times)])
        statement, cost = call(times)
        spent += cost
        return statement

    function.body = [block(0, 1) for _ in range(steps)]
    if spent == 0:
        function.body.append(Probe())
        spent = 1
    return spent


class Writer:
    """The text of a source file, and the number of its next line."""

    def __init__(self, path):
        self.path, self.lines, self.shift, self.named = path, [], 0, path

    @property
    def number(self):
        """The number that the next line has, for its compiler."""
        return len(self.lines) + 1 + self.shift

    def add(self, text=""):
        for line in text.split("\n"):
            self.lines.append(line)

    def directive(self, path, number):
        """From here on, lines count from `number` in `path`."""
        self.add(f'#line {number} "{path}"')
        self.shift, self.named = number - 1 - len(self.lines), path

    def text(self):
        return "\n".join(self.lines) + "\n"


@dataclass
class Source:
    """What a renderer makes: files, and which lines of each function call what."""
    files: dict
    # (function, file) → callee → lines. A probe is the callee "probe".
    calls: dict

    def note(self, function, file, callee, line):
        self.calls.setdefault((function, file), {}).setdefault(callee, set()).add(line)


class Renderer:
    """Writes a program in one language. `where` is the function that a statement is in, and the writer of its file."""

    def __init__(self, random):
        self.random, self.source, self.seals = random, Source({}, {}), 0

    def note(self, where, callee, line):
        self.source.note(where[0], where[1].named, callee, line)

    def seal(self):
        """A number that no other call has, for the statement after it: no two calls are alike then."""
        self.seals += 1
        return self.seals

    def any_probe(self):
        """The number of one of the probes."""
        return f"{self.random.randint(1, 8)}{self.random.randint(0, 7)}"

    def statements(self, writer, where, function, body, indent):
        for statement in body:
            self.statement(writer, where, function, statement, indent)
