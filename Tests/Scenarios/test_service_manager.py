"""A server under a service manager, in whose place the test stands: it holds the listening socket, and hears what is told."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from server import TIMEOUT, ROOT, binary, suspend

# As a service manager does it: the number of the process is known only to the process itself.
START = 'export LISTEN_PID=$$; exec "$@"'


class Manager:
    """Holds the socket for as long as the test runs, and starts one server after another on it."""

    def __init__(self, case: unittest.TestCase, watchdog: float | None = None, options: tuple[str, ...] = ()):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.data = str(Path(folder.name, "data"))
        self.watchdog = watchdog
        self.options = options
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        case.addCleanup(self.listener.close)
        self.address = self.listener.getsockname()
        self.ears = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ears.bind(str(Path(folder.name, "notify")))
        self.ears.settimeout(TIMEOUT)
        case.addCleanup(self.ears.close)
        case.addCleanup(self.end)
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        variables = {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "parley", "NOTIFY_SOCKET": self.ears.getsockname()}
        if self.watchdog:
            variables["WATCHDOG_USEC"] = str(int(self.watchdog * 1_000_000))
        command = [
            str(binary()), "serve", "--admin", "127.0.0.1:0", "--stun", "off", "--data", self.data, "--drain-timeout", "2s",
            "--sessions-per-address", "100000", "--log-level", "error", *self.options]
        # Descriptor 3 is the first one that is handed over.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{self.listener.fileno()}; {START}', "bash", *command],
            env={**os.environ, **variables}, pass_fds=[self.listener.fileno()], stdin=subprocess.DEVNULL)
        self.expect("READY=1")

    def expect(self, word: str) -> None:
        while self.ears.recv(4096).decode() != word:
            pass

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(TIMEOUT)

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Visitors(threading.Thread):
    """Comes again and again, each time on a connection of its own, and counts who was not answered."""

    def __init__(self, address: tuple, ends: threading.Event):
        super().__init__(daemon=True)
        self.address, self.ends = address, ends
        self.answered = 0
        self.slowest = 0.0
        self.refused: list[str] = []

    def run(self) -> None:
        while not self.ends.is_set():
            came = time.monotonic()
            try:
                with socket.create_connection(self.address, timeout=60) as line:
                    line.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    if line.recv(4096).startswith(b"HTTP/1.1 200"):
                        self.answered += 1
                    else:
                        self.refused.append("no answer")
            except OSError as error:
                self.refused.append(str(error))
            self.slowest = max(self.slowest, time.monotonic() - came)


class ServiceManagerTests(unittest.TestCase):
    def test_P05_a_restart_refuses_no_connection(self):
        """P05.handover P05.told"""
        manager = Manager(self)
        manager.start()
        ends = threading.Event()
        crowd = [Visitors(manager.address, ends) for _ in range(8)]
        for visitor in crowd:
            visitor.start()
        for _ in range(3):
            deadline = time.monotonic() + TIMEOUT
            goal = sum(visitor.answered for visitor in crowd) + 700
            while sum(visitor.answered for visitor in crowd) < goal and time.monotonic() < deadline:
                time.sleep(0.05)
            manager.stop()
            manager.expect("STOPPING=1")
            manager.start()
        time.sleep(0.5)
        ends.set()
        for visitor in crowd:
            visitor.join(TIMEOUT)
        self.assertEqual([reason for visitor in crowd for reason in visitor.refused], [])
        self.assertGreater(sum(visitor.answered for visitor in crowd), 1_000)

    def test_P05_a_watchdog_hears_of_a_server_that_works_and_not_of_one_that_hangs(self):
        """P05.watchdog"""
        manager = Manager(self, watchdog=0.6)
        manager.start()
        for _ in range(3):
            manager.expect("WATCHDOG=1")
        suspend(manager.process)
        manager.ears.settimeout(1.5)
        with self.assertRaises(TimeoutError):
            for _ in range(20):
                manager.ears.recv(4096)
        manager.process.send_signal(signal.SIGCONT)
        manager.ears.settimeout(TIMEOUT)
        manager.expect("WATCHDOG=1")

    def test_P05_sockets_that_were_meant_for_another_process_are_left_alone(self):
        manager = Manager(self)
        with tempfile.TemporaryDirectory() as data:
            done = subprocess.Popen(
                [str(binary()), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", data,
                 "--log-format", "json"],
                env={**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "1"}, stderr=subprocess.PIPE, text=True)
            with done.stderr:
                ready = next(event for line in done.stderr if (event := json.loads(line))["event"] == "serve.ready")
                self.assertNotEqual(ready["address"], "127.0.0.1:{}".format(manager.address[1]))
                done.terminate()
                self.assertEqual(done.wait(TIMEOUT), 0)


class UnitTests(unittest.TestCase):
    def test_P05_the_unit_shuts_out_what_it_does_not_need(self):
        """P05.sandbox"""
        unit = ROOT / "Scripts/package.d/parley.service"
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", str(unit)],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)


if __name__ == "__main__":
    unittest.main()
