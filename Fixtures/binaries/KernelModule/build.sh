#!/bin/bash
# Builds a module for Debian 12's kernel 6.1.0-56-amd64 (linux-headers-6.1.0-56-amd64, with gcc 12), and catches what that kernel says when the module goes wrong in it: the kernel of
# linux-image-6.1.0-56-amd64 in QEMU (qemu-system-x86, busybox-static, cpio), with nothing but a shell and the module.
release=6.1.0-56-amd64
headers=/lib/modules/$release/build
if ! [ -d "$headers" ]; then
    echo "fixtures: KernelModule: there are no headers of the kernel $release (linux-headers-$release): what is committed stays" >&2
    exit 0
fi
. "$(dirname "$0")/../../tools/environment.sh"

make -C "$headers" M="$SCRATCH" KCFLAGS="-ffile-prefix-map=$SCRATCH=/src -fmacro-prefix-map=$SCRATCH/=" modules > make.log
cp CrashModule.ko "$OUT/"


# The kernel's own word, where its image is at hand: KERNEL_IMAGE is its vmlinuz.
image=${KERNEL_IMAGE:-/boot/vmlinuz-$release}
log=$LOGS_DIR/kernel-oops/KernelModule/console.log
if [ -r "$image" ]; then
    mkdir -p initrd/bin initrd/proc initrd/sys initrd/dev
    cp "$(command -v busybox)" initrd/bin/busybox
    cp CrashModule.ko initrd/
    cat > initrd/init <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
echo 7 > /proc/sys/kernel/printk
/bin/busybox insmod /CrashModule.ko
echo l > /proc/sysrq-trigger
echo c > /proc/sysrq-trigger
END
    chmod +x initrd/init
    (cd initrd && find . | sort | cpio -o -H newc 2> /dev/null | gzip -n) > initrd.gz
    timeout 300 qemu-system-x86_64 -m 512 -smp 2 -nographic -no-reboot -kernel "$image" -initrd initrd.gz \
        -append "console=ttyS0 panic=1 oops=continue quiet" < /dev/null > boot.log 2>&1 || true
    # What the machine says before the kernel does is no part of the log; a console ends its lines with CR and LF.
    sed 's/\x1b\[[0-9;?]*[A-Za-z]//g; s/\x1bc//g' boot.log | sed -n '/^\[ *[0-9.]*\]/,$p' > "$log"
    [ -s "$log" ] || fail "the kernel in QEMU said nothing"
fi
python3 "$TOOLS_DIR/kernel_places.py" "$log" CrashModule "$OUT/CrashModule.ko" > "$(dirname "$log")/expected-module.tsv"
# KERNEL_SYMBOLS is the kernel's vmlinux (linux-image-6.1.0-56-amd64-dbg).
if [ -r "${KERNEL_SYMBOLS:-}" ]; then
    python3 "$TOOLS_DIR/kernel_places.py" "$log" vmlinux "$KERNEL_SYMBOLS" > "$(dirname "$log")/expected-vmlinux.tsv"
fi
record_versions gcc-12 ld gdb
