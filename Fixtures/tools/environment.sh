# Sourced by every Fixtures/binaries/<case>/build.sh: where the tools are, and the flags that keep the building
# machine's paths out of what is built.
#
# A build script runs in a scratch copy of its case's sources, so that file names are the same on every machine, and
# leaves its results in $OUT.

set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
export TZ=UTC
export SOURCE_DATE_EPOCH=1704067200   # 2024-01-01: for tools that would otherwise write today's date
export ZERO_AR_DATE=1                 # ld64.lld writes 0 instead of the object files' times into N_OSO entries

CASE_DIR=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
CASE=$(basename "$CASE_DIR")
TOOLS_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FIXTURES_DIR=$(dirname "$TOOLS_DIR")
LOGS_DIR=$FIXTURES_DIR/logs
OUT=$CASE_DIR/out

fail() {
    echo "fixtures: $CASE: $*" >&2
    exit 1
}

# The Swift toolchain's own directory: its clang and its llvm-symbolizer are used, never the distribution's.
SWIFT_BIN=$(dirname "$(readlink -f "$(command -v swiftc)")")
SWIFT_ROOT=$(dirname "$(dirname "$SWIFT_BIN")")
# A toolchain that is not installed in / appears to have been.
ROOT_MAP_CLANG=()
ROOT_MAP_SWIFT=()
if [ "$SWIFT_ROOT" != / ]; then
    ROOT_MAP_CLANG=("-ffile-prefix-map=$SWIFT_ROOT=")
    ROOT_MAP_SWIFT=(-file-prefix-map "$SWIFT_ROOT=")
fi
CLANG=$SWIFT_BIN/clang
SWIFTC=$SWIFT_BIN/swiftc
export LLVM_SYMBOLIZER=$SWIFT_BIN/llvm-symbolizer
export SWIFT_DEMANGLE=$SWIFT_BIN/swift-demangle
SWIFT_RUNTIME=$(dirname "$SWIFT_BIN")/lib/swift/linux

# The same name every time: swiftc hashes path names into what it writes.
SCRATCH=${TMPDIR:-/tmp}/cairn-fixtures-build/$CASE
trap 'rm -rf "$SCRATCH"' EXIT
rm -rf "$SCRATCH"
mkdir -p "$SCRATCH"
find "$CASE_DIR" -maxdepth 1 -type f ! -name build.sh ! -name README.md -exec cp {} "$SCRATCH" \;
cd "$SCRATCH"
# dsymutil calls `lipo` by that name.
mkdir .bin && ln -s "$(command -v llvm-lipo-19)" .bin/lipo
export PATH=$SCRATCH/.bin:$PATH
rm -rf "$OUT"
mkdir -p "$OUT"

# For gcc and clang. The sources appear to have lain in /src, and the toolchain in /usr.
NEUTRAL=("-ffile-prefix-map=$SCRATCH=/src" -fno-record-gcc-switches)
NEUTRAL_CLANG=("-ffile-prefix-map=$SCRATCH=/src" "${ROOT_MAP_CLANG[@]}" -fdebug-compilation-dir=/src)

# For swiftc: sources in /src, the toolchain in /usr; no record of where modules were cached.
NEUTRAL_SWIFT=(
    -file-prefix-map "$SCRATCH=/src"
    "${ROOT_MAP_SWIFT[@]}"
    -file-compilation-dir /src
    -Xcc -Xclang -Xcc -fdebug-compilation-dir=/src
    -module-cache-path "$SCRATCH/.modules"
    -Xfrontend -no-clang-module-breadcrumbs
)

# build_swift NAME ARGUMENT...: swiftc's result in $OUT/NAME, with DWARF.
build_swift() {
    # In two steps: objects with names of our own, because swiftc hashes its temporary files' random names too.
    mkdir -p "$SCRATCH/.objects/$1"
    (cd "$SCRATCH/.objects/$1" && "$SWIFTC" -c -g "${NEUTRAL_SWIFT[@]}" "${@:2}")
    "$SWIFTC" "$SCRATCH/.objects/$1"/*.o -no-toolchain-stdlib-rpath -Xlinker --build-id=sha1 -o "$OUT/$1"
    # The serialized module is for debuggers only, and names the toolchain's folders.
    llvm-objcopy-19 --remove-section=.swift_ast "$OUT/$1"
}

# expect_functions FILE...: writes FILE.expected.tsv beside each.
expect_functions() {
    python3 "$TOOLS_DIR/expect_functions.py" "$@"
}

# gdb_answers FILE...: writes FILE.gdb.tsv beside each.
gdb_answers() {
    python3 "$TOOLS_DIR/gdb_answers.py" "$@"
}

# make_dsym BINARY BUNDLE: the bundle for a binary whose N_OSO entries are relative to the scratch directory.
make_dsym() {
    dsymutil-19 "$1" -o "$2"
    # Written for a later relinking of the debug information; it names where the binary lay.
    rm -rf "$2/Contents/Resources/Relocations"
}

# Writes the versions that built this case under the README's heading "Built with".
record_versions() {
    python3 "$TOOLS_DIR/versions.py" "$CASE_DIR/README.md" "$@"
}
