# Installs the Debian or Ubuntu packages that a script needs. Sourced by scripts/test and scripts/demo.

# Says what is wrong on standard error, in the name of the script that runs, and ends it.
stop() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

# The packages among the arguments that are not installed; one call of dpkg-query, so that asking costs nothing.
missing_packages() {
    local name status installed=" "
    # It fails where one of the packages is unknown; the answers for the others count all the same.
    while read -r name status; do
        [[ "$status" != installed ]] || installed+="$name "
    done < <(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for name in "$@"; do
        [[ "$installed" == *" $name "* ]] || echo "$name"
    done
}

# require_packages NEEDED... [-- WANTED...]: installs what is missing, or names it and ends where that may not be done.
# WANTED ones are left out, with a word, where the distribution has no such package.
require_packages() {
    local needed=() wanted=() missing
    while (($#)) && [[ "$1" != -- ]]; do needed+=("$1") && shift; done
    (($# == 0)) || wanted=("${@:2}")
    if ! command -v dpkg-query >/dev/null; then
        echo "$(basename "$0"): not a Debian or Ubuntu system; expected what these packages bring: ${needed[*]}" >&2
        return
    fi
    mapfile -t missing < <(missing_packages "${needed[@]}" "${wanted[@]}")
    ((${#missing[@]})) || return 0

    local privileged=()
    if [[ "$(id -u)" != 0 ]]; then
        if ! { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; then
            # Without the wanted ones the script still does its work.
            mapfile -t missing < <(missing_packages "${needed[@]}")
            ((${#missing[@]})) || return 0
            stop "missing packages: run as root: apt-get install ${missing[*]}"
        fi
        privileged=(sudo -n)
    fi

    local name known=()
    # Not for wanted ones alone: where the distribution lacks them, every run would fetch the lists again.
    if [[ -n "$(missing_packages "${needed[@]}")" ]]; then
        "${privileged[@]}" apt-get update -qq >&2 || stop "apt-get update failed: expected package lists that can be fetched"
    fi
    for name in "${missing[@]}"; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            known+=("$name")
        elif [[ " ${wanted[*]} " == *" $name "* ]]; then
            echo "$(basename "$0"): this distribution has no package $name; going on without" >&2
        else
            stop "this distribution has no package $name: expected Debian 12 or later, or Ubuntu 24.04 or later"
        fi
    done
    ((${#known[@]})) || return 0
    "${privileged[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${known[@]}" >&2 \
        || stop "apt-get install failed: ${known[*]}"
}

# Ends with a word where there is no Swift toolchain.
require_swift() {
    command -v swift >/dev/null || stop "no swift in PATH: expected a Swift 6.3 toolchain (https://www.swift.org/install)"
}

# What every build needs: C libraries and their headers.
build_packages=(libelf-dev libdwarf-dev libpq-dev libsqlite3-dev libxml2-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev liblz4-dev)
# What makes the build better where the distribution has it: the header of ISA-L, whose library is opened at run time to inflate twice as fast.
better_packages=(libisal-dev)

# The programs beside cairn, which bring commands of its own: `cairn batch` runs `cairn-tools batch`.
neighbours=(cairn-tools)

# SwiftPM writes the flags of the package's traits into every compiler's arguments in the order of a set, which is another one in each run, and then compiles everything anew. The variable makes the order one;
# it is for the builds alone, because tests would inherit it.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# What is bound by a clock has the machine to itself: beside a thousand other tests a second means nothing.
timed_tests='EndToEndTests\.ServeTests|^DebuginfodTests\.|FetchProgramTests|EndToEndTests\.DebuginfodTests'

# More options of a release build: reproducible_in sets them.
reproducible_options=()

# reproducible_in FOLDER: takes the folder of the build out of the programs' messages and debug
# information, and out of the hashes of modules.
reproducible_in() {
    reproducible_options=(-Xswiftc -file-prefix-map -Xswiftc "$1=." -Xcc "-ffile-prefix-map=$1=.")
    reproducible_options+=(-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs)
}

# The release binary with the static Swift library: builds it and leaves its path in $binary. Neighbours (`build_release cairn-tools`) are built beside it.
build_release() {
    # Each function is a section, so that the linker drops those that nobody calls, and puts those side by side that a start needs (scripts/release/link/order).
    local product options=(-c release --static-swift-stdlib --explicit-target-dependency-import-check error)
    options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections)
    # Generic types are made by calls that bring the conformances of their parameters, instead of from mangled names, for whose conformances the whole program is searched.
    options+=(-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)
    ((${#reproducible_options[@]} == 0)) || options+=("${reproducible_options[@]}")
    # No library lies beside the program, where the loader would look for each of them five times.
    options+=(--disable-local-rpath)
    for product in cairn "$@"; do
        PKG_CONFIG_PATH="$PWD/scripts/release/link" swift_build "${options[@]}" --product "$product" || stop "the release build of $product failed"
    done
    binary="$(swift_build "${options[@]}" --show-bin-path)/cairn"
}

# The micro-benchmarks, or those that are named; leaves their folder in $binaries.
build_benchmarks() {
    local product products=("$@") options=(-c release --static-swift-stdlib --disable-default-traits --scratch-path .build-micro)
    (($#)) || products=(ByteReading EntryWalk LineRows IndexLookups LogScanning DemangleNames)
    export CAIRN_BENCHMARKS=1 CAIRN_CORE=1
    for product in "${products[@]}"; do
        swift_build "${options[@]}" --product "$product" >&2 || stop "the benchmark $product did not build"
    done
    binaries="$(swift_build "${options[@]}" --show-bin-path)"
    unset CAIRN_BENCHMARKS CAIRN_CORE
}
