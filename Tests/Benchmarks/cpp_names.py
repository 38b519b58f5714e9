"""Names what differs between a C++ name as cairn demangles it and as LLVM does, with gcc's demangler as the witness.

    left-by-judge  LLVM leaves the name mangled, and gcc's demangler reads what we read
    parameters     LLVM resolves `T_` where it is read, and shows another function's types where a substitution stands for it; gcc's says what we say,
                   or the type where we say a lambda's `auto`, as LLVM does
    references     LLVM counts `srNS_3fooE` by the rule for unresolved names where compilers count a type, so that later references are one off; the same
    both-wrong     gcc's is wrong as well: the declaration in the source decides (SOURCES)
    unexplained    anything else
"""

import re

import spelling

SOURCES = [
    # libstdc++ 12, <mutex>: template<typename _Callable> explicit _Prepare_execution(_Callable& __c), called with a lambda of call_once.
    re.compile(r"^_ZZNSt9once_flag18_Prepare_executionC[124]I"),
    # LLVM 21, SmallPtrSet.h: template <typename Range> SmallPtrSet(llvm::from_range_t, Range &&R).
    re.compile(r"^_ZN4llvm11SmallPtrSetI.*EC[12]I.*ENS_12from_range_tES\w?_$"),
    # Swift 6.3, Threading/Mutex.h: template <typename CriticalSection> withLock(CriticalSection &&criticalSection).
    re.compile(r"^_ZN5swift5Mutex8withLockI"),
    # fmt 9, core.h: template <typename Char, typename IDHandler> do_parse_arg_id(const Char* begin, const Char* end, IDHandler&& handler),
    # called with the width_adapter or precision_adapter of parse_width or parse_precision.
    re.compile(r"^_ZN3fmt2v96detail(?:15do_parse|12parse)_arg_idIc"),
]


def kind(name: str, ours: str, judge: str, gnu: str) -> str:
    """`name` is the mangled one; the others are what each made of it."""
    if ours == name:
        return "unexplained"
    if spelling.same(ours, gnu) or spelling.same_but_auto(ours, gnu):
        return "left-by-judge" if judge == name else "references" if re.search(r"srNS\w?_", name) else "parameters"
    return "both-wrong" if any(source.search(name) for source in SOURCES) else "unexplained"
