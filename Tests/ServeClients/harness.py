"""What the checks of `cairn serve` share: servers that are started and stopped, requests, memory, and the report."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
HOST = "127.0.0.1"


class Report:
    """A line for each check, and what they come to."""

    def __init__(self):
        self.counts = {"pass": 0, "fail": 0, "skipped": 0}

    def say(self, result, name, words=""):
        self.counts[result] += 1
        print(f"{result:8}{name}{': ' + words if words else ''}", flush=True)

    def check(self, name, problems, words=""):
        """Passes where there are no problems; of many, the first are said."""
        if problems:
            more = f" (and {len(problems) - 8} more)" if len(problems) > 8 else ""
            self.say("fail", name, "\n          ".join(str(problem)[:1500] for problem in problems[:8]) + more)
        else:
            self.say("pass", name, words)

    def skip(self, name, reason):
        self.say("skipped", name, reason)

    def end(self):
        print(f"{self.counts['pass']} passed, {self.counts['fail']} failed, {self.counts['skipped']} skipped")
        return 1 if self.counts["fail"] else 0


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def call(port, method, path, body=None, headers=None, timeout=30):
    """One request on a connection of its own: the status, the headers (names in lower case) and the body."""
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def call_json(port, method, path, value=None, headers=None, timeout=30):
    """The status, and the response as JSON; its text where it is none."""
    body = value if value is None or isinstance(value, (bytes, str)) else json.dumps(value)
    status, _, data = call(port, method, path, body, {"Content-Type": "application/json", **(headers or {})}, timeout)
    try:
        return status, json.loads(data)
    except ValueError:
        return status, data.decode("utf-8", "replace")


def processes_of(group):
    """The processes of a process group, and of the groups that its members began."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(name)] = (int(fields[1]), int(fields[2]))
    found = {process for process, (_, own) in parents.items() if own == group}
    while more := {process for process, (parent, _) in parents.items() if parent in found} - found:
        found |= more
    return found


def status_of(process, field):
    """A number of /proc/PID/status, 0 where the process has ended."""
    try:
        with open(f"/proc/{process}/status") as file:
            match = re.search(rf"^{field}:\s+(\d+)", file.read(), re.M)
    except OSError:
        return 0
    return int(match.group(1)) if match else 0


class Server:
    """A server of the loopback interface in a process group of its own: `with Server(…) as server: server.port`."""

    def __init__(self, command, port, ready, environment=None, name="server", seconds=30, directory=None, limits=None):
        """port: the server's; 0 = it says it in its log. ready: a path that answers 200 when it works."""
        self.log = tempfile.NamedTemporaryFile(prefix=f"{name}-", suffix=".log")
        self.name, self.port, self.peaks = name, port, {}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True, cwd=directory,
            env={**os.environ, **(environment or {})}, preexec_fn=limits,
        )
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if not self.port:
                match = re.search(r"127\.0\.0\.1:(\d+)", self.text())
                self.port = int(match.group(1)) if match else 0
            if self.port:
                try:
                    if call(self.port, "GET", ready, timeout=5)[0] == 200:
                        return
                except OSError:
                    pass
            time.sleep(0.05)
        text = self.text()
        self.stop()
        raise RuntimeError(f"{name} does not run ({' '.join(command)}): {text[-2000:]}")

    def text(self):
        with open(self.log.name, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def processes(self):
        return processes_of(self.process.pid)

    def memory(self, field="VmRSS"):
        """kB of all its processes, as they are now."""
        return sum(status_of(process, field) for process in self.processes())

    def peak(self):
        """kB: the sum of each process's own peak, of all that were seen. No less than what was used at any moment."""
        for process in self.processes():
            self.peaks[process] = max(self.peaks.get(process, 0), status_of(process, "VmHWM"))
        return sum(self.peaks.values())

    def shares(self):
        """kB now, with each page that processes share counted once."""
        total = 0
        for process in self.processes():
            try:
                with open(f"/proc/{process}/smaps_rollup") as file:
                    total += int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M).group(1))
            except (OSError, AttributeError):
                pass
        return total

    def descriptors(self):
        count = 0
        for process in self.processes():
            try:
                count += len(os.listdir(f"/proc/{process}/fd"))
            except OSError:
                pass
        return count

    def runs(self):
        return self.process.poll() is None

    def kill(self):
        for process in [self.process.pid, *self.processes()]:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()

    def stop(self, seconds=10):
        """The status that it ends with, or None where it had to be killed."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
                return None
        self.kill()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def cairn_server(cairn, symbols, *words, environment=None, limits=None, listen=f"{HOST}:0", seconds=30):
    options = [word for folder in symbols for word in ("--symbols", folder)]
    return Server(
        [cairn, "serve", *options, "--listen", listen, *words], 0 if listen.endswith(":0") else int(listen.rpartition(":")[2]),
        "/readyz", {"DEBUGINFOD_URLS": "", **(environment or {})}, "cairn-serve", seconds, limits=limits,
    )


def in_parallel(count, work):
    """Runs `work(number)` in threads; what each returned, or the error that it ended with."""
    results = [None] * count

    def one(number):
        try:
            results[number] = work(number)
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def eliot_only(clients, symbols, cache, workers=1, name="eliot"):
    """Eliot with symbol files from a URL."""
    port = free_port()
    return Server(
        [os.path.join(clients, "venv/bin/gunicorn"), "eliot.wsgi:application", "--bind", f"{HOST}:{port}", "--workers", str(workers),
         "--timeout", "120", "--no-control-socket"],
        port, "/__lbheartbeat__", {"ELIOT_SYMBOLS_URLS": symbols, "ELIOT_SYMBOLS_CACHE_DIR": cache}, name, directory=os.path.join(clients, "eliot"),
    )


def eliot_server(clients, symbols, cache, workers=1, name="eliot"):
    """A server of files, and Eliot, which has its symbols from it."""
    port = free_port()
    files = Server([sys.executable, "-m", "http.server", "--bind", HOST, "--directory", symbols, str(port)], port, "/", name="symbols")
    try:
        return files, eliot_only(clients, f"http://{HOST}:{port}/", cache, workers, name)
    except RuntimeError:
        files.stop()
        raise
