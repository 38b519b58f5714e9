# The objects of the benchmark: one function each, `object_NAME`, that makes $cache/objects/NAME or fails with a word why.
# Sourced by scripts/bench, which sets $cache and $download. Nothing is installed, nothing is committed.

# Unpacks a package's files into $cache/packages/NAME, downloading it where that is allowed.
unpack() {
    local name="$1" folder="$cache/packages/$1"
    [[ -d "$folder" ]] && return
    package "$name" && mkdir -p "$folder.part" && dpkg-deb -x "$cache/packages/$name"_*.deb "$folder.part" && mv "$folder.part" "$folder"
}

# Leaves NAME_*.deb in $cache/packages.
package() {
    local name="$1"
    compgen -G "$cache/packages/${name}_*.deb" >/dev/null && return
    if [[ "$download" == no ]]; then
        echo "bench: package $name is not in the cache: expected --download" >&2
        return 1
    fi
    mkdir -p "$cache/packages" && (cd "$cache/packages" && apt-get download "$name" >&2)
}

# A package of debug files names them by build ID; the library that the package is about is by far the largest.
largest_file() {
    find "$1" -type f -printf '%s %p\n' | sort -rn | head -n 1 | cut -d' ' -f2-
}

# The debug file of an installed program or library, by its build ID.
installed_debug_file() {
    local id file
    id="$(readelf --notes "$1" 2>/dev/null | sed -n 's/.*Build ID: //p')"
    file="/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
    if [[ -z "$id" || ! -e "$file" ]]; then
        echo "bench: $1: no debug file for build ID ${id:-none}: expected package $2" >&2
        return 1
    fi
    echo "$file"
}

object_libjvm-zlib() {
    unpack openjdk-17-dbg && ln -sf "$(largest_file "$cache/packages/openjdk-17-dbg")" "$cache/objects/libjvm-zlib"
}

object_libjvm() {
    [[ -e "$cache/objects/libjvm-zlib" ]] || object_libjvm-zlib || return
    objcopy --decompress-debug-sections "$cache/objects/libjvm-zlib" "$cache/objects/libjvm.part" \
        && mv "$cache/objects/libjvm.part" "$cache/objects/libjvm"
}

# The library that libjvm's debug file is of.
object_libjvm-code() {
    unpack openjdk-17-jre-headless && ln -sf "$(find "$cache/packages/openjdk-17-jre-headless" -name libjvm.so -path '*server*')" "$cache/objects/libjvm-code"
}

object_librados() {
    unpack librados2-dbg && ln -sf "$(largest_file "$cache/packages/librados2-dbg")" "$cache/objects/librados"
}

object_librados-raw() {
    [[ -e "$cache/objects/librados" ]] || object_librados || return
    objcopy --decompress-debug-sections "$cache/objects/librados" "$cache/objects/librados-raw.part" \
        && mv "$cache/objects/librados-raw.part" "$cache/objects/librados-raw"
}

# A program with Qt: 197 MB, packed.
object_qt() {
    unpack connectome-workbench-dbg && ln -sf "$(largest_file "$cache/packages/connectome-workbench-dbg")" "$cache/objects/qt"
}

object_libc() {
    local library file
    # The C library that this shell itself runs with.
    library="$(awk '/libc\.so\.6/ { print $6; exit }' /proc/$$/maps)"
    file="$(installed_debug_file "$library" libc6-dbg)" && ln -sf "$file" "$cache/objects/libc"
}

object_libc-code() { ln -sf "$(realpath "$(awk '/libc\.so\.6/ { print $6; exit }' /proc/$$/maps)")" "$cache/objects/libc-code"; }
object_python-code() { ln -sf /usr/bin/python3.11 "$cache/objects/python-code"; }

object_python() {
    local file
    file="$(installed_debug_file /usr/bin/python3.11 python3.11-dbg)" && ln -sf "$file" "$cache/objects/python"
}

# The kernel of virtual machines, with its debug information: 280 MB to download.
object_vmlinux() {
    local name
    # The package of all kernels depends on the newest one's.
    name="$(apt-cache depends linux-image-cloud-amd64-dbg 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*-dbg\)$/\1/p' | head -n 1)"
    [[ -n "$name" ]] || { echo "bench: no package linux-image-cloud-amd64-dbg: expected Debian's package lists" >&2 && return 1; }
    unpack "$name" && ln -sf "$(largest_file "$cache/packages/$name")" "$cache/objects/vmlinux"
}

# A debug build of cairn's tests (340 MB), copied once so that later builds do not change the row.
object_swift() {
    local built=.build/debug/cairnPackageTests.xctest
    if [[ ! -x "$built" ]]; then
        echo "bench: no $built: expected \`scripts/test\` to have run" >&2
        return 1
    fi
    cp "$built" "$cache/objects/swift"
}

# DuckDB's core, compiled here by the Swift toolchain's clang: no distribution has a large file from clang with its debug sections as they are,
# and PyPI's source package has the library in a hundred units that need nothing else. Twenty minutes of processor time, once: 260 MB, of which 221 MB are DWARF.
object_duckdb-clang() {
    local version=1.1.3 folder="$cache/duckdb" compiler includes
    compiler="$(dirname "$(readlink -f "$(command -v swift)")")/clang++"
    if [[ ! -d "$folder/duckdb-$version" ]]; then
        if [[ "$download" == no ]]; then
            echo "bench: the sources of duckdb $version are not in the cache: expected --download" >&2
            return 1
        fi
        mkdir -p "$folder" && python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary duckdb --dest "$folder" "duckdb==$version" >&2 \
            && tar -xzf "$folder/duckdb-$version.tar.gz" -C "$folder" || return
    fi
    (
        cd "$folder/duckdb-$version"
        mapfile -t includes < <(sed 's/^/-I/' includes.list)
        # The directory stands in the debug information: one that is the same everywhere. A unit that is there is not compiled again.
        grep '^duckdb_build/ub_src_' sources.list | xargs -P "$(nproc)" -I UNIT sh -c '
            unit="$1"; shift
            [ -e "$unit.o" ] || { nice "$@" -c "$unit" -o "$unit.part" && mv "$unit.part" "$unit.o"; }' \
            sh UNIT "$compiler" -std=c++11 -O2 -g -fPIC -w -DNDEBUG -DDUCKDB_BUILD_LIBRARY -ffile-compilation-dir=/duckdb "${includes[@]}" \
            && "$compiler" -shared -fuse-ld=lld -Wl,--build-id=sha1 -o "$cache/objects/duckdb-clang.part" duckdb_build/ub_src_*.o \
            && mv "$cache/objects/duckdb-clang.part" "$cache/objects/duckdb-clang" && rm -f duckdb_build/ub_src_*.o
    )
}

object_vmlinux() {
    local name
    # linux-image-amd64-dbg is empty and depends on the package of the current version.
    name="$(apt-cache depends linux-image-amd64-dbg 2>/dev/null | sed -n 's/.*Depends: //p' | head -n 1)"
    [[ -n "$name" ]] && package "$name" || return
    dpkg-deb --fsys-tarfile "$cache/packages/$name"_*.deb \
        | tar -x --to-stdout --wildcards '*/boot/vmlinux*' >"$cache/objects/vmlinux.part" \
        && mv "$cache/objects/vmlinux.part" "$cache/objects/vmlinux"
}

# The C library's debug file of another architecture, from a package that is downloaded and not installed: apt keeps its lists in the cache.
foreign_libc() {
    local architecture="$1" name="libc-$1" folder="$cache/packages/libc6-dbg-$1"
    if [[ ! -d "$folder" ]]; then
        if ! compgen -G "$cache/packages/libc6-dbg_*_$architecture.deb" >/dev/null; then
            if [[ "$download" == no ]]; then
                echo "package libc6-dbg:$architecture is not in the cache: expected --download" >&2
                return 1
            fi
            local lists="$cache/lists-$architecture"
            mkdir -p "$cache/packages" "$lists/state/partial" "$lists/cache/archives/partial"
            local apt=(apt-get -qq -o "APT::Architectures=$architecture" -o "Dir::State::lists=$lists/state" -o "Dir::Cache=$lists/cache")
            # One list of several that cannot be fetched is not the one that is needed, or the next command says so.
            "${apt[@]}" update >&2 || true
            (cd "$cache/packages" && "${apt[@]}" download "libc6-dbg:$architecture" >&2) || return
            rm -rf "$lists"
        fi
        mkdir -p "$folder.part" && dpkg-deb -x "$cache/packages"/libc6-dbg_*_"$architecture".deb "$folder.part" && mv "$folder.part" "$folder" || return
    fi
    ln -sf "$(largest_file "$folder")" "$cache/objects/$name"
}

# A program for macOS and its dSYM: 32,000 functions in C, compiled by the Swift toolchain's clang, linked by LLVM's ld64. Two minutes of processor time, once.
object_macho-code() {
    local folder="$cache/macho" compiler program
    for program in ld64.lld-19 dsymutil-19 llvm-strip-19; do
        command -v "$program" >/dev/null || { echo "bench: no $program: expected packages lld-19 and llvm-19" >&2 && return 1; }
    done
    compiler="$(dirname "$(readlink -f "$(command -v swift)")")/clang"
    mkdir -p "$folder" && (
        cd "$folder"
        python3 "$OLDPWD/$benchmarks/macho_sources.py" . 80 400 \
            && printf '%s\n' ./*.c | xargs -P "$(nproc)" -n 1 "$compiler" -target arm64-apple-macos13 -g -O2 -c \
            && ld64.lld-19 -arch arm64 -platform_version macos 13.0 13.0 -undefined dynamic_lookup -o App ./*.o \
            && dsymutil-19 -o App.dSYM App && llvm-strip-19 -S App && rm -f ./*.o
    ) && ln -sf "$folder/App" "$cache/objects/macho-code" && ln -sf "$folder/App.dSYM/Contents/Resources/DWARF/App" "$cache/objects/macho"
}

object_macho() { object_macho-code; }

# A program in C++ for Windows, by GCC: 100 MB. Four minutes of processor time, once.
object_pe() {
    local gcc=x86_64-w64-mingw32-g++
    command -v "$gcc" >/dev/null || { echo "bench: no $gcc: expected package g++-mingw-w64-x86-64" >&2 && return 1; }
    compile_units pe 10 "$gcc" -std=c++17 -O1 -g -Wa,-mbig-obj -- -static
}

# The same for WebAssembly, by clang: 50 MB. LLVM looks names up in the module's name section with positions in the Code section, so the module has none.
object_wasm() {
    command -v clang++-19 >/dev/null && [[ -d /usr/include/wasm32-wasi ]] \
        || { echo "bench: no clang++-19 for WebAssembly: expected packages clang-19, lld-19, wasi-libc, libc++-19-dev-wasm32, libclang-rt-19-dev-wasm32" >&2 && return 1; }
    compile_units wasm 6 clang++-19 --target=wasm32-wasi -std=c++17 -O1 -g -fno-exceptions -- && llvm-objcopy-19 --remove-section=name "$cache/objects/wasm"
}

# Leaves $cache/objects/NAME: so many units of C++, by a compiler and its options; those behind `--` are the linker's alone.
compile_units() {
    local name="$1" units="$2" folder="$cache/$1"
    shift 2
    local compiler=()
    while [[ "$1" != -- ]]; do compiler+=("$1") && shift; done
    shift
    mkdir -p "$folder" && python3 "$benchmarks/cpp_units.py" "$folder" "$units" && (
        cd "$folder"
        printf '%s\n' ./*.cpp | xargs -P "$(nproc)" -I UNIT nice "${compiler[@]}" -ffile-prefix-map="$folder=/yard" -c UNIT -o UNIT.o \
            && "${compiler[@]}" ./*.cpp.o "$@" -o linked.part && rm -f ./*.cpp.o && mv linked.part "$cache/objects/$name"
    )
}
