# Runs a caller with the original tool and with cairn in its place, and prints the row. Sourced by scripts/checks/callers, which sets $work, $runs, $rows and $parts.

compared=0 failed=0

# Folders of links, one for each side: `original`, `cairn`, and `counted`, whose scripts note each call before they become cairn.
prepare_tools() {
    local cairn="$1" name original
    mkdir -p "$work"/tools/{original,cairn,counted} "$work/out" "$work/cache"
    : >"$work/reasons"
    for name in addr2line llvm-symbolizer llvm-addr2line; do
        original="$name"
        [[ "$name" != llvm-* ]] || original="$name-19"
        original="$(command -v "$original")" || stop "no $original: expected binutils and llvm-19"
        ln -sf "$original" "$work/tools/original/$name"
        ln -sf "$cairn" "$work/tools/cairn/$name"
        printf '#!/bin/sh\necho %s >>"%s/calls"\nexec "%s/tools/cairn/%s" "$@"\n' "$name" "$work" "$work" "$name" >"$work/tools/counted/$name"
        chmod +x "$work/tools/counted/$name"
    done
}

columns='%-34s %-22s %7s  %-18s %-14s %9s %9s\n'

print_heading() {
    # shellcheck disable=SC2059  # the columns are the format
    printf "$columns" row "tool called, times" lines "as it is, differ" "strict, differ" original cairn
}

# Whether a row is among those that were asked for.
is_wanted() {
    local row
    for row in "${rows[@]}"; do [[ "$1" != "$row"* ]] || return 0; done
    return 1
}

# Both streams of a caller with the tools of one side. The arguments: the side, the file to write, the function that cleans it, and the command.
run_caller() {
    local side="$1" file="$2" clean="$3"
    shift 3
    # No user's cache, no server, and no order of Perl's that differs from run to run.
    env PATH="$work/tools/$side:$PATH" PPROF_TOOLS="$work/tools/$side/,/usr/bin/" XDG_CACHE_HOME="$work/cache" DEBUGINFOD_URLS= PERL_HASH_SEED=0 \
        "$@" </dev/null >"$file.raw" 2>"$file.errors" || echo "ended with $?" >>"$file.errors"
    cat "$file.raw" "$file.errors" | "$clean" | sed "s,$work/tools/$side/,," >"$file"
}

as_it_is() { cat; }

# The number of the first file's lines that are not the second's, and the other way round.
differing() { diff_lines "$1" "$2" | wc -l; }

diff_lines() { diff "$1" "$2" | grep '^[<>]' || true; }

# Prints `same`, the number of lines that differ and are the original's errors, or how many differ; fails for the last.
strict_verdict() {
    local original="$1" ours="$2" tool="$3" for_tool expression reason
    cmp -s "$original" "$ours" && echo same && return
    cp "$original" "$original.known" && cp "$ours" "$ours.known"
    while IFS=$'\t' read -r for_tool expression reason; do
        [[ "$for_tool" == "$tool" ]] || continue
        diff_lines "$original" "$ours" | sed -E "$expression" | cmp -s - <(diff_lines "$original" "$ours") || echo "$tool: $reason" >>"$work/reasons"
        sed -E -i "$expression" "$original.known" "$ours.known"
    done < <(grep -v '^#' "$parts/original-errors.tsv")
    if cmp -s "$original.known" "$ours.known"; then
        echo "$(differing "$original" "$ours") known"
    else
        echo "$(differing "$original.known" "$ours.known") DIFFER" && return 1
    fi
}

# The same as cairn is: it may differ on purpose, but not in the places that it tells of the program's own source.
default_verdict() {
    local original="$1" ours="$2"
    cmp -s "$original" "$ours" && echo same && return
    if cmp -s <(grep -oE "$own_places" "$original" | sort -u) <(grep -oE "$own_places" "$ours" | sort -u); then
        differing "$original" "$ours"
    else
        echo "OWN PLACES" && return 1
    fi
}

# seconds COMMAND...: how long it takes.
seconds() {
    local start="$EPOCHREALTIME" end
    "$@"
    end="$EPOCHREALTIME"
    awk -v start="$start" -v end="$end" 'BEGIN { printf "%.3f\n", end - start }'
}

median() { sort -n "$1" | awk '{ values[NR] = $1 } END { if (NR) printf "%.2f s\n", values[int((NR + 1) / 2)] }'; }

# row NAME TOOL CLEAN COMMAND...: one caller. TOOL is the one that it is expected to call; $shows is in what it writes, $own_places (an extended regular expression) are places in the program's own source.
row() {
    local name="$1" tool="$2" clean="$3" file="$work/out/$1" calls default strict run state=0
    shift 3
    is_wanted "$name" || return 0
    compared=$((compared + 1))
    : >"$work/calls"
    run_caller counted "$file.counted" "$clean" "$@"
    calls="$(sort "$work/calls" | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1 }')"
    run_caller original "$file.original" "$clean" "$@"
    run_caller cairn "$file.cairn" "$clean" "$@"
    CAIRN_STRICT_COMPAT=1 run_caller cairn "$file.strict" "$clean" "$@"
    default="$(default_verdict "$file.original" "$file.cairn")" || state=1
    strict="$(strict_verdict "$file.original" "$file.strict" "$tool")" || state=1
    # A caller that never asked, or that said nothing of the program, has shown nothing.
    if [[ " $calls" != *" $tool "* ]]; then
        state=1 calls="$tool NOT CALLED"
    elif ! grep -q "$shows" "$file.original"; then
        state=1 default="NOTHING SHOWN"
    fi
    : >"$file.original.seconds" && : >"$file.cairn.seconds"
    for ((run = 0; run < runs; run++)); do
        seconds run_caller original "$file.timed" "$clean" "$@" >>"$file.original.seconds"
        seconds run_caller cairn "$file.timed" "$clean" "$@" >>"$file.cairn.seconds"
    done
    # shellcheck disable=SC2059
    printf "$columns" "$name" "$calls" "$(wc -l <"$file.original")" "$default" "$strict" "$(median "$file.original.seconds")" "$(median "$file.cairn.seconds")"
    if ((state)); then
        failed=$((failed + 1))
        { diff "$file.original" "$file.cairn" | head -n 12 | sed 's/^/    as it is: /' || true; } >&2
        { diff "$file.original" "$file.strict" | head -n 12 | sed 's/^/    strict: /' || true; } >&2
    fi
}

print_reasons() {
    [[ -s "$work/reasons" ]] || return 0
    printf '\nknown:\n'
    sort "$work/reasons" | uniq -c | awk '{ count = $1; $1 = ""; printf "%4d rows:%s\n", count, $0 }'
}

# The path of a program of the Swift toolchain, which is beside `swift`: a plain `clang++` in PATH may be any.
toolchain() { echo "$(dirname "$(readlink -f "$(command -v swift)")")/$1"; }

# program NAME COMPILER [FLAG...]: the program that the callers look at, in $work/NAME.
program() {
    local name="$1"
    shift
    [[ ! -x "$work/$name" ]] || return 0
    "$@" -g -fno-omit-frame-pointer "$parts/program.cpp" -o "$work/$name" 2>"$work/$name.log" || { cat "$work/$name.log" >&2 && stop "$*: the program did not build"; }
}
