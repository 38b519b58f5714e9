# The texts of the benchmark's `text-` rows: one function each, that writes text of a kind to standard output. They hold no crash.
# Sourced by scripts/bench, which sets $cache.

# 4 MB of a kind in $cache/texts.
make_text() {
    mkdir -p "$cache/texts"
    # Whatever writes more is ended.
    { "text_$1" 2>/dev/null || true; } | head -c 4000000 >"$cache/texts/$1.part"
    [[ -s "$cache/texts/$1.part" ]] && mv "$cache/texts/$1.part" "$cache/texts/$1"
}

# A program with many functions.
text_program() { realpath "$(command -v gdb || command -v python3)"; }

text_ci() {
    local number
    for number in $(seq 50000); do
        printf '[%d/50000] Compiling Module%d file_%d.cpp\n\xe2\x9c\x94 Test "case %d of suite %d" passed after 0.%03d seconds.\n' "$number" $((number % 90)) "$number" "$number" $((number % 40)) $((number % 1000))
    done
}
text_nm() { nm -D "$(text_program)"; nm -D /usr/lib/x86_64-linux-gnu/*.so.*; }
text_disassembly() { objdump -d "$(text_program)"; }
text_symbols() { readelf -sW "$(text_program)" /usr/lib/x86_64-linux-gnu/*.so.*; }
text_hex() { od -A x -t x1z -v "$(text_program)"; }
text_strace() {
    local number
    for number in $(seq 60000); do
        printf '%d mmap(0x%x, %d, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f%06x000\n' $((4242 + number % 8)) $((number * 4096)) $((number % 77 * 4096)) "$number"
    done
}
text_map() {
    local number
    for number in $(seq 60000); do
        printf ' .text          0x%016x     0x%x /usr/lib/libpart%d.a(object%d.o)\n' $((4198400 + number * 64)) $((number % 900)) $((number % 60)) "$number"
    done
}
text_json() {
    local number
    for number in $(seq 40000); do
        printf '{"time":"2026-01-01T00:%02d:%02dZ","level":"info","logger":"server.http","message":"GET /items/%d","status":200,"duration_ms":%d}\n' $((number / 60 % 60)) $((number % 60)) "$number" $((number % 70))
    done
}
text_source() { cat /usr/include/c++/*/bits/*.h /usr/include/c++/*/*/*.h; }
text_pointers() {
    local number
    for number in $(seq 60000); do
        printf '2026-01-01 00:00:00 DEBUG pool: connection %d status=200 at 0x7f%010x done\n' "$number" $((number * 4096))
    done
}
