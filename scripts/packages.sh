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

# Packages that every build needs: C libraries and their headers.
build_packages=(libelf-dev libdwarf-dev libpq-dev libsqlite3-dev libxml2-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev liblz4-dev)
# Packages that make the build better if the distribution has them: the header of ISA-L, whose library is opened at run time to inflate
# twice as fast.
better_packages=(libisal-dev)

# The one build: products and tests alike, optimised, with testing enabled, so that what the tests
# link is what users run. SwiftPM's release configuration without more would give a second build.
build_options=(-c release --explicit-target-dependency-import-check error -Xswiftc -enable-testing)
# Each function is a section, so that the linker drops those that nobody calls.
build_options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections)
# Generic types are made by calls that bring the conformances of their parameters, instead of from
# mangled names, for whose conformances the whole program is searched.
build_options+=(-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)
# No library lies beside the program, where the loader would look for each of them five times.
build_options+=(--disable-local-rpath)

# swift_build [OPTION...]: `swift build` with the options of the one build. The folder before the
# system's has the description of a library that is linked from its archive.
swift_build() { PKG_CONFIG_PATH="$PWD/scripts/release/link" swift build "${build_options[@]}" "$@"; }

# build_programs [NAME...]: builds these products, both programs without names; leaves the path of
# cairn in $binary.
build_programs() {
    local product products=("$@")
    (($#)) || products=(cairn cairn-tools)
    for product in "${products[@]}"; do swift_build --product "$product" || stop "the build of $product failed"; done
    binary="$(swift_build --show-bin-path)/cairn"
}

# release_build FOLDER: from now on builds are those of a release: linked by thin LTO with functions
# in the order of their use, and without the folder of the build in messages, debug information and
# hashes of modules.
release_build() {
    build_options+=(-Xswiftc -file-prefix-map -Xswiftc "$1=." -Xcc "-ffile-prefix-map=$1=.")
    build_options+=(-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs)
    export CAIRN_RELEASE=1
}

# Tests that depend on a clock have the machine to themselves: beside a thousand other tests a second means nothing.
timed_tests='^ServeCommandTests\.PendingResultsTests|^ServingTests\.EnginePoolTests|^BatchProcessingTests\.StreamRunTests|EndToEndTests\.ServeTests|^DownloadingTests\.|FetchProgramTests|EndToEndTests\.DebuginfodTests'

# Parts of the tests that a service can run side by side; `core` is what neither of these has.
inspection_tests='^(DWARFInspection|Demangling|Differential|Fuzzing)Tests\.|^EndToEndTests\.(Addr2Line|Atos|Containment|Dwarfdump|EUAddr2Line|FlagCombination|LLVMSymbolizer|Symbolizer|Verify)'
tools_tests='^(BatchProcessing|CICommand|Databases|Debuginfod|Pages|ServeCommand|Serving|TestReports)Tests\.|^EndToEndTests\.(Action|Batch|CI|CrashingTests|Debuginfod|FetchProgram|HostileStore|RecordStream|Serve|Stream)'

# The micro-benchmarks, or those that are named; leaves their folder in $binaries.
build_benchmarks() {
    local product products=("$@") options=(--disable-default-traits --scratch-path .build-micro)
    (($#)) || products=(ByteReading EntryWalk LineRows IndexLookups LogScanning DemangleNames)
    export CAIRN_BENCHMARKS=1
    for product in "${products[@]}"; do
        swift_build "${options[@]}" --product "$product" >&2 || stop "the benchmark $product did not build"
    done
    binaries="$(swift_build "${options[@]}" --show-bin-path)"
    unset CAIRN_BENCHMARKS
}
