# The kernel's scripts of Debian's linux-source: decode_stacktrace.sh runs `addr2line -i -e FILE ADDRESS` for each address that it has not seen (llvm-addr2line with LLVM=1), faddr2line runs
# `addr2line --functions --pretty-print --inlines --exe=FILE ADDRESS`, with --section= for modules.

scripts_folder="$cache/callers/kernel"

fetch_kernel() {
    local name
    if [[ ! -d "$scripts_folder" ]]; then
        # linux-source is empty and depends on the package of the current version.
        name="$(apt-cache depends linux-source 2>/dev/null | sed -n 's/.*Depends: //p' | head -n 1)"
        [[ -n "$name" ]] && package "$name" || return 0
        rm -rf "$scripts_folder.part" && mkdir -p "$scripts_folder.part"
        dpkg-deb --fsys-tarfile "$cache/packages/$name"_*.deb | tar -x --to-stdout --wildcards '*/linux-source-*.tar.xz' \
            | tar -xJ -C "$scripts_folder.part" --strip-components=2 --wildcards '*/scripts/decode_stacktrace.sh' '*/scripts/decodecode' '*/scripts/faddr2line' \
            && mv "$scripts_folder.part" "$scripts_folder"
    fi
    [[ -e "$cache/objects/vmlinux" ]] || object_vmlinux || true
}

missing_kernel() {
    [[ -d "$scripts_folder" ]] || echo "the kernel's scripts are not in the cache (--download)"
    [[ -e "$cache/objects/vmlinux" ]] || echo "vmlinux is not in the cache (--download)"
}

# decodecode's objdump complains of files with random names.
without_temporary_names() { sed 's,/tmp/tmp\.[A-Za-z0-9]*,/tmp/tmp,'; }

rows_kernel() {
    local shows='[a-z_]*\.c:[0-9]' own_places='[a-z_]*\.c:[0-9]+' vmlinux="$cache/objects/vmlinux" fixtures="$PWD/Fixtures" log="$work/oops.log" modules="$work/modules" decode
    mkdir -p "$modules" && cp "$fixtures/binaries/KernelModule/out/CrashModule.ko" "$modules"
    # Real oopses of Debian's 6.1.192 with a module of ours.
    cp "$fixtures/logs/kernel-oops/KernelModule/console.log" "$log"
    # The script reads its standard input.
    decode=(bash -c 'log="$1"; shift; exec bash "$@" <"$log"' decode)
    row kernel-decode-small addr2line without_temporary_names "${decode[@]}" "$fixtures/logs/kernel-oops/Kernel/oops.log" "$scripts_folder/decode_stacktrace.sh" \
        "$fixtures/binaries/Kernel/out/vmlinux"
    row kernel-decode addr2line without_temporary_names "${decode[@]}" "$log" "$scripts_folder/decode_stacktrace.sh" "$vmlinux" auto "$modules"
    row kernel-decode-llvm llvm-addr2line without_temporary_names env LLVM=1 "${decode[@]}" "$log" "$scripts_folder/decode_stacktrace.sh" "$vmlinux" auto "$modules"
    row kernel-faddr2line addr2line as_it_is bash "$scripts_folder/faddr2line" "$vmlinux" do_one_initcall+0x59 do_syscall_64+0x5d __handle_mm_fault+0x660 rest_init+0xca
    row kernel-faddr2line-module addr2line as_it_is bash "$scripts_folder/faddr2line" "$modules/CrashModule.ko" crash_other+0xa crash_walk+0x11 crash_step+0x6
}
