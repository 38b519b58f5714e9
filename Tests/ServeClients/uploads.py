"""Symbol files that are sent to a server, and what its store has of them."""

import hashlib
import os
import subprocess

from harness import call, call_json
from objects import build_id

# What a store writes before a file has its name.
UNFINISHED = ".cairn-"


TOKEN = "a-token-of-the-checks-0123456789"


class Store:
    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        self.token = self.path + ".token"
        os.makedirs(self.path)
        with open(self.token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(f"checks {TOKEN}\n")
        self.words = ["--upload", self.token, "--store", self.path]


def alive(server, program):
    """Problems of a server that must be as before: it runs, is healthy, and symbolicates."""
    if not server.runs():
        return [f"the server ended with {server.process.returncode}: {server.text()[-800:]}"]
    request = {"memoryMap": [[program.name, program.breakpad_id]], "stacks": [[[0, program.symbols()[0][0]]]]}
    try:
        status = call(server.port, "GET", "/healthz", timeout=10)[0]
        answer = call_json(server.port, "POST", "/symbolicate/v5", request, timeout=30)
    except OSError as error:
        return [f"no response afterwards: {type(error).__name__}: {error}"]
    problems = [] if status == 200 else [f"GET /healthz afterwards: {status}"]
    if answer[0] != 200 or "function" not in answer[1]["results"][0]["stacks"][0][0]:
        problems.append(f"v5 afterwards: {answer}")
    return problems


class Uploads:
    """Files that no other is like: small programs, each with a build ID of its own and some ballast."""

    def __init__(self, folder, count, ballast=200_000):
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "one.c")
        with open(source, "w") as file:
            file.write("int one(int value) { return value + 1; }\nint main(void) { return one(1); }\n")
        whole = os.path.join(folder, "one")
        subprocess.run(["gcc", "-g", "-o", whole, "-Wl,--build-id=0x" + "00" * 20, source], check=True)
        with open(whole, "rb") as file:
            bytes_ = file.read()
        note = bytes_.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
        self.paths, self.ids = [], []
        for number in range(count):
            identity = hashlib.sha1(f"{folder} {number}".encode()).digest()
            path = os.path.join(folder, f"program-{number}")
            with open(path, "wb") as file:
                file.write(bytes_[:note] + identity + bytes_[note + 20 :] + hashlib.sha256(identity).digest() * (ballast // 32))
            self.paths.append(path)
            self.ids.append(identity.hex())
        assert build_id(self.paths[0]) == self.ids[0]
        self.sums = {sum_of(path) for path in self.paths}

    def send(self, port, number, token, timeout=30):
        """The status of one upload."""
        with open(self.paths[number], "rb") as file:
            data = file.read()
        return send(port, data, token, f"program-{number}", timeout)[0]


def send(port, data, token, name="program", timeout=30, headers=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream", **(headers or {})}
    status, _, body = call(port, "PUT", f"/v1/symbols?name={name}", data, headers, timeout)
    return status, body


def sum_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def stored(store):
    """The files of a store that have their names: path and sum."""
    found = {}
    for folder, folders, files in os.walk(store):
        folders[:] = [name for name in folders if not name.startswith(UNFINISHED)]
        for name in files:
            path = os.path.join(folder, name)
            # What a file was called, in a text of one line beside it.
            is_name = os.path.basename(folder) == "names" and name.endswith(".txt") and os.path.getsize(path) < 1000
            if not name.startswith(UNFINISHED) and not os.path.islink(path) and not is_name:
                found[os.path.relpath(path, store)] = sum_of(path)
    return found
