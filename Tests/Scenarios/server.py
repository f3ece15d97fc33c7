"""A `parley serve` that runs for as long as a test looks at it."""

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from ports import free_port

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 20.0


def binary() -> Path:
    """What is tested: PARLEY in the environment, or what `swift build` has made."""
    path = Path(os.environ.get("PARLEY", ROOT / ".build/debug/parley"))
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: swift build --product parley")
    return path


def eventually(holds: Callable[[], bool], what: str, within: float = TIMEOUT) -> None:
    """Looks until `holds`, and complains about `what` when that takes too long."""
    deadline = time.monotonic() + within
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"still not true after {within:.0f} s: {what}")
        time.sleep(0.02)


def store_of(data: str, options: tuple[str, ...] = ()) -> list[str]:
    """Which engine keeps what a server is told: STORE in the environment says so."""
    if os.environ.get("STORE") != "postgresql" or "--store" in options:
        return []
    import postgres

    return ["--store", postgres.shared().of(data)]


def loops_of(options: tuple[str, ...] = ()) -> list[str]:
    """On how many loops sessions live: SIGNALLING_LOOPS in the environment says so."""
    count = os.environ.get("SIGNALLING_LOOPS")
    if not count or "--loops" in options or "--signalling-loops" in options:
        return []
    return ["--loops", count, "--signalling-loops", count]


def companions_wanted() -> int:
    """How many nodes stand beside each server, behind a balancer: NODES in the environment says how many there are in all, over PostgreSQL."""
    return int(os.environ.get("NODES", "1")) - 1 if os.environ.get("STORE") == "postgresql" else 0


class Server:
    """Started on a free port; `options` come on top. `testing` opens the test endpoints, and larger messages with them; `doors`
    lets apps made for other servers in."""

    def __init__(
        self, *options: str, path: Path | None = None, testing: bool = True, data: str | None = None, doors: bool = True,
        is_companion: bool = False, environment: dict | None = None
    ):
        self._companions = None
        # Behind a balancer nodes listen without TLS.
        is_alone = is_companion or "--store" in options or "--tls-cert" in options
        self._companion_count = 0 if is_alone else companions_wanted()
        self.data = data or tempfile.mkdtemp(prefix="parley-test-")
        self.path = path
        self.environment = os.environ | (environment or {})
        self.options = [*options, "--test-endpoints"] if testing else [*options]
        if doors and "--doors" not in options:
            self.options += ["--doors", "all", "--public-user-list"]
        if not is_companion:
            self.options += store_of(self.data, options) + loops_of(options)
        if self._companion_count:
            self.options += ["--trusted-proxy", "127.0.0.1"]
        self._start("127.0.0.1:0" if self._companion_count else f"127.0.0.1:{free_port()}")

    def _start(self, listen: str) -> None:
        # Where a balancer stands in front, it has the port that tests know.
        own = "127.0.0.1:0" if self._companion_count else listen
        command = [self.path or binary(), "serve", "--listen", own, "--admin", "127.0.0.1:0", "--stun", "off"]
        command += ["--data", self.data, "--log-format", "json", *self.options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.log: list[dict] = []
        self._lines: queue.Queue = queue.Queue()
        self._has_heard_enough = False
        self._reader = threading.Thread(target=self._read_log, args=[self.process, self._lines], daemon=True)
        self._reader.start()
        ready = self.event("serve.ready")
        self.address = self._split(ready["address"])
        self.admin = self._split(ready["admin"])
        if self._companion_count:
            self._surround(listen)

    def _surround(self, listen: str) -> None:
        from balancer import Companions

        self._companions = Companions(self, self._companion_count, "" if listen.endswith(":0") else listen)
        self.address = self._companions.balancer.address

    def end(self) -> None:
        """At once, without a goodbye."""
        if self._companions:
            self._companions.end()
            self._companions = None
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()

    def begin(self) -> None:
        """Again, on the same port and with the same data."""
        self._start(f"{self.address[0]}:{self.address[1]}")

    def restart(self) -> None:
        self.end()
        self.begin()

    @staticmethod
    def _split(text: str) -> tuple[str, int]:
        host, _, port = text.rpartition(":")
        return host.strip("[]"), int(port)

    def _read_log(self, process: subprocess.Popen, lines: queue.Queue) -> None:
        for line in process.stderr:
            lines.put(line)
            if self._has_heard_enough:
                break
        process.stderr.close()
        lines.put(None)

    def stop_reading_log(self) -> None:
        """Closes the pipe behind the next line."""
        self._has_heard_enough = True
        with self.connect() as peer:
            peer.sendall(b"nonsense\r\n\r\n")
        self._reader.join()

    def event(self, name: str) -> dict:
        """The next log event with that name."""
        while True:
            line = self._lines.get(timeout=TIMEOUT)
            if line is None:
                raise AssertionError(f"the server ended without {name}; its log: {self.log}")
            assert line.startswith("{"), f"the server said without a journal: {line}"
            event = json.loads(line)
            self.log.append(event)
            if event["event"] == name:
                return event

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.end()
        shutil.rmtree(self.data, ignore_errors=True)

    # What it is asked.

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=TIMEOUT)

    def get(self, path: str, admin: bool = False, within: float = TIMEOUT) -> tuple[int, str]:
        host, port = self.admin if admin else self.address
        try:
            with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=within) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def ask_admin(self, method: str, path: str) -> None:
        """What the person who runs the server does; anything but success is an error."""
        host, port = self.admin
        request = urllib.request.Request(f"http://{host}:{port}{path}", method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT):
            pass

    def metric(self, name: str) -> float:
        for line in self.get("/metrics", admin=True)[1].splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[-1])
        raise AssertionError(f"there is no metric {name}")

    # What the system says about it.

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self, field: str) -> int:
        """`VmRSS` or `VmHWM`, in KiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
        raise AssertionError(f"there is no {field}")

    def forget_peak(self) -> None:
        """From now on `VmHWM` counts anew."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    # How it ends.

    def tell(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, within: float = TIMEOUT) -> int:
        return self.process.wait(timeout=within)
