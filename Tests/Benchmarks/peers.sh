# The peers that are not simply installed. Sourced by scripts/bench, which sets $cache and $benchmarks.

# gimli's addr2line: our main over the crates that librust-addr2line-dev puts below /usr/share/cargo/registry; no network.
build_gimli() {
    local folder="$cache/gimli-addr2line" registry=/usr/share/cargo/registry
    command -v cargo >/dev/null && compgen -G "$registry/addr2line-0.19*" >/dev/null || return
    mkdir -p "$folder/.cargo" && cp -r "$benchmarks/gimli-addr2line/." "$folder/" || return
    printf '[source.crates-io]\nreplace-with = "distribution"\n[source.distribution]\ndirectory = "%s"\n' "$registry" \
        >"$folder/.cargo/config.toml"
    (cd "$folder" && cargo build --release --offline --quiet >&2)
}

# symbolic's SymCache, as Sentry publishes it for Python, in an environment of its own.
fetch_symbolic() {
    [[ -x "$cache/symbolic/bin/python" ]] && return
    python3 -m venv "$cache/symbolic.part" \
        && "$cache/symbolic.part/bin/pip" install --quiet --disable-pip-version-check symbolic==13.9.0 >&2 \
        && mv "$cache/symbolic.part" "$cache/symbolic"
}

# A program in Swift that does next to nothing, linked as the release build of cairn is (`quickStart` in Package.swift).
build_empty_swift() {
    swiftc -O -static-stdlib -no-color-diagnostics "$benchmarks/EmptySwift/main.swift" -o "$cache/empty-swift" -Xclang-linker -no-pie \
        -Xclang-linker -static-libgcc -L"$PWD/scripts/release/link" -Xlinker --no-export-dynamic -Xlinker --icf=safe -Xlinker --gc-sections \
        -module-cache-path "$cache/modules" >/dev/null 2>&1
}
