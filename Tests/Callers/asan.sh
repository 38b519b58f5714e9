# asan_symbolize.py of LLVM 19 (Debian's clang-19 has it as asan_symbolize-19): `llvm-symbolizer --no-demangle --functions=linkage --inlines --default-arch=x86_64`, asked line by line; where
# that cannot be started, `addr2line -fi -e FILE`, an address and -1 in turn.

asan_symbolize() {
    command -v asan_symbolize-19 || compgen -G "$cache/packages/clang-19/usr/bin/asan_symbolize-19" || true
}

fetch_asan() { [[ -n "$(asan_symbolize)" ]] || unpack clang-19; }

missing_asan() {
    [[ -n "$(asan_symbolize)" ]] || echo "no asan_symbolize-19 in PATH or in the cache (package clang-19, or --download)"
}

# Every way to go wrong, in one log.
report() {
    local program="$1" way
    for way in freed global stack overflow leak; do
        ASAN_OPTIONS=symbolize=0:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1:symbolize=0 "$program" "$way" 2>&1 || true
    done
}

rows_asan() {
    local name script shows='program.cpp:[0-9]' own_places='program.cpp:[0-9]+'
    script="$(asan_symbolize)"
    program sanitized-gcc g++ -O1 -fsanitize=address,undefined
    program sanitized-clang "$(toolchain clang++)" -O1 -gdwarf-4 -fsanitize=address,undefined
    for name in gcc clang; do
        report "$work/sanitized-$name" >"$work/$name.report"
        row "asan-llvm-symbolizer-$name" llvm-symbolizer as_it_is python3 "$script" -l "$work/$name.report"
        row "asan-llvm-symbolizer-demangle-$name" llvm-symbolizer as_it_is python3 "$script" -d -l "$work/$name.report"
        row "asan-addr2line-$name" addr2line as_it_is env LLVM_SYMBOLIZER_PATH=/nonexistent python3 "$script" -l "$work/$name.report"
        row "asan-addr2line-demangle-$name" addr2line as_it_is env LLVM_SYMBOLIZER_PATH=/nonexistent python3 "$script" -d -l "$work/$name.report"
    done
}
