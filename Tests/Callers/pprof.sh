# google-pprof (Debian's google-perftools): `addr2line -f -C -e FILE -i`, its standard input a list of addresses with that of `_fini` between them. It takes the tool that lies beside itself
# unless PPROF_TOOLS has a folder.

fetch_pprof() { :; }

profiler="/usr/lib/$(uname -m)-linux-gnu/libprofiler.so.0"

missing_pprof() {
    command -v google-pprof >/dev/null || echo "no google-pprof in PATH (package google-perftools)"
    [[ -e "$profiler" ]] || echo "no $profiler (package libgoogle-perftools4)"
}

rows_pprof() {
    local name program shows='program.cpp' own_places='program.cpp[:0-9]*'
    program work-gcc g++ -O2
    program work-clang "$(toolchain clang++)" -O2 -gdwarf-4
    for name in gcc clang; do
        program="$work/work-$name"
        [[ -e "$work/$name.prof" ]] || CPUPROFILE="$work/$name.prof" CPUPROFILE_FREQUENCY=1000 LD_PRELOAD="$profiler" "$program" 2>"$work/$name.profile.log"
        row "pprof-text-$name" addr2line as_it_is google-pprof --text --lines "$program" "$work/$name.prof"
        row "pprof-list-$name" addr2line as_it_is google-pprof --list=. "$program" "$work/$name.prof"
    done
}
