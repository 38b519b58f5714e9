# A long build as one line. Sourced by scripts/demo and scripts/install.

# with_progress TITLE LOG COMMAND [ARGUMENT...]: runs a build whose output goes into LOG, and shows
# on a terminal how far it is and how long it still takes. Where it fails, the end of LOG is shown.
with_progress() {
    local title="$1" log="$2" start=$SECONDS watcher
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    if [[ -t 2 ]]; then
        watch_build "$title" "$log" &
        watcher=$!
    else
        echo "$title, which takes some minutes the first time; the compiler's output is in $log" >&2
    fi
    # A function that stops the script would leave the line on the screen.
    local status=0
    ("$@") >"$log" 2>&1 || status=$?
    if [[ -n "${watcher:-}" ]]; then
        kill "$watcher" 2>/dev/null || true
        wait "$watcher" 2>/dev/null || true
        printf '\r\033[K' >&2
    fi
    if ((status)); then
        tail -n 40 "$log" >&2
        stop "$title failed; the whole output is in $log"
    fi
    echo "$title: done in $(minutes $((SECONDS - start)))" >&2
}

# minutes SECONDS: "3 min 20 s".
minutes() { if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi; }

# watch_build TITLE LOG: writes the line anew every second. Modules that the log names count by the
# size of their sources: a module of twice the size takes some twice the time.
watch_build() {
    local start=$SECONDS all=0 done=0 module size line spent
    declare -A sizes=() seen=()
    while read -r size module; do
        sizes[$(basename "$module")]=$size
        all=$((all + size))
    done < <(module_sizes)
    while sleep 1; do
        while read -r module; do
            [[ -z "${seen[$module]:-}" ]] || continue
            seen[$module]=yes
            done=$((done + ${sizes[$module]:-0}))
        done < <(sed -n 's/^\[[0-9]*\/[0-9]*\] Compiling \([A-Za-z0-9_-]*\) .*/\1/p' "$2" | sort -u)
        spent=$((SECONDS - start))
        line="$1: $((100 * done / all)) %, $(minutes $spent)"
        # The first modules say little about the others.
        if ((100 * done / all >= 10 && done < all)); then line+=", about $(minutes $((spent * (all - done) / done))) left"; fi
        printf '\r\033[K%s' "$line" >&2
    done
}

# Modules that the build does not have; the caller may set it.
left_out=()

# module_sizes: a line for each module of the build: bytes of its Swift sources, and its folder.
module_sizes() {
    local folder
    for folder in Sources/*/ .build/checkouts/swift-argument-parser/Sources/ArgumentParser{,ToolInfo}/; do
        [[ " ${left_out[*]} " != *" $(basename "$folder") "* ]] || continue
        echo "$(find "$folder" -name '*.swift' -exec cat {} + 2>/dev/null | wc -c) ${folder%/}"
    done
}
