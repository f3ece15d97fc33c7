"""A `parley serve` that runs for as long as a test looks at it."""

import json
import os
import queue
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import unittest
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


def suspend(process: subprocess.Popen) -> None:
    """Until SIGCONT. On a busy machine threads run on for a while after the signal, so this waits until none does."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def quick(act: Callable[[], None], within: float) -> None:
    """In the median of five times `act` takes no longer than that."""
    took: list[float] = []
    for _ in range(5):
        began = time.monotonic()
        act()
        took.append(time.monotonic() - began)
    if statistics.median(took) >= within:
        raise AssertionError(f"not within {within:g} s: {took}")


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


def of_one_process(test):
    """A test, or a class of tests, of what is done otherwise where there are several nodes."""
    return unittest.skipIf(companions_wanted() > 0, "it is about one process, and here are several")(test)


class Server:
    """Started on a free port; `options` come on top. `testing` opens the test endpoints, and larger messages with them; `doors`
    lets apps made for other servers in.

    Where it has companions, they are one service to the test: their logs, metrics, signals and ends are all of theirs. A test
    that looks at what only one process has (its memory, its descriptors) is skipped there.
    """

    # Behind a balancer nodes listen without TLS on one address of one family, each with ports of its own, and ask each other's
    # administration without a token.
    _SINGLE = {"--store", "--listen", "--tls", "--tls-cert", "--acme", "--turn", "--signalling-loops", "--admin-token"}

    def __init__(
        self, *options: str, path: Path | None = None, testing: bool = True, data: str | None = None, doors: bool = True,
        beside: "Server | None" = None, environment: dict | None = None
    ):
        self._companions = None
        self._beside = beside
        is_alone = beside or self._SINGLE & set(options)
        self._companion_count = 0 if is_alone else companions_wanted()
        self.data = data or tempfile.mkdtemp(prefix="parley-test-")
        self.path = path
        self.environment = os.environ | (environment or {})
        self.options = [*options, "--test-endpoints"] if testing else [*options]
        if doors and "--doors" not in options:
            self.options += ["--doors", "all", "--public-user-list"]
        if not beside:
            self.options += store_of(self.data, options) + loops_of(options)
        if self._companion_count:
            self.options += ["--trusted-proxy", "127.0.0.1"]
        self._start("127.0.0.1:0" if self._companion_count else f"127.0.0.1:{free_port()}")

    def _start(self, listen: str) -> None:
        # Where a balancer stands in front, it has the port that tests know.
        own = "127.0.0.1:0" if self._companion_count else listen
        command = [self.path or binary(), "serve", "--listen", own, "--admin", "127.0.0.1:0", "--stun", "off"]
        command += ["--data", self.data, "--log-format", "json", *self.options]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.log: list[dict] = []
        self._lines: queue.Queue = queue.Queue()
        self._has_heard_enough = False
        self._reader = threading.Thread(target=self._read_log, args=[self._process, self._lines], daemon=True)
        self._reader.start()
        ready = self.event("serve.ready")
        self.address = self._listener = self._split(ready["address"])
        self.admin = self._split(ready["admin"])
        if self._companion_count:
            self._surround(listen)

    def _surround(self, listen: str) -> None:
        from balancer import Companions

        try:
            self._companions = Companions(self, self._companion_count, "" if listen.endswith(":0") else listen)
        except BaseException:
            self.end()
            raise
        self.address = self._companions.balancer.address

    def end(self) -> None:
        """At once, without a goodbye."""
        if self._companions:
            self._companions.end()
            self._companions = None
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()

    def begin(self) -> None:
        """Again, on the same port and with the same data; what is left of it ends."""
        self.end()
        self._start(f"{self.address[0]}:{self.address[1]}")

    restart = begin

    @property
    def is_of_several(self) -> bool:
        """Whether there are companions."""
        return self._companion_count > 0

    def shows(self, holds: Callable[[], bool], what: str) -> None:
        """At once; where there are companions, a moment later."""
        if self.is_of_several:
            return eventually(holds, what)
        assert holds(), what

    @property
    def _nodes(self) -> list["Server"]:
        return [self, *(self._companions.nodes if self._companions else [])]

    @property
    def process(self) -> subprocess.Popen:
        if self._companions:
            raise unittest.SkipTest("it looks at one process, and here are several")
        return self._process

    @staticmethod
    def _split(text: str) -> tuple[str, int]:
        host, _, port = text.rpartition(":")
        return host.strip("[]"), int(port)

    def _read_log(self, process: subprocess.Popen, lines: queue.Queue) -> None:
        for line in process.stderr:
            lines.put(line)
            if self._beside:
                self._beside._lines.put(line)
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

    def wait_for_tree(self) -> None:
        """It is read from the store while the listeners open: either may be first."""
        if not any(event["event"] == "tree.opened" for event in self.log):
            self.event("tree.opened")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.end()
        shutil.rmtree(self.data, ignore_errors=True)

    # What it is asked.

    def connect(self) -> socket.socket:
        """Straight to the server, for bytes of which a balancer would make others."""
        return socket.create_connection(self._listener, timeout=TIMEOUT)

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
        """What all processes have counted."""
        lines = [line for node in self._nodes for line in node.get("/metrics", admin=True)[1].splitlines()]
        values = [float(line.split()[-1]) for line in lines if line.startswith(f"{name} ")]
        assert values, f"there is no metric {name}"
        return sum(values)

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
        for node in self._nodes:
            if number == signal.SIGSTOP:
                suspend(node._process)
            else:
                node._process.send_signal(number)

    def wait(self, within: float = TIMEOUT) -> int:
        return max(node._process.wait(timeout=within) for node in self._nodes)
