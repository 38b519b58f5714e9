# Linux' perf, where it is built without libbfd (`perf version --build-options`): it then asks an `addr2line` that it finds in PATH, `addr2line -e FILE -i -f`, one process for each file,
# an address and a line with a comma in turn. One that is built with libbfd calls no tool. Stacks are unwound by DWARF: only then does perf tell inlined calls.

fetch_perf() { :; }

missing_perf() {
    local recording
    command -v perf >/dev/null || { echo "no perf in PATH (package linux-perf)" && return; }
    ! perf version --build-options 2>/dev/null | grep -q 'libbfd: \[ on' || { echo "this perf reads debug information with libbfd and calls no tool" && return; }
    recording="$(mktemp)"
    perf record -q -e cpu-clock:u -o "$recording" true >/dev/null 2>&1 || echo "perf may not record here (perf_event_open)"
    rm -f "$recording"
}

# Reports end with a tip that is chosen at random.
without_tips() { grep -v '^# (Tip: ' || true; }

record() {
    local name="$1"
    shift
    perf --buildid-dir "$work/buildids" record -q -e cpu-clock:u -F 499 --call-graph dwarf,4096 -o "$work/$name.data" "$@" >"$work/$name.record" 2>&1 || stop "perf record: $(cat "$work/$name.record")"
}

# NAME of a recording, a line of the program's source, one of its functions.
perf_rows() {
    local name="$1" shows="$2" function="$3" own_places="$2+"
    local perf=(perf --buildid-dir "$work/buildids")
    row "perf-script-$name" addr2line as_it_is "${perf[@]}" script -i "$work/$name.data" -F ip,sym,srcline
    row "perf-script-all-$name" addr2line as_it_is "${perf[@]}" script -i "$work/$name.data" -F +symoff,+srcline
    row "perf-report-fields-$name" addr2line without_tips "${perf[@]}" report --stdio -i "$work/$name.data" -F overhead,sym,srcline
    row "perf-report-sort-$name" addr2line without_tips "${perf[@]}" report --stdio -i "$work/$name.data" --no-children --sort srcline,srcfile
    shows="$function" row "perf-report-inline-$name" addr2line without_tips "${perf[@]}" report --stdio -i "$work/$name.data" -g caller --inline
    row "perf-report-address-$name" addr2line without_tips "${perf[@]}" report --stdio -i "$work/$name.data" -g caller,address --inline
}

rows_perf() {
    program work-gcc g++ -O2
    # Clang's DWARF 5 has ranges that binutils 2.40 does not follow: its DWARF 4.
    program work-clang "$(toolchain clang++)" -O2 -gdwarf-4
    record gcc "$work/work-gcc"
    perf_rows gcc 'program.cpp:[0-9]' 'to_string (inlined)'
    record clang "$work/work-clang"
    perf_rows clang 'program.cpp:[0-9]' 'to_string (inlined)'
    shows='program.cpp:[0-9]' own_places='program.cpp:[0-9]+' row perf-annotate-gcc addr2line as_it_is perf --buildid-dir "$work/buildids" annotate --stdio -l -i "$work/gcc.data"
    # A large program with its debug file, where that is installed: 20 MB that each question of perf's goes to.
    if is_wanted perf-script-python && installed_debug_file /usr/bin/python3.11 python3.11-dbg >/dev/null 2>&1; then
        record python /usr/bin/python3.11 -c 'import json, re; [json.loads(json.dumps({str(i): [i] * 9 for i in range(3000)})) for _ in range(40)]; re.findall("(a|b)+c", "ab" * 5000)'
        perf_rows python 'ceval.c:[0-9]' _PyEval_EvalFrameDefault
    fi
}
