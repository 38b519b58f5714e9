"""Brings C++ names as LLVM's and as gcc's demangler spell them into one form, to tell whether they say the same. As a program it reads pairs with a tab
between, LLVM's spelling first, and answers each with `same` or `different`.

What is only spelling:

    spaces                 `> >` and `>>`, `operator<< <T>`
    a clone's suffix       `f() [clone .cold]` and `f() (.cold)`
    a lambda               `{lambda(int)#1}` and `'lambda'(int)`; its generic parameters, `auto:1`
    an enclosing function  LLVM prints its result, gcc's does not: `void f<int>(int)::x` and `f<int>(int)::x`
    standard types         `std::ostream` and `std::basic_ostream<char, std::char_traits<char> >`; `std::nullptr_t` and `decltype(nullptr)`
    a function's address   as a template's argument LLVM shows its parameters, gcc's does not where the function is no template: `X<&f(int)>` and `X<&f>`
    expressions            parentheses around an operand that needs none, `&f(int)` and `&(f(int))`; parameters, `fp0` and `{parm#2}`
"""

import re
import sys

OPENING, CLOSING = "([{<", ")]}>"
ABBREVIATED = {
    "std::basic_string<char,std::char_traits<char>,std::allocator<char>>": "std::string",
    "std::basic_istream<char,std::char_traits<char>>": "std::istream",
    "std::basic_ostream<char,std::char_traits<char>>": "std::ostream",
    "std::basic_iostream<char,std::char_traits<char>>": "std::iostream",
}


def same(one: str, other: str) -> bool:
    first, second = plain(one), plain(other)
    addresses = re.sub(r"&([A-Za-z_][\w:]*)\([^()]*\)(?=[,>])", r"&\1", first)
    return first == second or re.sub("[()]", "", second) in (re.sub("[()]", "", form) for form in (first, addresses))


def same_but_auto(one: str, other: str) -> bool:
    """Whether `other` has types where `one` has `auto`."""
    first, second = (re.sub("[()]", "", plain(name)) for name in (one, other))
    pattern = re.sub(r",?auto(?:const)?(?:\\?[&*.])*", ".*?", re.escape(first))
    return "auto" in first and re.fullmatch(pattern, second) is not None


def plain(name: str) -> str:
    """The form in which both spellings of a name agree."""
    text = hide_operators(name)
    text = re.sub(r"( \[clone [^\]]*\])+$| \(\.[^)]*\)$", "", text)
    text = re.sub(r"decltype ?\(nullptr\)", "std::nullptr_t", text)
    text = re.sub(r"\{parm#(\d+)\}", lambda match: "fp" + (str(int(match[1]) - 2) if match[1] != "1" else ""), text)
    text = re.sub(r"\{unnamed type#\d+\}|'unnamed\d*'", "'unnamed'", text)
    text = re.sub(r"'(lambda|block-literal)\d*'", r"'\1'", text)
    changes = 1
    while changes:  # inner ones first
        text, changes = re.subn(r"\{lambda(\([^{}]*\))#\d+\}", r"'lambda'\1", text)
    text = re.sub(r"auto:\d+", "auto", text)
    text = re.sub(r"\((auto(?: const)?[&*]*)\)\.\.\.", r"\1...", text)
    text = without_results(text)
    for long, short in ABBREVIATED.items():
        text = text.replace(long, short)
    return text


def hide_operators(name: str) -> str:
    """Operators' names with letters of their own in place of brackets and arrows."""
    def hidden(match: re.Match[str]) -> str:
        return "operator" + "".join(chr(0xE000 + ord(letter)) for letter in match[1])
    name = re.sub(r"operator(<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>|\(\)|\[\])(?=[^=>]|$)", hidden, name)
    name = re.sub("(operator[\ue000-\uf8ff]+) <", r"\1<", name)
    return name.replace("->", chr(0xE000 + ord("-")) + chr(0xE000 + ord(">")))


def without_results(text: str) -> str:
    """Each member of each list without spaces and without the results of enclosing functions."""
    members = []
    for member in split(text):
        member = without_result(member.strip(" "))
        done, place = [], 0
        while place < len(member):
            if member[place] in OPENING:
                end = closing(member, place)
                done.append(member[place] + without_results(member[place + 1 : end]) + member[end : end + 1])
                place = end + 1
            else:
                done.append(member[place])
                place += 1
        members.append("".join(done))
    return ",".join(members).replace(" ", "")


def split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    members, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
        elif letter == "," and depth == 0:
            members.append(text[start:place])
            start = place + 1
    return members + [text[start:]]


def closing(text: str, place: int) -> int:
    """Where the bracket that opens at `place` closes; the text's end if nowhere."""
    depth = 0
    for end in range(place, len(text)):
        depth += (text[end] in OPENING) - (text[end] in CLOSING)
        if depth == 0:
            return end
    return len(text)


def without_result(member: str) -> str:
    """`void f(int)::x` → `f(int)::x`: a space outside of brackets, before a parameter list that `::` follows."""
    depth, name = 0, 0
    for place, letter in enumerate(member):
        if letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
            if depth == 0 and letter == ")" and re.match(r"\)(?: const| volatile| &&?)*::", member[place:]):
                return member[name:]
        elif letter == " " and depth == 0 and not re.match(r" (?:const|volatile|&)", member[place:]):
            name = place + 1
    return member


if __name__ == "__main__":
    for line in sys.stdin:
        one, _, other = line.rstrip("\n").partition("\t")
        print("same" if same(one, other) or same_but_auto(one, other) else "different")
