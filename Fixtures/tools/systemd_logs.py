"""Lets systemd-coredump tell of crashes of the case Ferry, without systemd: this script is the socket that hands it the core, and the journal that takes its message. What journalctl and coredumpctl
make of that is kept, of the stripped programs and with their debug files beside them.

Usage: systemd_logs.py OUT LOGS SYSTEMD

SYSTEMD is a folder with the unpacked packages systemd, systemd-coredump, libsystemd-shared, libsystemd0, systemd-journal-remote (and libmicrohttpd12): `apt-get download NAME`, `dpkg -x FILE SYSTEMD`.
Nothing may listen at /run/systemd/coredump and /run/systemd/journal/socket. Not run by scripts/fixtures.
"""

import array
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import time

FOLDER = "/srv/cairn-fixtures"
SOCKETS = ["/run/systemd/coredump", "/run/systemd/journal/socket"]
# What would tell of the machine, or is long and tells nothing of the stack.
DROPPED = ["ENVIRON", "PROC_CGROUP", "CGROUP", "PROC_MOUNTINFO", "PROC_AUXV", "OPEN_FDS", "PROC_LIMITS", "PROC_STATUS"]
GDB = """set pagination off
set confirm off
run crash
generate-core-file live.core
shell touch ready; while [ ! -e over ]; do sleep 0.1; done
kill
"""


def environment(systemd):
    library = os.path.join(systemd, "usr/lib/x86_64-linux-gnu")
    return {"LD_LIBRARY_PATH": f"{library}/systemd:{library}", "TZ": "UTC", "LANG": "C"}


def fields_of(data):
    """The journal's native protocol: KEY=value, or KEY, a length and the value."""
    fields = {}
    position = 0
    while position < len(data):
        end = data.index(b"\n", position)
        line = data[position:end]
        if b"=" in line:
            key, value = line.split(b"=", 1)
            position = end + 1
        else:
            key = line
            (size,) = struct.unpack("<Q", data[end + 1:end + 9])
            value = data[end + 9:end + 9 + size]
            position = end + 10 + size
        fields[key.decode()] = value
    return {key: value for key, value in fields.items() if key not in ["COREDUMP_" + name for name in DROPPED]}


def receive(journal):
    while True:
        data, ancillary, _, _ = journal.recvmsg(1 << 22, 1024)
        for level, kind, content in ancillary:
            # A long message comes as a file.
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                file = array.array("i", content[:4])[0]
                data = os.pread(file, os.fstat(file).st_size, 0)
        if b"COREDUMP_" in data:
            return fields_of(data)


def crash(program, systemd):
    """The fields of the entry for a crash. The process waits under gdb meanwhile: systemd-coredump reads its /proc."""
    binary = os.path.join(systemd, "lib/systemd/systemd-coredump")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for path in SOCKETS:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    listener.bind(SOCKETS[0])
    listener.listen(1)
    journal.bind(SOCKETS[1])
    journal.settimeout(60)
    for name in ("ready", "over"):
        if os.path.exists(os.path.join(FOLDER, name)):
            os.remove(os.path.join(FOLDER, name))
    with open(os.path.join(FOLDER, "commands"), "w", encoding="utf-8") as file:
        file.write(GDB)
    gdb = subprocess.Popen(["setarch", "-R", "gdb", "-nx", "-batch", "-x", "commands", "./" + program], cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(os.path.join(FOLDER, "ready")):
            time.sleep(0.1)
            if gdb.poll() is not None:
                raise SystemExit("fixtures: gdb ended: expected a crash")
        pid = subprocess.run(["pgrep", "-P", str(gdb.pid), "-x", program], capture_output=True, text=True, check=True).stdout.split()[0]
        with open(os.path.join(FOLDER, "live.core"), "rb") as core:
            # As the kernel calls it: PID UID GID SIGNAL TIME RLIMIT HOSTNAME.
            arguments = [binary, pid, "0", "0", "11", "1704067200", str(2 ** 64 - 1), "ferryhost"]
            helper = subprocess.Popen(arguments, env=environment(systemd), stdin=core)
        connection, _ = listener.accept()
        child = os.fork()
        if child == 0:
            os.dup2(connection.fileno(), 3)
            os.execve(binary, [binary], environment(systemd) | {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})
        connection.close()
        helper.wait()
        fields = receive(journal)
        os.waitpid(child, 0)
        return fields
    finally:
        open(os.path.join(FOLDER, "over"), "w", encoding="utf-8").close()
        gdb.wait()
        for path in SOCKETS:
            os.remove(path)


def journal_file(fields, systemd, path):
    """The entry as a journal's file."""
    fields = fields | {"_BOOT_ID": b"35a2b597dc5a4a6ebe37fd3a7e97bd73", "_MACHINE_ID": b"c4f822f021d5433ab143f054bca5b672", "_HOSTNAME": b"ferryhost", "_UID": b"0"}
    export = b"__CURSOR=s=0;i=0\n__REALTIME_TIMESTAMP=%s\n__MONOTONIC_TIMESTAMP=1000000\n" % fields["COREDUMP_TIMESTAMP"]
    for key, value in sorted(fields.items()):
        export += key.encode() + (b"\n" + struct.pack("<Q", len(value)) if b"\n" in value else b"=") + value + b"\n"
    if os.path.exists(path):
        os.remove(path)
    remote = os.path.join(systemd, "lib/systemd/systemd-journal-remote")
    subprocess.run([remote, "--output=" + path, "-"], input=export + b"\n", env=environment(systemd), capture_output=True, check=True)


def asked(systemd, *arguments):
    done = subprocess.run([os.path.join(systemd, arguments[0]), *arguments[1:]], env=environment(systemd), capture_output=True, text=True, check=True)
    # How long ago it was, and what only this run's core had.
    return re.sub(r" \((?:\d[^)]* ago|present)\)", "", done.stdout)


def main(out, logs, systemd):
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for name in ("ferry-pie", "ferry-nopie", "libharbour.so.1"):
        shutil.copy(os.path.join(out, name), FOLDER)
    for program in ("ferry-pie", "ferry-nopie"):
        directory = os.path.join(logs, "systemd-coredump", program)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)

        def write(name, text):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)

        path = os.path.join(FOLDER, "ferry.journal")
        journal_file(crash(program, systemd), systemd, path)
        write("coredumpctl.txt", asked(systemd, "usr/bin/coredumpctl", "--file", path, "info", "--no-pager"))
        write("journal.txt", asked(systemd, "bin/journalctl", "--file", path, "--no-pager"))
        write("journal.json", asked(systemd, "bin/journalctl", "--file", path, "-o", "json", "--all", "--no-pager"))
        debug = os.path.join(FOLDER, ".debug")
        os.makedirs(debug)
        for name in os.listdir(out):
            if name.endswith(".debug"):
                shutil.copy(os.path.join(out, name), debug)
        write("expected-systemd.txt", crash(program, systemd)["MESSAGE"].decode())
        shutil.rmtree(debug)
    shutil.rmtree(FOLDER)


main(*sys.argv[1:])
